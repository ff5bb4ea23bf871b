//! New outcomes that are accepted: a new history begins, which later recoveries and readers find.

use std::cell::RefCell;
use std::rc::Rc;

use schedule::FailurePolicy;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::service::ServiceSettings;
use schedule_stream::{Outcome, Position};

use super::{Add, Change, Check, Leak, program, recover, recover_with, set_outside};
use crate::journal::disk::SimulatedDisk;

fn add(n: u64) -> Change {
    Add(7, n).into()
}

fn leak(test: usize) -> Change {
    Leak(test, 7).into()
}

/// Four batches. The third one depends on the value outside, which was 0.
fn four_batches(test: usize) -> SimulatedDisk {
    let disk = SimulatedDisk::new(0);
    set_outside(test, 0);
    let mut stream = recover(&disk).unwrap();
    for batch in [
        vec![add(1)],
        vec![add(2)],
        vec![add(3), leak(test)],
        vec![add(4)],
    ] {
        stream.process_batch(batch, drop).unwrap();
    }
    drop(stream);
    disk
}

type Reported = (Position, Option<u64>);

fn reported(outcome: Outcome<Change>) -> Reported {
    (outcome.position, outcome.result.ok().unwrap().sum)
}

/// Recovers, and returns the outcomes from the first position on, too.
fn recover_from(
    disk: &SimulatedDisk,
    program: Durable<Change>,
    first: Position,
) -> (Result<DurableStream<Change>, DurableError>, Vec<Reported>) {
    let outcomes: Rc<RefCell<Vec<Reported>>> = Rc::default();
    let to = Rc::clone(&outcomes);
    let program = program.outcomes_from(first, move |outcome| {
        to.borrow_mut().push(reported(outcome))
    });
    let recovered = recover_with(disk, program);
    (recovered, outcomes.take())
}

fn batch_of(error: DurableError) -> u64 {
    match error {
        DurableError::Differs { batch, .. } => batch,
        error => panic!("{error}"),
    }
}

#[test]
fn accepted_outcomes_are_a_new_history() {
    let disk = four_batches(17);
    set_outside(17, 5);
    let error = recover(&disk).unwrap_err();
    let advice = "call `accept_new_outcomes_from(3)` of `Durable`";
    assert!(error.to_string().contains(advice), "{error}");
    // An earlier batch than the first accepted one differs.
    let later = program().accept_new_outcomes_from(4);
    assert_eq!(batch_of(recover_with(&disk, later).unwrap_err()), 3);

    let stream = recover_with(&disk, program().accept_new_outcomes_from(2)).unwrap();
    assert_eq!((stream.history(), stream.recovery().history), (1, 1));
    let rewritten = stream.rewritten_since(0).unwrap();
    assert_eq!((rewritten.history, rewritten.from), (1, 3));
    assert_eq!(stream.rewritten_since(1), None);
    drop(stream);

    let stream = recover(&disk).unwrap();
    assert_eq!(stream.history(), 1);
    // A snapshot was taken.
    assert_eq!(
        (stream.recovery().snapshot, stream.recovery().n_replayed),
        (4, 0)
    );
    drop(stream);
    // The digests of the new history are in force.
    assert_eq!(
        recover_from(&disk, program(), Position::new(1, 0)).1.len(),
        5
    );
    set_outside(17, 0);
    let (again, outcomes) = recover_from(&disk, program(), Position::new(1, 0));
    assert_eq!(batch_of(again.unwrap_err()), 3);
    assert_eq!(
        outcomes.len(),
        2,
        "an outcome of another history was reported"
    );
}

#[test]
fn nothing_is_written_if_no_outcome_differs() {
    let disk = four_batches(18);
    let stream = recover_with(&disk, program().accept_new_outcomes_from(1)).unwrap();
    assert_eq!((stream.history(), stream.rewritten_since(0)), (0, None));
    drop(stream);
    assert_eq!(recover(&disk).unwrap().recovery().n_replayed, 4);
}

