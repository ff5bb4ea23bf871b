//! Rates: a clock, fixed time steps, and groups that run at rates of their own.

mod counts;
#[cfg(test)]
mod tests;

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use schedule_macros::{Group, Resource, system};

use self::counts::Ending;
pub use self::counts::RateCounts;
use crate::identity::Identity;
use crate::resource::Resources;
use crate::settling::{Ended, Settle, Unasked, Work};
use crate::time::Instant;
pub use crate::time::set_time_source;

/// The time that schedules go by: as long as it has been since the clock was made.
///
/// It stands still while systems run. A program moves it on between runs, or by [`tick`] as a system: to the real time
/// with [`Clock::tick`], and a test by as much as it likes with [`Clock::advance`].
#[derive(Resource, Clone, Debug, Default)]
#[resource(crate = crate)]
pub struct Clock {
    now: Duration,
    /// The real time that is 0 here.
    start: Option<Instant>,
}

impl Clock {
    /// A clock at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long it has been.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Moves on by this much.
    pub fn advance(&mut self, by: Duration) {
        self.now = self.now.saturating_add(by);
    }

    /// Moves on as far as the real time has since the first tick.
    ///
    /// On `wasm32-unknown-unknown` there is no real time. There, this needs
    /// [`set_time_source`], and does nothing without it.
    pub fn tick(&mut self) {
        let before = self.now;
        let start = *self.start.get_or_insert_with(|| Instant::now() - before);
        self.now = self.now.max(start.elapsed());
    }
}

/// All that moves the clock on: who asks for the time comes after it. A system of your own that does belongs in it.
#[derive(Group, Debug)]
#[group(crate = crate)]
pub struct Tick;

/// Moves the clock on to the real time.
#[system(crate = crate, in = Tick)]
pub fn tick(clock: &mut Clock) {
    clock.tick();
}

/// How often the systems that are named by `M` run. `M` is a group, or any type with an [`Identity`].
///
/// The condition [`is_due`] asks it. The first due time is the start: time 0 of the clock, or the time given to
/// [`Rate::starting_at`]. The others follow in steps of the period.
///
/// # Tolerance
///
/// A run that begins within the tolerance before a due time serves that due time. So a rate that equals the frequency
/// of its loop is due in every run of the loop, as long as the runs jitter by less than the tolerance. The tolerance is
/// half a period, unless [`Rate::tolerance`] sets another one. With [`Rate::catch_up`] the default is 0, since no due
/// time is lost there.
///
/// The tolerance does not apply to the start: the rate is never due before it. If a loop of the same frequency is woken
/// just before the start, its next run serves the start late. That run is also the nearest one to the second due time,
/// which then counts as skipped.
///
/// **In a loop that is faster than the rate, set the tolerance.** The rate is due at the first run within the tolerance.
/// With the default, that is up to half a period early, from the second due time on:
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
/// Without [`Rate::catch_up`], one run serves all due times that have passed: it counts as late, and the others as
/// skipped. With it, the due times are made up for.
///
/// - **A guard is false** (that of the loop or the condition, of a group around it, or of a loop around it): the rate
///   pauses. This time does not count, and the due times move on by it. [`Rate::count_paused`] lets it count.
/// - **The loop or the condition is disabled**: the due times that pass count as disabled. They are not made up for.
/// - **The schedule does not run**: the time counts. The next run is late.
/// - [`Rate::reset`] forgets all of this. The next run that asks the rate is its new start.
///
/// The end of a run tells these cases apart. So the clock has to move between runs, or before the rate is asked: by a
/// system in [`Tick`].
///
/// # Metrics
///
/// [`Rate::counts`] tells how many due times ended in which way, [`Rate::lateness`] how late the last run was, and
/// [`Rate::max_lateness`] how late the latest one was.
///
/// # Fixed time steps
///
/// As the condition of a loop, with [`Rate::catch_up`], it makes a fixed time step: the loop runs once for each due
/// time that has passed, and [`Rate::leftover`] is the time since the last one, for drawing in between.
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
/// A step that may only run when its period is over starts one period later:
/// `Rate::every(period).starting_at(period)`.
///
/// # Groups at a rate
///
/// As the guard of a group it makes the group run at a rate of its own, at most once in each run of the schedule:
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
pub struct Rate<M> {
    period: Duration,
    /// `None`: the default, which depends on `overrun`.
    tolerance: Option<Duration>,
    overrun: Overrun,
    counts_paused: bool,
    /// The first due time that has not ended.
    next: Duration,
    /// That is the start, before which no run begins: the tolerance does not apply to it.
    is_start: bool,
    /// The time of the clock up to which time was counted, or left out.
    seen: Duration,
    /// How often it was due at that time, without a `false` in between.
    n_in_turn: u32,
    /// Starts at the time at which it is asked next in a run of the schedule that has not asked it yet.
    is_reset: bool,
    /// It was asked in this run of the schedule.
    is_asked: bool,
    /// How the due time for which it last answered `true` in this run was counted.
    last: Option<Ending>,
    lateness: Duration,
    max_lateness: Duration,
    counts: RateCounts,
    of: PhantomData<fn() -> M>,
}

