//! Runs that repeat the last choice.

use core::time::Duration;

use super::estimate::Start;

/// The number of runs that repeat a choice.
pub(super) const REPEATED_RUNS: u32 = 3;

/// The runs that repeat the last choice, and their times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    n_left: u32,
    /// The start of these runs. Another start ends the repetition.
    start: Start,
    n_took: u8,
    /// `took_ns[i]`: the time of run i in nanoseconds, valid for i < `n_took`.
    took_ns: [u64; REPEATED_RUNS as usize],
}

impl Repetition {
    pub(super) const NONE: Self = Self {
        n_left: 0,
        start: Start::Helped,
        n_took: 0,
        took_ns: [0; REPEATED_RUNS as usize],
    };

    /// Starts to repeat the last choice, for runs with this start.
    pub(super) fn form(&mut self, start: Start) {
        (self.n_left, self.start) = (REPEATED_RUNS, start);
    }

    /// Whether the run that begins now repeats the last choice. If not, the repetition ends.
    #[inline]
    pub(super) fn repeats(&mut self, start: Start) -> bool {
        self.n_left = if start == self.start { self.n_left } else { 0 };
        let repeats = self.n_left > 0;
        self.n_left -= u32::from(repeats);
        repeats
    }

    /// Records the time of a run that repeated the choice.
    #[inline]
    pub(super) fn note(&mut self, took: Duration) {
        if let Some(slot) = self.took_ns.get_mut(usize::from(self.n_took)) {
            *slot = took.as_nanos() as u64;
            self.n_took += 1;
        }
    }

    /// Ends the repetition. Returns the start and the times of its runs.
    pub(super) fn end(&mut self) -> (Start, impl Iterator<Item = Duration> + use<>) {
        let ended = core::mem::replace(self, Self::NONE);
        let took_ns = ended.took_ns.into_iter().take(ended.n_took.into());
        (ended.start, took_ns.map(Duration::from_nanos))
    }
}
