//! How often something runs in the time of a clock: fixed time steps, and groups at rates of their own.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use schedule_macros::{Group, Resource, system};

use crate::identity::Identity;
use crate::time::Instant;

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
    /// [`set_time_source`](crate::set_time_source), and does nothing without it.
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

/// How often what is named by `M` runs: a group, or any type with an [`Identity`].
///
/// [`is_due`] asks it. As the condition of a loop, with [`Rate::catch_up`], that makes a fixed time step: the parts run
/// once for each period that has passed, and [`Rate::leftover`] tells what is left of the time for drawing in between.
///
/// ```
/// use core::time::Duration;
/// use schedule::{Clock, Rate, is_due, prelude::*};
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
/// resources.get_mut::<Clock>().unwrap().advance(Duration::from_millis(25));
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Position>().unwrap().0, 0.04);
/// let rate = resources.get::<Rate<Physics>>().unwrap();
/// assert_eq!(rate.leftover(), Duration::from_millis(5));
/// assert_eq!(rate.fraction(), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// As the guard of a group it makes the group run at a rate of its own, at most once for each run of the schedule:
///
/// ```
/// use core::time::Duration;
/// use schedule::{Clock, Rate, is_due, prelude::*};
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
///     .only_if::<is_due<Sensors>>()
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// resources.insert_default::<Readings>();
/// resources.insert(Rate::<Sensors>::hertz(10.0));
/// for _ in 0..100 {
///     resources.get_mut::<Clock>().unwrap().advance(Duration::from_millis(10));
///     control.run(&mut resources)?;
/// }
/// assert_eq!(resources.get::<Readings>().unwrap().0, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Resource)]
#[resource(crate = crate)]
pub struct Rate<M> {
    period: Duration,
    overrun: Overrun,
    /// The time at which it is due next.
    next: Duration,
    /// The time at which it was asked last.
    asked: Duration,
    /// How often it has run at the time at which it was asked last.
    n_in_turn: u32,
    lateness: Duration,
    n_missed: u64,
    of: PhantomData<fn() -> M>,
}

/// What becomes of periods that have passed without a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overrun {
    /// They are left out.
    Skip,
    /// They are made up for, at most so many at a time.
    CatchUp(u32),
}

impl<M> Rate<M> {
    /// Due each time that this much has passed, from time 0 of the clock on. Periods that passed without a run are left
    /// out.
    ///
    /// # Panics
    ///
    /// If the period is 0.
    pub fn every(period: Duration) -> Self {
        assert!(!period.is_zero(), "a period is longer than 0");
        Self {
            period,
            overrun: Overrun::Skip,
            next: period,
            asked: Duration::ZERO,
            n_in_turn: 0,
            lateness: Duration::ZERO,
            n_missed: 0,
            of: PhantomData,
        }
    }

    /// Due so many times a second.
    ///
    /// # Panics
    ///
    /// If that is not more than 0, or so much or so little that the period is less than a nanosecond or more than any
    /// time.
    pub fn hertz(rate: f64) -> Self {
        assert!(rate > 0.0, "a rate is more than 0 Hz");
        Self::every(Duration::from_secs_f64(rate.recip()))
    }

    /// Counts from this time of the clock on.
    pub fn starting_at(mut self, start: Duration) -> Self {
        self.next = start.saturating_add(self.period);
        self.asked = start;
        self
    }

    /// Makes up for periods that passed without a run: as the condition of a loop at once, at most so many times in
    /// turn; as a guard, with one run after the other. What is more than that is left out.
    ///
    /// # Panics
    ///
    /// If `at_most` is 0.
    pub fn catch_up(mut self, at_most: u32) -> Self {
        assert!(at_most > 0, "it has to run at all");
        self.overrun = Overrun::CatchUp(at_most);
        self
    }

    /// How long a period is.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// How much time has passed that belongs to no run yet, when it was last asked. Less than a period, unless it still
    /// has to catch up.
    pub fn leftover(&self) -> Duration {
        self.asked
            .saturating_add(self.period)
            .saturating_sub(self.next)
    }

    /// The leftover in periods: how far a drawing is between the last step and the next one.
    pub fn fraction(&self) -> f64 {
        self.leftover().as_secs_f64() / self.period.as_secs_f64()
    }

    /// How much later than it was due the last run began.
    pub fn lateness(&self) -> Duration {
        self.lateness
    }

    /// How many periods were left out in all.
    pub fn n_missed(&self) -> u64 {
        self.n_missed
    }

