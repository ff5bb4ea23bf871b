//! The rates of a schedule, and the limits of its systems.

use super::switch::Ranks;
use super::{Schedule, new_version};
use crate::base::identity::Name;
use crate::base::nanos::Nanos;
use crate::data::limits::{RunTimes, TimeLimits};
use crate::data::resource::Resources;
use crate::data::stopwatch::LimitedSystem;
use crate::data::target::Target;
use crate::declare::problem::{Problem, TargetError};
use crate::run::report::SystemTimes;
#[cfg(feature = "metrics")]
use crate::systems::rate::RateCounts;
use crate::systems::rate::RateReport;
use crate::systems::rate::observer::DueTimes;
use core::panic::Location;
use core::time::Duration;

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
        rates.map(|rate| rate.next_run()).min().map(Nanos::duration)
    }

    /// Limits the time that a system or a loop takes. A [`Driver`](crate::Driver) measures the system and reports misses: see
    /// [`Driver::on_limit_miss`](crate::Driver::on_limit_miss).
    ///
    /// The deadline counts from the due time of the run: the earliest one of all rates. The budget limits the time of
    /// execution in a run, which is the sum of all iterations of a loop. For a system of a sweep, it is the time of the sweep.
    ///
    /// For a loop, the deadline is for the end of its last execution in the run. Its budget limits the sum of the times of its condition
    /// and of all systems in its body, also those in inner loops.
    ///
    /// For a group, each of its systems and loops gets these limits. New limits replace those from before and discard the measured
    /// times. `TimeLimits::new()` removes them. A change of the schedule keeps them.
    ///
    /// # Errors
    ///
    /// Fails if the target matches nothing or is ambiguous, or is a checkpoint or a sync point. The schedule is then unchanged.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Driver, prelude::*};
    /// use schedule::driver::SimulatedTimer;
    /// use schedule::rate::is_due;
    /// use schedule::report::TimeLimits;
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
    /// schedule.set_limits("plan", TimeLimits::new().budget(2 * MS))?;
    /// let timer = SimulatedTimer::new().until(15 * MS);
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(10 * MS));
    /// resources.insert(timer.clone());
    /// let mut driver = Driver::with_timer(schedule, timer).on_limit_miss(|miss, _| {
    ///     assert!(miss.to_string().ends_with("it took 3.0ms, the budget is 2.0ms"));
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
        limits: TimeLimits,
    ) -> Result<(), TargetError> {
        let (target, location) = (target.into(), Location::caller());
        let mut ranks = Ranks::default();
        self.find_ranks(&target, location, &mut ranks)?;
        if let [only] = ranks.found[..]
            && !self.nodes.by_rank[only as usize].has_runnable()
        {
            let place = &self.nodes.by_rank[only as usize].about.place;
            let named = place.name.clone();
            return Err(TargetError(Problem::NotMeasured { named, location }));
        }
        self.version = new_version();
        for rank in ranks.found {
            let node = &mut self.nodes.by_rank[rank as usize];
            let is_limited = limits.is_some() && node.has_runnable();
            node.about.limited = is_limited.then(|| {
                Box::new(LimitedSystem {
                    limits,
                    times: RunTimes::default(),
                })
            });
        }
        Ok(())
    }

    /// The systems and loops with limits, in the order of a serial run.
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

    /// Moves the due times of all rates back if the clock was set back to this time.
    pub(crate) fn clock_set(&self, resources: &mut Resources, now: Duration) {
        self.observers.clock_set(resources, now);
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
        rates.map(|nth| (self.observers.ty(nth).counts)(resources))
    }
}
