//! Each kind of request, and requests that are refused.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::BatchTime;
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::prelude::*;
use schedule_stream::service::{ServiceError, ServiceSettings, TrySubmitError};
use serde::{Deserialize, Serialize};

use super::{journaled, recover};
use crate::durable::program::{
    Account, Audit, Close, Entry, Look, Open, Pay, Spread, bank, content, resources,
};
use crate::journal::disk::SimulatedDisk;
use crate::stream::By;

fn pay() -> Entry {
    Entry::Pay(Pay {
        from: 0,
        to: 1,
        amount: 1,
    })
}

#[test]
fn query_is_answered_without_a_position() {
    let disk = SimulatedDisk::new(0);
    let service = recover(&disk).unwrap().serve();
    let handle = service.handle();
    handle.submit_blocking(pay()).unwrap();
    let answer = handle.query_blocking(Entry::Look(Look(0))).unwrap();
    assert_eq!((answer.batch, answer.result.unwrap()), (1, 98));
    let answer = handle.query_blocking(Entry::Look(Look(77))).unwrap();
    assert!(answer.result.is_err());
    for event in [
        pay(),
        Entry::Audit(Audit),
        Entry::Open(Open(4)),
        Entry::Spread(Spread { from: 0, n: 1 }),
    ] {
        let refused = handle.query_blocking(event).unwrap_err();
        assert!(matches!(refused, ServiceError::NotAQuery), "{refused}");
    }
    let outcome = handle.submit_blocking(pay()).unwrap();
    assert_eq!((outcome.position.batch, outcome.result.unwrap()), (2, 96));
    drop(service);
    assert_eq!(journaled(&disk).len(), 2);
}

#[test]
fn drained_service_has_no_pending_follow_up_events() {
    let disk = SimulatedDisk::new(0);
    let service = recover(&disk).unwrap().serve();
    let handle = service.handle();
    handle
        .submit_blocking(Entry::Spread(Spread { from: 0, n: 30 }))
        .unwrap();
    assert_eq!(handle.drain_blocking(u64::MAX).unwrap(), 0);
    let stream = service.shutdown().unwrap();
    assert_eq!(stream.n_pending(), 0);
    assert_eq!(stream.next_batch(), 32);
}

#[test]
fn paused_service_leaves_requests_waiting() {
    let disk = SimulatedDisk::new(0);
    let settings = ServiceSettings::new().capacity(2);
    let service = recover(&disk).unwrap().serve_with(settings);
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let first = handle.try_submit(pay()).unwrap();
    let second = handle.try_submit(pay()).unwrap();
    assert_eq!(
        handle.try_submit(pay()).unwrap_err(),
        TrySubmitError::Full(pay())
    );
    assert_eq!(handle.n_waiting(), 2);
    drop(pause);
    let first = first.outcome_blocking().unwrap();
    let second = second.outcome_blocking().unwrap();
    assert_eq!(first.position.batch, second.position.batch, "both waited");
    assert_eq!([first, second].map(|one| one.result.unwrap()), [98, 96]);
}

#[test]
fn dropped_future_does_not_withdraw_its_event() {
    let disk = SimulatedDisk::new(0);
    let service = recover(&disk).unwrap().serve();
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    {
        let mut submit = Box::pin(handle.submit(pay()));
        let polled = submit
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Pending));
    }
    drop(pause);
    let stream = service.shutdown().unwrap();
    let accounts = stream.resources().get::<Records<Account>>().unwrap();
    assert_eq!(accounts.get(0).unwrap().balance, 98);
}

#[test]
fn closed_service_answers_what_it_has_accepted() {
    let disk = SimulatedDisk::new(0);
    let service = recover(&disk).unwrap().serve();
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let accepted = handle.try_submit(pay()).unwrap();
    assert!(!handle.is_closed());
    handle.close();
    assert!(handle.is_closed());
    let refused = handle.submit_blocking(pay()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the service is closed; the request was not accepted"
    );
    assert_eq!(
        handle.try_submit(pay()).unwrap_err(),
        TrySubmitError::Closed(pay())
    );
    drop(pause);
    assert_eq!(accepted.outcome_blocking().unwrap().result.unwrap(), 98);
    let mut stream = service.shutdown().unwrap();
    // The stream continues.
    stream
        .process_batch([pay()], |outcome| assert_eq!(outcome.result.unwrap(), 96))
        .unwrap();
}

