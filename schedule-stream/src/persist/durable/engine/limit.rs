//! The maximum number of pending follow-up events. Above it, the stream stops after a batch. The maximum is in the journal, so each
//! replay stops after the same batch, also if a later start has raised it.

use super::super::DurableEvent;
use super::super::error::DurableError;
use super::Engine;
use crate::engine::batches::{BatchInput, FollowUpRules, InputGate};
use crate::persist::journal::{EntryKind, JournalRecord};

/// See the module.
pub(super) struct PendingLimit {
    /// The maximum of this program.
    of_program: u32,
    /// The maximum of the next batch, if the journal or the snapshot has one.
    current: Option<u32>,
    /// The batch after which more events were pending, and their number.
    exceeded: Option<(u64, usize)>,
}

impl PendingLimit {
    pub(super) fn new(of_program: u32) -> Self {
        Self {
            of_program,
            current: Some(of_program),
            exceeded: None,
        }
    }

    fn max(&self) -> u32 {
        self.current.unwrap_or(u32::MAX)
    }

    /// The error of a stream that has stopped.
    pub(super) fn check(&self) -> Result<(), DurableError> {
        match self.exceeded {
            None => Ok(()),
            Some((batch, n_pending)) => Err(DurableError::Backlog {
                batch,
                n_pending,
                max: self.max(),
            }),
        }
    }
}

impl<E: DurableEvent> Engine<E> {
    /// The maximum of the next batch, if the journal or the snapshot has one.
    pub(in super::super) fn max_pending(&self) -> Option<u32> {
        self.limit.current
    }

    /// Sets the maximum of the next batch. All batches are finished.
    pub(in super::super) fn set_max_pending(&mut self, max: Option<u32>) {
        self.limit.current = max;
        self.check_pending();
    }

    /// Stops the stream if too many events are pending, and continues it otherwise. Called between two batches.
    pub(super) fn check_pending(&mut self) {
        let n_pending = self.stream.n_pending();
        let is_exceeded = n_pending > self.limit.max() as usize;
        self.limit.exceeded = is_exceeded.then_some((self.last, n_pending));
    }

    /// Returns the entry that gives the next batch the maximum of this program, if it has another one.
    pub(in super::super) fn max_pending_record(&self) -> Option<(JournalRecord, u32)> {
        let max = self.limit.of_program;
        let record = || JournalRecord {
            batch: self.last + 1,
            kind: EntryKind::MAX_PENDING,
            time: self.stream.time().as_nanos(),
            body: max.to_le_bytes().to_vec(),
        };
        (self.limit.current != Some(max)).then(|| (record(), max))
    }

    /// Replays the next batches by the rules with this number, or processes new ones by the present rules.
    pub(in super::super) fn set_rules(&mut self, rules: u32) {
        let (batches, _) = self.stream.numbering();
        batches.rules = match rules {
            1 => FollowUpRules::Refuse,
            _ => FollowUpRules::CarryOver,
        };
    }

    /// Decides whether the next batch has events of the input. After `Unknown`, a batch must be finished first.
    pub(crate) fn input_of_next(&mut self) -> BatchInput {
        if self.check_runs().is_err() {
            return BatchInput::Backlog;
        }
        let (n_running, max_new) = match &self.remote {
            None => (0, 0),
            Some(remote) => remote.running(),
        };
        let max = self.limit.max();
        let (batches, limits) = self.stream.numbering();
        let limits = limits.max_pending(max);
        batches.input_of_next(InputGate::Cut, n_running, max_new, &limits)
    }

    /// Returns whether a batch without events of the input must come next. All batches are finished.
    pub(crate) fn is_behind(&mut self) -> bool {
        self.input_of_next() == BatchInput::None
    }
}
