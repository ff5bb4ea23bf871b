//! The error names the first outcome that differs, the new outcome, and the old one if it is stored.

use schedule::FailurePolicy;
use schedule_stream::Position;
use schedule_stream::durable::{DifferentOutcome, DurableError};
use schedule_stream::service::ServiceSettings;

use super::{
    Add, Cascade, Change, Check, Drift, Leak, program, recover, recover_with, set_outside,
};
use crate::journal::disk::SimulatedDisk;

fn advice(batch: u64) -> String {
    format!(
        "a handler depends on something that is neither its event nor saved, or it has changed: restore the earlier handler, or make \
         it depend only on its event and on declared resources; or begin a new history with the new outcomes: call \
         `accept_new_outcomes_from({batch})` of `Durable`, unless a snapshot has the state after it"
    )
}

/// Processes these batches with the value 0 outside, recovers with the value 5, and returns the error.
fn differs<const N: usize>(test: usize, batches: [Vec<Change>; N]) -> DurableError {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk).unwrap();
    for batch in batches {
        stream.process_batch(batch, drop).unwrap();
    }
    drop(stream);
    drop(recover(&disk).unwrap());
    set_outside(test, 5);
    recover(&disk).unwrap_err()
}

fn different(error: &DurableError) -> &DifferentOutcome {
    match error {
        DurableError::Differs {
            outcome: Some(outcome),
            ..
        } => outcome,
        error => panic!("{error}"),
    }
}

fn add(n: u64) -> Change {
    Add(7, n).into()
}

#[test]
fn first_outcome_that_differs_is_named() {
    let leak = |key| Leak(0, key).into();
    let error = differs(
        0,
        [
            vec![add(1), add(2)],
            vec![add(3), leak(7), add(4), leak(8)],
            vec![add(5)],
        ],
    );
    let expected = format!(
        "batch 2 has other outcomes than before: the outcome of `leak` at position 2:1 is now `Total {{ key: 7, sum: Some(5) }}`; {}",
        advice(2)
    );
    assert_eq!(error.to_string(), expected);
    let different = different(&error);
    assert_eq!(
        (different.position, different.cause),
        (Position::new(2, 1), None)
    );
    assert_eq!(
        (different.handler, &different.before),
        (Some("leak"), &None)
    );
}

#[test]
fn difference_of_the_state_is_found_where_an_answer_shows_it() {
    let error = differs(1, [vec![Drift(1, 7).into(), add(1)], vec![add(2)]]);
    let different = different(&error);
    assert_eq!(
        (different.position, different.handler),
        (Position::new(1, 1), Some("add"))
    );
    assert_eq!(
        different.now.as_deref(),
        Some("Total { key: 7, sum: Some(6) }")
    );
}

#[test]
fn outcome_of_a_follow_up_event_names_its_cause() {
    let disk = SimulatedDisk::new(0);
    set_outside(2, 2);
    let mut stream = recover(&disk).unwrap();
    stream
        .process([Cascade(2, 7).into(), Drift(2, 7).into()], drop)
        .unwrap();
    drop(stream);
    // The first follow-up event is the same, the second one has another sum because of `drift`.
    set_outside(2, 3);
    let error = recover(&disk).unwrap_err();
    let different = different(&error);
    assert_eq!(different.position, Position::new(2, 0));
    assert_eq!(different.cause, Some(Position::new(1, 0)));
    assert!(
        error
            .to_string()
            .contains("the outcome of `add` at position 2:0, a follow-up of 1:0, is now `Total"),
        "{error}"
    );
}

#[test]
fn outcomes_that_are_missing_or_new_are_found() {
    let before = |value| {
        let disk = SimulatedDisk::new(0);
        set_outside(3, value);
        let mut stream = recover(&disk).unwrap();
        stream.process([Cascade(3, 7).into()], drop).unwrap();
        drop(stream);
        disk
    };
    let disk = before(2);
    set_outside(3, 1);
    let error = recover(&disk).unwrap_err();
    let expected = format!(
        "batch 2 has other outcomes than before: the outcome at position 2:1 does not exist any more; {}",
        advice(2)
    );
    assert_eq!(error.to_string(), expected);

    let disk = before(1);
    set_outside(3, 2);
    let error = recover(&disk).unwrap_err();
    assert_eq!(different(&error).position, Position::new(2, 1));
    assert_eq!(different(&error).handler, Some("add"));
}

