//! Rates: a clock, fixed time steps, and groups with their own rates.

mod clock;
mod counts;
mod due;
mod limits;
pub(crate) mod observer;
mod requests;
#[cfg(any(feature = "serde", feature = "snapshot"))]
mod saved;
mod settings;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(test)]
mod tests;

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use schedule_macros::{Resource, system};

pub use self::clock::{Clock, Tick, tick};
use self::counts::Ending;
pub use self::counts::RateCounts;
pub use self::limits::RateReport;
use crate::base::histogram::Histogram;
use crate::base::identity::Identity;
use crate::base::nanos::Nanos;
pub use crate::base::time::set_time_source;
use crate::data::limits::{RunTimes, TimeLimits};

/// The rate at which the systems with the marker `M` run. `M` is a group, or any type with an [`Identity`].
///
/// All times and durations are numbers of nanoseconds with 64 bits. Those longer than 584 years are cut to 584 years.
///
/// The condition [`is_due`] evaluates the rate. The first due time is the start: time 0 of the clock, or the time
/// passed to [`Rate::starting_at`]. The others follow in steps of the period.
///
/// # Tolerance
///
/// A run that begins within the tolerance before a due time serves that due time. So a rate with the frequency of its
/// loop is due in every run of the loop, if the jitter is less than the tolerance. The default tolerance is half a
/// period. [`Rate::tolerance`] changes it. With [`Rate::catch_up`] the default is 0, because no due time is lost.
///
/// The tolerance does not apply to the start: the rate is never due before it. If a loop of the same frequency wakes
/// just before the start, its next run serves the start late. That run is also the nearest one to the second due time,
/// which then counts as skipped.
///
/// With a [`Driver`](crate::Driver), the default makes no run early: the driver begins runs at due times. A run up to
/// half a period late still is on time. A tolerance that is set applies as described here.
///
/// **In a loop of your own that is faster than the rate, set the tolerance.** The rate is due at the first run within the tolerance.
/// With the default, that is up to half a period early, from the second due time on, and after [`Rate::restart`]:
///
/// - A rate of 10 Hz in a loop of 100 Hz is due at 0, 50, 150, 250 ms and so on.
/// - A rate of 1 kHz in a loop of 2 kHz has a run half a period before each due time, at the edge of the tolerance. Jitter
///   decides whether that run serves the due time, so the intervals are 0.5, 1.0 or 1.5 ms.
///
/// Set the tolerance to half of the interval of the loop. Then the nearest run serves each due time, as long as a run
/// jitters by less than that. For a loop of twice the frequency, this is a quarter of the period:
///
/// ```
/// use core::time::Duration;
/// use schedule::{Clock, Condition, Rate, prelude::*};
/// use schedule::rate::is_due;
///
/// #[derive(Group)]
/// struct Control;
///
/// /// The runs in which it was due.
/// #[derive(Resource, Default)]
/// struct Runs(Vec<u64>);
///
/// fn runs_of(rate: Rate<Control>) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
///     let mut schedule = Schedule::builder()
///         .add_closure("control", |clock: &Clock, runs: &mut Runs| {
///             runs.0.push((clock.now().as_micros() as u64 + 250) / 500);
///         })
///         .in_group::<Control>()
///         .group::<Control>()
///         .run_if(Condition::of::<is_due<Control>>())
///         .build()?;
///     let mut resources = Resources::new();
///     resources.insert(Clock::new());
///     resources.insert_default::<Runs>();
///     resources.insert(rate);
///     // A loop of 2 kHz, in which runs begin up to 100 µs late.
///     for (run, jitter) in [0, 100, 0, 0, 0, 100, 100, 0, 100].into_iter().enumerate() {
///         let now = Duration::from_micros(run as u64 * 500 + jitter);
///         let clock = resources.get_mut::<Clock>().unwrap();
///         clock.advance(now - clock.now());
///         schedule.run(&mut resources)?;
///     }
///     Ok(resources.get::<Runs>().unwrap().0.clone())
/// }
///
/// // The default of 500 µs is the interval of the loop: due half a period early from the second time on.
/// assert_eq!(runs_of(Rate::hertz(1000.0))?, [0, 1, 3, 5, 7]);
/// // A quarter of the period: due in every second run.
/// let rate = Rate::hertz(1000.0).tolerance(Duration::from_micros(250));
/// assert_eq!(runs_of(rate)?, [0, 2, 4, 6, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Due times that pass without a run
///
/// Without [`Rate::catch_up`], one run covers all due times that have passed. The run counts for the first of them, usually as
/// late. The others count as skipped. With `catch_up`, the rate makes up for these due times.
///
/// - **A guard is false** (of the loop or the condition, of a group around it, or of a loop around it): the rate
///   pauses. This time does not count, and all due times move by it. With [`Rate::count_paused`], the time counts.
/// - **The loop or the condition is disabled**: the due times that pass count as disabled. The rate does not make up
///   for them.
/// - **The schedule does not run**: the time counts. The next run is late.
/// - [`Rate::reset`] discards all due times. The next run that evaluates the rate is its new start.
/// - [`Rate::restart`] discards all due times, too. The next one is one period after the time of the call.
///
/// The end of a run decides which case applies, by the time of the clock. So only systems in [`Tick`] may advance the clock in a
/// run.
///
/// # Metrics
///
/// [`Rate::counts`] returns the number of due times for each outcome, [`Rate::lateness`] the lateness of the last run,
/// [`Rate::max_lateness`] the largest lateness, and [`Rate::lateness_histogram`] the distribution. [`Rate::deadline`] and
/// [`Rate::budget`] limit the time of the systems.
///
/// # Fixed time steps
///
/// A rate with [`Rate::catch_up`] as the condition of a loop is a fixed time step. The loop runs once for each due time
/// that has passed. [`Rate::leftover`] is the time since the last one, for interpolation.
///
/// ```
/// use core::time::Duration;
/// use schedule::{Clock, Rate, prelude::*};
/// use schedule::rate::is_due;
///
/// #[derive(Group)]
/// struct Physics;
///
/// #[derive(Resource)]
/// struct Position(f64);
///
/// #[system]
/// fn integrate(rate: &Rate<Physics>, position: &mut Position) {
///     position.0 += rate.period().as_secs_f64() * 2.0;
/// }
///
/// let mut frame = Schedule::builder()
///     .repeat_while::<is_due<Physics>>(|step| step.add::<integrate>())
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// resources.insert(Position(0.0));
/// resources.insert(Rate::<Physics>::every(Duration::from_millis(10)).catch_up(5));
///
/// // Steps are due at 0, 10 and 20 ms.
/// resources.get_mut::<Clock>().unwrap().advance(Duration::from_millis(25));
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Position>().unwrap().0, 0.06);
/// let rate = resources.get::<Rate<Physics>>().unwrap();
/// assert_eq!(rate.leftover(), Duration::from_millis(5));
/// assert_eq!(rate.fraction(), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// To run a step only after its period has passed, start one period later:
/// `Rate::every(period).starting_at(period)`.
///
/// # Groups at a rate
///
/// As the guard of a group, a rate makes the group run at its own rate, at most once in each run of the schedule:
///
/// ```
/// use core::time::Duration;
/// use schedule::{Clock, Condition, Rate, prelude::*};
/// use schedule::rate::is_due;
///
/// #[derive(Group)]
/// struct Sensors;
///
/// #[derive(Resource, Default)]
/// struct Readings(u32);
///
/// #[system(in = Sensors)]
/// fn read(readings: &mut Readings) {
///     readings.0 += 1;
/// }
///
/// let mut control = Schedule::builder()
///     .add::<read>()
///     .group::<Sensors>()
///     .run_if(Condition::of::<is_due<Sensors>>())
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// resources.insert_default::<Readings>();
/// // The schedule runs 10 times in a period. Half of the time between two runs lets each due time
/// // be served by the nearest run.
/// resources.insert(Rate::<Sensors>::hertz(10.0).tolerance(Duration::from_millis(5)));
/// // Due at 0, 100, …, 900 ms.
/// for _ in 0..100 {
///     control.run(&mut resources)?;
///     resources.get_mut::<Clock>().unwrap().advance(Duration::from_millis(10));
/// }
/// assert_eq!(resources.get::<Readings>().unwrap().0, 10);
/// assert_eq!(resources.get::<Rate<Sensors>>().unwrap().counts().on_time, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Resource)]
#[resource(crate = crate)]
// A run in which the rate is not due needs only the fields up to `new_period`, so these are in few cache lines.
#[repr(C)]
pub struct Rate<M> {
    period: Nanos,
    /// The first due time without an outcome.
    next: Nanos,
    /// All time of the clock up to this time was counted or left out.
    seen: Nanos,
    /// How long before a due time a run can begin to serve it. See [`Rate::set_early`].
    early: Nanos,
    /// The first due time that the last run served. `None` if the rate was not due in it.
    served: Option<Duration>,
    /// How often the rate was due at the time `seen`, without a `false` in between.
    n_in_turn: u32,
    /// Whether `next` is the start. The tolerance does not apply to the start.
    is_start: bool,
    /// Whether no run has evaluated the rate or settled its due times.
    is_new: bool,
    /// Whether the first evaluation in the next run is the new start.
    is_reset: bool,
    /// Whether this run of the schedule evaluated the rate.
    is_asked: bool,
    /// Whether a driver has set the clock for the last evaluation.
    is_driven: bool,
    /// Whether the due times moved at the end of the last run, because a guard was false.
    is_paused: bool,
    counts_paused: bool,
    /// The counted outcome of the due time of the last `true` in this run.
    last: Option<Ending>,
    /// The period from the end of this run on, if a system of this run has set one.
    new_period: Option<Nanos>,
    /// `None` selects the default, which depends on `backlog`.
    tolerance: Option<Nanos>,
    backlog: Backlog,
    lateness: Nanos,
    max_lateness: Nanos,
    counts: RateCounts,
    /// The lateness of all runs.
    late: Histogram,
    limits: TimeLimits,
    /// The times of its systems. `None` if it has no limits, because it needs some memory.
    times: Option<Box<RunTimes>>,
    of: PhantomData<fn() -> M>,
}

