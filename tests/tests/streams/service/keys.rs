//! Idempotency keys: an event with a key has an effect once, whatever its clients repeat and whenever the program ends.

mod log;
mod program;
mod types;

use std::pin::Pin;
use std::sync::mpsc::{RecvError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Waker};
use std::thread;

use schedule::FailurePolicy;
use schedule::snapshot::{Decoder, Snapshot, SnapshotError};
use schedule_stream::durable::{Durable, KeyedEvent};
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::prelude::*;
use schedule_stream::service::{ServiceError, ServiceHandle, ServiceSettings};
use schedule_stream::{BatchTime, EventError, Position};
use schedule_tests::n_cases;
use serde::{Deserialize, Serialize};

use self::log::{LoggedSnapshots, SnapshotLog, SnapshotStep};
use self::program::{Add, Counts, Find, Order, Rejected, first_state, keyed, program, recover};
use crate::journal::disk::{Random, SimulatedDisk};

/// The position and the result of an event with a key.
fn submit(handle: &ServiceHandle<Order>, key: &str, event: Order) -> (Position, String) {
    let outcome = handle.submit_with_key_blocking(key, event).unwrap();
    (outcome.position, format!("{:?}", outcome.result))
}

/// Sends a request, and returns its future.
fn send<F: Future>(request: F) -> Pin<Box<F>> {
    let mut request = Box::pin(request);
    assert!(answer(&mut request).is_none(), "it is sent and waits");
    request
}

/// The answer to a request that was sent, if there is one.
fn answer<F: Future>(request: &mut Pin<Box<F>>) -> Option<F::Output> {
    match request
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

fn refused(handle: &ServiceHandle<Order>, key: &str, event: Order) -> String {
    let refused = handle.submit_with_key_blocking(key, event).unwrap_err();
    assert!(matches!(refused, ServiceError::Refused(_)), "{refused}");
    refused.to_string()
}

#[test]
fn repeated_event_gets_the_stored_result() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    let handle = service.handle();
    let events = [("a", 1), ("b", 3), ("c", 7)];
    let expected = [
        (Position::new(1, 0), "Ok(Answered(101))".to_string()),
        (Position::new(2, 0), "Err(Failed(Third(2)))".to_string()),
        (
            Position::new(3, 0),
            "Err(Panicked(\"the message of the panic is not stored\"))".to_string(),
        ),
    ];
    let submit_all = |handle: &ServiceHandle<Order>| {
        let each = events.map(|(key, n)| submit(handle, key, Order::Count(n)));
        assert_eq!(each, expected);
    };
    let first = events.map(|(key, n)| submit(&handle, key, Order::Count(n)));
    assert_eq!(first[..2], expected[..2]);
    assert_eq!(first[2].1, "Err(Panicked(\"call 3\"))");
    submit_all(&handle);
    let stream = service.shutdown().unwrap();
    assert_eq!(stream.next_batch(), 4);
    drop(stream);
    // From the journal, then from a snapshot.
    for _ in 0..2 {
        let service = keyed(&disk, 10).serve();
        submit_all(&service.handle());
        let mut stream = service.shutdown().unwrap();
        let counts = stream.resources().get::<Counts>().unwrap();
        assert_eq!(counts.n_calls, 3);
        assert_eq!(stream.snapshot().unwrap(), 3);
    }
}

#[test]
fn repeat_in_flight_waits_for_the_first() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let found = thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|nth| {
                let handle = &handle;
                let key = ["x", "y"][nth % 2];
                scope.spawn(move || submit(handle, key, Order::Count(nth as u64 % 2)))
            })
            .collect();
        while handle.n_waiting() < 8 {
            thread::yield_now();
        }
        drop(pause);
        let all = all.into_iter().map(|thread| thread.join().unwrap());
        all.collect::<Vec<_>>()
    });
    for (nth, one) in found.iter().enumerate() {
        assert_eq!(one, &found[nth % 2]);
    }
    assert_ne!(found[0].0, found[1].0);
    let stream = service.shutdown().unwrap();
    assert_eq!(stream.resources().get::<Counts>().unwrap().n_calls, 2);
}

