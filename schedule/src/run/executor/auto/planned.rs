//! Data about the plans for several threads.

use core::time::Duration;

use super::Mode;
use crate::base::cost::Costs;
use crate::base::time::Instant;

/// A plan is outdated if costs have changed by this part of the work in total.
const DRIFT: f64 = 0.2;
/// A plan is made again at the earliest after this multiple of the time that planning took.
const LEAST_AGE: u32 = 100;

/// The input of the current plans for several threads, and their expected times.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// The costs that the plans were made for, by rank.
    costs: Vec<u32>,
    /// Their sum.
    work: u64,
    n_threads: usize,
    /// Nanoseconds: the makespan of the timetable. `None` if there is no timetable: it would have one lane, or the
    /// schedule has loops.
    makespan: Option<u64>,
    /// Whether two nodes can run at the same time.
    has_parallel: bool,
    /// The start and the duration of planning. `None` before the first plan.
    made: Option<(Instant, Duration)>,
    /// Whether costs have changed too much since.
    is_outdated: bool,
}

impl Planned {
    pub(super) fn new(
        costs: &Costs,
        n_threads: usize,
        makespan: Option<u64>,
        has_parallel: bool,
        made: (Instant, Duration),
    ) -> Self {
        Self {
            costs: costs.iter().collect(),
            work: costs.work(),
            n_threads,
            makespan,
            has_parallel,
            made: Some(made),
            is_outdated: false,
        }
    }

    /// Compares the plan with new costs.
    pub(super) fn note_costs(&mut self, costs: &Costs) {
        let pairs = costs.iter().zip(&self.costs);
        let drift: u64 = pairs
            .map(|(now, &then)| u64::from(now.abs_diff(then)))
            .sum();
        self.is_outdated = drift as f64 > DRIFT * costs.work() as f64;
    }

    /// Whether plans exist, and are valid for this number of threads and the current costs.
    fn is_for(&self, n_threads: usize) -> bool {
        self.made.is_some() && self.n_threads == n_threads && !self.is_outdated
    }

    /// Whether plans have to be made: there are none, or they are outdated and old enough.
    pub(super) fn is_due(&self, now: Instant, n_threads: usize) -> bool {
        match self.made {
            Some(_) if self.is_for(n_threads) => false,
            Some((made, took)) => now.saturating_duration_since(made) > LEAST_AGE * took,
            None => true,
        }
    }

    /// Nanoseconds: the time of runs by the plan, scaled to the current work. Infinite if the mode is impossible.
    /// `None` if the plan is not valid, or does not contain a time.
    pub(super) fn makespan(&self, mode: Mode, work_ns: f64, n_threads: usize) -> Option<f64> {
        if !self.is_for(n_threads) {
            return None;
        }
        match (mode, self.makespan) {
            (Mode::Parallel, _) if !self.has_parallel => Some(f64::INFINITY),
            (Mode::Timetabled, None) => Some(f64::INFINITY),
            // Costs may have changed a little since planning.
            (Mode::Timetabled, Some(ns)) => Some(ns as f64 * work_ns / self.work.max(1) as f64),
            _ => None,
        }
    }
}
