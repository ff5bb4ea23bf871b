//! Drivers: run a schedule whenever one of its rates is due.

mod epoch;
mod error;
mod limits;
mod meter;
mod notices;
mod recorded;
mod report;
mod reporter;
mod settings;
mod simulated;
mod stats;
mod stop;
mod timer;

use core::fmt;
use core::ops::ControlFlow;
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};

use self::epoch::SharedEpoch;
pub use self::error::DriverError;
use self::limits::Measuring;
use self::recorded::RunRecorder;
pub use self::report::DriverReport;
use self::reporter::Reporter;
pub use self::simulated::SimulatedTimer;
pub use self::stats::{DriverStats, Overrun};
pub use self::stop::StopToken;
pub use self::timer::{RealTimer, Timer};
use crate::base::nanos::Nanos;
use crate::data::resource::{Resources, SlotHint};
use crate::declare::failure::RunError;
use crate::run::schedule::Schedule;
use crate::run::timeline::MeasuredLimit;
use crate::systems::rate::Clock;
use crate::systems::rate::observer::DueTimes;

/// Runs a schedule whenever one of its [rates](crate::Rate) is due, and sleeps in between.
///
/// The rates of a schedule are those that its conditions [`is_due`](crate::rate::is_due) evaluate. Before each run, the driver sets the
/// [`Clock`] to the time of the run. In such a run, the system [`tick`](crate::rate::tick) does nothing.
///
/// The driver only waits and runs. It does not change the settings of rates, priorities, processors or executors.
///
/// ```
/// use core::time::Duration;
/// use schedule::{Driver, StopToken, prelude::*};
/// use schedule::rate::is_due;
///
/// #[derive(Group)]
/// struct Control;
///
/// #[derive(Resource, Default)]
/// struct Steps(u32);
///
/// #[system(in = Control)]
/// fn control(steps: &mut Steps, stop: &StopToken) {
///     steps.0 += 1;
///     if steps.0 == 5 {
///         stop.stop();
///     }
/// }
///
/// let schedule = Schedule::builder()
///     .add::<control>()
///     .group::<Control>()
///     .run_if(Condition::of::<is_due<Control>>())
///     .build()?;
/// let mut driver = Driver::new(schedule);
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// resources.insert(Rate::<Control>::hertz(1000.0));
/// resources.insert_default::<Steps>();
/// resources.insert(driver.stop_token());
/// driver.run(&mut resources)?;
/// assert_eq!(driver.stats().n_runs, 5);
/// assert!(resources.get::<Clock>().unwrap().now() >= Duration::from_millis(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # When it runs
///
/// A run begins at the earliest [next due time](crate::Rate::next_due) of all rates, or as soon as possible after it.
/// Due times are times of the clock, so a late run does not delay the next one. The rates decide about due times that
/// pass without a run: see [`Rate`](crate::Rate#due-times-that-pass-without-a-run).
///
/// - Each run begins at a due time or after it, so rates need no [tolerance](crate::Rate#tolerance). With a tolerance, a run
///   that begins for another rate can serve this rate early.
/// - If a run does not evaluate a due rate, the driver waits for the next due time of this rate. Examples are a rate in the body
///   of a loop without an iteration, and a run that misses a resource.
/// - A rate that pauses because a guard is false causes a run at most once per period, to evaluate the guard again.
/// - The time between two calls of [`run`](Self::run) does not count: the clock continues from its time.
/// - If a program sets the clock back between two calls, the due times of each rate move back by the time since its last evaluation.
/// - Times are nanoseconds in 64 bits, at most 584 years, as in [`Rate`](crate::Rate).
///
/// # Precision
///
/// The operating system wakes a thread later than requested. On Linux, a thread with normal priority has a timer slack
/// of up to 50 µs. [`Driver::spin`] waits actively for the last part. See [`RealTimer`].
///
/// # Limits
///
/// A rate can have a deadline and a budget, and a system as well: [`Rate::deadline`](crate::Rate::deadline),
/// [`Rate::budget`](crate::Rate::budget), [`Schedule::set_limits`]. The driver measures the systems with limits, those in loops with
/// limits, and those of rates with limits. [`measure_all_systems`](Self::measure_all_systems) measures all. [`Driver::report`] has the
/// times, and [`Driver::on_limit_miss`] is called for each miss. [`Driver::record`] shows why a run was too slow.
///
/// # Metrics and warnings
///
/// With the feature `metrics`, the recorder of the thread that calls [`run`](Self::run) gets these metrics, with the label
/// `schedule`:
///
/// - `schedule_driver_runs_total`, `schedule_driver_failed_runs_total`, `schedule_driver_overruns_total`
/// - `schedule_driver_limit_misses_total`, by `limit`: `deadline` or `budget`
/// - `schedule_driver_due_times_total`, by `rate` and `outcome`: `on_time`, `late`, `skipped`, `disabled` or `failed`
/// - `schedule_driver_lateness_seconds`, `schedule_driver_run_seconds`
///
/// With the feature `tracing`, an overrun and a missed limit are events at level `WARN`, at most one in each second of the
/// clock. The field `omitted` is the number of those in between.
pub struct Driver<T = RealTimer> {
    schedule: Schedule,
    timer: T,
    stop: StopToken,
    epoch: SharedEpoch,
    /// The slot of the clock.
    clock: SlotHint,
    /// `rates[i]`: the due times of rate i when they were last looked up. `None` if it is not a resource.
    rates: Vec<Option<DueTimes>>,
    /// Whether `rates` are those at the end of the last run, and nothing can have changed them since.
    has_rates: bool,
    /// `asked[i]`: the due time of rate i for which the last run began, if it was due. Empty before the first run.
    asked: Vec<Option<Nanos>>,
    /// When the last run began, as a time of the clock.
    last_begin: Option<Duration>,
    /// The time of the clock in the last call of the program, or in the last run. `None` before the first call.
    last_clock: Option<Duration>,
    measuring: Measuring,
    reporter: Reporter,
    recorder: RunRecorder,
    on_error: Option<ErrorHook>,
    run_schedule: Option<RunHook>,
}

