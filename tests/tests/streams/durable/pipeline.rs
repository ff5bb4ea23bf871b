//! Several batches in one call: they have the outcomes of single batches, whatever fails in between.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use schedule_stream::Outcome;
use schedule_stream::durable::DurableStream;
use schedule_stream::journal::{
    Journal, JournalError, JournalHead, JournalRecord, MemoryJournal, MemorySnapshots,
    StoredRecord, open_on,
};

use super::program::{
    Entry, Open, Pay, Reference, bank, content, entries, resources, set_clock, told,
};
use crate::journal::disk::{Fault, Random, SimulatedDisk};
use crate::stream::By;

const MAX_EVENTS: usize = 2_048;

fn recover(disk: &SimulatedDisk, by: By) -> DurableStream<Entry> {
    disk.end_program();
    let opened = open_on(disk.clone()).unwrap();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let durable = bank(by).max_event_bytes(20);
    let mut stream = durable
        .recover_from(journal, snapshots, resources())
        .unwrap();
    set_clock(&mut stream);
    stream
}

/// A sequential run of these events in full batches, and of all follow-up events. Returns the outcomes, too.
fn reference(events: &[Entry], n_batches: usize) -> (Reference, Vec<super::program::Told>) {
    let mut reference = Reference::new();
    let mut batches = events.chunks(MAX_EVENTS);
    let mut outcomes = Vec::new();
    let mut n = 0;
    while n < n_batches {
        let batch = batches.next().unwrap_or(&[]);
        if batch.is_empty() && reference.n_pending() == 0 {
            break;
        }
        outcomes.extend(reference.process(batch));
        n += 1;
    }
    (reference, outcomes)
}

