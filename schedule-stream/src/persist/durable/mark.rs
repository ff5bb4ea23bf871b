//! The mark of the batch that an engine applies. After the end of the process, the next recovery finds with it the event that was
//! applied.
//!
//! Normally a mark names a whole batch. A batch in which a process has ended is *suspect*: recovery applies it one by one, with a mark
//! that names one event at a time.

use core::fmt;
use std::collections::VecDeque;

use crc32fast::Hasher;

use super::error::DurableError;
use crate::persist::journal::{
    Journal, JournalMark, JournalRecord, MAX_DEATHS, MAX_SUSPECTS, MarkStore, MarkedBatch,
    MarkedRange, SuspectBatch,
};

/// Number of processes that have ended at an event before it is decided whether it becomes a dead letter.
pub(super) const N_DEATHS: u32 = 2;

/// The mark of an engine.
pub(super) struct Marking {
    store: Box<dyn MarkStore>,
    /// As it is stored.
    mark: JournalMark,
    /// The batch that is applied next.
    next: MarkedBatch,
    /// Whether it is replayed.
    is_replay: bool,
    /// Whether batches run in other processes. Then several of them may have begun.
    is_elsewhere: bool,
    /// The first batch that was replayed in other processes and whose outcomes were not released. Then those after it were not either.
    first_unreleased: Option<u64>,
    /// The new batches that have begun in other processes, the oldest first.
    begun: VecDeque<MarkedBatch>,
}

/// The checksum of a record, without what a journal adds to it.
fn checksum(record: &JournalRecord) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&record.batch.to_le_bytes());
    hasher.update(&record.time.to_le_bytes());
    hasher.update(&record.body);
    hasher.finalize()
}

/// Whether both are the same batch of the same journal.
fn is_same(a: &MarkedBatch, b: &MarkedBatch) -> bool {
    (a.number, a.checksum) == (b.number, b.checksum)
}

impl Marking {
    /// Opens the mark of a journal, and counts the death of the process that has written it, if it named one event. `None` if the
    /// journal has no mark.
    pub(super) fn open(
        journal: &mut dyn Journal,
        is_elsewhere: bool,
    ) -> Result<Option<Self>, DurableError> {
        let Some(mut store) = journal.open_mark()? else {
            return Ok(None);
        };
        let mark = store.read()?.unwrap_or_default();
        let mut marking = Self {
            store,
            mark,
            next: MarkedBatch {
                number: 0,
                checksum: 0,
                may_be_released: true,
            },
            is_replay: true,
            is_elsewhere,
            first_unreleased: None,
            begun: VecDeque::new(),
        };
        if let Some(range) = marking.mark.range.take() {
            marking.add_suspect(range);
            // Only the next mark can name the event at which this process ends.
            marking.write()?;
        }
        Ok(Some(marking))
    }

    /// A process has ended under the mark of this range.
    fn add_suspect(&mut self, range: MarkedRange) {
        let suspects = &mut self.mark.suspects;
        let found = suspects
            .iter()
            .position(|one| is_same(&one.batch, &range.batch));
        let mut suspect = match found {
            Some(nth) => suspects.remove(nth),
            None => SuspectBatch {
                batch: range.batch,
                deaths: Vec::new(),
            },
        };
        suspect.batch.may_be_released |= range.batch.may_be_released;
        if range.first == range.last {
            let deaths = &mut suspect.deaths;
            match deaths.iter_mut().find(|of| of.0 == range.first) {
                Some((_, n)) => *n = n.saturating_add(1),
                None => {
                    if deaths.len() >= MAX_DEATHS {
                        deaths.remove(0);
                    }
                    deaths.push((range.first, 1));
                }
            }
        }
        if suspects.len() >= MAX_SUSPECTS {
            suspects.remove(0);
        }
        suspects.push(suspect);
    }

    fn write(&mut self) -> Result<(), DurableError> {
        Ok(self.store.write(&mut self.mark)?)
    }

    /// The batch with this record is applied next, for the first time.
    pub(super) fn expect_new(&mut self, record: &JournalRecord) {
        self.is_replay = false;
        self.next = MarkedBatch {
            number: record.batch,
            checksum: checksum(record),
            may_be_released: false,
        };
    }