#[test]
fn reader_with_replaced_outcomes_gets_an_error() {
    let disk = four_batches(19);
    set_outside(19, 5);
    let accepting = program().accept_new_outcomes_from(1);
    let (stream, first) = recover_from(&disk, accepting, Position::new(2, 0));
    drop(stream.unwrap());
    let expected = [
        (Position::new(2, 0), Some(3)),
        (Position::new(3, 0), Some(6)),
        (Position::new(3, 1), Some(5)),
        (Position::new(4, 0), Some(11)),
    ];
    assert_eq!(first, expected);
    // Also after the entry was removed with the journal.
    for n_snapshots in 0..3 {
        let refused = |first: Position| {
            let (stream, outcomes) = recover_from(&disk, program().read_history(0), first);
            assert_eq!(outcomes, []);
            match stream.unwrap_err() {
                error @ DurableError::Rewritten(rewritten) => {
                    assert_eq!((rewritten.history, rewritten.from), (1, 3));
                    assert_eq!(
                        error.to_string(),
                        "history 1 has new outcomes from batch 3 on, and the reader has older ones: call `outcomes_from` with \
                         position 3:0, and `read_history(1)`"
                    );
                }
                error => panic!("{error}"),
            }
        };
        let next = recover(&disk).unwrap().next_batch();
        refused(Position::new(next, 1));
        if n_snapshots == 0 {
            refused(Position::new(3, 1));
            for (history, first) in [(0, Position::new(3, 0)), (1, Position::new(4, 0))] {
                let reader = program().read_history(history);
                let (stream, outcomes) = recover_from(&disk, reader, first);
                drop(stream.unwrap());
                let wanted = expected.iter().filter(|of| of.0 >= first).copied();
                assert_eq!(outcomes, wanted.collect::<Vec<_>>());
            }
        }
        let mut stream = recover(&disk).unwrap();
        stream.process_batch([add(1)], drop).unwrap();
        stream.snapshot().unwrap();
    }
}

/// The history that replaces the outcomes begins in the same recovery.
#[test]
fn reader_of_replaced_outcomes_gets_none_of_the_history_that_begins() {
    let disk = four_batches(32);
    set_outside(32, 5);
    let accepting = || program().accept_new_outcomes_from(1);
    let last = Position::new(4, 0);
    let (stream, outcomes) = recover_from(&disk, accepting().read_history(0), last);
    assert!(matches!(
        stream,
        Err(DurableError::Rewritten(rewritten)) if (rewritten.history, rewritten.from) == (1, 3)
    ));
    assert_eq!(outcomes, []);
    let (stream, outcomes) = recover_from(&disk, accepting().read_history(1), last);
    assert_eq!(stream.unwrap().history(), 1);
    assert_eq!(outcomes, [(last, Some(11))]);
}

#[test]
fn each_acceptance_begins_a_history() {
    let disk = four_batches(20);
    for value in [5, 6] {
        set_outside(20, value);
        let mut stream = recover_with(&disk, program().accept_new_outcomes_from(1)).unwrap();
        stream.process([leak(20), add(1)], drop).unwrap();
        drop(stream);
    }
    let stream = recover(&disk).unwrap();
    assert_eq!(stream.history(), 2);
    let since = |history| {
        stream
            .rewritten_since(history)
            .map(|of| (of.history, of.from))
    };
    assert_eq!(
        (since(0), since(1), since(2)),
        (Some((2, 3)), Some((2, 5)), None)
    );
}

/// The state of the snapshot belongs to the earlier outcomes.
#[test]
fn outcomes_before_a_snapshot_are_not_accepted() {
    let disk = four_batches(21);
    recover(&disk).unwrap().snapshot().unwrap();
    set_outside(21, 5);
    let accepting = || program().accept_new_outcomes_from(1);
    drop(recover_with(&disk, accepting()).unwrap());
    let (again, outcomes) = recover_from(&disk, accepting(), Position::new(1, 0));
    assert_eq!(batch_of(again.unwrap_err()), 3);
    assert_eq!(outcomes.len(), 2);
    // Without the snapshot, they can be.
    let newest = disk
        .names()
        .into_iter()
        .filter(|name| name.starts_with("snapshot"))
        .max()
        .unwrap();
    let mut damaged = disk.content(&newest);
    *damaged.last_mut().unwrap() ^= 1;
    disk.set_content(&newest, damaged);
    assert_eq!(batch_of(recover(&disk).unwrap_err()), 3);
}

