//! What is known of a plan for several threads.

use core::time::Duration;

use super::Way;
use crate::cost::Costs;
use crate::time::Instant;

/// A plan is outdated if costs differ from those that it was made for by this part of the work.
const DRIFT: f64 = 0.2;
/// It is not made again before so many times as long has gone by as that took.
const LEAST_AGE: u32 = 100;

/// For what a plan was made that several threads can run, and what it promises.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// The costs that it was made for, by rank.
    costs: Vec<u32>,
    /// Their sum.
    work: u64,
    n_threads: usize,
    /// Nanoseconds, by timetable; none if that has one lane, or there is none for such a schedule.
    makespan: Option<u64>,
    /// Whether anything can run at once.
    has_parallel: bool,
    /// When it was made, and how long that took.
    made: Option<(Instant, Duration)>,
    /// Costs have changed since.
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

    /// Costs are these from now on.
    pub(super) fn note_costs(&mut self, costs: &Costs) {
        let pairs = costs.iter().zip(&self.costs);
        let drift: u64 = pairs
            .map(|(now, &then)| u64::from(now.abs_diff(then)))
            .sum();
        self.is_outdated = drift as f64 > DRIFT * costs.work() as f64;
    }

    /// Whether it is for so many threads, and for the costs as they are. There may be none.
    fn is_for(&self, n_threads: usize) -> bool {
        self.made.is_some() && self.n_threads == n_threads && !self.is_outdated
    }

    /// Whether it is time to make one: the first one, or because costs are not what they were.
    pub(super) fn is_due(&self, now: Instant, n_threads: usize) -> bool {
        match self.made {
            Some(_) if self.is_for(n_threads) => false,
            Some((made, took)) => now.saturating_duration_since(made) > LEAST_AGE * took,
            None => true,
        }
    }

    /// Nanoseconds: what runs take by it, with as much work as there is now. Infinite if they cannot go this way; `None`
    /// if it says nothing of that.
    pub(super) fn makespan(&self, way: Way, work_ns: f64, n_threads: usize) -> Option<f64> {
        if !self.is_for(n_threads) {
            return None;
        }
        match (way, self.makespan) {
            (Way::Parallel, _) if !self.has_parallel => Some(f64::INFINITY),
            (Way::Timetabled, None) => Some(f64::INFINITY),
            // Costs may have changed a little since.
            (Way::Timetabled, Some(ns)) => Some(ns as f64 * work_ns / self.work.max(1) as f64),
            _ => None,
        }
    }
}