    /// The batch with this record is applied next, by a recovery. `is_last`: whether it is the last one of the journal. The batch after
    /// it is written only after it was applied.
    pub(super) fn expect_replay(&mut self, record: &JournalRecord, is_last: bool) {
        self.expect_new(record);
        self.is_replay = true;
        let suspect = self.suspect_at(record.batch);
        // Without a mark, nothing proves that no program has released its outcomes.
        let is_unreleased = suspect.is_some_and(|suspect| !suspect.batch.may_be_released);
        // In other processes, later batches begin before this one is finished.
        if is_unreleased && self.is_elsewhere {
            self.first_unreleased.get_or_insert(record.batch);
        }
        let is_new = is_unreleased && is_last || self.first_unreleased.is_some();
        self.next.may_be_released = !is_new;
    }

    /// The suspect batch with this number and the checksum of the next batch.
    fn suspect_at(&self, number: u64) -> Option<&SuspectBatch> {
        let next = &self.next;
        let is_next = |one: &&SuspectBatch| is_same(&one.batch, next) && next.number == number;
        self.mark.suspects.iter().find(is_next)
    }

    /// Whether the next batch is suspect.
    pub(super) fn is_next_suspect(&self) -> bool {
        self.suspect_at(self.next.number).is_some()
    }

    /// The first batch that runs in other processes and whose outcomes no program has released.
    pub(super) fn first_unreleased(&self) -> Option<u64> {
        self.first_unreleased
    }

    /// Whether a program may have released the outcomes of the next batch.
    pub(super) fn may_be_released(&self) -> bool {
        self.next.may_be_released
    }

    /// Returns the events of the next batch that need a decision: the index of each, and the number of processes that it has ended. This
    /// number is at least [`N_DEATHS`].
    pub(super) fn due(&self) -> impl Iterator<Item = (u32, u32)> {
        let suspect = self.suspect_at(self.next.number);
        let deaths = suspect.map_or(&[][..], |suspect| &suspect.deaths);
        deaths.iter().copied().filter(|of| of.1 >= N_DEATHS)
    }

    /// Forgets the deaths at events of the next batch, after a decision. The next start tries these events again.
    pub(super) fn forget_deaths(&mut self) -> Result<(), DurableError> {
        let next = self.next;
        for suspect in &mut self.mark.suspects {
            if is_same(&suspect.batch, &next) {
                suspect.deaths.clear();
            }
        }
        self.write()
    }

    /// The next batch begins with this number of events.
    pub(super) fn begin(&mut self, n_events: usize) -> Result<(), DurableError> {
        let last = n_events.saturating_sub(1);
        self.mark_range(0, u32::try_from(last).unwrap_or(u32::MAX))
    }

    /// The event of the batch with this index is applied alone.
    pub(super) fn begin_event(&mut self, index: u32) -> Result<(), DurableError> {
        self.mark_range(index, index)
    }

    fn mark_range(&mut self, first: u32, last: u32) -> Result<(), DurableError> {
        let batch = self.next;
        self.mark.range = Some(MarkedRange { batch, first, last });
        self.write()
    }

    /// The batch that has begun is applied. Its outcomes may be released after that.
    pub(super) fn end(&mut self) -> Result<(), DurableError> {
        self.mark.range = None;
        let next = self.next;
        self.mark.suspects.retain(|one| !is_same(&one.batch, &next));
        self.write()
    }

    /// The next batch begins in other processes. The mark names the oldest batch that has begun. Replayed batches have no mark: that of the
    /// program before stays.
    pub(super) fn begin_elsewhere(&mut self) -> Result<(), DurableError> {
        if self.is_replay {
            return Ok(());
        }
        self.begun.push_back(self.next);
        match self.begun.len() {
            1 => self.mark_oldest(),
            _ => Ok(()),
        }
    }

    /// The oldest batch that has begun in other processes is finished. Its outcomes may be released after that.
    pub(super) fn end_elsewhere(&mut self) -> Result<(), DurableError> {
        match self.begun.pop_front() {
            Some(_) => self.mark_oldest(),
            None => Ok(()),
        }
    }

    fn mark_oldest(&mut self) -> Result<(), DurableError> {
        // The range has no single index, because the end of this process does not count as a death.
        self.mark.range = self.begun.front().map(|&batch| MarkedRange {
            batch,
            first: 0,
            last: u32::MAX,
        });
        self.write()
    }

    /// The recovery has applied all batches. Other suspect batches are not in the journal.
    pub(super) fn end_recovery(&mut self) -> Result<(), DurableError> {
        if self.mark.suspects.is_empty() {
            Ok(())
        } else {
            self.mark.suspects.clear();
            self.write()
        }
    }
}

impl fmt::Debug for Marking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marking")
            .field("mark", &self.mark)
            .finish_non_exhaustive()
    }
}