/// What happens to due times that have passed without a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overrun {
    /// One run serves all of them.
    Skip,
    /// They are made up for, at most this many in turn.
    CatchUp(u32),
}

impl<M> Rate<M> {
    /// Due at time 0 of the clock, and each time that this period has passed since.
    ///
    /// A rate for a clock that is far from 0 starts [at](Self::starting_at) the time of that clock.
    ///
    /// # Panics
    ///
    /// If the period is 0.
    pub fn every(period: Duration) -> Self {
        assert!(
            !period.is_zero(),
            "the period of a rate must be longer than 0"
        );
        Self {
            period,
            tolerance: None,
            overrun: Overrun::Skip,
            counts_paused: false,
            next: Duration::ZERO,
            is_start: true,
            seen: Duration::ZERO,
            n_in_turn: 0,
            is_reset: false,
            is_asked: false,
            last: None,
            lateness: Duration::ZERO,
            max_lateness: Duration::ZERO,
            counts: RateCounts::default(),
            of: PhantomData,
        }
    }

    /// Due this many times a second.
    ///
    /// # Panics
    ///
    /// If the rate is not more than 0, or if the period is less than a nanosecond or too long for a [`Duration`].
    pub fn hertz(rate: f64) -> Self {
        assert!(rate > 0.0, "a rate must be more than 0 Hz");
        Self::every(Duration::from_secs_f64(rate.recip()))
    }