#[test]
fn error_of_a_handler_is_printed() {
    let error = differs(4, [vec![Check(4, 7).into()]]);
    assert_eq!(
        different(&error).now.as_deref(),
        Some("error: the value is 5")
    );
}

#[test]
fn event_that_did_not_stop_the_stream_before_is_named() {
    let disk = SimulatedDisk::new(0);
    let stops = || program().set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop));
    let mut stream = recover_with(&disk, stops()).unwrap();
    for _ in 0..2 {
        let events = [add(1), Check(5, 7).into(), add(1)];
        stream.process_batch(events, drop).unwrap();
    }
    drop(stream);
    set_outside(5, 5);
    let error = recover_with(&disk, stops()).unwrap_err();
    assert_eq!(different(&error).position, Position::new(1, 1));
    assert_eq!(different(&error).handler, Some("check"));
}

/// The answers of a snapshot after the batch are from the first run.
#[test]
fn earlier_answer_is_printed_if_a_snapshot_has_it() {
    let disk = SimulatedDisk::new(0);
    let with_keys = || program().idempotency_keys(5_000);
    let service = recover_with(&disk, with_keys())
        .unwrap()
        .serve_with(ServiceSettings::new());
    let handle = service.handle();
    handle.submit_with_key_blocking("first", add(1)).unwrap();
    handle
        .submit_with_key_blocking("second", Leak(6, 7).into())
        .unwrap();
    handle.snapshot_blocking().unwrap();
    drop(service);
    set_outside(6, 5);
    // Recovery from the snapshot repeats nothing.
    drop(recover_with(&disk, with_keys()).unwrap());
    let again = with_keys().outcomes_from(Position::new(1, 0), drop);
    let error = recover_with(&disk, again).unwrap_err();
    let expected = format!(
        "batch 2 has other outcomes than before: the outcome of `leak` at position 2:0 is now `Total {{ key: 7, sum: Some(5) }}`, \
         and was `Total {{ key: 7, sum: Some(0) }}`; {}",
        advice(2)
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn closed_streams_and_services_have_the_digests_of_their_last_batch() {
    // By a drop, by `into_storage`, by `shutdown`, and by a drop of the service.
    for end in 0..4 {
        set_outside(8, 0);
        let disk = SimulatedDisk::new(0);
        let mut stream = recover(&disk).unwrap();
        stream.process_batch([Leak(8, 7).into()], drop).unwrap();
        match end {
            0 => drop(stream),
            1 => drop(stream.into_storage()),
            2 => {
                let service = stream.serve_with(ServiceSettings::new());
                service.handle().submit_blocking(add(1)).unwrap();
                drop(service.shutdown().unwrap());
            }
            _ => {
                let service = stream.serve_with(ServiceSettings::new());
                service.handle().submit_blocking(add(1)).unwrap();
            }
        }
        set_outside(8, 5);
        let error = recover(&disk).unwrap_err();
        assert_eq!(different(&error).position, Position::new(1, 0), "end {end}");
    }
}

#[test]
fn stream_without_digests_of_outcomes_names_only_the_batch() {
    let disk = SimulatedDisk::new(0);
    let without = || program().outcome_digests(false);
    let mut stream = recover_with(&disk, without()).unwrap();
    for _ in 0..2 {
        stream.process_batch([Leak(9, 7).into()], drop).unwrap();
    }
    drop(stream);
    set_outside(9, 5);
    let error = recover_with(&disk, without()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("batch 1 has other outcomes than before: {}", advice(1))
    );
    // The same journal, read by a program with digests.
    assert_eq!(recover(&disk).unwrap_err().to_string(), error.to_string());
}

/// A journal of an earlier version has no digests of outcomes. They begin with the next batch.
#[test]
fn digests_of_a_replayed_batch_are_written_with_the_next_one() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover_with(&disk, program().outcome_digests(false)).unwrap();
    stream.process_batch([Leak(10, 7).into()], drop).unwrap();
    drop(stream);
    let mut stream = recover(&disk).unwrap();
    stream.process_batch([add(1)], drop).unwrap();
    // As after a crash.
    core::mem::forget(stream);
    set_outside(10, 5);
    let error = recover(&disk).unwrap_err();
    assert_eq!(different(&error).position, Position::new(1, 0));
}
