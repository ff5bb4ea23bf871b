//! Each request, and each reason why a request has no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::body::Bytes;
use axum::http::{Method, Request, StatusCode};
use http_body_util::Full;
use schedule_stream::service::ServiceSettings;
use schedule_stream::{Position, Records};
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::block_in_place;

use super::running::{RunningBank, recover, within_limit};
use crate::api::{
    Acceptance, Accepted, AccountReply, ErrorReply, StatementReply, StatusReply, TotalsReply,
};
use crate::client::{Client, Reply};
use crate::compare;
use crate::ledger::{Account, Entry, MAX_CENTS, N_LINES, ReadTotals, bank, first_state};
use crate::routes::MAX_BODY_BYTES;

/// Returns the balance of an answer that is a success.
fn accepted(reply: &Reply, status: StatusCode) -> u64 {
    assert_eq!(reply.status, status, "{reply:?}");
    reply.json::<Accepted>().unwrap().balance_cents
}

/// Returns the message of an answer that is not a success.
fn refused(reply: &Reply, status: StatusCode) -> String {
    assert_eq!(reply.status, status, "{reply:?}");
    reply.json::<ErrorReply>().unwrap().error
}

/// Opens `ada` with this balance, and `bob` with none.
async fn open_two(bank: &mut RunningBank, cents: u64) {
    for account in ["ada", "bob"] {
        let reply = bank.post("/accounts", &json!({"account": account})).await;
        assert_eq!(accepted(&reply, StatusCode::CREATED), 0);
    }
    let deposit = json!({"account": "ada", "cents": cents});
    let reply = bank.post("/deposits", &deposit).await;
    assert_eq!(accepted(&reply, StatusCode::OK), cents);
}

async fn balance(bank: &mut RunningBank, account: &str) -> u64 {
    let reply = bank.get(&format!("/accounts/{account}")).await;
    let found: AccountReply = reply.json().unwrap();
    assert_eq!(found.account, account);
    found.balance_cents
}

#[test]
fn money_moves_and_statements_list_it() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 1_000).await;
        let payment = json!({"from": "ada", "to": "bob", "cents": 250, "memo": "rent"});
        let reply = bank.post("/payments", &payment).await;
        assert_eq!(accepted(&reply, StatusCode::OK), 750);
        let position = reply.json::<Accepted>().unwrap().position;
        let withdrawal = json!({"account": "bob", "cents": 50});
        let reply = bank.post("/withdrawals", &withdrawal).await;
        assert_eq!(accepted(&reply, StatusCode::OK), 200);
        assert_eq!(balance(&mut bank, "ada").await, 750);
        assert_eq!(balance(&mut bank, "bob").await, 200);

        bank.handle().drain(10).await.unwrap();
        let reply = bank.get("/accounts/bob/statement").await;
        let found: StatementReply = reply.json().unwrap();
        assert_eq!(found.account, "bob");
        let statement = found.statement;
        assert_eq!((statement.n_lines, statement.balance_cents), (2, 200));
        let rent = &statement.lines[0];
        assert_eq!((rent.position, rent.cents), (position, 250));
        assert_eq!(rent.other.as_deref(), Some("ada"));
        assert_eq!(rent.memo.as_deref(), Some("rent"));
        assert!(rent.unix_seconds > 1_700_000_000);
        assert_eq!(statement.lines[1].cents, -50);
        assert_eq!(statement.lines[1].other, None);

        let reply: TotalsReply = bank.get("/totals").await.json().unwrap();
        assert_eq!((reply.totals.n_accounts, reply.totals.n_lines), (2, 4));
        assert_eq!(
            (reply.totals.balance_cents, reply.totals.lines_cents),
            (950, 950)
        );
        bank.stop().await;
    });
}