type RunHook = Box<dyn FnMut(&mut Schedule, &mut Resources) -> Result<(), RunError> + Send>;
type ErrorHook = Box<dyn FnMut(&RunError, &mut Resources) -> ControlFlow<()> + Send>;

impl Driver {
    /// Creates a driver in real time.
    pub fn new(schedule: Schedule) -> Self {
        Self::with_timer(schedule, RealTimer::new())
    }
}

impl<T: Timer> Driver<T> {
    /// Creates a driver with another timer, for example with a [`SimulatedTimer`].
    pub fn with_timer(schedule: Schedule, timer: T) -> Self {
        let epoch = SharedEpoch::default();
        Self {
            schedule,
            measuring: Measuring::new(&timer, &epoch),
            timer,
            stop: StopToken::new(),
            epoch,
            clock: SlotHint::default(),
            rates: Vec::new(),
            has_rates: false,
            asked: Vec::new(),
            last_begin: None,
            last_clock: None,
            reporter: Reporter::default(),
            recorder: RunRecorder::default(),
            on_error: None,
            run_schedule: None,
        }
    }

    /// Runs the schedule at each due time, until the [token](Self::stop_token) is stopped.
    ///
    /// A run that has begun is completed.
    ///
    /// # Errors
    ///
    /// - [`DriverError::NoRates`] if no condition of the schedule evaluates a rate.
    /// - [`DriverError::MissingRates`] if all of its rates are missing in the resources.
    /// - [`DriverError::MissingClock`] if the clock is missing.
    /// - [`DriverError::Run`] if a run fails, and no hook of [`on_error`](Self::on_error) continues.
    /// - [`DriverError::CannotWait`] if the timer cannot wait: see [`RealTimer`].
    pub fn run(&mut self, resources: &mut Resources) -> Result<(), DriverError> {
        if !self.timer.can_wait() {
            return Err(DriverError::CannotWait);
        }
        self.epoch.end();
        self.reporter.meter.forget();
        if self.stop.is_stopped() {
            return Ok(());
        }
        let mut now = self.begin_call(resources)?;
        // The next due time is after the begin of the last run, so the present time is read only after the wait.
        while let Some([due, begin]) = self.wait(now, resources)? {
            self.step(begin, due, resources)?;
            now = begin;
        }
        Ok(())
    }

    /// Waits for the next due time after `now`, a time of the clock. Returns it and the time after the wait, or `None` if the token was
    /// stopped.
    #[inline(always)]
    fn wait(
        &mut self,
        mut now: Duration,
        resources: &Resources,
    ) -> Result<Option<[Duration; 2]>, DriverError> {
        if self.stop.is_stopped() {
            return Ok(None);
        }
        self.clock(resources)?;
        let due = self.next_due(now, resources)?;
        loop {
            // Also if the due time has passed: the timer can stop the token.
            self.timer
                .wait_until(self.epoch.timer_time(due), &self.stop);
            now = self.now(resources)?;
            if self.stop.is_stopped() {
                return Ok(None);
            }
            if now >= due {
                return Ok(Some([due, now]));
            }
        }
    }

