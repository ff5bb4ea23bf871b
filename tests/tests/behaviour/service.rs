//! Services: any number of threads and tasks submit events, and each answer is that of a sequential run of the journal.

mod crashes;
mod errors;
mod keys;
mod metrics;
mod requests;
mod tasks;

use std::ops::ControlFlow;

use schedule_stream::durable::{DurableError, DurableStream, read_events};
use schedule_stream::journal::{Journal, open_on};

use crate::durable::program::{Entry, bank, resources};
use crate::journal::disk::SimulatedDisk;
use crate::stream::By;

/// Recovers the bank from a disk. `None` if a call of the disk fails.
fn recover(disk: &SimulatedDisk) -> Option<DurableStream<Entry>> {
    let opened = open_on(disk.clone()).ok()?;
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let by = By::ALL[By::ALL.len() - 1];
    match bank(by).recover_from(journal, snapshots, resources()) {
        Ok(stream) => Some(stream),
        Err(DurableError::Journal(_)) if !disk.is_running() || disk.has_failed() => None,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the times and the events of all batches in the journal, which was never truncated.
fn journaled(disk: &SimulatedDisk) -> Vec<(u64, Vec<Entry>)> {
    disk.end_program();
    let mut opened = open_on(disk.clone()).unwrap();
    let mut batches = Vec::new();
    let read = opened.journal.read(1, &mut |stored| {
        batches.push((stored.record.time, read_events(stored).unwrap()));
        ControlFlow::Continue(())
    });
    read.unwrap();
    disk.end_program();
    batches
}