#[test]
fn refused_event_does_not_affect_others() {
    let disk = SimulatedDisk::new(0);
    let opened = schedule_stream::journal::open_on(disk.clone()).unwrap();
    let durable = bank(By::ALL[0]).max_event_bytes(8);
    let recovered = durable.recover_from(
        Box::new(opened.journal),
        Box::new(opened.snapshots),
        resources(),
    );
    let service = recovered.unwrap().serve();
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let before = handle.try_submit(pay()).unwrap();
    let large = Entry::Pay(Pay {
        from: u32::MAX,
        to: u32::MAX,
        amount: u64::MAX,
    });
    let large = handle.try_submit(large).unwrap();
    let after = handle.try_submit(pay()).unwrap();
    drop(pause);
    assert_eq!(before.outcome_blocking().unwrap().result.unwrap(), 98);
    let refused = large.outcome_blocking().unwrap_err();
    assert!(matches!(refused, ServiceError::Refused(_)), "{refused}");
    assert_eq!(after.outcome_blocking().unwrap().result.unwrap(), 96);
    drop(service);
}

#[test]
fn stopped_service_refuses_events() {
    let disk = SimulatedDisk::new(0);
    let opened = schedule_stream::journal::open_on(disk.clone()).unwrap();
    let stops =
        bank(By::ALL[0]).set_up(|stream| stream.set_failure_policy(schedule::FailurePolicy::Stop));
    let recovered = stops.recover_from(
        Box::new(opened.journal),
        Box::new(opened.snapshots),
        resources(),
    );
    let service = recovered.unwrap().serve();
    let handle = service.handle();
    let pause = handle.pause_blocking().unwrap();
    let fails = handle.try_submit(Entry::Close(Close(9))).unwrap();
    let behind = handle.try_submit(pay()).unwrap();
    drop(pause);
    assert!(fails.outcome_blocking().unwrap().result.is_err());
    // It is in the journal, but it did not run.
    assert!(matches!(
        behind.outcome_blocking().unwrap_err(),
        ServiceError::Unknown
    ));
    let refused = handle.submit_blocking(pay()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the request failed: the stream is stopped: the event at position 1:0 failed, and the failure policy is `Stop`; to \
         continue after this event, call `skip` of `Durable` for this position and recover again"
    );
    drop(service);
}

/// Panics when it is dropped.
#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u64)]
#[snapshot(name = "explosive")]
enum Explosive {
    #[event(tell_time)]
    TellTime(TellTime),
    #[event(add_one)]
    AddOne(AddOne),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct TellTime(Bomb);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct AddOne(Bomb, String);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 {
            std::panic::resume_unwind(Box::new("bomb"));
        }
    }
}

#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "total")]
struct Total(u64);

#[handler]
fn tell_time(_: &TellTime, time: BatchTime) -> u64 {
    time.as_nanos()
}

#[handler]
fn add_one(_: &AddOne, total: &mut Total) -> u64 {
    total.0 += 1;
    total.0
}

fn explosive(disk: &SimulatedDisk) -> DurableStream<Explosive> {
    disk.end_program();
    let opened = schedule_stream::journal::open_on(disk.clone()).unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<Total>();
    let durable = Durable::new("explosive", 1).state::<Total>();
    let recovered = durable.max_event_bytes(50).recover_from(
        Box::new(opened.journal),
        Box::new(opened.snapshots),
        resources,
    );
    recovered.unwrap()
}

#[test]
fn query_gets_the_time_of_the_last_batch_after_a_recovery() {
    let disk = SimulatedDisk::new(0);
    let mut stream = explosive(&disk);
    stream.set_clock(|| BatchTime::from_nanos(77));
    let add = || Explosive::AddOne(AddOne(Bomb(false), String::new()));
    stream.process_batch([add()], drop).unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    let stream = explosive(&disk);
    assert_eq!(stream.recovery().n_replayed, 0);
    let service = stream.serve();
    let asked = Explosive::TellTime(TellTime(Bomb(false)));
    let answer = service.handle().query_blocking(asked).unwrap();
    assert_eq!((answer.batch, answer.result.unwrap()), (1, 77));
}

#[test]
fn events_that_panic_when_they_are_dropped_do_not_end_the_service() {
    let disk = SimulatedDisk::new(0);
    let service = explosive(&disk).serve();
    let handle = service.handle();
    let add = |is_bomb, n| Explosive::AddOne(AddOne(Bomb(is_bomb), "x".repeat(n)));
    let refused = handle.submit_blocking(add(true, 90)).unwrap_err();
    assert!(matches!(refused, ServiceError::Refused(_)), "{refused}");
    let refused = handle.submit_with_key_blocking("a", add(true, 1));
    std::mem::forget(refused);
    let refused = handle.query_blocking(add(true, 1)).unwrap_err();
    assert!(matches!(refused, ServiceError::NotAQuery), "{refused}");
    let asked = Explosive::TellTime(TellTime(Bomb(true)));
    handle.query_blocking(asked).unwrap();
    // The client goes away before the answer.
    let pause = handle.pause_blocking().unwrap();
    drop(handle.try_submit(add(true, 1)).unwrap());
    drop(pause);
    let outcome = handle.submit_blocking(add(false, 1)).unwrap();
    assert_eq!(outcome.result.unwrap(), 2);
    drop(service);
}

