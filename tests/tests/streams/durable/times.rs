//! The times of batches never go back, although the clock does.

use std::ops::ControlFlow;

use schedule_stream::BatchTime;
use schedule_stream::journal::{
    EntryKind, Journal, JournalRecord, MemoryJournal, MemorySnapshots, Snapshots, open_on,
};
use schedule_stream::prelude::*;

use super::program::{Entry, Look, Open, Pay, bank, resources};
use crate::journal::disk::SimulatedDisk;
use crate::stream::By;

/// A clock that shows these times, and then 1.
fn clock(times: &'static [u64]) -> impl FnMut() -> BatchTime + Send + 'static {
    let mut times = times.iter().copied();
    move || BatchTime::from_nanos(times.next().unwrap_or(1))
}

/// Opens accounts, each of which answers the time of its batch.
fn accounts(from: u32, n: u32) -> impl Iterator<Item = Entry> {
    (from..from + n).map(|key| Entry::Open(Open(key)))
}

/// Each account with the time at which it was opened.
fn opened(outcome: Outcome<Entry>) -> (u64, u64) {
    (outcome.position.batch, outcome.result.unwrap())
}

/// The times in the journal.
fn journaled(journal: &mut dyn Journal) -> Vec<u64> {
    let mut times = Vec::new();
    let read = journal.read(1, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        times.push(stored.record.time);
        ControlFlow::Continue(())
    });
    read.unwrap();
    times
}

#[test]
fn batches_of_a_stream_keep_the_last_time_of_a_clock_that_goes_back() {
    for &by in By::ALL {
        let (mut stream, mut resources) = (Stream::new(), resources());
        by.set(&mut stream);
        let mut times = Vec::new();
        stream.set_clock(clock(&[9, 5, 12]));
        stream
            .process(&mut resources, accounts(100, 3 * 2_048), |outcome| {
                times.push(opened(outcome));
            })
            .unwrap();
        stream.set_clock(clock(&[3]));
        stream
            .process_batch(&mut resources, accounts(9_000, 1), |outcome| {
                times.push(opened(outcome));
            })
            .unwrap();
        times.dedup_by_key(|(batch, _)| *batch);
        let times: Vec<u64> = times.into_iter().map(|(_, time)| time).collect();
        assert_eq!(times, [9, 9, 12, 12], "{by:?}");
    }
}

#[test]
fn times_never_go_back_in_a_journal_also_after_a_recovery() {
    for has_snapshot in [false, true] {
        let disk = SimulatedDisk::new(0);
        let mut times = Vec::new();
        // The first account of each recovery, and the number of batches in one call.
        for (first, n, shown) in [
            (100, 3, &[9, 5, 12][..]),
            (10_000, 1, &[3]),
            (20_000, 2, &[14]),
        ] {
            let opened = open_on(disk.clone()).unwrap();
            let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
            let durable = bank(By::ALL[0]);
            let mut stream = durable
                .recover_from(journal, snapshots, resources())
                .unwrap();
            stream.set_clock(clock(shown));
            let events = accounts(first, n * 2_048);
            stream
                .process(events, |outcome| times.push(self::opened(outcome)))
                .unwrap();
            if has_snapshot {
                stream.snapshot().unwrap();
            }
            drop(stream);
            disk.end_program();
        }
        times.dedup_by_key(|(batch, _)| *batch);
        let times: Vec<u64> = times.into_iter().map(|(_, time)| time).collect();
        let expected = [9, 9, 12, 12, 14, 14];
        assert_eq!(times, expected, "{has_snapshot}");
        if !has_snapshot {
            assert_eq!(journaled(&mut open_on(disk).unwrap().journal), expected);
        }
    }
}

#[test]
fn times_never_go_back_in_a_service() {
    let disk = SimulatedDisk::new(0);
    let opened = open_on(disk.clone()).unwrap();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let durable = bank(By::ALL[0]);
    let mut stream = durable
        .recover_from(journal, snapshots, resources())
        .unwrap();
    stream.set_clock(clock(&[9, 5, 12]));
    let service = stream.serve();
    let handle = service.handle();
    let times = [10, 11, 12, 13].map(|key| {
        let outcome = handle.submit_blocking(Entry::Open(Open(key)));
        outcome.unwrap().result.unwrap()
    });
    assert_eq!(times, [9, 9, 12, 12]);
    let mut stream = service.shutdown().unwrap();
    let mut after = Vec::new();
    stream
        .process(accounts(14, 1), |outcome| after.push(self::opened(outcome)))
        .unwrap();
    assert_eq!(after, [(5, 12)]);
}

#[test]
fn journal_whose_times_go_back_is_replayed_with_its_times() {
    let mut journal: Box<dyn Journal> = Box::new(MemoryJournal::new());
    let snapshots: Box<dyn Snapshots> = Box::new(MemorySnapshots::new());
    let durable = || bank(By::ALL[0]);
    let mut stream = durable()
        .recover_from(journal, snapshots, resources())
        .unwrap();
    stream.set_clock(clock(&[9, 12]));
    let pay = Entry::Pay(Pay {
        from: 0,
        to: 1,
        amount: 1,
    });
    stream.process_batch([pay], drop).unwrap();
    stream.process_batch(accounts(50, 1), drop).unwrap();
    let (mut written, snapshots) = stream.into_storage();

    // As an earlier version wrote it.
    journal = Box::new(MemoryJournal::new());
    let mut records: Vec<JournalRecord> = Vec::new();
    let mut head = None;
    let read = written.read(1, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        head = Some(stored.head.clone());
        records.push(stored.record.clone());
        ControlFlow::Continue(())
    });
    read.unwrap();
    records[1].time = 5;
    journal.start(&head.unwrap()).unwrap();
    journal.append(&records).unwrap();
    journal.sync().unwrap();

    let mut times = Vec::new();
    let mut stream = durable()
        .recover_from(journal, snapshots, resources())
        .unwrap();
    let accounts_now = stream
        .resources()
        .get::<Records<super::program::Account>>()
        .unwrap();
    times.push(accounts_now.get(50).unwrap().opened());
    stream.set_clock(clock(&[2, 7]));
    for key in [51, 52] {
        stream
            .process_batch(accounts(key, 1), |outcome| times.push(opened(outcome).1))
            .unwrap();
    }
    assert_eq!(times, [5, 5, 7]);
    let look = stream.process_batch([Entry::Look(Look(0))], drop);
    look.unwrap();
    assert_eq!(journaled(&mut *stream.into_storage().0), [9, 5, 5, 7, 7]);
}