#[test]
fn refused_event_is_not_stored() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    let handle = service.handle();
    let find = || Order::Find(Find(5));
    let (first, missing) = submit(&handle, "a", find());
    assert!(missing.starts_with("Err(Missing"), "{missing}");
    handle.submit_blocking(Order::Add(Add(5))).unwrap();
    let (second, found) = submit(&handle, "a", find());
    assert_eq!(found, "Ok(Answered(5))");
    assert!(second > first);
    assert_eq!(submit(&handle, "a", find()), (second, found));
}

#[test]
fn key_of_another_event_is_refused() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    let handle = service.handle();
    submit(&handle, "a", Order::Count(1));
    assert_eq!(
        refused(&handle, "a", Order::Count(2)),
        "the request failed: the idempotency key belongs to another event, at position 1:0: use a new key for each event"
    );
    assert_eq!(
        refused(&handle, "", Order::Count(2)),
        "the request failed: an idempotency key has 0 bytes: use 1 to 255 bytes"
    );
    let long = "x".repeat(255);
    submit(&handle, &long, Order::Count(2));
    assert_eq!(
        refused(&handle, &(long + "x"), Order::Count(2)),
        "the request failed: an idempotency key has 256 bytes: use 1 to 255 bytes"
    );
    // It is refused in the same batch, too.
    let pause = handle.pause_blocking().unwrap();
    thread::scope(|scope| {
        let handle = &handle;
        let both = [4, 5].map(|nth| {
            scope.spawn(move || {
                handle
                    .submit_with_key_blocking("z", Order::Count(nth))
                    .is_ok()
            })
        });
        while handle.n_waiting() < 2 {
            thread::yield_now();
        }
        drop(pause);
        let n_accepted = both.map(|thread| u32::from(thread.join().unwrap()));
        assert_eq!(n_accepted.iter().sum::<u32>(), 1);
    });
    let stream = service.shutdown().unwrap();
    assert_eq!(stream.resources().get::<Counts>().unwrap().n_calls, 3);
}

#[test]
fn answer_that_cannot_be_serialized_is_not_given_twice() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    let handle = service.handle();
    let (_, answer) = submit(&handle, "a", Order::Count(13));
    assert_eq!(answer, "Ok(Answered(13))");
    let repeat = handle.submit_with_key_blocking("a", Order::Count(13));
    let error = repeat.unwrap_err();
    assert!(
        matches!(error, ServiceError::Applied { position, .. } if position == Position::new(1, 0)),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        "the event with this idempotency key was applied before, at position 1:0, but its answer could not be serialized: read \
         the state with a query"
    );
    let stream = service.shutdown().unwrap();
    assert_eq!(stream.resources().get::<Counts>().unwrap().n_calls, 1);
}

#[test]
fn program_without_keys_refuses_them() {
    let disk = SimulatedDisk::new(0);
    let service = recover(&disk, program()).unwrap().serve();
    let handle = service.handle();
    assert_eq!(
        refused(&handle, "a", Order::Count(1)),
        "the request failed: the program stores no idempotency keys: call `idempotency_keys` of `Durable`"
    );
    assert_eq!(service.shutdown().unwrap().next_batch(), 1);
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn oldest_keys_are_forgotten() {
    // The minimum, with which each repeat in a batch is found.
    const N: u64 = 2_048;
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 1).serve();
    let handle = service.handle();
    let (first, _) = submit(&handle, "a", Order::Count(0));
    for nth in 1..N {
        submit(&handle, &nth.to_string(), Order::Count(0));
    }
    // The repeats of known keys do not renew them.
    assert_eq!(submit(&handle, "a", Order::Count(0)).0, first);
    submit(&handle, "b", Order::Count(0));
    let (again, _) = submit(&handle, "a", Order::Count(0));
    assert!(again > first);
    drop(service);
    // With more keys, the journal still has all. The key `a` belongs to its last event.
    let service = keyed(&disk, 10_000).serve();
    let handle = service.handle();
    assert_eq!(submit(&handle, "a", Order::Count(0)).0, again);
    assert_eq!(submit(&handle, "1", Order::Count(0)).0.batch, 2);
    let mut stream = service.shutdown().unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let service = keyed(&disk, 1).serve();
    assert_eq!(submit(&service.handle(), "a", Order::Count(0)).0, again);
    assert!(submit(&service.handle(), "1", Order::Count(0)).0 > again);
}