#[test]
fn statement_keeps_the_newest_lines() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 1_000).await;
        for cents in 1..=20 {
            let withdrawal = json!({"account": "ada", "cents": cents});
            bank.post("/withdrawals", &withdrawal).await;
        }
        bank.handle().drain(10).await.unwrap();
        let reply = bank.get("/accounts/ada/statement").await;
        let statement = reply.json::<StatementReply>().unwrap().statement;
        assert_eq!((statement.n_lines, statement.balance_cents), (21, 790));
        let cents: Vec<i64> = statement.lines.iter().map(|line| line.cents).collect();
        let expected: Vec<i64> = (5..=20).map(|cents| -cents).collect();
        assert_eq!((cents.len(), cents), (N_LINES, expected));
        bank.stop().await;
    });
}

#[test]
fn rejected_events_change_nothing_and_have_a_position() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 100).await;
        let cases = [
            (
                "/accounts",
                json!({"account": "ada"}),
                "the account is already open",
            ),
            (
                "/payments",
                json!({"from": "ada", "to": "bob", "cents": 101}),
                "the balance is too small",
            ),
            (
                "/withdrawals",
                json!({"account": "bob", "cents": 1}),
                "the balance is too small",
            ),
            (
                "/payments",
                json!({"from": "ada", "to": "ada", "cents": 1}),
                "payer and payee are the same account",
            ),
            (
                "/deposits",
                json!({"account": "ada", "cents": MAX_CENTS}),
                "the balance would be above 9007199254740991 cents",
            ),
            (
                "/deposits",
                json!({"account": "ada", "cents": u64::MAX}),
                "the balance would be above 9007199254740991 cents",
            ),
        ];
        for (path, body, expected) in cases {
            let reply = bank.post(path, &body).await;
            assert_eq!(refused(&reply, StatusCode::CONFLICT), expected);
            let reply: ErrorReply = reply.json().unwrap();
            assert!(reply.position.unwrap() > Position::new(3, 0));
            assert_eq!(reply.accepted, None);
        }
        assert_eq!(balance(&mut bank, "ada").await, 100);
        assert_eq!(balance(&mut bank, "bob").await, 0);
        bank.stop().await;
    });
}

#[test]
fn unknown_accounts_and_paths_are_not_found() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 100).await;
        for (path, body) in [
            ("/payments", json!({"from": "ada", "to": "eve", "cents": 1})),
            ("/payments", json!({"from": "eve", "to": "ada", "cents": 1})),
            ("/deposits", json!({"account": "eve", "cents": 1})),
            ("/withdrawals", json!({"account": "eve", "cents": 1})),
        ] {
            let reply = bank.post(path, &body).await;
            let expected = "the account `eve` is unknown: open it with `POST /accounts`";
            assert_eq!(refused(&reply, StatusCode::NOT_FOUND), expected);
            assert!(reply.json::<ErrorReply>().unwrap().position.is_some());
        }
        for path in ["/accounts/eve", "/accounts/eve/statement"] {
            let reply = bank.get(path).await;
            assert!(refused(&reply, StatusCode::NOT_FOUND).contains("`eve` is unknown"));
            // A query is not in the journal.
            assert_eq!(reply.json::<ErrorReply>().unwrap().position, None);
        }
        for path in ["/", "/account", "/accounts/ada/x"] {
            let reply = bank.get(path).await;
            assert_eq!(
                refused(&reply, StatusCode::NOT_FOUND),
                "the path is unknown"
            );
        }
        let reply = bank.get("/accounts/%FF").await;
        assert!(refused(&reply, StatusCode::BAD_REQUEST).contains("UTF-8"));
        bank.stop().await;
    });
}