    /// The first due time is exactly this time of the clock: no run begins earlier, whatever the [tolerance] is.
    ///
    /// A pause before the start moves it, as every due time, unless [`Rate::count_paused`] is set.
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
        self.next = start;
        self.is_start = true;
        self
    }

    /// How long before a due time a run may begin that serves it, and how long after it a run is still on time.
    ///
    /// Default: half a period. With [`Rate::catch_up`] no run begins early by default, and a run counts as late if the
    /// next due time has passed as well. No run begins before the start, whatever the tolerance is.
    ///
    /// In a loop that is faster than the rate, set half of the interval of the loop: see [`Rate`](Self#tolerance).
    ///
    /// # Panics
    ///
    /// If the tolerance is more than half of the period.
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        assert!(
            tolerance <= self.period / 2,
            "the tolerance of a rate must not be more than half of its period"
        );
        self.tolerance = Some(tolerance);
        self
    }

    /// Makes up for due times that have passed without a run.
    ///
    /// As the condition of a loop, it is due at most `at_most` times in turn. As a guard, it is due in one run after
    /// the other. Older due times than that are skipped.
    ///
    /// # Panics
    ///
    /// If `at_most` is 0.
    pub fn catch_up(mut self, at_most: u32) -> Self {
        assert!(at_most > 0, "a rate must be allowed to run at least once");
        self.overrun = Overrun::CatchUp(at_most);
        self
    }

    /// Counts the time during which a guard is false.
    ///
    /// The due times of this time then count as skipped; with [`Rate::catch_up`] they are made up for, as far as that
    /// allows.
    pub fn count_paused(mut self) -> Self {
        self.counts_paused = true;
        self
    }

    /// Starts anew: the next time that it is asked is its new start, at which it is due.
    ///
    /// Due times that have not ended are forgotten. The metrics stay.
    ///
    /// If the rate was asked in this run of the schedule already, the reset takes effect in the next run. So a system in
    /// the loop that the rate drives can reset it: the loop makes the passes that it makes without the reset, at most as
    /// many as [`Rate::catch_up`] allows.
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
        // `n_in_turn` stays: the limit of `catch_up` also holds in a turn in which the rate is reset.
        self.is_reset = true;
    }

    /// Sets the counts and the lateness to 0, as for the next interval of a measurement.
    pub fn reset_metrics(&mut self) {
        self.counts = RateCounts::default();
        self.lateness = Duration::ZERO;
        self.max_lateness = Duration::ZERO;
        // What is counted already must not be moved any more.
        self.last = None;
    }

    /// The time between two due times.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// The time from the last due time that has ended to the time at which it was last asked. Less than a period,
    /// unless due times still have to be made up for.
    pub fn leftover(&self) -> Duration {
        self.seen
            .saturating_add(self.period)
            .saturating_sub(self.next)
    }

    /// The leftover in periods: how far a drawing is between the last step and the next one.
    pub fn fraction(&self) -> f64 {
        self.leftover().as_secs_f64() / self.period.as_secs_f64()
    }

    /// How late the last run began, measured from the oldest due time that was not served; 0 if it began early.
    ///
    /// Several runs in turn of a loop count as one here, which began late by as much as the first of them.
    pub fn lateness(&self) -> Duration {
        self.lateness
    }

    /// The largest [`lateness`](Self::lateness) of all runs, since [`reset_metrics`](Self::reset_metrics).
    pub fn max_lateness(&self) -> Duration {
        self.max_lateness
    }

    /// How many due times ended in which way, since [`reset_metrics`](Self::reset_metrics).
    ///
    /// During a run, the due times of this run count as if their systems ran. When the run is over, they are moved to
    /// the count that fits the outcome of the systems.
    pub fn counts(&self) -> RateCounts {
        self.counts
    }

    /// How many due times were not served, for whatever reason: skipped, disabled and failed ones.
    pub fn n_missed(&self) -> u64 {
        self.counts.missed()
    }

    /// How long before a due time a run may begin that serves it.
    fn early(&self) -> Duration {
        match (self.tolerance, self.overrun) {
            (Some(tolerance), _) => tolerance,
            (None, Overrun::Skip) => self.period / 2,
            (None, Overrun::CatchUp(_)) => Duration::ZERO,
        }
    }

    /// Whether a run that begins so long after its due time is late.
    fn is_late(&self, lateness: Duration) -> bool {
        match (self.tolerance, self.overrun) {
            (None, Overrun::CatchUp(_)) => lateness >= self.period,
            _ => lateness > self.early(),
        }
    }

    /// How many due times a run at this time may serve.
    fn n_due(&self, now: Duration) -> u64 {
        if self.is_start && now < self.next {
            return 0;
        }
        let until = now.saturating_add(self.early());
        match until.checked_sub(self.next) {
            Some(time) => div(time, self.period).saturating_add(1),
            None => 0,
        }
    }

    /// The next `n` due times end like this.
    fn end(&mut self, n: u64, ending: Ending) {
        self.is_start &= n == 0;
        self.counts.add(ending, n);
        self.next = self.next.saturating_add(times(self.period, n));
    }

    /// Time goes on up to here. A clock that was set back takes the due times with it.
    fn see(&mut self, now: Duration) {
        if now < self.seen {
            self.next = self.next.saturating_sub(self.seen - now);
        }
        self.seen = now;
    }

    /// Whether it is due now; then the due time counts as one that is served.
    fn ask(&mut self, now: Duration) -> bool {
        let is_first_in_run = !core::mem::replace(&mut self.is_asked, true);
        if is_first_in_run && core::mem::take(&mut self.is_reset) {
            self.next = now;
            self.is_start = true;
            self.n_in_turn = 0;
        } else if now != self.seen {
            self.n_in_turn = 0;
            self.see(now);
        }
        self.seen = now;
        let n_due = self.n_due(now);
        if n_due == 0 {
            self.n_in_turn = 0;
            return false;
        }
        let lateness = now.saturating_sub(self.next);
        if self.n_in_turn == 0 {
            self.lateness = lateness;
            self.max_lateness = self.max_lateness.max(lateness);
        }
        // The run serves the first due time, or, of those that are made up for, the first that is not too old.
        let ending = match self.overrun {
            Overrun::Skip => {
                let ending = self.served(lateness);
                self.end(n_due - 1, Ending::Skipped);
                ending
            }
            Overrun::CatchUp(at_most) => {
                let n_kept = u64::from(at_most - self.n_in_turn.min(at_most));
                self.end(n_due.saturating_sub(n_kept), Ending::Skipped);
                if n_kept == 0 {
                    self.n_in_turn = 0;
                    return false;
                }
                self.n_in_turn += 1;
                self.served(now.saturating_sub(self.next))
            }
        };
        self.end(1, ending);
        self.last = Some(ending);
        true
    }

    fn served(&self, lateness: Duration) -> Ending {
        if self.is_late(lateness) {
            Ending::Late
        } else {
            Ending::OnTime
        }
    }

    /// A run of a schedule that asks it is over, at this time of the clock.
    fn settle(&mut self, now: Duration, ended: Ended) {
        self.n_in_turn = 0;
        let last = self.last.take();
        if core::mem::take(&mut self.is_asked) {
            let ending = match ended.work {
                Work::Ran => return,
                Work::Skipped => Ending::Skipped,
                Work::Disabled => Ending::Disabled,
                Work::Failed => Ending::Failed,
            };
            if let Some(last) = last {
                self.counts.change(last, ending);
            }
            return;
        }
        if self.is_reset {
            return;
        }
        match ended.unasked {
            Unasked::Unreached => return,
            Unasked::Paused if !self.counts_paused => {
                let paused = now.saturating_sub(self.seen);
                self.next = self.next.saturating_add(paused);
                self.seen = self.seen.saturating_add(paused);
            }
            Unasked::Disabled => self.end(self.n_due(now), Ending::Disabled),
            Unasked::Paused | Unasked::Skipped => {
                if self.overrun == Overrun::Skip {
                    self.end(self.n_due(now), Ending::Skipped);
                }
            }
        }
        self.see(now);
    }
}

impl<M: Identity + 'static> Settle for Rate<M> {
    fn settle(resources: &mut Resources, ended: Ended) {
        let now = resources.get::<Clock>().map(Clock::now);
        if let (Some(now), Some(rate)) = (now, resources.get_mut::<Self>()) {
            rate.settle(now, ended);
        }
    }
}

/// How many whole periods there are in a time.
fn div(time: Duration, period: Duration) -> u64 {
    let n = time.as_nanos() / period.as_nanos();
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn times(period: Duration, n: u64) -> Duration {
    let nanos = period.as_nanos().saturating_mul(n.into());
    let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    u64::try_from(seconds).map_or(Duration::MAX, |seconds| {
        Duration::new(seconds, nanos as u32)
    })
}

impl<M> fmt::Debug for Rate<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rate")
            .field("period", &self.period)
            .field("overrun", &self.overrun)
            .field("next", &self.next)
            .field("lateness", &self.lateness)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// Whether the systems that are named by `M` are due: see [`Rate`].
#[system(crate = crate, after_if_present = Tick, settles = Rate<M>)]
pub fn is_due<M: Identity>(clock: &Clock, rate: &mut Rate<M>) -> bool {
    rate.ask(clock.now())
}