    /// Whether it is due now; then it counts as run.
    fn ask(&mut self, now: Duration) -> bool {
        // In turn is what is asked for at one time: of a guard, once in each run.
        if now != self.asked {
            self.n_in_turn = 0;
        }
        self.asked = now;
        if now < self.next {
            self.n_in_turn = 0;
            return false;
        }
        // Those that are due now, with this one.
        let n_due = div(now - self.next, self.period).saturating_add(1);
        let n_kept = match self.overrun {
            Overrun::Skip => 1,
            Overrun::CatchUp(at_most) => u64::from(at_most - self.n_in_turn.min(at_most)),
        };
        let n_missed = n_due.saturating_sub(n_kept);
        self.n_missed = self.n_missed.saturating_add(n_missed);
        self.next = self.next.saturating_add(times(self.period, n_missed));
        if n_kept == 0 {
            self.n_in_turn = 0;
            return false;
        }
        self.lateness = now - self.next;
        self.next = self.next.saturating_add(self.period);
        if matches!(self.overrun, Overrun::CatchUp(_)) {
            self.n_in_turn += 1;
        }
        true
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
            .field("n_missed", &self.n_missed)
            .finish_non_exhaustive()
    }
}

/// Whether it is time for what is named by `M`: see [`Rate`].
#[system(crate = crate, after_if_present = Tick)]
pub fn is_due<M: Identity>(clock: &Clock, rate: &mut Rate<M>) -> bool {
    rate.ask(clock.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn in_turn(rate: &mut Rate<u8>, now_ms: u32) -> u32 {
        let mut n = 0;
        while rate.ask(now_ms * MS) {
            n += 1;
        }
        n
    }

    #[test]
    fn a_fixed_step_runs_once_for_each_period_and_keeps_the_rest() {
        let mut rate = Rate::every(10 * MS).catch_up(100);
        assert_eq!(in_turn(&mut rate, 9), 0);
        assert_eq!(rate.leftover(), 9 * MS);
        assert_eq!(in_turn(&mut rate, 35), 3);
        assert_eq!(rate.leftover(), 5 * MS);
        assert_eq!(in_turn(&mut rate, 40), 1);
        assert_eq!(rate.leftover(), Duration::ZERO);
        assert_eq!(rate.n_missed(), 0);
    }

    #[test]
    fn what_it_cannot_catch_up_with_is_left_out() {
        let mut rate = Rate::every(10 * MS).catch_up(3);
        assert_eq!(in_turn(&mut rate, 104), 3);
        assert_eq!(rate.n_missed(), 7);
        assert_eq!(rate.leftover(), 4 * MS, "the rest of a period is not");
        assert_eq!(in_turn(&mut rate, 110), 1);
    }

    #[test]
    fn without_catching_up_it_runs_once_and_stays_in_step() {
        let mut rate = Rate::every(10 * MS);
        assert_eq!(in_turn(&mut rate, 47), 1);
        assert_eq!(rate.n_missed(), 3);
        assert_eq!(
            rate.lateness(),
            7 * MS,
            "later than the last time it was due"
        );
        assert_eq!(in_turn(&mut rate, 49), 0);
        assert_eq!(in_turn(&mut rate, 50), 1);
        assert_eq!(rate.lateness(), Duration::ZERO);
    }

    #[test]
    fn a_guard_that_catches_up_does_so_run_by_run() {
        let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(8);
        // It is asked once a run, and late by three periods once.
        let asked = [10, 50, 51, 52, 53, 54, 60];
        let due = asked.map(|now| rate.ask(now * MS));
        assert_eq!(due, [true, true, true, true, true, false, true]);
        assert_eq!(rate.n_missed(), 0);
    }

    #[test]
    fn a_guard_that_is_never_late_misses_nothing() {
        let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(3);
        for run in 1..=100 {
            assert!(rate.ask(run * 10 * MS));
        }
        assert_eq!(rate.n_missed(), 0);
    }

    #[test]
    fn a_loop_that_was_not_told_to_stop_goes_on_the_next_time() {
        let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(2);
        for run in 1..=10 {
            assert!(rate.ask(run * 10 * MS), "and its part fails");
        }
    }

    #[test]
    fn all_of_time_is_no_trouble() {
        let mut rate: Rate<u8> = Rate::every(Duration::from_nanos(1)).catch_up(2);
        assert_eq!(
            [rate.ask(Duration::MAX), rate.ask(Duration::MAX)],
            [true, true]
        );
        assert!(!rate.ask(Duration::MAX));
        assert!(rate.leftover() > Duration::ZERO);
    }

    #[test]
    fn it_counts_from_where_it_starts() {
        let mut rate = Rate::every(10 * MS).starting_at(1000 * MS).catch_up(9);
        assert_eq!(in_turn(&mut rate, 1009), 0);
        assert_eq!(in_turn(&mut rate, 1021), 2);
    }

    #[test]
    fn a_clock_that_ticks_goes_on_from_where_it_was() {
        let mut clock = Clock::new();
        clock.advance(500 * MS);
        clock.tick();
        assert!(clock.now() >= 500 * MS && clock.now() < 60_000 * MS);
    }
}