#[test]
fn requests_of_another_form_do_not_reach_the_journal() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        let long_name = "a".repeat(65);
        let bad: [(&str, Value); 9] = [
            ("/accounts", json!({"account": ""})),
            ("/accounts", json!({"account": "a b"})),
            ("/accounts", json!({"account": long_name})),
            ("/accounts", json!({"name": "ada"})),
            ("/accounts", json!(["ada", "bob"])),
            ("/payments", json!({"from": "ada", "to": "bob"})),
            ("/payments", json!({"from": "ada", "to": "bob", "cents": 0})),
            (
                "/payments",
                json!({"from": "ada", "to": "bob", "cents": -1}),
            ),
            (
                "/deposits",
                json!({"account": "a", "cents": 1, "memo": "m".repeat(141)}),
            ),
        ];
        for (path, body) in bad {
            let reply = bank.post(path, &body).await;
            assert!(!refused(&reply, StatusCode::BAD_REQUEST).is_empty());
        }
        let reply = bank
            .client
            .post("/accounts", b"{\"account\": ".to_vec(), None)
            .await;
        assert!(refused(&reply.unwrap(), StatusCode::BAD_REQUEST).contains("JSON"));

        let fits = json!({"account": "a".repeat(MAX_BODY_BYTES - 14)});
        assert_eq!(fits.to_string().len(), MAX_BODY_BYTES);
        let reply = bank.post("/accounts", &fits).await;
        assert!(refused(&reply, StatusCode::BAD_REQUEST).contains("the name of an account"));
        let large = json!({"account": "a".repeat(MAX_BODY_BYTES - 13)});
        let reply = bank.post("/accounts", &large).await;
        assert!(refused(&reply, StatusCode::PAYLOAD_TOO_LARGE).contains("limit"));

        // The client connects again, because the server has closed the connection with an unread body.
        let mut other = Client::connect(bank.address).await.unwrap();
        let request = |method, path: &str| {
            Request::builder()
                .method(method)
                .uri(path)
                .header("host", "bank")
                .body(Full::from(Bytes::from_static(b"{\"account\": \"ada\"}")))
                .unwrap()
        };
        let reply = other
            .send(request(Method::POST, "/accounts"))
            .await
            .unwrap();
        assert!(refused(&reply, StatusCode::UNSUPPORTED_MEDIA_TYPE).contains("application/json"));
        let mut other = Client::connect(bank.address).await.unwrap();
        let reply = other
            .send(request(Method::DELETE, "/totals"))
            .await
            .unwrap();
        let expected = "the path does not support this method";
        assert_eq!(refused(&reply, StatusCode::METHOD_NOT_ALLOWED), expected);
        bank.stop().await;
    });
    assert_eq!(recover(folder.path()).next_batch(), 1);
}

#[test]
fn closed_bank_is_unavailable_and_its_server_ends() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 100).await;
        bank.handle().close();
        let reply = bank
            .post("/deposits", &json!({"account": "ada", "cents": 1}))
            .await;
        let message = refused(&reply, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(
            message,
            "the service is closed; the request was not accepted"
        );
        assert_eq!(reply.json::<Value>().unwrap()["accepted"], "no");
        let RunningBank { server, .. } = bank;
        server.await.unwrap().unwrap();
    });
}

#[test]
fn lost_answer_is_reported_as_unknown_and_the_server_ends() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let settings = ServiceSettings::new().outcomes(|outcome| {
            let is_deposit = matches!(outcome.event, Entry::Deposit(_));
            assert!(!is_deposit, "the disk is full");
        });
        let mut bank = RunningBank::start_with(folder.path(), settings).await;
        bank.post("/accounts", &json!({"account": "ada"})).await;
        let deposit = json!({"account": "ada", "cents": 7});
        let reply = bank.post("/deposits", &deposit).await;
        let message = refused(&reply, StatusCode::SERVICE_UNAVAILABLE);
        assert!(message.contains("may be in the journal"), "{message}");
        assert_eq!(reply.json::<Value>().unwrap()["accepted"], "unknown");
        let RunningBank {
            server, service, ..
        } = bank;
        server.await.unwrap().unwrap();
        let ended = catch_unwind(AssertUnwindSafe(|| block_in_place(|| service.shutdown())));
        assert!(ended.is_err(), "it continues the panic");
    });
    // In this case, the event is in the journal.
    let stream = recover(folder.path());
    let accounts = stream.resources().get::<Records<Account>>().unwrap();
    assert_eq!(accounts.get("ada".to_string()).unwrap().cents, 7);
}