    /// Runs the schedule once if a rate is due. Returns the time until the next due time, or `None` after the
    /// [token](Self::stop_token) was stopped. The schedule then does not run.
    ///
    /// For programs with their own event loop, and for targets that cannot wait, as `wasm32-unknown-unknown`. The time
    /// between two calls counts.
    ///
    /// # Errors
    ///
    /// Fails as [`run`](Self::run) does, except that the timer need not be able to wait.
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
    /// let schedule = Schedule::builder()
    ///     .add_closure("control", || {})
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// let timer = SimulatedTimer::new();
    /// let mut driver = Driver::with_timer(schedule, timer.clone());
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(Duration::from_millis(10)));
    /// assert_eq!(driver.run_if_due(&mut resources)?, Some(Duration::from_millis(10)));
    /// timer.advance(Duration::from_millis(4));
    /// assert_eq!(driver.run_if_due(&mut resources)?, Some(Duration::from_millis(6)));
    /// assert_eq!(driver.stats().n_runs, 1);
    /// driver.stop_token().stop();
    /// assert_eq!(driver.run_if_due(&mut resources)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_if_due(
        &mut self,
        resources: &mut Resources,
    ) -> Result<Option<Duration>, DriverError> {
        if self.stop.is_stopped() {
            return Ok(None);
        }
        let now = self.begin_call(resources)?;
        let due = self.next_due(now, resources)?;
        if now >= due {
            self.step(now, due, resources)?;
        }
        if self.stop.is_stopped() {
            return Ok(None);
        }
        let now = self.now(resources)?;
        Ok(Some(self.next_due(now, resources)?.saturating_sub(now)))
    }

    /// Runs the schedule at this time of the clock.
    fn step(
        &mut self,
        now: Duration,
        due: Duration,
        resources: &mut Resources,
    ) -> Result<(), DriverError> {
        if self.recorder.records_all() {
            return self.step_for_hook(now, due, resources);
        }
        self.begin_step(now, resources);
        let result = match &mut self.run_schedule {
            Some(run) => call_hook(run, &mut self.schedule, resources),
            None => self.schedule.run(resources),
        };
        let end = self.end_drive(resources);
        self.end_step([due, now, end], result, resources, None)
    }

    /// Prepares a run that begins at this time of the clock.
    #[inline(always)]
    fn begin_step(&mut self, now: Duration, resources: &mut Resources) {
        if let Some(clock) = self.clock_mut(resources) {
            clock.drive_to(now);
        }
        // `next_due` has just looked them up.
        let rates = self.rates.iter();
        let at = Nanos::of(now);
        let was_due = |rate: DueTimes| (rate.next <= at).then_some(rate.next);
        self.asked.clear();
        self.asked.extend(rates.map(|rate| rate.and_then(was_due)));
        (self.last_begin, self.last_clock) = (Some(now), Some(now));
        self.measuring.begin_run(&mut self.schedule, &self.rates);
        self.reporter.meter.begin_run(&self.schedule, resources);
    }

    /// Ends a run. Returns the time of the clock.
    #[inline(always)]
    fn end_drive(&mut self, resources: &mut Resources) -> Duration {
        if let Some(clock) = self.clock_mut(resources) {
            clock.end_drive();
        }
        // The run may have removed the clock. Its result must still be reported.
        self.epoch.now(&self.timer)
    }

    /// Reports a run that has ended. `all`: in a recorded run, the list to which all limits are added.
    #[inline(always)]
    fn end_step(
        &mut self,
        [due, now, end]: [Duration; 3],
        result: Result<(), RunError>,
        resources: &mut Resources,
        all: Option<&mut Vec<MeasuredLimit>>,
    ) -> Result<(), DriverError> {
        let (schedule, reporter) = (&mut self.schedule, &mut self.reporter);
        let is_same = self.measuring.has_measured(schedule);
        if !is_same {
            // The run has changed or exchanged the schedule. Its rates may have other numbers.
            reporter.meter.forget_rates();
        }
        reporter.run_ended(schedule, resources, [due, now, end], result.is_err());
        if is_same {
            let measuring = &self.measuring;
            measuring.end_run(schedule, resources, reporter, [due, now, end], all);
        } else {
            self.asked.clear();
        }
        self.rates.clear();
        self.rates.extend(schedule.due_times(resources));
        self.has_rates = true;
        let at = Nanos::of(now);
        let after = self
            .rates
            .iter()
            .enumerate()
            .filter_map(|(nth, rate)| Some((rate.as_ref()?.first_after(at), nth)));
        if let Some((next_due, nth)) = after.min()
            && next_due < Nanos::of(end)
        {
            let next_due = next_due.duration();
            let by = end.saturating_sub(next_due);
            let slow = is_same.then(|| self.measuring.slow_systems(schedule, end, by));
            let overrun = Overrun {
                nth_run: reporter.stats.n_runs - 1,
                rate: schedule.rate(nth),
                begin: now,
                end,
                next_due,
                slow: slow.unwrap_or_default(),
            };
            reporter.overrun(schedule, resources, &overrun);
            self.has_rates = false;
        }
        if !is_same {
            reporter.meter.forget();
        }
        if let Err(error) = result {
            self.has_rates = false;
            let flow = match &mut self.on_error {
                Some(hook) => hook(&error, resources),
                None => ControlFlow::Break(()),
            };
            if flow.is_break() {
                return Err(DriverError::Run(error));
            }
        }
        Ok(())
    }

    /// Begins a call of the program, which can have changed the rates and the clock. Returns the time of the clock.
    fn begin_call(&mut self, resources: &mut Resources) -> Result<Duration, DriverError> {
        self.has_rates = false;
        let clock = self.clock(resources)?.now();
        let mut now = self.epoch.begin(clock, &self.timer);
        let last = self.last_clock.replace(clock);
        let is_set_back = last.is_some_and(|last| clock < last);
        if is_set_back || clock > now {
            // The program has replaced the clock, or set it.
            self.epoch.end();
            now = self.epoch.begin(clock, &self.timer);
        }
        if is_set_back {
            self.last_begin = None;
        }
        self.schedule.clock_set(resources, now);
        Ok(now)
    }

    /// The time of the timer as a time of the clock.
    fn now(&mut self, resources: &Resources) -> Result<Duration, DriverError> {
        let clock = self.clock(resources)?.now();
        Ok(self.epoch.begin(clock, &self.timer))
    }

    fn clock<'r>(&self, resources: &'r Resources) -> Result<&'r Clock, DriverError> {
        let clock = resources.find(&self.clock);
        clock.ok_or(DriverError::MissingClock)
    }

    fn clock_mut<'r>(&self, resources: &'r mut Resources) -> Option<&'r mut Clock> {
        resources.find_mut(&self.clock)
    }

    /// The time of the clock at which the next run begins.
    fn next_due(&mut self, now: Duration, resources: &Resources) -> Result<Duration, DriverError> {
        let mut next: Option<Nanos> = None;
        if !core::mem::take(&mut self.has_rates) {
            self.rates.clear();
            self.rates.extend(self.schedule.due_times(resources));
        }
        // The clock may have been set back since.
        let last_begin = self.last_begin.map(|begin| Nanos::of(begin.min(now)));
        for (idx, rate) in self.rates.iter().enumerate() {
            let Some(rate) = rate else { continue };
            // The last run left it as it was, so the next one would do so as well.
            let is_stuck = self.asked.get(idx) == Some(&Some(rate.next));
            let due = match last_begin {
                Some(begin) if is_stuck || rate.is_paused => rate.first_after(begin),
                _ => rate.next_run(),
            };
            next = Some(next.map_or(due, |next| next.min(due)));
        }
        next.map(Nanos::duration).ok_or_else(|| {
            let rates: Vec<_> = self.schedule.rates().collect();
            let schedule = self.schedule.name().to_string();
            if rates.is_empty() {
                DriverError::NoRates { schedule }
            } else {
                DriverError::MissingRates { schedule, rates }
            }
        })
    }

    /// Statistics of all runs of this driver.
    pub fn stats(&self) -> &DriverStats {
        &self.reporter.stats
    }

    /// Returns a report: the statistics, and the times of all rates and of the systems with limits.
    pub fn report(&self, resources: &Resources) -> DriverReport {
        DriverReport {
            schedule: self.schedule.name().to_string(),
            stats: *self.reporter.stats,
            rates: self.schedule.rate_reports(resources),
            systems: self.schedule.limited_systems(),
        }
    }

    /// Resets the statistics, for the next measurement interval.
    pub fn reset_stats(&mut self) {
        *self.reporter.stats = DriverStats::default();
    }

    /// The timer.
    pub fn timer(&self) -> &T {
        &self.timer
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The schedule, to change it between runs.
    pub fn schedule_mut(&mut self) -> &mut Schedule {
        // A change can number the rates differently.
        self.asked.clear();
        self.has_rates = false;
        self.reporter.meter.forget();
        &mut self.schedule
    }

    /// Returns the schedule.
    pub fn into_schedule(mut self) -> Schedule {
        self.schedule.stop_measuring();
        self.schedule
    }
}

/// Calls the function of [`Driver::with_run`]. If it panics, the driver does not drive the clock any more.
fn call_hook(
    run: &mut RunHook,
    schedule: &mut Schedule,
    resources: &mut Resources,
) -> Result<(), RunError> {
    let result = catch_unwind(AssertUnwindSafe(|| run(schedule, resources)));
    result.unwrap_or_else(|payload| {
        if let Some(clock) = resources.get_mut::<Clock>() {
            clock.end_drive();
        }
        resume_unwind(payload)
    })
}

impl<T: fmt::Debug> fmt::Debug for Driver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("schedule", &self.schedule.name())
            .field("timer", &self.timer)
            .field("stats", &self.reporter.stats)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
