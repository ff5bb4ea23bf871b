//! Spanning systems in recordings of inputs.

use core::mem;

use super::Spanning;
use crate::identity::Identity;
use crate::participant::Participant;
use crate::snapshot::{Decoder, Encoder, SnapshotError};

/// The visits of `results` in the current run.
#[derive(Debug, Default)]
pub(super) struct RunVisits {
    /// The number of visits before the run.
    first: u64,
    /// The visits in which results have appeared, counted from `first`.
    appeared: Vec<u64>,
}

impl RunVisits {
    pub(super) fn note(&mut self, visit: u64) {
        self.appeared.push(visit - self.first);
    }
}

/// Records the runs in which results appear. The replay must begin with a new value.
impl<S: Identity + 'static> Participant for Spanning<S> {
    const NAME: &'static str = S::NAME.base();
    const VERSION: u32 = 1;

    fn record_before(&mut self, _: &mut Encoder) -> Result<(), SnapshotError> {
        self.begin_run();
        Ok(())
    }

    fn record_after(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        match &self.of_run {
            Some(of_run) => to.write(&of_run.appeared),
            None => to.write::<[u64]>(&[]),
        }
    }

    fn restore_after(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        self.begin_run();
        let visits: Vec<u64> = from.read()?;
        let first = self.visit;
        self.replay(visits.into_iter().map(|visit| first.saturating_add(visit)));
        Ok(())
    }

    fn replay_ended(&mut self) {
        self.end_replay();
    }
}

impl<S> Spanning<S> {
    fn begin_run(&mut self) {
        let mut of_run = mem::take(&mut self.of_run).unwrap_or_default();
        of_run.first = self.visit;
        of_run.appeared.clear();
        self.of_run = Some(of_run);
    }
}