#[test]
fn keys_of_a_stopped_stream_have_the_fate_of_their_events() {
    let disk = SimulatedDisk::new(0);
    let stops = || {
        let durable = program().idempotency_keys(10);
        durable.set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop))
    };
    let service = recover(&disk, stops()).unwrap().serve();
    let handle = service.handle();
    let (first, answer) = submit(&handle, "a", Order::Count(1));
    let pause = handle.pause_blocking().unwrap();
    let after = thread::scope(|scope| {
        let fails = handle.try_submit(Order::Count(3)).unwrap();
        let handle = &handle;
        let after = scope.spawn(|| handle.submit_with_key_blocking("b", Order::Count(2)));
        while handle.n_waiting() < 2 {
            thread::yield_now();
        }
        drop(pause);
        assert!(fails.outcome_blocking().unwrap().result.is_err());
        after.join().unwrap()
    });
    let is_unknown = |found: &Result<_, ServiceError>| matches!(found, Err(ServiceError::Unknown));
    assert!(is_unknown(&after));
    let check = |handle: &ServiceHandle<Order>| {
        assert_eq!(
            submit(handle, "a", Order::Count(1)),
            (first, answer.clone())
        );
        let repeat = handle.submit_with_key_blocking("b", Order::Count(2));
        assert!(is_unknown(&repeat));
        let new = refused(handle, "c", Order::Count(2));
        assert!(new.contains("the stream is stopped"), "{new}");
    };
    check(&handle);
    drop(service);
    disk.end_program();
    let service = recover(&disk, stops()).unwrap().serve();
    check(&service.handle());
    drop(service);
    disk.end_program();
    let stream = recover(&disk, stops().skip(Position::new(2, 0))).unwrap();
    assert_eq!(stream.stopped(), None);
    let service = stream.serve();
    let (position, answer) = submit(&service.handle(), "b", Order::Count(2));
    assert_eq!(
        (position, &*answer),
        (Position::new(2, 1), "Ok(Answered(103))")
    );
}

#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(book, answer = u64, error = String)]
#[snapshot(name = "order", version = 2, migrate = from_v1)]
struct Booking(u64, String);

fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<Booking, SnapshotError> {
    match from.restore(1)? {
        Order::Count(n) => Ok(Booking(n, String::new())),
        Order::Find(_) | Order::Add(_) => Err(from.error("no longer supported")),
    }
}

#[handler]
fn book(event: &Booking, counts: &mut Counts) -> u64 {
    let _ = &event.1;
    counts.n_calls += 1;
    counts.n_calls
}

#[test]
fn event_of_another_version_is_a_repeat_by_its_key() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    submit(&service.handle(), "a", Order::Count(1));
    let mut stream = service.shutdown().unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    disk.end_program();
    let second = Durable::new("orders", 2)
        .state::<Counts>()
        .dropped("item")
        .idempotency_keys(10);
    let service = recover::<Booking>(&disk, second).unwrap().serve();
    let submit = |event| service.handle().submit_with_key_blocking("a", event);
    let outcome = submit(Booking(1, "one".to_string())).unwrap();
    assert_eq!(outcome.position, Position::new(1, 0));
    assert_eq!(outcome.result.unwrap(), 101);
}

/// Requires that the bound of `idempotency_keys` holds for this event.
fn has_stored_errors<E: KeyedEvent>() {}

