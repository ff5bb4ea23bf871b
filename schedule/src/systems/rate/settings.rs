//! Changes of a rate while it is in use.

use core::time::Duration;

use super::counts::Ending;
use super::{Clock, Rate, assert_period};
use crate::base::nanos::Nanos;

impl<M> Rate<M> {
    /// Changes the period.
    ///
    /// A system can call this. If the run has already evaluated the rate, the change takes effect at the end of the run.
    ///
    /// The next due time is one new period after the last due time, or the time of the last run if that is later. So a change
    /// in a run causes no burst of due times. After a change between two runs, due times since the last run follow the new
    /// period. Due times that have passed without a run count as skipped. If the rate has not started yet, its start stays.
    ///
    /// A [tolerance](Self::tolerance) of more than half of the new period has the effect of half of the new period.
    ///
    /// # Panics
    ///
    /// Panics if the period is 0.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::prelude::*;
    /// use schedule::rate::is_due;
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// #[derive(Resource, Default)]
    /// struct Times(Vec<u128>);
    ///
    /// /// Halves the frequency in the run at 20 ms.
    /// #[system(in = Control)]
    /// fn control(clock: &Clock, rate: &mut Rate<Control>, times: &mut Times) {
    ///     times.0.push(clock.now().as_millis());
    ///     if clock.now() == Duration::from_millis(20) {
    ///         rate.set_period(Duration::from_millis(20));
    ///     }
    /// }
    ///
    /// let mut schedule = Schedule::builder()
    ///     .add::<control>()
    ///     .group::<Control>()
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert_default::<Times>();
    /// resources.insert(Rate::<Control>::every(Duration::from_millis(10)));
    /// while resources.get::<Clock>().unwrap().now() <= Duration::from_millis(60) {
    ///     schedule.run(&mut resources)?;
    ///     let next = resources.get::<Rate<Control>>().unwrap().next_due();
    ///     resources.get_mut::<Clock>().unwrap().advance_to(next);
    /// }
    /// assert_eq!(resources.get::<Times>().unwrap().0, [0, 10, 20, 40, 60]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_period(&mut self, period: Duration) {
        assert_period(period);
        let period = Nanos::of(period);
        if self.is_asked {
            self.new_period = Some(period);
        } else {
            self.change_period(period);
        }
    }

    /// Begins the period anew: the rate is next due one period after the present time of the clock.
    ///
    /// Unlike [`reset`](Self::reset), which makes the rate due at its next evaluation, this delays it. For example, each sign of life
    /// delays a watchdog. All due times without an outcome are discarded, and a start in the future. The metrics stay.
    ///
    /// In a loop of your own, the tolerance applies: by default, the rate is due up to half a period earlier. For a watchdog, set
    /// [`tolerance`](Self::tolerance) to 0.
    ///
    /// A system can call this. It takes effect at once. In a loop with this rate, the condition is then false. If [`tick`](super::tick)
    /// is in the schedule, order the system after it. Between two runs of a driver, the clock has the time of the last run.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::prelude::*;
    /// use schedule::rate::is_due;
    ///
    /// #[derive(Group)]
    /// struct Watchdog;
    ///
    /// #[derive(Resource)]
    /// struct Link {
    ///     is_alive: bool,
    ///     n_lost: u32,
    /// }
    ///
    /// #[system(before = is_due<Watchdog>)]
    /// fn receive(clock: &Clock, link: &Link, rate: &mut Rate<Watchdog>) {
    ///     if link.is_alive {
    ///         rate.restart(clock);
    ///     }
    /// }
    ///
    /// #[system(in = Watchdog, after = receive)]
    /// fn stop_motors(link: &mut Link) {
    ///     link.n_lost += 1;
    /// }
    ///
    /// let mut schedule = Schedule::builder()
    ///     .add::<receive>()
    ///     .add::<is_due<Watchdog>>()
    ///     .add::<stop_motors>()
    ///     .group::<Watchdog>()
    ///     .run_if(Condition::of::<is_due<Watchdog>>())
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Watchdog>::every(Duration::from_millis(50)).tolerance(Duration::ZERO));
    /// resources.insert(Link { is_alive: true, n_lost: 0 });
    /// // The link is lost after 70 ms, so the watchdog is due at 120 ms.
    /// for ms in (0..=120).step_by(10) {
    ///     assert_eq!(resources.get::<Link>().unwrap().n_lost, 0);
    ///     resources.get_mut::<Link>().unwrap().is_alive = ms <= 70;
    ///     resources.get_mut::<Clock>().unwrap().advance_to(Duration::from_millis(ms));
    ///     schedule.run(&mut resources)?;
    /// }
    /// assert_eq!(resources.get::<Link>().unwrap().n_lost, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restart(&mut self, clock: &Clock) {
        self.restart_at(Nanos::of(clock.now()));
    }

    /// `n_in_turn` stays, because the limit of `catch_up` also applies to a loop in which the rate is restarted.
    pub(super) fn restart_at(&mut self, now: Nanos) {
        self.next = now.plus(self.period);
        // A pause before this time must not move the new due time. The clock may have been set back.
        self.seen = now;
        self.is_start = false;
        self.is_new = false;
        self.is_reset = false;
        self.is_paused = false;
    }

    /// Changes the period at the end of a run, if a system of the run has set another one.
    pub(super) fn take_new_period(&mut self) {
        if let Some(period) = self.new_period.take() {
            self.change_period(period);
        }
    }

    #[cold]
    fn change_period(&mut self, period: Nanos) {
        if !self.is_start && !self.is_reset {
            if self.seen >= self.next {
                let time = self.seen.minus(self.next);
                let n_passed = time.whole(self.period).saturating_add(1);
                self.end(n_passed, Ending::Skipped);
            }
            let last = self.next.minus(self.period);
            self.next = last.plus(period).max(self.seen);
        }
        self.period = period;
        self.set_early();
    }
}
