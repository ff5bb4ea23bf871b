//! Journals and snapshots.

mod contract;
mod crashes;
mod damage;
mod directory;
pub(crate) mod disk;
mod faults;
mod opening;
mod retention;

use std::ops::ControlFlow;

use schedule_stream::journal::{EntryKind, Journal, JournalHead, JournalRecord};

/// The head of a program of a version.
fn head(version: u32) -> JournalHead {
    JournalHead {
        program: "exchange".to_owned(),
        version,
        types: vec![("Order".to_owned(), 2), ("Cancel".to_owned(), 1)],
        constants: 0xabcd,
        events: None,
    }
}

/// A record whose body follows from the batch.
fn record(batch: u64, n_bytes: usize) -> JournalRecord {
    JournalRecord {
        batch,
        kind: EntryKind::BATCH,
        time: batch * 1_000,
        body: (0..n_bytes).map(|at| (batch as usize + at) as u8).collect(),
    }
}

/// An entry before a batch.
fn note(batch: u64, max: u32) -> JournalRecord {
    JournalRecord {
        batch,
        kind: EntryKind::MAX_PENDING,
        time: 0,
        body: max.to_le_bytes().to_vec(),
    }
}

/// Appends batches as one group, and syncs.
fn append_synced(
    journal: &mut dyn Journal,
    batches: std::ops::RangeInclusive<u64>,
    n_bytes: usize,
) {
    let records: Vec<JournalRecord> = batches.map(|batch| record(batch, n_bytes)).collect();
    journal.append(&records).unwrap();
    journal.sync().unwrap();
}

/// Returns all records from a batch on, with the version of the head and the generation of each.
fn stored(journal: &mut dyn Journal, from: u64) -> Vec<(JournalRecord, u32, u64)> {
    let mut stored = Vec::new();
    let read = journal.read(from, &mut |one| {
        stored.push((one.record.clone(), one.head.version, one.generation));
        ControlFlow::Continue(())
    });
    read.unwrap();
    stored
}

/// Returns the numbers of all records.
fn batches(journal: &mut dyn Journal) -> Vec<u64> {
    let stored = stored(journal, 0).into_iter();
    stored.map(|(record, ..)| record.batch).collect()
}
