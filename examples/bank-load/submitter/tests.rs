//! Payments to a fake bank, whose answers are a list.

use std::future::Future;
use std::net::Ipv4Addr;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schedule_stream::Position;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Submitter;
use crate::api::{Acceptance, Accepted, IDEMPOTENCY_KEY};
use crate::connection::{Submitted, Target};
use crate::ledger::{Entry, Payment};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(60);

/// Short, because a test waits until it is over.
const SHORT: Duration = Duration::from_secs(1);

/// The reaction of the fake bank to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It accepts the payment.
    Accept,
    /// It answers with a status and a body.
    Answer(u16, &'static str),
    /// It closes the connection without an answer.
    Close,
    /// It never answers.
    Wait,
}

/// It ends.
const UNAVAILABLE: Step = Step::Answer(503, r#"{"error": "it ends", "accepted": "no"}"#);

#[derive(Clone, Debug, PartialEq)]
struct ReceivedRequest {
    key: Option<String>,
    body: Vec<u8>,
}

/// An HTTP server on one connection at a time.
struct FakeBank {
    target: Target,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    server: JoinHandle<()>,
}

impl FakeBank {
    /// `steps`: one for each request. The last one is also that of all later requests.
    async fn start(steps: &'static [Step]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let server = tokio::spawn(serve(listener, steps, Arc::clone(&received)));
        Self {
            target: Target::Http(address),
            received,
            server,
        }
    }

    fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }
}

