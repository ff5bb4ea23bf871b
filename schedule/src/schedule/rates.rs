//! The rates of a schedule, and the limits of its systems.

use core::panic::Location;
use core::time::Duration;
use std::sync::Arc;

use super::Schedule;
use super::switch::Ranks;
use crate::identity::Name;
use crate::limits::{LimitedPart, Limits, MeasuredRun, RunTimes};
use crate::observer::DueTimes;
use crate::problem::TargetError;
#[cfg(feature = "metrics")]
use crate::rate::RateCounts;
use crate::rate::RateReport;
use crate::report::SystemTimes;
use crate::resource::Resources;
use crate::stopwatch::{LimitedSystem, MeasuredNode, Now};
use crate::target::Target;

impl Schedule {
    /// Returns the names of the rates that the conditions of this schedule evaluate, as resources: `Rate<Control>`.
    pub fn rates(&self) -> impl Iterator<Item = Name> {
        self.observers.names()
    }

    /// Returns the earliest [next due time](crate::Rate::next_due) of all rates of this schedule, as a time of the
    /// [`Clock`](crate::Clock). `None` if none of them is among the resources.
    ///
    /// For loops that run the schedule themselves. [`Driver`](crate::Driver) contains such a loop.
    pub fn next_due(&self, resources: &Resources) -> Option<Duration> {
        let rates = self.due_times(resources).flatten();
        rates.map(|rate| rate.next).min()
    }

