//! Runs that repeat the last choice.

use core::time::Duration;

use super::Temperature;

/// The number of runs that repeat a choice.
pub(super) const REPEATED_RUNS: u32 = 3;

/// The runs that repeat the last choice, and their times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    n_left: u32,
    /// The temperature of these runs. Another temperature ends the repetition.
    temperature: Temperature,
    /// `took[i]`: the time of run i, valid for i < `n_took`.
    took: [Duration; REPEATED_RUNS as usize],
    n_took: usize,
}

impl Repetition {
    pub(super) const NONE: Self = Self {
        n_left: 0,
        temperature: Temperature::Hot,
        took: [Duration::ZERO; REPEATED_RUNS as usize],
        n_took: 0,
    };

    /// Starts to repeat the last choice, for runs of this temperature.
    pub(super) fn form(&mut self, temperature: Temperature) {
        (self.n_left, self.temperature) = (REPEATED_RUNS, temperature);
    }

    /// Whether the run that begins now repeats the last choice. If not, the repetition ends.
    #[inline]
    pub(super) fn repeats(&mut self, temperature: Temperature) -> bool {
        self.n_left = match temperature == self.temperature {
            true => self.n_left,
            false => 0,
        };
        let repeats = self.n_left > 0;
        self.n_left -= u32::from(repeats);
        repeats
    }

    /// Records the time of a run that repeated the choice.
    #[inline]
    pub(super) fn note(&mut self, took: Duration) {
        if let Some(slot) = self.took.get_mut(self.n_took) {
            *slot = took;
            self.n_took += 1;
        }
    }

    /// Ends the repetition. Returns the temperature and the times of its runs.
    pub(super) fn end(&mut self) -> (Temperature, impl Iterator<Item = Duration> + use<>) {
        let ended = core::mem::replace(self, Self::NONE);
        let took = ended.took.into_iter().take(ended.n_took);
        (ended.temperature, took)
    }
}
