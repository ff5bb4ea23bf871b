//! The decisions of a run in recordings: the differences to the run before.

use crate::decisions::{Decisions, NotedFailure, outcome_code};
use crate::snapshot::{Decoder, Encoder, SnapshotError};

/// The recorded decisions of a run.
#[derive(Default)]
pub(super) struct RecordedOutcomes {
    /// `codes[i]`: the outcome of node i. Kept for the next run, which contains only differences.
    pub(super) codes: Vec<u64>,
    pub(super) failures: Vec<NotedFailure>,
    /// The names of the missing resources, if the run did not begin because of them.
    pub(super) missing: Option<Vec<String>>,
}

impl RecordedOutcomes {
    /// Begins with a new list of nodes.
    pub(super) fn reset(&mut self, n_nodes: usize) {
        self.codes.clear();
        self.codes.resize(n_nodes, outcome_code::UNREACHED);
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
            let code = usize::try_from(position - 1).ok();
            let code = code.and_then(|idx| self.codes.get_mut(idx));
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
