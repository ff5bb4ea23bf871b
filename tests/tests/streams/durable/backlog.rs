//! A stream stops after a batch at whose end too many follow-up events wait. A higher limit continues it, and is in the journal.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::{EntryKind, Journal, open_on};
use schedule_stream::prelude::*;
use schedule_stream::service::ServiceError;
use schedule_stream::{BatchTime, EventLimits, Position};
use serde::{Deserialize, Serialize};

use crate::journal::disk::SimulatedDisk;
use crate::stream::By;

#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
struct Sum(u64);

/// Causes this number of events that cause none.
#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(split, answer = u64)]
#[snapshot(name = "split")]
struct Split(u32);

#[handler]
fn split(event: &Split, position: Position, sum: &mut Sum) -> FollowUps<Split, u64> {
    sum.0 = sum.0.rotate_left(3) ^ position.batch << 8 ^ u64::from(position.index);
    FollowUps::events((0..event.0).map(|_| Split(0))).answering(sum.0)
}

/// A budget of 2 follow-up events.
fn program(by: By, max_pending: u32) -> Durable<Split> {
    Durable::new("splits", 1)
        .state::<Sum>()
        .set_up(move |stream| {
            by.set(stream);
            stream.set_limits(
                EventLimits::new()
                    .max_follow_ups(2)
                    .max_pending(max_pending),
            );
        })
}

fn try_recover(
    disk: &SimulatedDisk,
    program: Durable<Split>,
) -> Result<DurableStream<Split>, DurableError> {
    disk.end_program();
    let opened = open_on(disk.clone()).unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<Sum>();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let mut stream = program.recover_from(journal, snapshots, resources)?;
    stream.set_clock(|| BatchTime::from_nanos(7));
    Ok(stream)
}

fn recover(disk: &SimulatedDisk, by: By, max_pending: u32) -> DurableStream<Split> {
    try_recover(disk, program(by, max_pending)).unwrap()
}

fn sum(stream: &DurableStream<Split>) -> u64 {
    stream.resources().get::<Sum>().unwrap().0
}