#[test]
fn snapshots_are_taken_after_a_number_of_batches() {
    let disk = SimulatedDisk::new(0);
    let settings = ServiceSettings::new().snapshot_every(4);
    let service = recover(&disk).unwrap().serve_with(settings);
    let handle = service.handle();
    for _ in 0..10 {
        handle.submit_blocking(pay()).unwrap();
    }
    assert_eq!(handle.snapshot_blocking().unwrap(), 10);
    let stream = service.shutdown().unwrap();
    let expected = content(stream.resources());
    drop(stream);
    disk.end_program();
    let stream = recover(&disk).unwrap();
    assert_eq!(
        (stream.recovery().snapshot, stream.recovery().n_replayed),
        (10, 0)
    );
    assert_eq!(content(stream.resources()), expected);
    let is_snapshot = |name: &&String| name.starts_with("snapshot");
    assert_eq!(disk.names().iter().filter(is_snapshot).count(), 2);
}

#[test]
fn panic_of_the_outcome_callback_ends_the_service() {
    let disk = SimulatedDisk::new(0);
    let n = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&n);
    let settings = ServiceSettings::new().outcomes(move |_| {
        assert!(counted.fetch_add(1, Relaxed) < 1, "enough");
    });
    let service = recover(&disk).unwrap().serve_with(settings);
    let handle = service.handle();
    handle.submit_blocking(pay()).unwrap();
    assert!(matches!(
        handle.submit_blocking(pay()).unwrap_err(),
        ServiceError::Unknown
    ));
    let panic = catch_unwind(AssertUnwindSafe(|| service.shutdown().map(drop))).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"enough"));
    assert!(matches!(
        handle.submit_blocking(pay()).unwrap_err(),
        ServiceError::Closed
    ));
    // Both events are in the journal.
    assert_eq!(journaled(&disk).len(), 2);
}

#[test]
fn service_restarts_the_count_to_a_snapshot_with_the_replayed_batches() {
    let disk = SimulatedDisk::new(0);
    for nth in 0..4_u64 {
        let settings = ServiceSettings::new().snapshot_every(4);
        let service = recover(&disk).unwrap().serve_with(settings);
        service.handle().submit_blocking(pay()).unwrap();
        let stream = service.shutdown().unwrap();
        assert_eq!(stream.recovery().n_replayed, nth);
        drop(stream);
        disk.end_program();
    }
    assert_eq!(recover(&disk).unwrap().recovery().snapshot, 4);
}

/// Panics when it is saved, or when its clock is read.
#[test]
fn clients_of_a_service_whose_thread_panics_get_an_error() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk).unwrap();
    let mut n = 0;
    stream.set_clock(move || {
        n += 1;
        assert!(n < 2, "no time");
        schedule_stream::BatchTime::from_nanos(n)
    });
    let service = stream.serve();
    let handle = service.handle();
    handle.submit_blocking(pay()).unwrap();
    let pause = handle.pause_blocking().unwrap();
    let waiting = [(); 3].map(|()| handle.try_submit(pay()).unwrap());
    let snapshot = std::thread::spawn({
        let handle = handle.clone();
        move || handle.snapshot_blocking()
    });
    drop(pause);
    for submitted in waiting {
        assert!(matches!(
            submitted.outcome_blocking().unwrap_err(),
            ServiceError::Unknown
        ));
    }
    assert!(snapshot.join().unwrap().is_err());
    let panic = catch_unwind(AssertUnwindSafe(|| service.shutdown().map(drop))).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"no time"));
    assert!(matches!(
        handle.submit_blocking(pay()).unwrap_err(),
        ServiceError::Closed
    ));
    // The journal is free again.
    assert_eq!(journaled(&disk).len(), 1);
}

#[derive(Clone, Debug, Event, schedule::snapshot::Snapshot, serde::Deserialize)]
#[event(keep, answer = u64)]
#[snapshot(name = "fragile")]
struct Fragile(bool);

impl serde::Serialize for Fragile {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(self.0, "it breaks");
        serializer.serialize_newtype_struct("Fragile", &self.0)
    }
}

#[handler]
fn keep(_: &Fragile) -> u64 {
    5
}

#[test]
fn event_that_panics_when_it_is_saved_is_refused_alone() {
    use schedule_stream::journal::{MemoryJournal, MemorySnapshots};

    let durable = schedule_stream::durable::Durable::<Fragile>::new("fragile", 1);
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let resources = schedule::Resources::new();
    let stream = durable.recover_from(Box::new(journal), Box::new(snapshots), resources);
    let service = stream.unwrap().serve();
    let handle = service.handle();
    let refused = handle.submit_blocking(Fragile(false)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the request failed: a value cannot be saved, because its implementation of `Snapshot` or `Serialize` panicked: it breaks"
    );
    assert_eq!(
        handle
            .submit_blocking(Fragile(true))
            .unwrap()
            .result
            .unwrap(),
        5
    );
}