#[test]
fn client_that_repeats_until_it_has_an_answer_has_one_effect() {
    has_stored_errors::<Order>();
    let mut n_repeated = 0;
    for seed in 0..n_cases(150).into() {
        let mut random = Random::new(seed);
        let disk = SimulatedDisk::new(seed);
        // The next event of each client.
        let next = [const { Mutex::new(0_u64) }; 3];
        let answers = Mutex::new(Vec::new());
        for round in 0..5 {
            let is_last = round == 4;
            if !is_last {
                disk.stop_after(random.below(90));
            }
            if let Ok(stream) = recover(&disk, program().idempotency_keys(40)) {
                let settings = ServiceSettings::new().capacity(2).snapshot_every(5);
                let service = stream.serve_with(settings);
                thread::scope(|scope| {
                    for (client, next) in next.iter().enumerate() {
                        let (handle, answers) = (service.handle(), &answers);
                        scope.spawn(move || {
                            let mut next = next.lock().unwrap();
                            while *next < 12 {
                                let n = client as u64 * 100 + *next * 10 + *next % 9;
                                let key = format!("{client}/{next}");
                                let sent = || {
                                    handle.submit_with_key_blocking(key.clone(), Order::Count(n))
                                };
                                match (sent(), sent()) {
                                    (Ok(first), Ok(second)) => {
                                        let results = [first, second].map(|one| {
                                            let result = match one.result {
                                                Err(EventError::Panicked(_)) => "panicked".into(),
                                                other => format!("{other:?}"),
                                            };
                                            (n, one.position, result)
                                        });
                                        answers.lock().unwrap().extend(results);
                                    }
                                    (Err(ServiceError::Refused(error)), _)
                                    | (_, Err(ServiceError::Refused(error))) => {
                                        panic!("{error}")
                                    }
                                    _ => return,
                                }
                                *next += 1;
                            }
                        });
                    }
                });
                drop(service);
            }
            if random.one_in(3) {
                disk.end_program()
            } else {
                disk.lose_power()
            }
        }
        let mut answers = answers.into_inner().unwrap();
        answers.sort();
        answers.dedup();
        let numbers = answers.iter().map(|answer| answer.0);
        assert_eq!(numbers.len(), 36, "seed {seed}: {answers:?}");
        let stream = keyed(&disk, 40);
        let counts = stream.resources().get::<Counts>().unwrap();
        assert_eq!((counts.n_calls, counts.of.len()), (36, 36), "seed {seed}");
        assert!(counts.of.keys().copied().eq(numbers), "seed {seed}");
        n_repeated += usize::from(stream.next_batch() < 37);
    }
    assert!(cfg!(miri) || n_repeated > 0);
}

#[test]
fn results_of_events_are_kinds_that_clients_can_match() {
    let disk = SimulatedDisk::new(0);
    let service = keyed(&disk, 10).serve();
    let handle = service.handle();
    for _ in 0..2 {
        let outcome = handle
            .submit_with_key_blocking("a", Order::Count(3))
            .unwrap();
        assert_eq!(outcome.handler, "count");
        assert_eq!(outcome.cause, None);
        assert!(matches!(
            outcome.result,
            Err(EventError::Failed(Rejected::Third(1)))
        ));
    }
}

#[test]
#[cfg_attr(miri, ignore = "many requests")]
fn event_in_a_batch_does_not_wait_for_many_repeats() {
    /// Maximum number of requests that are taken for a batch.
    const MAX_TAKEN: usize = 2_048;
    const N_REPEATS: usize = 5_000;
    let disk = SimulatedDisk::new(0);
    let mut stream = keyed(&disk, 10);
    // The number of requests that wait at the begin of each batch.
    let waiting = Arc::new(Mutex::new(Vec::new()));
    let known_handle: Arc<OnceLock<ServiceHandle<Order>>> = Arc::default();
    stream.set_clock({
        let (waiting, handle) = (Arc::clone(&waiting), Arc::clone(&known_handle));
        move || {
            let handle = handle.get().expect("it was set before the first event");
            waiting.lock().unwrap().push(handle.n_waiting());
            BatchTime::now()
        }
    });
    let service = stream.serve();
    let handle = service.handle();
    known_handle.set(service.handle()).unwrap();
    let (first, _) = submit(&handle, "a", Order::Count(1));
    let pause = handle.pause_blocking().unwrap();
    let event = handle.try_submit(Order::Count(2)).unwrap();
    let repeats = (0..N_REPEATS).map(|_| send(handle.submit_with_key("a", Order::Count(1))));
    let mut repeats: Vec<_> = repeats.collect();
    drop(pause);
    assert_eq!(event.outcome_blocking().unwrap().position.batch, 2);
    service.shutdown().unwrap();
    let expected = [0, 1 + N_REPEATS - MAX_TAKEN];
    assert_eq!(*waiting.lock().unwrap(), expected);
    for repeat in &mut repeats {
        let outcome = answer(repeat).expect("the service has ended");
        assert_eq!(outcome.unwrap().position, first);
    }
}

