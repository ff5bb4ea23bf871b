//! Spans: a `tracing` subscriber gets a span for each handled event, on any thread.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use schedule::prelude::*;
use schedule::{FailurePolicy, Identity};
use schedule_stream::EventError;
use schedule_stream::answers::Answer;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::prelude::*;
use tracing::span::{Attributes, Id};
use tracing::{Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::{LookupSpan, Registry};

use super::By;
use schedule_tests::listener::Listener;
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

#[derive(Debug, Record)]
#[record(id = u32)]
struct Account(u64);

#[derive(Debug, Identity)]
struct Deposit {
    to: u32,
    n: u64,
}

#[derive(Debug, Identity)]
struct Transfer {
    from: u32,
    to: u32,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) -> Result<(), &'static str> {
    tracing::info!("{}", event.n);
    match event.n {
        13 => panic!("bad luck"),
        0 => Err("nothing"),
        n => {
            to.0 += n;
            Ok(())
        }
    }
}

#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) {
    to.0 += core::mem::take(&mut from.0);
}

#[derive(Debug, Event, Identity)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
    #[event(transfer)]
    Transfer(Transfer),
}

const N_ACCOUNTS: u32 = 8;

/// The position of an event that is rejected before a handler is called.
const TO_ITSELF: u64 = 500;

fn entries(n: u64) -> impl Iterator<Item = Entry> {
    (0..n).map(|k| match k % 3 {
        _ if k == TO_ITSELF => Entry::from(Transfer { from: 1, to: 1 }),
        0 => Entry::from(Transfer {
            from: k as u32 % N_ACCOUNTS,
            to: (k + 1) as u32 % N_ACCOUNTS,
        }),
        _ => Entry::from(Deposit {
            to: k as u32 % N_ACCOUNTS,
            n: k % 20,
        }),
    })
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter(
        (0..N_ACCOUNTS).map(|id| (id, Account(1))),
    ));
    resources
}

#[test]
fn handled_event_has_one_span_within_that_of_its_call() {
    const N: u64 = 1000;
    for &by in By::ALL {
        let (mut stream, mut resources) = (by.stream::<Entry>(), resources());
        let listener = Listener::default();
        let mut handlers = Vec::new();
        listener.during(|| {
            for _ in 0..2 {
                let reported = stream.process(&mut resources, entries(N), |outcome| {
                    handlers.push(outcome.handler);
                });
                reported.unwrap();
            }
        });
        let recorded = listener.recorded();
        recorded.check_all_over();
        let calls = recorded.all("stream");
        assert_eq!(calls.len(), 2);
        let mut of_positions = vec![0; 2 * N as usize];
        for (_, span) in recorded.all("handler") {
            let [batch, index] =
                ["batch", "index"].map(|of| span.fields[of].parse::<usize>().unwrap());
            // Each call is a batch.
            let position = (batch - 1) * N as usize + index;
            of_positions[position] += 1;
            assert_eq!(span.fields["handler"], handlers[position]);
            assert_eq!(span.parent, Some(calls[position / N as usize].0));
            assert_eq!(
                (span.level, span.target, span.entered.len()),
                (Level::TRACE, "schedule", 1)
            );
        }
        let n_spans = |k: usize| usize::from(k as u64 % N != TO_ITSELF);
        assert!(
            (0..).zip(of_positions).all(|(k, n)| n == n_spans(k)),
            "by {by:?}"
        );
        for (_, call) in calls {
            assert_eq!((call.level, call.target), (Level::DEBUG, "schedule"));
            assert_eq!(call.fields["events"], N.to_string());
        }
        let is_in_handler = |span: Option<usize>| recorded.spans[span.unwrap()].name == "handler";
        assert!(recorded.events.iter().all(|(_, span)| is_in_handler(*span)));
        assert_eq!(listener.n_copies(), 1, "the stream keeps no subscriber");
    }
}

#[derive(Resource)]
struct Here(Meeting);

#[derive(Debug, Event)]
#[event(meet)]
struct Meet(u32);

#[handler]
fn meet(event: &Meet, here: &Here, #[key(event.0)] _account: &mut Account) {
    here.0.wait();
}

#[test]
fn handler_on_a_helper_is_in_the_span_of_the_call() {
    for processing in [ProcessingMode::Queues, ProcessingMode::Tickets] {
        let (mut stream, mut resources) = (Stream::new(), resources());
        resources.insert(Here(Meeting::of(2)));
        set_mode(&mut stream, processing);
        stream.set_pool(own_pool(2));
        let listener = Listener::default();
        let reported = listener.during(|| stream.process(&mut resources, [Meet(0), Meet(1)], drop));
        reported.unwrap();
        let recorded = listener.recorded();
        recorded.check_all_over();
        let [(_, one), (_, other)] = recorded.all("handler")[..] else {
            panic!("{recorded:?}")
        };
        assert_ne!(one.entered, other.entered);
        assert_eq!((one.parent, other.parent), (Some(0), Some(0)));
    }
}