/// The handling of due times that passed without a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    any(feature = "serde", feature = "snapshot"),
    derive(serde::Serialize, serde::Deserialize)
)]
enum Backlog {
    /// One run serves all of them.
    Skip,
    /// The rate makes up for them, at most this many in a row.
    CatchUp(u32),
}

impl<M> Rate<M> {
    /// A rate that is due at time 0 of the clock, and after each period.
    ///
    /// If the clock is far from 0, use [`starting_at`](Self::starting_at) with the time of that clock.
    ///
    /// # Panics
    ///
    /// Panics if the period is 0.
    pub fn every(period: Duration) -> Self {
        assert_period(period);
        Self {
            period: Nanos::of(period),
            new_period: None,
            tolerance: None,
            backlog: Backlog::Skip,
            counts_paused: false,
            next: Nanos::ZERO,
            is_start: true,
            is_new: true,
            seen: Nanos::ZERO,
            n_in_turn: 0,
            is_reset: false,
            is_asked: false,
            last: None,
            lateness: Nanos::ZERO,
            max_lateness: Nanos::ZERO,
            counts: RateCounts::default(),
            limits: TimeLimits::new(),
            late: Histogram::default(),
            times: None,
            served: None,
            is_driven: false,
            early: Nanos::of(period).half(),
            is_paused: false,
            of: PhantomData,
        }
    }