#[test]
fn status_has_the_memory_and_the_requests_that_wait() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 100).await;
        let pause = bank.handle().pause().await.unwrap();
        let handle = bank.handle();
        let query = Entry::ReadTotals(ReadTotals);
        let waiting = handle.try_submit(query).unwrap();
        let reply: StatusReply = bank.get("/status").await.json().unwrap();
        assert_eq!(reply.n_waiting, 1);
        assert_eq!(reply.resident_bytes.is_some(), cfg!(target_os = "linux"));
        drop(pause);
        waiting.outcome().await.unwrap();
        bank.stop().await;
    });
}

#[test]
fn request_that_was_read_is_answered_after_the_stop() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 100).await;
        let pause = bank.handle().pause().await.unwrap();
        let handle = bank.handle();
        let RunningBank {
            mut client,
            stop,
            server,
            service,
            ..
        } = bank;
        let deposit = br#"{"account": "ada", "cents": 1}"#.to_vec();
        let waits =
            tokio::spawn(async move { client.post("/deposits", deposit, None).await.unwrap() });
        while handle.n_waiting() == 0 {
            tokio::task::yield_now().await;
        }
        stop.send(()).unwrap();
        drop(pause);
        assert_eq!(accepted(&waits.await.unwrap(), StatusCode::OK), 101);
        server.await.unwrap().unwrap();
        block_in_place(|| drop(service));
    });
}

#[test]
fn clients_that_go_away_change_nothing_unless_their_request_has_arrived() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        open_two(&mut bank, 1_000).await;
        let body = r#"{"from": "ada", "to": "bob", "cents": 3}"#;
        let n_bytes = body.len();
        let request = format!(
            "POST /payments HTTP/1.1\r\nhost: bank\r\ncontent-type: application/json\r\ncontent-length: {n_bytes}\r\n\r\n{body}"
        );
        for n_sent in [0, 1, 30, request.len() - n_bytes, request.len() - 1] {
            let mut connection = TcpStream::connect(bank.address).await.unwrap();
            let sent = &request.as_bytes()[..n_sent];
            connection.write_all(sent).await.unwrap();
            drop(connection);
        }
        assert_eq!(balance(&mut bank, "bob").await, 0);
        // This one has arrived, when the service has it.
        let pause = bank.handle().pause().await.unwrap();
        let mut connection = TcpStream::connect(bank.address).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        while bank.handle().n_waiting() == 0 {
            tokio::task::yield_now().await;
        }
        drop(connection);
        drop(pause);
        assert_eq!(balance(&mut bank, "bob").await, 3);
        bank.stop().await;
    });
}

#[test]
fn restarted_bank_has_the_same_balances() {
    let folder = tempdir().unwrap();
    for nth in 0..3_u64 {
        within_limit(async {
            let mut bank = RunningBank::start(folder.path()).await;
            match nth {
                0 => open_two(&mut bank, 1_000).await,
                _ => assert_eq!(balance(&mut bank, "ada").await, 1_000 - nth * 10),
            }
            let payment = json!({"from": "ada", "to": "bob", "cents": 10});
            let reply = bank.post("/payments", &payment).await;
            assert_eq!(accepted(&reply, StatusCode::OK), 990 - nth * 10);
            bank.stop().await;
        });
    }
    let mut stream = recover(folder.path());
    let accounts = stream.resources().get::<Records<Account>>().unwrap();
    let balances = ["ada", "bob"].map(|name| accounts.get(name.to_string()).unwrap().cents);
    assert_eq!(balances, [970, 30]);
    stream.snapshot().unwrap();
    let comparison = bank()
        .compare(folder.path(), first_state())
        .unwrap()
        .expect("there are two snapshots");
    assert_eq!(
        (comparison.older, comparison.newer),
        (0, stream.next_batch() - 1)
    );
    assert!(compare::run(folder.path()).unwrap());
}

