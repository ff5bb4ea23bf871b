//! Limits of a rate, and its metrics.

use core::time::Duration;

use super::{Rate, RateCounts};
use crate::base::histogram::Histogram;
use crate::base::identity::{Identity, Name};
use crate::base::nanos::Nanos;
use crate::data::limits::{MeasuredRun, RunTimes, TimeLimits};

impl<M> Rate<M> {
    /// Sets the longest time from a due time to the end of the systems of this rate.
    ///
    /// A [`Driver`](crate::Driver) measures this and reports misses: see
    /// [`Driver::on_limit_miss`](crate::Driver::on_limit_miss). If a run serves several due times, the time counts from the first one
    /// that was missed. Nothing is stopped.
    ///
    /// The systems of a rate are those that the condition [`is_due`](super::is_due) guards, alone or with other conditions, and those in
    /// a loop with it. A run for which the rate is not due is not measured, even if another condition starts these systems.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Driver, prelude::*};
    /// use schedule::driver::SimulatedTimer;
    /// use schedule::rate::is_due;
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// const MS: Duration = Duration::from_millis(1);
    ///
    /// /// Takes 1 ms, but 4 ms at 50 ms.
    /// #[system(in = Control)]
    /// fn control(clock: &Clock, timer: &SimulatedTimer) {
    ///     timer.advance(if clock.now() == 50 * MS { 4 * MS } else { MS });
    /// }
    ///
    /// let schedule = Schedule::builder()
    ///     .add::<control>()
    ///     .group::<Control>()
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// let timer = SimulatedTimer::new().until(100 * MS);
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(10 * MS).deadline(2 * MS));
    /// resources.insert(timer.clone());
    /// Driver::with_timer(schedule, timer).run(&mut resources)?;
    /// let times = *resources.get::<Rate<Control>>().unwrap().run_times();
    /// assert_eq!((times.response.n(), times.response.max()), (10, 4 * MS));
    /// assert_eq!(times.n_deadline_missed, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.limits.deadline = Some(deadline);
        self.times.get_or_insert_default();
        self
    }

    /// Sets the longest time of execution of all systems of this rate in a run: the sum, also if they run at the same time.
    ///
    /// See [`Rate::deadline`].
    pub fn budget(mut self, budget: Duration) -> Self {
        self.limits.budget = Some(budget);
        self.times.get_or_insert_default();
        self
    }

    /// The deadline and the budget.
    pub fn limits(&self) -> TimeLimits {
        self.limits
    }

    /// The lateness of all runs since [`reset_metrics`](Self::reset_metrics). See [`lateness`](Self::lateness).
    pub fn lateness_histogram(&self) -> &Histogram {
        &self.late
    }

    /// The times of the systems of this rate since [`reset_metrics`](Self::reset_metrics). Empty unless a
    /// [`Driver`](crate::Driver) runs the schedule and the rate has a deadline or a budget.
    pub fn run_times(&self) -> &RunTimes {
        static EMPTY: RunTimes = RunTimes::NEW;
        self.times.as_deref().unwrap_or(&EMPTY)
    }

    /// Resets the counts, the lateness and the times to 0, for the next measurement interval.
    pub fn reset_metrics(&mut self) {
        self.counts = RateCounts::default();
        self.lateness = Nanos::ZERO;
        self.max_lateness = Nanos::ZERO;
        self.late = Histogram::default();
        if let Some(times) = &mut self.times {
            **times = RunTimes::NEW;
        }
        // The due times that were counted so far must not change any more.
        self.last = None;
    }

    /// Notes the end and the execution time of the systems in a run. `None` if the rate was not due in this run: another condition can
    /// have started the systems.
    pub(super) fn note_times(
        &mut self,
        end: Duration,
        busy: Duration,
    ) -> Option<(TimeLimits, MeasuredRun)> {
        let due = self.served?;
        let run = MeasuredRun {
            due,
            response: end.saturating_sub(due),
            busy,
        };
        if let Some(times) = &mut self.times {
            times.note(&self.limits, &run);
        }
        Some((self.limits, run))
    }

    pub(super) fn report(&self) -> RateReport
    where
        M: Identity + 'static,
    {
        RateReport {
            rate: <Self as Identity>::NAME,
            period: self.period(),
            limits: self.limits,
            counts: self.counts,
            lateness: self.late,
            times: *self.run_times(),
        }
    }
}

/// The settings and metrics of a [`Rate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateReport {
    /// The name of the rate as a resource: `Rate<Control>`.
    pub rate: Name,
    /// The time between two due times.
    pub period: Duration,
    /// The deadline and the budget.
    pub limits: TimeLimits,
    /// The number of due times for each outcome.
    pub counts: RateCounts,
    /// The lateness of its runs.
    pub lateness: Histogram,
    /// The times of its systems.
    pub times: RunTimes,
}