async fn serve(
    listener: TcpListener,
    steps: &'static [Step],
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        while let Some(request) = read(&mut stream).await {
            let nth = {
                let mut received = received.lock().unwrap();
                received.push(request);
                received.len() - 1
            };
            let accepted = Accepted {
                position: Position::new(1, 0),
                balance_cents: 5,
            };
            let (status, body) = match steps[nth.min(steps.len() - 1)] {
                Step::Accept => (200, serde_json::to_string(&accepted).unwrap()),
                Step::Answer(status, body) => (status, body.to_string()),
                Step::Close => break,
                Step::Wait => continue,
            };
            let n_bytes = body.len();
            let answer = format!("HTTP/1.1 {status} \r\ncontent-length: {n_bytes}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

/// Reads a request. `None` if the client has closed the connection.
async fn read(stream: &mut BufReader<TcpStream>) -> Option<ReceivedRequest> {
    let (mut key, mut n_bytes) = (None, 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("content-length", value)) => n_bytes = value.parse().unwrap(),
            Some((IDEMPOTENCY_KEY, value)) => key = Some(value.to_string()),
            _ if line == "\r\n" => break,
            _ => {}
        }
    }
    let mut body = vec![0; n_bytes];
    stream.read_exact(&mut body).await.ok()?;
    Some(ReceivedRequest { key, body })
}

fn payment() -> Entry {
    Entry::Pay(Payment {
        from: "ada".to_string(),
        to: "bob".to_string(),
        cents: NonZeroU64::MIN,
        memo: None,
    })
}

fn within_limit(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let test = async { timeout(LONG, test).await.expect("it ends") };
    runtime.unwrap().block_on(test);
}

#[test]
fn payment_is_repeated_after_503_and_after_a_broken_connection() {
    within_limit(async {
        let bank = FakeBank::start(&[
            UNAVAILABLE,
            Step::Close,
            Step::Answer(503, "the server is overloaded"),
            Step::Answer(503, r#"{"error": "it ends", "accepted": "unknown"}"#),
            Step::Close,
            Step::Accept,
        ])
        .await;
        let mut submitter = Submitter::connect(&bank.target, LONG).await.unwrap();
        let submitted = submitter.submit(&payment(), Some("k1")).await.unwrap();
        assert_eq!(submitted, Submitted::Accepted);
        assert_eq!(submitter.n_repeated(), 5);
        let received = bank.received();
        assert_eq!(received.len(), 6);
        assert_eq!(received[0].key.as_deref(), Some("k1"));
        assert!(received.iter().all(|request| *request == received[0]));
    });
}

#[test]
fn payment_is_not_repeated_after_another_status() {
    within_limit(async {
        let cases: [(u16, &'static [Step]); 6] = [
            (400, &[Step::Answer(400, r#"{"error": "why"}"#)]),
            (404, &[Step::Answer(404, r#"{"error": "why"}"#)]),
            (409, &[Step::Answer(409, r#"{"error": "why"}"#)]),
            (422, &[Step::Answer(422, r#"{"error": "why"}"#)]),
            (500, &[Step::Answer(500, r#"{"error": "why"}"#)]),
            (502, &[Step::Answer(502, "not JSON")]),
        ];
        for (status, steps) in cases {
            let bank = FakeBank::start(steps).await;
            let mut submitter = Submitter::connect(&bank.target, LONG).await.unwrap();
            let submitted = submitter.submit(&payment(), Some("k1")).await;
            let text = match submitted {
                Ok(Submitted::Rejected(error)) if status == 409 => error,
                Err(error) if status != 409 => error.to_string(),
                other => panic!("{status}: {other:?}"),
            };
            assert!(text.starts_with(&status.to_string()), "{text}");
            assert!(text.ends_with(": why") || status == 502, "{text}");
            assert_eq!((bank.received().len(), submitter.n_repeated()), (1, 0));
        }
    });
}

#[test]
fn payment_without_an_answer_fails_at_the_deadline() {
    within_limit(async {
        let cases: [(&'static [Step], &str); 3] = [
            (&[Step::Wait], "no answer in 1s"),
            // The deadline is not that of an attempt.
            (
                &[UNAVAILABLE],
                "no answer in 1s: 503 Service Unavailable: it ends",
            ),
            (&[UNAVAILABLE, Step::Wait], "no answer in 1s: 503"),
        ];
        for (steps, expected) in cases {
            let bank = FakeBank::start(steps).await;
            let mut submitter = Submitter::connect(&bank.target, SHORT).await.unwrap();
            let start = Instant::now();
            let error = submitter.submit(&payment(), Some("k1")).await.unwrap_err();
            assert!(start.elapsed() >= SHORT);
            assert!(error.to_string().starts_with(expected), "{error}");
            let is_repeated = matches!(steps, [UNAVAILABLE, ..]);
            assert_eq!(submitter.n_repeated() > 0, is_repeated);
        }
    });
}

#[test]
fn unreachable_bank_is_an_error_at_the_deadline() {
    within_limit(async {
        let bank = FakeBank::start(&[Step::Close]).await;
        let mut submitter = Submitter::connect(&bank.target, SHORT).await.unwrap();
        bank.server.abort();
        assert!(bank.server.await.unwrap_err().is_cancelled());
        let start = Instant::now();
        let error = submitter.submit(&payment(), Some("k1")).await.unwrap_err();
        assert!(start.elapsed() >= SHORT);
        let expected = "no answer in 1s: ";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(submitter.n_repeated(), 0);
    });
}

#[test]
fn next_payment_has_a_connection_of_its_own_after_the_deadline() {
    within_limit(async {
        let bank = FakeBank::start(&[Step::Wait, Step::Accept]).await;
        let mut submitter = Submitter::connect(&bank.target, SHORT).await.unwrap();
        submitter.submit(&payment(), Some("k1")).await.unwrap_err();
        submitter.limit = LONG;
        let submitted = submitter.submit(&payment(), Some("k2")).await.unwrap();
        assert_eq!(submitted, Submitted::Accepted);
        let keys: Vec<_> = bank.received().into_iter().map(|one| one.key).collect();
        assert_eq!(keys, ["k1", "k2"].map(|key| Some(key.to_string())));
    });
}

#[test]
fn payment_without_a_key_is_sent_once() {
    within_limit(async {
        let bank = FakeBank::start(&[UNAVAILABLE, Step::Close, Step::Accept]).await;
        let mut submitter = Submitter::connect(&bank.target, LONG).await.unwrap();
        for expected in [Acceptance::No, Acceptance::Unknown] {
            match submitter.submit(&payment(), None).await.unwrap() {
                Submitted::Unanswered { accepted, .. } => assert_eq!(accepted, expected),
                other => panic!("{other:?}"),
            }
        }
        let submitted = submitter.submit(&payment(), None).await.unwrap();
        assert_eq!(submitted, Submitted::Accepted);
        assert_eq!((bank.received().len(), submitter.n_repeated()), (3, 0));
        assert!(bank.received().iter().all(|request| request.key.is_none()));
    });
}
