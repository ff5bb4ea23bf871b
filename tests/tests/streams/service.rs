//! Services: any number of threads and tasks submit events, and each answer is that of a sequential run of the journal.

mod crashes;
mod errors;
mod keys;
mod metrics;
mod requests;
mod tasks;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use schedule_stream::Position;
use schedule_stream::durable::{Durable, DurableError, DurableStream, read_events};
use schedule_stream::journal::{EntryKind, Journal, open_on};

use crate::durable::program::{Entry, Told, bank, resources, told};
use crate::journal::disk::SimulatedDisk;
use crate::stream::By;

/// Recovers the bank from a disk. `None` if a call of the disk fails.
fn recover(disk: &SimulatedDisk) -> Option<DurableStream<Entry>> {
    recover_with(disk, bank(by()))
}

/// Recovers the bank, and returns the outcomes of all batches in the journal, which was never truncated.
fn recover_all(disk: &SimulatedDisk) -> Option<(DurableStream<Entry>, Vec<Told>)> {
    let outcomes: Rc<RefCell<Vec<Told>>> = Rc::default();
    let to = Rc::clone(&outcomes);
    let durable = bank(by()).outcomes_from(Position::new(1, 0), move |outcome| {
        to.borrow_mut().push(told(outcome));
    });
    Some((recover_with(disk, durable)?, outcomes.take()))
}

/// The processing of all services.
fn by() -> By {
    By::ALL[By::ALL.len() - 1]
}

fn recover_with(disk: &SimulatedDisk, durable: Durable<Entry>) -> Option<DurableStream<Entry>> {
    let opened = open_on(disk.clone()).ok()?;
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    match durable.recover_from(journal, snapshots, resources()) {
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
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        batches.push((stored.record.time, read_events(stored).unwrap()));
        ControlFlow::Continue(())
    });
    read.unwrap();
    disk.end_program();
    batches
}