#[test]
fn call_that_stops_or_panics_closes_its_spans() {
    for &by in By::ALL {
        let (mut stream, mut resources) = (by.stream::<Entry>(), resources());
        stream.set_failure_policy(FailurePolicy::Stop);
        let listener = Listener::default();
        let mut n_applied = 0;
        let reported = listener.during(|| {
            stream.process(&mut resources, entries(300), |outcome| {
                n_applied += usize::from(outcome.is_applied());
            })
        });
        reported.unwrap();
        let n_spans = listener.recorded().all("handler").len();
        assert!(n_applied < n_spans && n_spans < 300, "by {by:?}");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            listener.during(|| {
                stream.process(&mut resources, entries(300), |outcome| {
                    assert!(outcome.position.index < 10, "enough");
                })
            })
        }));
        assert!(panicked.is_err());
        listener.recorded().check_all_over();
        assert_eq!(listener.n_copies(), 1, "the stream keeps no subscriber");
    }
}

#[system]
fn settle(mut bank: Streaming<Entry>) {
    bank.process(entries(3), drop).unwrap();
}

/// A subscriber that panics before some calls of handlers.
#[derive(Debug, Default)]
struct Panicking(AtomicU32);

impl<S: Subscriber> Layer<S> for Panicking {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if span.metadata().name() == "handler" && self.0.fetch_add(1, Relaxed) % 7 == 3 {
            resume_unwind(Box::new("the subscriber"));
        }
    }
}

/// Without a completion, other events would wait forever.
#[test]
fn subscriber_that_panics_before_a_handler_fails_the_event() {
    for &by in By::ALL {
        let (mut stream, mut resources) = (by.stream::<Entry>(), resources());
        let events = (0..60).map(|k| {
            Entry::from(Transfer {
                from: k % N_ACCOUNTS,
                to: (k + 1) % N_ACCOUNTS,
            })
        });
        let mut n_panicked = 0;
        let panicking = Registry::default().with(Panicking::default());
        let process = || {
            let reported = stream.process(&mut resources, events, |outcome| {
                let is_panicked = matches!(outcome.result, Err(EventError::PanickedBeforeCall(_)));
                assert_eq!(is_panicked, outcome.result.is_err());
                n_panicked += u32::from(is_panicked);
            });
            reported.unwrap();
        };
        Listener::default().during(|| tracing::subscriber::with_default(panicking, process));
        assert!((1..60).contains(&n_panicked), "{by:?}: {n_panicked}");
    }
}

/// An answer that panics when it is dropped.
#[derive(Debug)]
struct Fuse;

impl Answer for Fuse {}

impl Drop for Fuse {
    fn drop(&mut self) {
        if !thread::panicking() {
            resume_unwind(Box::new("dropped"));
        }
    }
}

#[derive(Debug, Event)]
#[event(light, answer = Fuse, error = std::convert::Infallible)]
struct Light(u32);

#[handler]
fn light(event: &Light, #[key(event.0)] account: &mut Account) -> Fuse {
    account.0 += 1;
    Fuse
}

/// A subscriber that panics after some calls of handlers.
#[derive(Debug, Default)]
struct PanickingLate(AtomicU32);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for PanickingLate {
    fn on_exit(&self, span: &Id, all: Context<'_, S>) {
        let is_of_handler = all.span(span).is_some_and(|span| span.name() == "handler");
        if is_of_handler && self.0.fetch_add(1, Relaxed) % 7 == 3 {
            resume_unwind(Box::new("the subscriber"));
        }
    }
}

/// Without a completion, other events would wait forever.
#[test]
fn answer_that_panics_when_dropped_blocks_no_event() {
    for &by in By::ALL.iter().filter(|by| by.0 != ProcessingMode::Serial) {
        let (mut stream, mut resources) = (by.stream::<Light>(), resources());
        let mut n_panicked = 0;
        let panicking = Registry::default().with(PanickingLate::default());
        let process = || {
            let events = (0..60).map(|k| Light(k % N_ACCOUNTS));
            let reported = stream.process(&mut resources, events, |outcome| match outcome.result {
                Ok(fuse) => forget(fuse),
                Err(error) => n_panicked += u32::from(matches!(error, EventError::Panicked(_))),
            });
            reported.unwrap();
        };
        Listener::default().during(|| tracing::subscriber::with_default(panicking, process));
        assert!((1..60).contains(&n_panicked), "{by:?}: {n_panicked}");
    }
}

#[test]
fn stream_in_a_schedule_is_in_the_span_of_its_system() {
    let mut day = Schedule::builder().add::<settle>().build().unwrap();
    let (mut resources, listener) = (resources(), Listener::default());
    listener.during(|| day.run(&mut resources)).unwrap();
    let recorded = listener.recorded();
    recorded.check_all_over();
    let names: Vec<&str> = recorded.spans.iter().map(|span| span.name).collect();
    assert_eq!(
        names,
        ["run", "system", "stream", "handler", "handler", "handler"]
    );
    let parents: Vec<Option<usize>> = recorded.spans.iter().map(|span| span.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(2), Some(2)]);
}