/// The event is larger than the maximum of these tests.
fn large() -> Entry {
    Entry::Pay(Pay {
        from: u32::MAX,
        to: u32::MAX,
        amount: u64::MAX,
    })
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn batches_that_overlap_have_the_outcomes_of_single_ones() {
    for &by in By::ALL {
        let events = entries(&mut Random::new(3), 9_000, 50);
        let disk = SimulatedDisk::new(0);
        let mut stream = recover(&disk, by);
        let mut found = Vec::new();
        let result = stream.process(events.clone(), |outcome| found.push(told(outcome)));
        result.unwrap();
        let (reference, expected) = reference(&events, usize::MAX);
        assert_eq!(found, expected, "{by:?}");
        assert_eq!(content(stream.resources()), content(&reference.resources));
        assert_eq!(stream.n_pending(), 0);
        drop(stream);
        let stream = recover(&disk, by);
        assert_eq!(content(stream.resources()), content(&reference.resources));
    }
}

/// A journal whose syncs take time, and that counts the synced batches.
struct Slow {
    journal: MemoryJournal,
    n_synced: Arc<AtomicU64>,
}

impl Journal for Slow {
    fn start(&mut self, head: &JournalHead) -> Result<u64, JournalError> {
        self.journal.start(head)
    }

    fn append(&mut self, records: &[JournalRecord]) -> Result<(), JournalError> {
        self.journal.append(records)
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        std::thread::sleep(std::time::Duration::from_millis(30));
        self.journal.sync()?;
        self.n_synced.store(self.next_batch() - 1, Relaxed);
        Ok(())
    }

    fn truncate(&mut self, before: u64) -> Result<(), JournalError> {
        self.journal.truncate(before)
    }

    fn read(
        &mut self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        self.journal.read(from, visit)
    }

    fn first_batch(&self) -> Option<u64> {
        self.journal.first_batch()
    }

    fn last_batch(&self) -> Option<u64> {
        self.journal.last_batch()
    }

    fn next_batch(&self) -> u64 {
        self.journal.next_batch()
    }

    fn head(&self) -> Option<&JournalHead> {
        self.journal.head()
    }
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn outcome_is_released_after_its_batch_is_synced() {
    let n_synced = Arc::new(AtomicU64::new(0));
    let journal = Slow {
        journal: MemoryJournal::new(),
        n_synced: Arc::clone(&n_synced),
    };
    let (journal, snapshots) = (Box::new(journal), Box::new(MemorySnapshots::new()));
    let recovered = bank(By::ALL[0]).recover_from(journal, snapshots, resources());
    let events = (0..40_000).map(|nth| Entry::Open(Open(nth)));
    let mut n_early = 0;
    let report = |outcome: Outcome<Entry>| {
        n_early += u64::from(outcome.position.batch > n_synced.load(Relaxed));
    };
    recovered.unwrap().process(events, report).unwrap();
    assert_eq!((n_early, n_synced.load(Relaxed)), (0, 20));
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn large_event_ends_the_call_before_its_batch() {
    let mut events: Vec<_> = (0..7_000).map(|nth| Entry::Open(Open(nth))).collect();
    events[5_000] = large();
    let disk = SimulatedDisk::new(0);
    let mut stream = recover(&disk, By::ALL[0]);
    let mut n_reported = 0;
    let error = stream.process(events, |_| n_reported += 1).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("event 904 of the batch has 21 bytes"),
        "{error}"
    );
    assert_eq!((n_reported, stream.next_batch()), (2 * MAX_EVENTS, 3));
    // It can be used again.
    let mut n_reported = 0;
    let again = stream.process([Entry::Open(Open(9_000))], |_| n_reported += 1);
    again.unwrap();
    assert_eq!((n_reported, stream.next_batch()), (1, 4));
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn batches_before_a_panic_are_processed_and_synced() {
    let events: Vec<_> = (0..9_000).map(|nth| Entry::Open(Open(nth))).collect();
    for in_callback in [false, true] {
        let disk = SimulatedDisk::new(0);
        let mut stream = recover(&disk, By::ALL[0]);
        let mut n_reported = 0;
        let input = events.iter().enumerate().map(|(nth, event)| {
            assert!(in_callback || nth < 5_000, "no more input");
            event.clone()
        });
        let report = |_| {
            n_reported += 1;
            assert!(!in_callback || n_reported < 3_000, "no more outcomes");
        };
        let processed = catch_unwind(AssertUnwindSafe(|| stream.process(input, report)));
        assert!(processed.is_err());
        let n_batches = stream.next_batch() as usize - 1;
        if in_callback {
            // Batches ahead were processed, too.
            assert!(n_reported == 3_000 && n_batches >= 2)
        } else {
            assert_eq!((n_reported <= 2 * MAX_EVENTS, n_batches), (true, 2))
        }
        let (mut reference, _) = reference(&events, n_batches);
        assert_eq!(content(stream.resources()), content(&reference.resources));
        // The stream continues.
        let more = [Entry::Open(Open(20_000))];
        stream.process(more.clone(), drop).unwrap();
        reference.process(&more);
        drop(stream);
        let stream = recover(&disk, By::ALL[0]);
        assert_eq!(stream.next_batch() as usize, n_batches + 2);
        assert_eq!(content(stream.resources()), content(&reference.resources));
    }
}

#[test]
#[cfg_attr(miri, ignore = "many events")]
fn failed_sync_closes_the_stream() {
    let events: Vec<_> = (0..30_000).map(|nth| Entry::Open(Open(nth))).collect();
    let mut n_failed = 0;
    for nth_call in 0..12 {
        let disk = SimulatedDisk::new(nth_call);
        let mut stream = recover(&disk, By::ALL[0]);
        disk.fail_once(nth_call, Fault::Device);
        let mut n_reported = 0;
        let processed = stream.process(events.clone(), |_| n_reported += 1);
        if processed.is_ok() {
            continue;
        }
        n_failed += 1;
        let closed = stream.process([], drop).unwrap_err();
        assert!(
            closed.to_string().starts_with("the stream is closed"),
            "{closed}"
        );
        drop(stream);
        let stream = recover(&disk, By::ALL[0]);
        let n_batches = stream.next_batch() as usize - 1;
        assert!(n_reported <= n_batches * MAX_EVENTS);
        let (reference, _) = reference(&events, n_batches);
        assert_eq!(content(stream.resources()), content(&reference.resources));
    }
    assert!(n_failed > 3, "{n_failed}");
}
