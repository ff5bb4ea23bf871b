//! Runs that go as the last one.

use core::time::Duration;

use super::Temperature;

/// So many runs go as the last one, before the next is thought about.
pub(super) const HABIT: u32 = 3;

/// How many more runs go as the last one, and what those took that did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habit {
    n_left: u32,
    /// If they are of this temperature.
    temperature: Temperature,
    /// `took[i]`: of the run i of them; those after `n_took` mean nothing.
    took: [Duration; HABIT as usize],
    n_took: usize,
}

impl Habit {
    pub(super) const NONE: Self = Self {
        n_left: 0,
        temperature: Temperature::Hot,
        took: [Duration::ZERO; HABIT as usize],
        n_took: 0,
    };

    /// The next runs go as the last one, if they are of this temperature, too.
    pub(super) fn form(&mut self, temperature: Temperature) {
        (self.n_left, self.temperature) = (HABIT, temperature);
    }

    /// Whether the run that begins now goes as the last one; if not, none does.
    #[inline]
    pub(super) fn goes_on(&mut self, temperature: Temperature) -> bool {
        self.n_left = match temperature == self.temperature {
            true => self.n_left,
            false => 0,
        };
        let goes_on = self.n_left > 0;
        self.n_left -= u32::from(goes_on);
        goes_on
    }

    /// A run that went as the last one took so long.
    #[inline]
    pub(super) fn note(&mut self, took: Duration) {
        if let Some(slot) = self.took.get_mut(self.n_took) {
            *slot = took;
            self.n_took += 1;
        }
    }

    /// Ends it. Returns what its runs took, and of which temperature they were.
    pub(super) fn end(&mut self) -> (Temperature, impl Iterator<Item = Duration> + use<>) {
        let ended = core::mem::replace(self, Self::NONE);
        let took = ended.took.into_iter().take(ended.n_took);
        (ended.temperature, took)
    }
}
