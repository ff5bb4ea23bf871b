//! Requests of a service on its own threads. Each would wait for itself.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Barrier, Mutex, OnceLock};
use std::task::{Context, Poll, Waker};
use std::thread::{self, ThreadId};

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::prelude::*;
use schedule_stream::service::{Service, ServiceError, ServiceHandle, ServiceSettings};
use schedule_tests::child::Child;
use serde::{Deserialize, Serialize};

use schedule_tests::on::own_pool;

#[derive(Debug, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "counter")]
struct Counter(u64);

#[derive(Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u64)]
#[snapshot(name = "entry")]
enum Entry {
    #[event(count)]
    Count(u32),
    #[event(ask)]
    Ask(u32),
    #[event(look)]
    Look(u64),
}

#[handler]
fn count(event: &u32, #[key(*event)] counter: &mut Counter) -> u64 {
    counter.0 += 1;
    counter.0
}

/// Calls [`IN_HANDLER`].
#[handler]
fn ask(event: &u32, #[key(*event)] counter: &mut Counter) -> u64 {
    let in_handler = IN_HANDLER.get().expect("the test has set it");
    in_handler();
    counter.0
}

/// A query that calls [`IN_HANDLER`].
#[handler]
fn look(_: &u64) -> u64 {
    let in_handler = IN_HANDLER.get().expect("the test has set it");
    in_handler();
    0
}

/// Set once, because each case has its own process.
static IN_HANDLER: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

fn set_in_handler(call: impl Fn() + Send + Sync + 'static) {
    assert!(IN_HANDLER.set(Box::new(call)).is_ok(), "it is set once");
}

fn stream() -> DurableStream<Entry> {
    let mut resources = Resources::new();
    let counters = (0..4).map(|id| (id, Counter(0)));
    resources.insert(Records::from_iter(counters));
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let durable = Durable::<Entry>::new("counters", 1)
        .state::<Records<Counter>>()
        .set_up(|stream| {
            set_mode(stream, ProcessingMode::Queues);
            stream.set_pool(own_pool(3));
        });
    let recovered = durable.recover_from(Box::new(journal), Box::new(snapshots), resources);
    recovered.unwrap()
}

/// Polls a future once.
fn poll<F: Future>(future: F) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it would wait"),
    }
}

/// Checks that all requests that wait fail.
fn check_within(handle: &ServiceHandle<Entry>) {
    let check = |error: ServiceError| assert!(matches!(error, ServiceError::Within), "{error}");
    check(handle.submit_blocking(Entry::Count(0)).unwrap_err());
    let keyed = handle.submit_with_key_blocking("a", Entry::Count(0));
    check(keyed.unwrap_err());
    check(handle.query_blocking(Entry::Look(0)).unwrap_err());
    check(handle.drain_blocking(1).unwrap_err());
    check(handle.snapshot_blocking().unwrap_err());
    check(handle.pause_blocking().unwrap_err());
    check(poll(handle.submit(Entry::Count(0))).unwrap_err());
    check(poll(handle.submit_with_key("a", Entry::Count(0))).unwrap_err());
    check(poll(handle.query(Entry::Look(0))).unwrap_err());
    check(poll(handle.drain(1)).unwrap_err());
    check(poll(handle.snapshot()).unwrap_err());
    check(poll(handle.pause()).unwrap_err());
    let submitted = handle.try_submit(Entry::Count(0)).unwrap();
    check(submitted.outcome_blocking().unwrap_err());
    let submitted = handle.try_submit(Entry::Count(0)).unwrap();
    check(poll(submitted.outcome()).unwrap_err());
}

/// The number of events that [`check_within`] submits.
const N_SUBMITTED: u64 = 2;

/// Checks that the events of this number of calls of [`check_within`] were processed.
fn check_submitted(service: Service<Entry>, n_calls: u64) {
    let stream = service.shutdown().unwrap();
    let counters = stream.resources().get::<Records<Counter>>().unwrap();
    assert_eq!(counters.get(0).unwrap().0, n_calls * N_SUBMITTED);
}

