//! The journal of an open stream: it writes the digests of the outcomes of a batch together with the next batch, or at its end.

use core::fmt;
use std::thread;

use crate::persist::journal::{EntryKind, Journal, JournalError, JournalRecord};

/// A journal with the digests of its last batches that are not written yet. If it is dropped, it writes them. Recovery does not need
/// them, so a drop ignores errors.
pub(crate) struct DigestedJournal {
    /// `None` after [`into_inner`](Self::into_inner).
    journal: Option<Box<dyn Journal>>,
    /// Entries of the kind [`EntryKind::OUTCOME_DIGESTS`], the oldest first. Their numbers are not set.
    digests: Vec<JournalRecord>,
}

impl DigestedJournal {
    /// `digests`: of batches in the journal.
    pub(super) fn new(journal: Box<dyn Journal>, digests: Vec<JournalRecord>) -> Self {
        Self {
            journal: Some(journal),
            digests,
        }
    }

    /// Appends entries, without the digests after the last one that is not one. These wait for the next call. If no other entry is
    /// among them, nothing is appended. Keeps in the list what was appended. Digests need no number.
    ///
    /// # Errors
    ///
    /// As [`Journal::append`].
    pub(crate) fn append(&mut self, entries: &mut Vec<JournalRecord>) -> Result<(), JournalError> {
        entries.splice(0..0, self.digests.drain(..));
        let last = entries.iter().rposition(|entry| !is_digests(entry));
        let after = last.map_or(0, |last| last + 1);
        self.digests.extend(entries.drain(after..));
        let Some(first) = entries.iter().find(|entry| !is_digests(entry)) else {
            return Ok(());
        };
        let mut next = first.batch;
        for entry in entries.iter_mut() {
            match entry.kind {
                EntryKind::BATCH => next = entry.batch.saturating_add(1),
                EntryKind::OUTCOME_DIGESTS => entry.batch = next,
                _ => {}
            }
        }
        let appended = self.journal().append(entries);
        if appended.is_err() {
            // After some errors nothing was written, and the journal stays open.
            let digests = entries.extract_if(.., |entry| is_digests(entry));
            self.digests.splice(0..0, digests);
        }
        appended
    }

    /// Keeps digests until the next call of [`append`](Self::append).
    pub(crate) fn keep(&mut self, digests: impl IntoIterator<Item = JournalRecord>) {
        self.digests.extend(digests);
    }

    /// The journal.
    pub(crate) fn journal(&mut self) -> &mut dyn Journal {
        let journal = self.journal.as_deref_mut();
        journal.expect("the journal was not taken")
    }

    /// Writes the digests that wait.
    fn write_all(&mut self) -> Result<(), JournalError> {
        let mut digests = core::mem::take(&mut self.digests);
        if digests.is_empty() {
            return Ok(());
        }
        let journal = self.journal();
        let next = journal.next_batch();
        for entry in &mut digests {
            entry.batch = next;
        }
        journal.append(&digests)?;
        journal.sync()
    }

    /// Writes the digests that wait, and returns the journal. Errors are ignored: a journal that cannot be written refuses the next
    /// call, too.
    pub(super) fn into_inner(mut self) -> Box<dyn Journal> {
        drop(self.write_all());
        let journal = self.journal.take();
        journal.expect("the journal was not taken")
    }
}

fn is_digests(entry: &JournalRecord) -> bool {
    entry.kind == EntryKind::OUTCOME_DIGESTS
}

impl Drop for DigestedJournal {
    fn drop(&mut self) {
        // The journal may be the reason of a panic.
        if self.journal.is_some() && !thread::panicking() {
            drop(self.write_all());
        }
    }
}

impl fmt::Debug for DigestedJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DigestedJournal")
            .field("n_waiting", &self.digests.len())
            .finish_non_exhaustive()
    }
}