    /// A rate that is due this many times per second.
    ///
    /// # Panics
    ///
    /// Panics if the rate is not greater than 0. It also panics if the period is shorter than a nanosecond, or too long
    /// for a [`Duration`].
    pub fn hertz(rate: f64) -> Self {
        assert!(rate > 0.0, "a rate must be more than 0 Hz");
        Self::every(Duration::from_secs_f64(rate.recip()))
    }

    /// Sets the first due time. No run begins earlier, whatever the [tolerance] is.
    ///
    /// A pause before the start moves it like every due time, unless [`Rate::count_paused`] is set.
    ///
    /// [tolerance]: Self::tolerance
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Clock, Condition, Rate, prelude::*};
    /// use schedule::rate::is_due;
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// let mut schedule = Schedule::builder()
    ///     .add_closure("control", || {})
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::hertz(1000.0).starting_at(Duration::from_micros(2500)));
    /// let mut n_due = Vec::new();
    /// for _ in 0..27 {
    ///     schedule.run(&mut resources)?;
    ///     n_due.push(resources.get::<Rate<Control>>().unwrap().counts().total());
    ///     resources.get_mut::<Clock>().unwrap().advance(Duration::from_micros(100));
    /// }
    /// assert_eq!(n_due[24..], [0, 1, 1]); // at 2.4, 2.5 and 2.6 ms
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn starting_at(mut self, start: Duration) -> Self {
        self.next = Nanos::of(start);
        self.is_start = true;
        self
    }

    /// Sets how long before a due time a run can begin to serve it. A run that begins up to this long after a due time
    /// is on time.
    ///
    /// The default is half a period. With [`Rate::catch_up`], no run begins early by default, and a run counts as late
    /// if the next due time has also passed. No run begins before the start, whatever the tolerance is.
    ///
    /// In a loop that is faster than the rate, use half of the interval of the loop. See [`Rate`](Self#tolerance).
    ///
    /// # Panics
    ///
    /// Panics if the tolerance is more than half of the period.
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        let tolerance = Nanos::of(tolerance);
        assert!(
            tolerance <= self.period.half(),
            "the tolerance of a rate must not be more than half of its period"
        );
        self.tolerance = Some(tolerance);
        self.set_early();
        self
    }

    /// Makes up for due times that passed without a run.
    ///
    /// As the condition of a loop, the rate is due at most `at_most` times in a row. As a guard, it is due in
    /// consecutive runs. Older due times are skipped.
    ///
    /// # Panics
    ///
    /// Panics if `at_most` is 0.
    pub fn catch_up(mut self, at_most: u32) -> Self {
        assert!(at_most > 0, "the limit of `catch_up` must be at least 1");
        self.backlog = Backlog::CatchUp(at_most);
        self.set_early();
        self
    }

    /// Counts the time during which a guard is false.
    ///
    /// The due times in this time count as skipped. With [`Rate::catch_up`], the rate makes up for them within its
    /// limit.
    pub fn count_paused(mut self) -> Self {
        self.counts_paused = true;
        self
    }

    /// Makes the rate due at its next evaluation, which is its new start. [`restart`](Self::restart) makes it due one period later.
    ///
    /// Due times without an outcome are discarded. The metrics stay.
    ///
    /// If this run of the schedule has already evaluated the rate, the reset takes effect in the next run. So a system
    /// in a loop with this rate can reset it. The reset does not change the number of iterations in this run, which
    /// [`Rate::catch_up`] limits.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Clock, Rate, prelude::*};
    /// use schedule::rate::is_due;
    ///
    /// struct Physics;
    /// # impl schedule::Identity for Physics {
    /// #     const ID: u128 = 1;
    /// #     const NAME: schedule::identity::Name = schedule::identity::Name::new("Physics");
    /// # }
    ///
    /// let mut frame = Schedule::builder()
    ///     .repeat_while::<is_due<Physics>>(|step| step.add_closure("step", |mut n: Local<u32>| *n += 1))
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Physics>::every(Duration::from_millis(10)).catch_up(100));
    ///
    /// // A second in which nothing runs, and nothing is to be made up for.
    /// resources.get_mut::<Clock>().unwrap().advance(Duration::from_secs(1));
    /// resources.get_mut::<Rate<Physics>>().unwrap().reset();
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Rate<Physics>>().unwrap().counts().total(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reset(&mut self) {
        // `n_in_turn` stays, because the limit of `catch_up` also applies to a loop in which the rate is reset.
        self.is_reset = true;
    }

    /// The time between two due times.
    pub fn period(&self) -> Duration {
        self.period.duration()
    }

    /// The next due time: the first one without an outcome. It is a time of the [`Clock`].
    ///
    /// It is in the past if the rate still makes up for due times, or if no run has evaluated the rate since. A
    /// [reset](Self::reset) does not change it before the next evaluation.
    ///
    /// While the rate pauses because a guard is false, its due times move by each run. It then returns the time one period after the last
    /// run, if that is later, so that a loop that sleeps evaluates the guard once per period.
    ///
    /// A loop that sleeps until this time runs exactly when the rate is due. [`Driver`](crate::Driver) does this for all
    /// rates of a schedule.
    pub fn next_due(&self) -> Duration {
        let next = if self.is_paused {
            self.next.max(self.seen.plus(self.period))
        } else {
            self.next
        };
        next.duration()
    }

    /// The time from the last due time with an outcome to the last evaluation. It is less than a period, unless the
    /// rate still makes up for due times.
    pub fn leftover(&self) -> Duration {
        self.seen.plus(self.period).minus(self.next).duration()
    }

    /// The leftover in periods: the position between the last step and the next one, for interpolation.
    pub fn fraction(&self) -> f64 {
        self.leftover().as_secs_f64() / self.period().as_secs_f64()
    }

    /// How late the last run began, measured from the oldest due time that was not served. 0 if it began early.
    ///
    /// Consecutive iterations of a loop count as one run. Its lateness is that of the first iteration.
    pub fn lateness(&self) -> Duration {
        self.lateness.duration()
    }

    /// The largest [`lateness`](Self::lateness) since [`reset_metrics`](Self::reset_metrics).
    pub fn max_lateness(&self) -> Duration {
        self.max_lateness.duration()
    }

    /// The number of due times for each outcome since [`reset_metrics`](Self::reset_metrics).
    ///
    /// During a run, the due times of this run count as if their systems ran. At the end of the run, they move to the
    /// count that matches the outcome of the systems.
    pub fn counts(&self) -> RateCounts {
        self.counts
    }

    /// The number of due times that were skipped, disabled or failed.
    pub fn n_missed(&self) -> u64 {
        self.counts.missed()
    }
}

fn assert_period(period: Duration) {
    assert!(
        !period.is_zero(),
        "the period of a rate must be longer than 0"
    );
}

/// The marker need not have `Clone`.
impl<M> Clone for Rate<M> {
    fn clone(&self) -> Self {
        Self {
            times: self.times.clone(),
            ..*self
        }
    }
}

impl<M> fmt::Debug for Rate<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rate")
            .field("period", &self.period())
            .field("backlog", &self.backlog)
            .field("next", &self.next.duration())
            .field("lateness", &self.lateness())
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// Whether the systems with the marker `M` are due. See [`Rate`].
#[system(crate = crate, after_if_present = Tick, observer = Rate<M>)]
pub fn is_due<M: Identity>(clock: &Clock, rate: &mut Rate<M>) -> bool {
    rate.set_driven(clock.is_driven());
    rate.evaluate(Nanos::of(clock.now()))
}
