//! Errors of a recovery: the remedies in their messages lead on.

use std::cell::RefCell;
use std::rc::Rc;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableError, DurableStream};
use schedule_stream::journal::open_on;
use schedule_stream::prelude::*;
use schedule_stream::{EventLimits, Position};
use serde::{Deserialize, Serialize};

use crate::journal::disk::SimulatedDisk;

#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
struct Sum(u64);

#[derive(Event, Snapshot, Serialize, Deserialize)]
#[event(add, answer = u64)]
#[snapshot(name = "add")]
struct Add(u64);

#[handler]
fn add(event: &Add, sum: &mut Sum) -> u64 {
    sum.0 += event.0;
    sum.0
}

fn program(version: u32) -> Durable<Add> {
    Durable::new("sums", version).state::<Sum>()
}

fn recover(
    disk: &SimulatedDisk,
    program: Durable<Add>,
) -> Result<DurableStream<Add>, DurableError> {
    disk.end_program();
    let opened = open_on(disk.clone())?;
    let mut resources = Resources::new();
    resources.insert_default::<Sum>();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    program.recover_from(journal, snapshots, resources)
}

#[test]
fn newer_version_replays_batches_with_other_constants() {
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, program(1)).unwrap();
    stream.process_batch([Add(5)], drop).unwrap();
    drop(stream);
    let limited = |version| {
        let limits = EventLimits::new().max_depth(1);
        program(version).set_up(move |stream| stream.set_limits(limits))
    };
    let error = recover(&disk, limited(1)).unwrap_err();
    let is_expected = matches!(error, DurableError::ConstantChanged { batch: 1 });
    assert!(is_expected, "{error}");
    let mut stream = recover(&disk, limited(2).replay_older()).unwrap();
    assert_eq!(stream.recovery().n_replayed, 1);
    stream.snapshot().unwrap();
    drop(stream);
    recover(&disk, limited(2)).unwrap();
}

/// Recovers, and returns the outcomes from this position on.
fn outcomes_from(disk: &SimulatedDisk, first: Position) -> Result<Vec<u64>, DurableError> {
    let all = Rc::<RefCell<Vec<u64>>>::default();
    let to = Rc::clone(&all);
    let report = move |outcome: Outcome<Add>| to.borrow_mut().push(outcome.result.unwrap());
    drop(recover(disk, program(1).outcomes_from(first, report))?);
    Ok(all.take())
}

#[test]
fn outcomes_that_are_too_old_are_in_a_backup() {
    let disk = SimulatedDisk::new(0);
    let mut backup = Vec::new();
    for n in 1..=3 {
        let mut stream = recover(&disk, program(1)).unwrap();
        stream.process_batch([Add(n)], drop).unwrap();
        backup.extend(disk.files());
        stream.snapshot().unwrap();
    }
    let error = outcomes_from(&disk, Position::new(1, 0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the outcome of position 1:0 cannot be reported again: the journal goes back to position 3:0; call `outcomes_from` with \
         3:0 or a later position, or restore the older segments and snapshots from a backup"
    );
    assert_eq!(outcomes_from(&disk, Position::new(3, 0)).unwrap(), [6]);
    let existing = disk.names();
    let removed = backup
        .into_iter()
        .filter(|file| !existing.contains(&file.0));
    removed.for_each(|(name, bytes)| disk.set_content(&name, bytes));
    assert_eq!(
        outcomes_from(&disk, Position::new(1, 0)).unwrap(),
        [1, 3, 6]
    );
}
