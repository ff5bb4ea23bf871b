//! The decisions of a run in recordings, and the enabled nodes before it: the differences to the run before.

use crate::base::snapshot::{Decoder, Encoder, SnapshotError};
use crate::run::decisions::{Decisions, NotedFailure, outcome_code};

/// The recorded decisions of a run.
#[derive(Default)]
pub(super) struct RecordedOutcomes {
    /// `codes[i]`: the outcome of node i. Kept for the next run, which contains only differences.
    pub(super) codes: Vec<u64>,
    /// `are_enabled[i]`: whether node i was enabled before the run. Kept for the next run as well.
    pub(super) are_enabled: Vec<bool>,
    pub(super) failures: Vec<NotedFailure>,
    /// The names of the missing resources, if the run was refused because of them.
    pub(super) missing: Option<Vec<String>>,
}

impl RecordedOutcomes {
    /// Starts with a new list of nodes. All of them are enabled.
    pub(super) fn reset(&mut self, n_nodes: usize) {
        self.codes.clear();
        self.codes.resize(n_nodes, outcome_code::UNREACHED);
        self.are_enabled.clear();
        self.are_enabled.resize(n_nodes, true);
    }

    /// Writes which nodes are enabled before a run. `self.are_enabled`: before the run before.
    pub(super) fn write_enabled(
        &mut self,
        are_enabled: impl Iterator<Item = bool>,
        to: &mut Encoder,
    ) -> Result<(), SnapshotError> {
        // Each change is the number of nodes since the last one, at least 1. 0 ends the list.
        let mut n_since = 0_u64;
        for (last, is_enabled) in self.are_enabled.iter_mut().zip(are_enabled) {
            n_since += 1;
            if *last != is_enabled {
                to.write(&n_since)?;
                *last = is_enabled;
                n_since = 0;
            }
        }
        to.write(&0_u64)
    }

    /// Reads which nodes are enabled before a run.
    pub(super) fn read_enabled(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        let mut position = 0_u64;
        loop {
            let n_since: u64 = from.read()?;
            if n_since == 0 {
                return Ok(());
            }
            position = position.saturating_add(n_since);
            let is_enabled = usize::try_from(position - 1)
                .ok()
                .and_then(|idx| self.are_enabled.get_mut(idx))
                .ok_or_else(|| from.error("a node does not exist"))?;
            *is_enabled = !*is_enabled;
        }
    }

    /// Writes the decisions of a run. `self.codes`: those of the run before.
    pub(super) fn write(
        &mut self,
        decisions: &Decisions,
        to: &mut Encoder,
    ) -> Result<(), SnapshotError> {
        to.write(&decisions.missing)?;
        // Each change is the number of nodes since the last one, at least 1, and the code. 0 ends the list.
        let mut n_since = 0_u64;
        for (last, &code) in self.codes.iter_mut().zip(&decisions.codes) {
            n_since += 1;
            if *last != code {
                to.write(&n_since)?;
                to.write(&code)?;
                *last = code;
                n_since = 0;
            }
        }
        to.write(&0_u64)?;
        to.write(&decisions.failures.len())?;
        for failure in &decisions.failures {
            to.write(&failure.node)?;
            to.write(&failure.text)?;
        }
        Ok(())
    }

    /// Reads the decisions of a run.
    pub(super) fn read(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        self.missing = from.read()?;
        let mut position = 0_u64;
        loop {
            let n_since: u64 = from.read()?;
            if n_since == 0 {
                break;
            }
            position = position.saturating_add(n_since);
            let code = usize::try_from(position - 1)
                .ok()
                .and_then(|idx| self.codes.get_mut(idx));
            *code.ok_or_else(|| from.error("a node does not exist"))? = from.read()?;
        }
        self.failures.clear();
        let n_failures: usize = from.read()?;
        for _ in 0..n_failures {
            let (node, text) = from.read()?;
            self.failures.push(NotedFailure { node, text });
        }
        Ok(())
    }
}

/// The text of the failure of a node, if it failed.
pub(super) fn failure_of(failures: &[NotedFailure], node: usize) -> Option<&str> {
    let mut failures = failures.iter();
    let failure = failures.find(|failure| failure.node == node as u64);
    failure.map(|failure| failure.text.as_str())
}