#[test]
fn errors_are_sent_after_the_batches_that_they_depend_on() {
    let disk = SimulatedDisk::new(0);
    // The thread that syncs waits after the first batch.
    let (entered, has_entered) = channel();
    let (resume, resumed) = channel::<()>();
    let settings = ServiceSettings::new().outcomes(move |_| {
        entered.send(()).unwrap();
        // Continues also if the test has failed.
        let _: Result<(), RecvError> = resumed.recv();
    });
    let service = keyed(&disk, 10).serve_with(settings);
    // Dropped before the service, which waits for the thread.
    let resume = resume;
    let handle = service.handle();
    let first = handle.try_submit(Order::Count(0)).unwrap();
    has_entered.recv().unwrap();
    let mut event = send(handle.submit_with_key("a", Order::Count(1)));
    let mut repeat = send(handle.submit_with_key("a", Order::Count(1)));
    let mut other = send(handle.submit_with_key("a", Order::Count(2)));
    // This error does not depend on a batch, so it is sent at once. All earlier requests are processed then.
    let refused = handle.query_blocking(Order::Count(3)).unwrap_err();
    assert!(matches!(refused, ServiceError::NotAQuery), "{refused}");
    for request in [&mut repeat, &mut other] {
        assert!(answer(request).is_none(), "its reason is not synced");
    }
    // The second batch gets lost.
    disk.stop_after(1);
    resume.send(()).unwrap();
    assert_eq!(first.outcome_blocking().unwrap().position.batch, 1);
    service.shutdown().unwrap_err();
    for request in [&mut event, &mut repeat, &mut other] {
        let answer = answer(request).expect("the service has ended");
        assert!(matches!(answer, Err(ServiceError::Unknown)));
    }
    let service = keyed(&disk, 10).serve();
    let (position, _) = submit(&service.handle(), "a", Order::Count(2));
    assert_eq!(position, Position::new(2, 0));
}

#[test]
fn snapshots_of_many_clients_are_taken_one_at_a_time() {
    const N_CLIENTS: u64 = 8;
    let log = SnapshotLog::default();
    let snapshots = LoggedSnapshots {
        snapshots: MemorySnapshots::new(),
        log: log.clone(),
    };
    let mut resources = first_state();
    resources.insert(log.clone());
    let journal = Box::new(MemoryJournal::new());
    let recovered =
        program()
            .state::<SnapshotLog>()
            .recover_from(journal, Box::new(snapshots), resources);
    log.take();
    let service = recovered.unwrap().serve();
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let clients = (0..N_CLIENTS).map(|nth| {
        handle.try_submit(Order::Count(nth)).unwrap();
        send(handle.snapshot())
    });
    let mut clients: Vec<_> = clients.collect();
    drop(pause);
    service.shutdown().unwrap();
    for (client, batch) in clients.iter_mut().zip(1..) {
        let written = answer(client).expect("the service has ended");
        assert_eq!(written.unwrap(), batch);
    }
    let one = [SnapshotStep::Saved, SnapshotStep::Written];
    assert_eq!(log.take(), one.repeat(N_CLIENTS as usize));
}