    /// Limits the time that a system takes. A [`Driver`](crate::Driver) measures the system and reports misses: see
    /// [`Driver::on_limit_miss`](crate::Driver::on_limit_miss).
    ///
    /// The deadline counts from the due time of the run: the earliest one of all rates. The budget limits the time of
    /// execution in a run, which is the sum of all iterations of a loop. For a system of a sweep, it is the time of the sweep.
    ///
    /// For a group, each of its systems gets these limits. New limits replace those from before and discard the measured
    /// times. `Limits::new()` removes them. A change of the schedule keeps them.
    ///
    /// # Errors
    ///
    /// Fails if the target matches nothing or is ambiguous. The schedule is then unchanged.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Driver, prelude::*};
    /// use schedule::driver::SimulatedTimer;
    /// use schedule::rate::is_due;
    /// use schedule::report::Limits;
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// const MS: Duration = Duration::from_millis(1);
    ///
    /// #[system(in = Control)]
    /// fn plan(timer: &SimulatedTimer) {
    ///     timer.advance(3 * MS);
    /// }
    ///
    /// let mut schedule = Schedule::builder()
    ///     .add::<plan>()
    ///     .group::<Control>()
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// schedule.set_limits("plan", Limits::new().budget(2 * MS))?;
    /// let timer = SimulatedTimer::new().until(15 * MS);
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(10 * MS));
    /// resources.insert(timer.clone());
    /// let mut driver = Driver::with_timer(schedule, timer).on_limit_miss(|miss, _| {
    ///     assert!(miss.to_string().contains("took 3.0ms in run"));
    /// });
    /// driver.run(&mut resources)?;
    /// let report = driver.schedule().report();
    /// assert_eq!(report.limited[0].times.n_over_budget, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn set_limits(
        &mut self,
        target: impl Into<Target>,
        limits: Limits,
    ) -> Result<(), TargetError> {
        let mut ranks = Ranks::default();
        self.find_ranks(&target.into(), Location::caller(), &mut ranks)?;
        for rank in ranks.found {
            let node = &mut self.nodes.by_rank[rank as usize];
            let is_limited = limits.is_some() && node.is_system();
            node.about.limited = is_limited.then(|| {
                Box::new(LimitedSystem {
                    limits,
                    times: RunTimes::default(),
                })
            });
        }
        Ok(())
    }

    /// The systems with limits, in the order of a serial run.
    pub(crate) fn limited_systems(&self) -> Vec<SystemTimes> {
        let nodes = self.nodes.by_rank.iter();
        let limited = nodes.filter_map(|node| {
            let LimitedSystem { limits, times } = **node.about.limited.as_ref()?;
            Some(SystemTimes {
                system: node.about.place.name.clone(),
                limits,
                times,
            })
        });
        limited.collect()
    }

    /// The name of rate `nth`, as a resource.
    pub(crate) fn rate(&self, nth: usize) -> Name {
        self.observers.ty(nth).name
    }

    /// The due times of each rate. `None` for a rate that is not a resource.
    pub(crate) fn due_times<'a>(
        &'a self,
        resources: &'a Resources,
    ) -> impl Iterator<Item = Option<DueTimes>> + 'a {
        self.observers.due_times(resources)
    }

    /// The reports of the rates that are resources.
    pub(crate) fn rate_reports(&self, resources: &Resources) -> Vec<RateReport> {
        let rates = 0..self.observers.n_rates();
        let reports = rates.filter_map(|nth| (self.observers.ty(nth).report)(resources));
        reports.collect()
    }

    /// The counts of each rate. `None` for a rate that is not a resource.
    #[cfg(feature = "metrics")]
    pub(crate) fn rate_counts<'a>(
        &'a self,
        resources: &'a Resources,
    ) -> impl Iterator<Item = Option<RateCounts>> + 'a {
        let rates = 0..self.observers.n_rates();
        let reports = rates.map(|nth| (self.observers.ty(nth).report)(resources));
        reports.map(|report| report.map(|report| report.counts))
    }

    /// Measures the systems with limits in this time. Returns their ranks.
    pub(crate) fn measure_limited(&mut self, now: &Now) -> Vec<u32> {
        let ranks = (0..).zip(&mut self.nodes.by_rank);
        let limited = ranks.filter_map(|(rank, node)| {
            node.about.limited.as_ref()?;
            node.measure(Arc::clone(now));
            Some(rank)
        });
        limited.collect()
    }

    /// Measures the systems of rate `nth` in this time.
    pub(crate) fn measure_rate(&mut self, nth: usize, now: &Now) {
        for rank in self.observers.systems_of(nth) {
            self.nodes.by_rank[rank as usize].measure(Arc::clone(now));
        }
    }

    /// Measures no system any more.
    pub(crate) fn stop_measuring(&mut self) {
        for node in &mut self.nodes.by_rank {
            node.stop_measuring();
        }
    }

    /// The executions of all systems of rate `nth` in the last run, if there were any.
    fn measured_of_rate(&self, nth: usize) -> Option<MeasuredNode> {
        let systems = self.observers.systems_of(nth);
        let nodes = systems.filter_map(|rank| self.measured(rank));
        nodes.reduce(|one, other| MeasuredNode {
            end: one.end.max(other.end),
            busy: one.busy.saturating_add(other.busy),
        })
    }

    fn measured(&self, rank: u32) -> Option<MeasuredNode> {
        let about = &self.nodes.by_rank[rank as usize].about;
        about.stopwatch.as_ref()?.measured()
    }

    /// Notes the executions of the systems of rate `nth` in the last run. `clock_time` converts times of the driver. Returns the limits
    /// and the measured times.
    pub(crate) fn note_rate_times(
        &self,
        nth: usize,
        resources: &mut Resources,
        clock_time: impl Fn(Duration) -> Duration,
    ) -> Option<(LimitedPart, Limits, MeasuredRun)> {
        let MeasuredNode { end, busy } = self.measured_of_rate(nth)?;
        let ty = self.observers.ty(nth);
        let (limits, run) = (ty.note_times)(resources, clock_time(end), busy)?;
        Some((LimitedPart::EntireRate(ty.name), limits, run))
    }

    /// Notes the executions of a system with limits in the last run, which was due at this time of the clock.
    pub(crate) fn note_system_times(
        &mut self,
        rank: u32,
        due: Duration,
        clock_time: impl Fn(Duration) -> Duration,
    ) -> Option<(LimitedPart, Limits, MeasuredRun)> {
        let MeasuredNode { end, busy } = self.measured(rank)?;
        let about = &mut self.nodes.by_rank[rank as usize].about;
        let limited = about.limited.as_mut()?;
        let run = MeasuredRun {
            response: clock_time(end).saturating_sub(due),
            busy,
        };
        limited.times.note(&limited.limits, &run);
        let part = LimitedPart::SingleSystem(Arc::clone(&about.place));
        Some((part, limited.limits, run))
    }

    /// The ranks of the nodes whose executions are measured.
    #[cfg(test)]
    pub(crate) fn measured_nodes(&self) -> impl Iterator<Item = u32> {
        let ranks = (0..).zip(&self.nodes.by_rank);
        let measured = ranks.filter(|(_, node)| node.about.stopwatch.is_some());
        measured.map(|(rank, _)| rank)
    }

    /// Discards the measured executions of the last run.
    pub(crate) fn clear_measured(&mut self, nth_rate: Option<usize>, ranks: &[u32]) {
        let of_rate = nth_rate.into_iter();
        let of_rate = of_rate.flat_map(|nth| self.observers.systems_of(nth));
        for rank in of_rate.chain(ranks.iter().copied()) {
            if let Some(stopwatch) = &mut self.nodes.by_rank[rank as usize].about.stopwatch {
                stopwatch.clear();
            }
        }
    }
}
