//! Spanning systems in recordings of inputs.

use super::Spanning;
use crate::base::identity::Identity;
use crate::base::snapshot::{Decoder, Encoder, SnapshotError};
use crate::data::participant::Participant;

/// The visits of `results` in the current run, if it is recorded or replayed.
#[derive(Debug, Default)]
pub(super) struct RunVisits {
    /// Whether a recorded or replayed run goes on.
    is_noting: bool,
    /// The number of visits before the run.
    first: u64,
    /// The visits in which results have appeared, counted from `first`.
    appeared: Vec<u64>,
}

impl RunVisits {
    pub(super) fn note(&mut self, visit: u64) {
        if self.is_noting {
            self.appeared.push(visit - self.first);
        }
    }
}

/// Records the runs in which results appear. Start the recording and the replay with a new value. If work goes on when a recording
/// starts, the recording ends with an error.
impl<S: Identity + 'static> Participant for Spanning<S> {
    const NAME: &'static str = S::NAME.base();
    const VERSION: u32 = 1;

    fn record_started(&mut self) -> Result<(), SnapshotError> {
        if self.current.is_none() && self.waiting.is_empty() {
            return Ok(());
        }
        Err(SnapshotError::Encode {
            name: Some(<Self as Participant>::NAME),
            reason: "its work began before the recording, so a replay cannot repeat it: start the recording with a new `Spanning`"
                .to_string(),
        })
    }

    fn record_before(&mut self, _: &mut Encoder) -> Result<(), SnapshotError> {
        self.begin_run();
        Ok(())
    }

    fn record_after(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.of_run.appeared)
    }

    fn record_ended(&mut self) {
        self.of_run.is_noting = false;
    }

    fn restore_after(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        self.begin_run();
        let visits: Vec<u64> = from.read()?;
        let first = self.visit;
        self.replay(visits.into_iter().map(|visit| first.saturating_add(visit)));
        Ok(())
    }

    fn replay_ended(&mut self) {
        self.of_run.is_noting = false;
        self.end_replay();
    }
}

impl<S> Spanning<S> {
    fn begin_run(&mut self) {
        self.of_run.is_noting = true;
        self.of_run.first = self.visit;
        self.of_run.appeared.clear();
    }
}
