//! Runs for which helpers wait.

use super::estimate::{Estimate, Start};
use super::{MOST_RUNS_WITHOUT_HELPERS, Mode, ModeSelector, SWITCH_RATIO, Temperature};
use crate::run::executor::steady::SteadyRate;

impl ModeSelector {
    /// The rate of the runs that follow a pause.
    pub(crate) fn rate(&mut self) -> &mut SteadyRate {
        &mut self.rate
    }

    /// Records the mode for which helpers wait, if they wait for the run that begins.
    pub(crate) fn note_helpers(&mut self, awaited: Option<Mode>) {
        self.awaited = awaited;
    }

    /// Returns the mode of a run after a pause, if helpers wait for it. Costs are known, and several threads can be faster.
    pub(crate) fn mode_with_helpers(&mut self, n_threads: usize) -> Mode {
        if n_threads < 2 {
            return Mode::Serial;
        }
        let ns = |mode: Mode| self.expected(Start::Awaited, mode, n_threads);
        let this = self.modes[Temperature::Cold as usize];
        let least = |a: &Mode, b: &Mode| ns(*a).total_cmp(&ns(*b));
        let least = Mode::ALL.into_iter().min_by(least).unwrap_or(this);
        // As in `best_mode`, so that helpers are woken only for a run that uses them.
        let clearly = match this {
            Mode::Serial => SWITCH_RATIO[Temperature::Cold as usize],
            Mode::Timetabled | Mode::Parallel => SWITCH_RATIO[Temperature::Hot as usize],
        };
        let trial = self
            .trial
            .filter(|trial| trial.temperature == Temperature::Cold);
        let mode = match trial {
            Some(trial) => trial.mode,
            None if ns(least) < clearly * ns(this) => least,
            None => this,
        };
        match mode {
            Mode::Serial => self.n_without_helpers += 1,
            Mode::Timetabled | Mode::Parallel => self.n_without_helpers = 0,
        }
        if self.n_without_helpers >= MOST_RUNS_WITHOUT_HELPERS {
            self.n_without_helpers = 0;
            for mode in [Mode::Timetabled, Mode::Parallel] {
                *self.estimates.of_mut(Start::Awaited, mode) = Estimate::NEW;
            }
        }
        mode
    }
}
