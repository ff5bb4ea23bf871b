//! Commands that had no effect, by the systems that issued them.
//!
//! A command buffer reports them to [`Resources`](crate::Resources) while it is applied. The run that applies the buffer knows its system.

use core::fmt;

use crate::base::place::SystemPlace;

/// The commands without effect of one queue that is applied.
#[derive(Debug, Default)]
pub(crate) struct MissedNotes {
    /// Whether a run applies commands. Otherwise no system is known.
    is_collecting: bool,
    pub(crate) n: usize,
    /// Describes the first one.
    pub(crate) first: String,
}

impl MissedNotes {
    /// Begins to collect, without commands.
    pub(crate) fn collecting() -> Self {
        Self {
            is_collecting: true,
            ..Self::default()
        }
    }

    /// Adds `n` commands. `first`: describes the first of them.
    #[cold]
    pub(crate) fn add(&mut self, n: usize, first: &dyn fmt::Display) {
        if !self.is_collecting || n == 0 {
            return;
        }
        if self.n == 0 {
            self.first = first.to_string();
        }
        self.n += n;
    }
}

/// The commands of a system that had no effect.
#[derive(Debug, Default)]
pub(crate) struct SystemMisses {
    /// In all runs.
    n_total: u64,
    /// The number of runs with such commands.
    n_runs: u64,
    /// In the current run.
    n_in_run: u64,
    /// Describes the first one of the last run that has any.
    first_in_run: String,
}

impl SystemMisses {
    /// Adds the commands of one queue. Returns whether they are the first ones of this run.
    pub(crate) fn add(&mut self, notes: MissedNotes) -> bool {
        let is_first = self.n_in_run == 0;
        if is_first {
            self.n_runs += 1;
            self.first_in_run = notes.first;
        }
        self.n_in_run += notes.n as u64;
        self.n_total += notes.n as u64;
        is_first
    }

    /// Ends the run, and warns of its commands in the first, second, fourth, eighth … run of the system with such commands. So a
    /// permanent mistake does not fill a log.
    #[cfg_attr(
        not(feature = "tracing"),
        allow(unused_variables, reason = "nothing listens")
    )]
    pub(crate) fn end_run(&mut self, schedule: &str, system: &SystemPlace) {
        let n = core::mem::take(&mut self.n_in_run);
        #[cfg(feature = "tracing")]
        if self.n_runs.is_power_of_two() {
            let Self {
                n_total,
                n_runs,
                first_in_run,
                ..
            } = self;
            tracing::warn!(
                target: "schedule",
                schedule,
                "commands of {system} had no effect: {n} in this run, {n_total} in {n_runs} runs; the first of this run: {first_in_run}"
            );
        }
    }

    pub(crate) fn report(&self, system: &SystemPlace) -> MissedBySystem {
        MissedBySystem {
            system: system.clone(),
            n_commands: self.n_total,
            n_runs: self.n_runs,
            last: self.first_in_run.clone(),
        }
    }
}

/// The commands of a system that had no effect. For example, their entities did not exist.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MissedBySystem {
    /// The system that issued the commands.
    pub system: SystemPlace,
    /// The number of commands without effect, in all runs.
    pub n_commands: u64,
    /// The number of runs with such commands.
    pub n_runs: u64,
    /// Describes the first such command of the last run that has any.
    pub last: String,
}

impl fmt::Display for MissedBySystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |n| if n == 1 { "" } else { "s" };
        let Self {
            system,
            n_commands,
            n_runs,
            last,
        } = self;
        write!(
            f,
            "{system}: {n_commands} command{} in {n_runs} run{}, last {last}",
            s(*n_commands),
            s(*n_runs)
        )
    }
}