/// The batches before which the journal has a maximum, and the maxima.
fn maxima(disk: &SimulatedDisk) -> Vec<(u64, u32)> {
    disk.end_program();
    let mut found = Vec::new();
    let mut opened = open_on(disk.clone()).unwrap();
    let read = opened.journal.read(0, &mut |stored| {
        if stored.record.kind == EntryKind::MAX_PENDING {
            let max = stored.record.body.as_slice().try_into().unwrap();
            found.push((stored.record.batch, u32::from_le_bytes(max)));
        }
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

/// 5 events of the input cause 2 each. After the first batch 10 wait, after the second one 8.
fn stopped(disk: &SimulatedDisk, by: By, max_pending: u32) -> DurableStream<Split> {
    let mut stream = recover(disk, by, max_pending);
    stream.process_batch(vec![Split(2); 5], drop).unwrap();
    assert_eq!(stream.n_pending(), 10);
    stream
}

#[test]
fn stream_stops_and_a_higher_limit_continues_it() {
    let mut expected = None;
    for &by in By::ALL {
        let disk = SimulatedDisk::new(0);
        let mut stream = stopped(&disk, by, 9);
        let error = stream.process_batch([Split(0)], drop).unwrap_err();
        let is_backlog = |error: &DurableError| {
            matches!(
                error,
                DurableError::Backlog {
                    batch: 1,
                    n_pending: 10,
                    max: 9,
                }
            )
        };
        assert!(is_backlog(&error), "{error}");
        assert_eq!(
            error.to_string(),
            "the stream has stopped after batch 1, because 10 follow-up events wait, and the maximum is 9: raise the limit with \
             `EventLimits::max_pending` in `set_up` of `Durable`, and recover again"
        );
        let mut events = vec![Split(0)].into_iter();
        assert!(is_backlog(&stream.process(&mut events, drop).unwrap_err()));
        assert_eq!(events.len(), 1, "no event is taken");
        assert!(is_backlog(&stream.drain(1, drop).unwrap_err()));
        drop(stream);
        // It stays stopped.
        let mut stream = recover(&disk, by, 9);
        assert!(is_backlog(
            &stream.process_batch([Split(0)], drop).unwrap_err()
        ));
        drop(stream);
        assert_eq!(maxima(&disk), []);
        let mut stream = recover(&disk, by, 10);
        let mut positions = Vec::new();
        let report = |outcome: Outcome<Split>| positions.push((outcome.position, outcome.cause));
        stream.process([Split(0)], report).unwrap();
        // Four batches without it, because more than 2 wait.
        let outside = positions.iter().find(|one| one.1.is_none()).unwrap();
        assert_eq!(outside.0, Position::new(6, 0), "{by:?}");
        assert_eq!(positions.len(), 11);
        let state = (sum(&stream), positions);
        assert_eq!(*expected.get_or_insert_with(|| state.clone()), state);
        drop(stream);
        assert_eq!(maxima(&disk), [(2, 10)]);
        // The replay has the limit of each batch, and a later start may raise it again.
        for max in [10, 5_000] {
            let stream = recover(&disk, by, max);
            assert_eq!((sum(&stream), stream.n_pending()), (state.0, 0));
        }
        assert_eq!(maxima(&disk), [(2, 10), (7, 5_000)]);
    }
}

#[test]
fn stream_stops_in_the_middle_of_a_call() {
    for &by in By::ALL {
        let disk = SimulatedDisk::new(0);
        let mut stream = recover(&disk, by, 4_000);
        // More than a batch of the input. The first one causes too many events.
        let events = (0..5_000).map(|nth| Split(u32::from(nth < 2_001) * 2));
        let (mut events, mut n_reported) = (events.into_iter(), 0);
        let error = stream
            .process(&mut events, |_| n_reported += 1)
            .unwrap_err();
        assert!(matches!(
            error,
            DurableError::Backlog {
                batch: 1,
                n_pending: 4_002,
                ..
            }
        ));
        assert_eq!((n_reported, events.len()), (2_048, 5_000 - 2_048));
        assert_eq!(stream.next_batch(), 2);
    }
}

#[test]
fn snapshot_of_a_stopped_stream_keeps_what_waits() {
    let disk = SimulatedDisk::new(0);
    let by = By::ALL[0];
    let mut stream = stopped(&disk, by, 9);
    stream.snapshot().unwrap();
    drop(stream);
    let mut stream = recover(&disk, by, 9);
    assert_eq!((stream.recovery().snapshot, stream.n_pending()), (1, 10));
    stream.process_batch([Split(0)], drop).unwrap_err();
    drop(stream);
    let mut stream = recover(&disk, by, 20);
    assert_eq!(stream.drain(u64::MAX, drop).unwrap(), 0);
    stream.snapshot().unwrap();
    drop(stream);
    // The newest snapshot has the limit, too.
    drop(recover(&disk, by, 20));
    assert_eq!(maxima(&disk), [(2, 20)]);
}

#[test]
fn lower_limit_stops_the_stream_from_the_next_batch_on() {
    let disk = SimulatedDisk::new(0);
    let by = By::ALL[0];
    let mut stream = stopped(&disk, by, 100);
    assert_eq!(stream.drain(1, drop).unwrap(), 8);
    drop(stream);
    let mut stream = recover(&disk, by, 7);
    let error = stream.drain(1, drop).unwrap_err();
    assert!(matches!(
        error,
        DurableError::Backlog {
            batch: 2,
            n_pending: 8,
            max: 7,
        }
    ));
    drop(stream);
    let lines = Rc::new(RefCell::new(0));
    let to = Rc::clone(&lines);
    let report = move |_| *to.borrow_mut() += 1;
    let program = program(by, 100).outcomes_from(Position::new(1, 0), report);
    let mut stream = try_recover(&disk, program).unwrap();
    assert_eq!(*lines.borrow(), 5 + 2);
    assert_eq!(stream.drain(u64::MAX, drop).unwrap(), 0);
    drop(stream);
    assert_eq!(maxima(&disk), [(3, 7), (3, 100)]);
}

#[test]
fn clients_of_a_stopped_service_are_refused() {
    let disk = SimulatedDisk::new(0);
    let stream = stopped(&disk, By::ALL[0], 9);
    let service = stream.serve();
    let error = service.handle().submit_blocking(Split(0)).unwrap_err();
    let ServiceError::Refused(reason) = &error else {
        panic!("{error}")
    };
    assert!(matches!(**reason, DurableError::Backlog { batch: 1, .. }));
    let stream = service.shutdown().unwrap();
    assert_eq!((stream.next_batch(), stream.n_pending()), (2, 10));
}

#[test]
fn clients_wait_until_a_budget_is_left() {
    let disk = SimulatedDisk::new(0);
    let stream = stopped(&disk, By::ALL[0], 100);
    let service = stream.serve();
    let outcome = service.handle().submit_blocking(Split(0)).unwrap();
    // 10 wait, and 2 fit into a batch. The service may have processed more of them before.
    assert!(outcome.position.batch >= 6 && outcome.position.index == 0);
    let stream = service.shutdown().unwrap();
    drop(stream);
    let stream = recover(&disk, By::ALL[0], 100);
    assert!(stream.next_batch() >= 7);
}