#[test]
fn outcome_callback_cannot_wait_for_its_service() {
    Child::new(|| {
        let own = Arc::new(OnceLock::<ServiceHandle<Entry>>::new());
        let in_callback = Arc::clone(&own);
        let settings = ServiceSettings::new().outcomes(move |outcome: &Outcome<Entry>| {
            if matches!(outcome.event, Entry::Count(1)) {
                check_within(in_callback.get().unwrap());
            }
        });
        let service = stream().serve_with(settings);
        own.set(service.handle()).unwrap();
        service.handle().submit_blocking(Entry::Count(1)).unwrap();
        check_submitted(service, 1);
    })
    .run();
}

#[test]
fn handler_cannot_wait_for_its_service() {
    for event in [Entry::Ask(1), Entry::Look(1)] {
        let label = format!("{event:?}");
        Child::new(|| {
            let service = stream().serve();
            let handle = service.handle();
            set_in_handler(move || check_within(&handle));
            let handle = service.handle();
            match event {
                Entry::Look(_) => drop(handle.query_blocking(event).unwrap().result.unwrap()),
                _ => drop(handle.submit_blocking(event).unwrap().result.unwrap()),
            }
            check_submitted(service, 1);
        })
        .label(label)
        .run();
    }
}

#[test]
fn handler_on_a_thread_that_helps_cannot_wait_for_its_service() {
    Child::new(|| {
        let service = stream().serve();
        let handle = service.handle();
        // So two threads call a handler: the second one helps. A third one may come too late: the stream takes no further event
        // while its thread waits in a handler.
        let (all, threads) = (Barrier::new(2), Arc::new(Mutex::new(BTreeSet::new())));
        let seen = Arc::clone(&threads);
        set_in_handler(move || {
            all.wait();
            check_within(&handle);
            let id = format!("{:?}", thread::current().id());
            seen.lock().unwrap().insert(id);
        });
        let handle = service.handle();
        let pause = handle.pause_blocking().unwrap();
        let asks = [1, 2].map(|id| handle.try_submit(Entry::Ask(id)).unwrap());
        drop(pause);
        for submitted in asks {
            submitted.outcome_blocking().unwrap().result.unwrap();
        }
        assert_eq!(threads.lock().unwrap().len(), 2);
        check_submitted(service, 2);
    })
    .run();
}

#[test]
fn handler_may_wait_for_another_service() {
    Child::new(|| {
        let other = stream().serve();
        let handle = other.handle();
        set_in_handler(move || {
            let outcome = handle.submit_blocking(Entry::Count(2)).unwrap();
            assert_eq!(outcome.result.unwrap(), 1);
        });
        let service = stream().serve();
        let outcome = service.handle().submit_blocking(Entry::Ask(0)).unwrap();
        outcome.result.unwrap();
    })
    .run();
}

#[test]
fn service_that_is_shut_down_by_its_own_thread_is_closed() {
    for drops in [false, true] {
        Child::new(|| {
            let own = Arc::new(Mutex::new(None::<Service<Entry>>));
            let ended = Arc::new(Mutex::new(None::<ThreadId>));
            let (in_handler, has_ended) = (Arc::clone(&own), Arc::clone(&ended));
            set_in_handler(move || {
                let service = in_handler.lock().unwrap().take().unwrap();
                if drops {
                    drop(service);
                } else {
                    let error = service.shutdown().unwrap_err();
                    assert!(matches!(*error, DurableError::Within), "{error}");
                }
                *has_ended.lock().unwrap() = Some(thread::current().id());
            });
            let service = stream().serve();
            let handle = service.handle();
            let pause = handle.pause_blocking().unwrap();
            let first = handle.try_submit(Entry::Ask(0)).unwrap();
            let second = handle.try_submit(Entry::Count(1)).unwrap();
            *own.lock().unwrap() = Some(service);
            drop(pause);
            first.outcome_blocking().unwrap().result.unwrap();
            second.outcome_blocking().unwrap().result.unwrap();
            assert!(ended.lock().unwrap().is_some());
            let error = handle.submit_blocking(Entry::Count(1)).unwrap_err();
            assert!(matches!(error, ServiceError::Closed), "{error}");
        })
        .label(format!("drops: {drops}"))
        .run();
    }
}