#[test]
fn stored_answers_are_those_of_the_new_history() {
    let disk = SimulatedDisk::new(0);
    set_outside(22, 0);
    let with_keys = || program().idempotency_keys(5_000);
    let answer = |stream: DurableStream<Change>| {
        let service = stream.serve_with(ServiceSettings::new());
        let handle = service.handle();
        let outcome = handle.submit_with_key_blocking("key", leak(22)).unwrap();
        drop(service.shutdown().unwrap());
        reported(outcome)
    };
    let position = Position::new(1, 0);
    assert_eq!(
        answer(recover_with(&disk, with_keys()).unwrap()),
        (position, Some(0))
    );
    set_outside(22, 5);
    let accepting = with_keys().accept_new_outcomes_from(1);
    assert_eq!(
        answer(recover_with(&disk, accepting).unwrap()),
        (position, Some(5))
    );
    assert_eq!(
        answer(recover_with(&disk, with_keys()).unwrap()),
        (position, Some(5))
    );
}

#[test]
fn event_that_stops_the_stream_now_is_not_accepted() {
    let disk = SimulatedDisk::new(0);
    set_outside(23, 0);
    let stops = || program().set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop));
    let mut stream = recover_with(&disk, stops()).unwrap();
    for _ in 0..2 {
        stream
            .process_batch([add(1), Check(23, 7).into()], drop)
            .unwrap();
    }
    drop(stream);
    set_outside(23, 5);
    let accepting = || stops().accept_new_outcomes_from(1);
    let position = Position::new(1, 1);
    match recover_with(&disk, accepting()).unwrap_err() {
        DurableError::Stopped { position: found } => assert_eq!(found, position),
        error => panic!("{error}"),
    }
    let skips = accepting().skip(position).skip(Position::new(2, 1));
    let stream = recover_with(&disk, skips).unwrap();
    assert_eq!((stream.history(), stream.stopped()), (1, None));
    drop(stream);
    assert_eq!(recover_with(&disk, stops()).unwrap().history(), 1);
}

/// The disk fails at any call: outcomes that were reported are those of all later recoveries.
#[test]
fn outcomes_are_reported_after_the_history_is_durable() {
    let (mut n_before, mut n_after) = (0, 0);
    for n_calls in 1.. {
        let disk = four_batches(24);
        set_outside(24, 5);
        disk.stop_after(n_calls);
        let accepting = program().accept_new_outcomes_from(1);
        let opened = schedule_stream::journal::open_on(disk.clone());
        let outcomes: Rc<RefCell<Vec<Reported>>> = Rc::default();
        let to = Rc::clone(&outcomes);
        let accepting = accepting.outcomes_from(Position::new(1, 0), move |outcome| {
            to.borrow_mut().push(reported(outcome))
        });
        let is_done = opened.is_ok_and(|opened| {
            let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
            accepting
                .recover_from(journal, snapshots, super::resources())
                .is_ok()
        });
        disk.lose_power();
        let (again, _) = recover_from(&disk, program(), Position::new(1, 0));
        match again {
            Ok(stream) => {
                assert_eq!(stream.history(), 1);
                n_after += 1;
            }
            Err(error) => {
                assert_eq!(batch_of(error), 3);
                assert!(!is_done && outcomes.borrow().iter().all(|of| of.0.batch < 3));
                n_before += 1;
            }
        }
        if is_done {
            break;
        }
    }
    assert!(n_before > 3 && n_after > 1, "{n_before} {n_after}");
}
