//! Data about the plans for several threads.

use core::time::Duration;

use super::Mode;
use crate::base::cost::Costs;
use crate::base::time::Instant;

/// A plan is outdated if costs have changed by this part of the work in total.
const DRIFT: f64 = 0.2;
/// The same for the first plan for changed costs, once they have settled. The plan can contain the interruption of a system.
const EARLY_DRIFT: f64 = 0.03;
/// The number of timed runs after a plan in which costs settle. Three make a new median, and each further one halves the rest of the change.
const SETTLING: u32 = 8;
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
    /// Whether the plan before it was the first one for about the same costs.
    is_confirmed: bool,
    /// The number of timed runs since.
    n_timed: u32,
    /// The change of costs since, as a part of the work.
    drift: f64,
}

impl Planned {
    /// `before`: the plan that this one replaces.
    pub(super) fn new(
        before: &Self,
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
            is_confirmed: before.can_be_confirmed() && before.drift <= DRIFT,
            n_timed: 0,
            drift: 0.0,
        }
    }

    /// Counts a timed run.
    pub(super) fn note_timed(&mut self) {
        self.n_timed = self.n_timed.saturating_add(1);
    }

    /// Compares the plan with new costs.
    pub(super) fn note_costs(&mut self, costs: &Costs) {
        let pairs = costs.iter().zip(&self.costs);
        let drift: u64 = pairs
            .map(|(now, &then)| u64::from(now.abs_diff(then)))
            .sum();
        self.drift = drift as f64 / costs.work().max(1) as f64;
    }

    /// Whether this is the first plan for its costs, which have settled since.
    fn can_be_confirmed(&self) -> bool {
        self.made.is_some() && !self.is_confirmed && self.n_timed >= SETTLING
    }

    /// Whether costs have changed so much that a new plan is better.
    fn is_outdated(&self) -> bool {
        self.drift > DRIFT || self.drift > EARLY_DRIFT && self.can_be_confirmed()
    }

    /// Whether plans exist, and are about right for this number of threads and the current costs.
    fn is_for(&self, n_threads: usize) -> bool {
        self.made.is_some() && self.n_threads == n_threads && self.drift <= DRIFT
    }

    /// Whether plans have to be made: there are none, or they are outdated and old enough.
    pub(super) fn is_due(&self, now: Instant, n_threads: usize) -> bool {
        match self.made {
            Some(_) if self.is_for(n_threads) && !self.is_outdated() => false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cost::Cost;

    fn costs(ns: [u32; 4]) -> Costs {
        Costs::of(ns.map(|ns| Cost::known(ns, 1_000)).into_iter())
    }

    fn planned(before: &Planned, costs: &Costs) -> Planned {
        let made = (Instant::now(), Duration::ZERO);
        Planned::new(before, costs, 2, Some(1), true, made)
    }

    /// Whether the plan is outdated after this many timed runs with these costs.
    fn outdates(plan: &mut Planned, n_timed: u32, costs: &Costs) -> bool {
        for _ in 0..n_timed {
            plan.note_timed();
            plan.note_costs(costs);
        }
        plan.is_outdated()
    }

    #[test]
    fn the_first_plan_for_changed_costs_is_made_again_when_they_have_settled() {
        let interrupted = costs([10_000, 10_000, 12_000, 10_000]);
        let settled = costs([10_000; 4]);
        let mut first = planned(&Planned::default(), &interrupted);
        assert!(!outdates(&mut first, SETTLING - 1, &settled));
        assert!(outdates(&mut first, 1, &settled));
        assert!(first.is_due(Instant::now() + Duration::from_nanos(1), 2));
        // Until there is another plan, its makespan is about right.
        assert!(first.makespan(Mode::Timetabled, 40_000.0, 2).is_some());

        // Costs vary. The second plan for about the same costs stays.
        let mut second = planned(&first, &settled);
        assert!(!outdates(&mut second, 3 * SETTLING, &interrupted));

        let changed = costs([10_000, 10_000, 60_000, 10_000]);
        assert!(outdates(&mut second, 1, &changed));
        assert_eq!(second.makespan(Mode::Timetabled, 40_000.0, 2), None);
        let mut third = planned(&second, &changed);
        let nearly = costs([10_000, 10_000, 55_000, 10_000]);
        assert!(!outdates(&mut third, SETTLING - 1, &nearly));
        assert!(outdates(&mut third, 1, &nearly));
    }
}