/// Also in a folder that does not exist, `--compare` creates nothing.
#[test]
fn comparison_of_a_missing_folder_fails() {
    let folder = tempdir().unwrap();
    let missing = folder.path().join("data");
    let error = compare::run(&missing).unwrap_err();
    assert!(error.to_string().contains("cannot open"), "{error}");
    assert!(!missing.exists());
}

/// A bank whose port is in use ends before it opens its folder.
#[test]
fn second_bank_on_a_port_fails() {
    let folder = tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let options = crate::options::Options {
        folder: folder.path().join("data"),
        port: taken.local_addr().unwrap().port(),
        snapshot_every: 10,
        n_processes: None,
        reads_only: false,
        compares: false,
    };
    let error = crate::server::run(&options, |_| panic!("it has started")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("choose another one with `--port`"),
        "{error}"
    );
    assert!(!options.folder.exists());
}

/// Another bank has the folder open.
#[test]
fn bank_that_only_reads_refuses_changes() {
    let folder = tempdir().unwrap();
    within_limit(async {
        let mut open = RunningBank::start(folder.path()).await;
        open_two(&mut open, 100).await;
        let read_only = bank().recover_read_only(folder.path(), first_state());
        let mut reading = RunningBank::serve(read_only.unwrap().serve()).await;
        let payment = json!({"from": "ada", "to": "bob", "cents": 10});
        let reply = reading.post("/payments", &payment).await;
        let message = refused(&reply, StatusCode::SERVICE_UNAVAILABLE);
        assert!(message.contains("read only"), "{message}");
        let no = reply.json::<ErrorReply>().unwrap().accepted;
        assert_eq!(no, Some(Acceptance::No));
        assert_eq!(balance(&mut reading, "ada").await, 100);
        // It does not see later changes of the other one.
        accepted(&open.post("/payments", &payment).await, StatusCode::OK);
        assert_eq!(balance(&mut open, "ada").await, 90);
        assert_eq!(balance(&mut reading, "ada").await, 100);
        reading.stop().await;
        open.stop().await;
    });
}

#[test]
fn repeated_request_with_a_key_is_handled_once() {
    let folder = tempdir().unwrap();
    let payment = json!({"from": "ada", "to": "bob", "cents": 10});
    let mut first = None;
    // The second bank has recovered the keys.
    for _ in 0..2 {
        within_limit(async {
            let mut bank = RunningBank::start(folder.path()).await;
            if first.is_none() {
                open_two(&mut bank, 100).await;
            }
            for _ in 0..2 {
                let reply = bank.post_with_key("/payments", &payment, "k1").await;
                assert_eq!(accepted(&reply, StatusCode::OK), 90);
                let answer: Accepted = reply.json().unwrap();
                assert_eq!(*first.get_or_insert(answer), answer);
            }
            let large = json!({"account": "bob", "cents": 1_000});
            let mut position = None;
            for _ in 0..2 {
                let reply = bank.post_with_key("/withdrawals", &large, "k2").await;
                assert_eq!(
                    refused(&reply, StatusCode::CONFLICT),
                    "the balance is too small"
                );
                let found = reply.json::<ErrorReply>().unwrap().position.unwrap();
                assert_eq!(*position.get_or_insert(found), found);
            }
            bank.stop().await;
        });
    }
    within_limit(async {
        let mut bank = RunningBank::start(folder.path()).await;
        let other = json!({"from": "ada", "to": "bob", "cents": 11});
        let reply = bank.post_with_key("/payments", &other, "k1").await;
        let message = refused(&reply, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(message.contains("belongs to another event"), "{message}");
        for key in ["", &"k".repeat(256), "\u{e4}"] {
            let reply = bank.post_with_key("/payments", &payment, key).await;
            refused(&reply, StatusCode::BAD_REQUEST);
        }
        assert_eq!(balance(&mut bank, "ada").await, 90);
        assert_eq!(balance(&mut bank, "bob").await, 10);
        bank.stop().await;
    });
}
