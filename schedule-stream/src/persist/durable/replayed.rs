//! The batches that a recovery has replayed last, and the comparison with the digests in the journal.

use core::fmt;
use std::collections::VecDeque;

use super::DurableEvent;
use super::different::DifferentOutcome;
use super::engine::Engine;
use super::error::DurableError;
use super::history::LaterHistories;
use super::outcome_digests::OutcomeDigests;
use crate::base::position::{BatchTime, Position};
use crate::persist::journal::{JournalRecord, Snapshots};
use crate::program::outcome::Outcome;
use schedule::snapshot::SnapshotReader;

/// Number of batches whose digests are kept. The digests of a batch may come after later batches, if batches run in other processes.
const MAX_KEPT: usize = 16;

/// The last batches, the oldest first.
pub(super) struct ReplayedBatches<E: DurableEvent> {
    batches: VecDeque<ReplayedBatch<E>>,
    /// Batches that may differ are kept until their new history begins.
    pub(super) later: LaterHistories,
}

struct ReplayedBatch<E: DurableEvent> {
    number: u64,
    time: BatchTime,
    /// `None` if they were released.
    outcomes: Option<Vec<Outcome<E>>>,
    digests: Option<OutcomeDigests>,
    /// Whether the journal has its digests.
    has_entry: bool,
}

impl<E: DurableEvent> ReplayedBatches<E> {
    pub(super) fn new() -> Self {
        Self {
            batches: VecDeque::new(),
            later: LaterHistories::default(),
        }
    }

    pub(super) fn push(
        &mut self,
        number: u64,
        time: BatchTime,
        outcomes: Vec<Outcome<E>>,
        digests: Option<OutcomeDigests>,
    ) {
        let first = self.later.first().unwrap_or(u64::MAX);
        let is_over =
            |batch: &mut ReplayedBatch<E>| batch.outcomes.is_none() && batch.number < first;
        while self.batches.len() >= MAX_KEPT && self.batches.pop_front_if(is_over).is_some() {}
        self.batches.push_back(ReplayedBatch {
            number,
            time,
            outcomes: Some(outcomes),
            digests,
            has_entry: false,
        });
    }

    /// Compares a batch with its digests in the journal. Without the batch, there is nothing to compare.
    ///
    /// # Errors
    ///
    /// Fails with [`DurableError::Differs`], or if the entry is invalid.
    pub(super) fn check(&mut self, entry: &JournalRecord) -> Result<(), DurableError> {
        let earlier = OutcomeDigests::of_entry(&entry.body)?;
        if self.later.may_differ(earlier.batch()) {
            return Ok(());
        }
        let mut batches = self.batches.iter_mut();
        let Some(batch) = batches.find(|batch| batch.number == earlier.batch()) else {
            return Ok(());
        };
        batch.has_entry = true;
        let digests = batch.digests.as_ref();
        match digests.and_then(|digests| digests.first_difference(&earlier)) {
            None => Ok(()),
            Some(index) => Err(self.differs(earlier.batch(), Some(index))),
        }
    }

    /// The error of a batch with other outcomes. `index`: the first of them, if it is known.
    pub(super) fn differs(&self, batch: u64, index: Option<u32>) -> DurableError {
        let different = index.map(|index| {
            let position = Position::new(batch, index);
            let mut batches = self.batches.iter();
            let of = batches.find(|of| of.number == batch);
            let mut outcomes = of.and_then(|of| of.outcomes.as_ref()).into_iter().flatten();
            let outcome = outcomes.find(|outcome| outcome.position == position);
            Box::new(DifferentOutcome::new(position, outcome))
        });
        DurableError::Differs {
            batch,
            outcome: different,
        }
    }

    /// Calls a function with the outcomes of all batches up to this one, which are checked.
    pub(super) fn release(&mut self, checked: u64, mut report: impl FnMut(Vec<Outcome<E>>)) {
        let batches = self.batches.iter_mut();
        batches
            .take_while(|batch| batch.number <= checked)
            .filter_map(|batch| batch.outcomes.take())
            .for_each(&mut report);
    }

    /// Returns the digests of all batches from this one on, as entries.
    pub(super) fn entries_from(&mut self, from: u64) -> Vec<JournalRecord> {
        let batches = self.batches.iter_mut().filter(|of| of.number >= from);
        let entry = |of: &mut ReplayedBatch<E>| {
            of.has_entry = true;
            Some(of.digests.take()?.into_entry(of.time))
        };
        batches.filter_map(entry).collect()
    }

    /// Returns the digests that are not in the journal, as entries.
    pub(super) fn into_entries(self) -> Vec<JournalRecord> {
        let batches = self.batches.into_iter().filter(|batch| !batch.has_entry);
        let entry = |of: ReplayedBatch<E>| Some(of.digests?.into_entry(of.time));
        batches.filter_map(entry).collect()
    }
}

impl DurableError {
    /// Adds the earlier outcome, if a snapshot has it with an idempotency key. Only snapshots after its batch can have it.
    pub(super) fn with_answers<E: DurableEvent>(
        mut self,
        engine: &mut Engine<E>,
        snapshots: &dyn Snapshots,
    ) -> Self {
        if let Self::Differs {
            outcome: Some(different),
            ..
        } = &mut self
            && let Some(keys) = engine.keys()
        {
            let position = different.position;
            let batches = snapshots.list().unwrap_or_default().into_iter();
            let mut after = batches.filter(|batch| *batch >= position.batch);
            different.before = after.find_map(|batch| {
                // A snapshot that is not whole has nothing to add.
                let bytes = snapshots.read(batch).ok()?;
                let section = SnapshotReader::new(&bytes).ok()?.restore().ok()?;
                keys.text_of(&section, position)
            });
        }
        self
    }
}

impl<E: DurableEvent> fmt::Debug for ReplayedBatches<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.batches.iter().map(|batch| batch.number);
        f.debug_list().entries(numbers).finish()
    }
}
