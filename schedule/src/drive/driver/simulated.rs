//! Simulated time for drivers.

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schedule_macros::Resource;

use super::{StopToken, Timer};

/// Simulated time for a [`Driver`](super::Driver): a wait ends at once, and the time jumps to its end.
///
/// Time passes only in waits, and in calls of [`advance`](Self::advance) and [`set`](Self::set). Clones share the time. As a resource,
/// systems can advance it to simulate their duration.
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
/// /// Each execution takes 3 ms.
/// #[system(in = Control)]
/// fn control(timer: &SimulatedTimer) {
///     timer.advance(3 * MS);
/// }
///
/// let schedule = Schedule::builder()
///     .add::<control>()
///     .group::<Control>()
///     .run_if(Condition::of::<is_due<Control>>())
///     .build()?;
/// // A second. Each wake-up is 1 ms late.
/// let timer = SimulatedTimer::new().jitter(|_| MS).until(1000 * MS);
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// resources.insert(Rate::<Control>::every(10 * MS));
/// resources.insert(timer.clone());
/// let mut driver = Driver::with_timer(schedule, timer);
/// driver.run(&mut resources)?;
/// let counts = resources.get::<Rate<Control>>().unwrap().counts();
/// assert_eq!((counts.on_time, counts.total()), (100, 100));
/// assert_eq!(driver.stats().lateness.max(), MS);
/// assert_eq!(driver.stats().run_time.max(), 3 * MS);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Resource, Clone, Default)]
#[resource(crate = crate)]
pub struct SimulatedTimer(Arc<Mutex<SimulatedTime>>);

#[derive(Default)]
struct SimulatedTime {
    now: Duration,
    jitter: Option<Jitter>,
    until: Option<Duration>,
}

type Jitter = Arc<Mutex<dyn FnMut(Duration) -> Duration + Send>>;

impl SimulatedTimer {
    /// Creates a timer at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how late each wait ends. The function gets the requested end. It can read and advance this timer.
    pub fn jitter(self, jitter: impl FnMut(Duration) -> Duration + Send + 'static) -> Self {
        self.lock().jitter = Some(Arc::new(Mutex::new(jitter)));
        self
    }

    /// Stops the driver at this time: a wait that would end at this time or later stops the token. So
    /// [`run`](super::Driver::run) and [`record`](super::Driver::record) begin no run at this time or later, also with jitter.
    /// [`run_if_due`](super::Driver::run_if_due) does not wait, and is not stopped.
    pub fn until(self, end: Duration) -> Self {
        self.lock().until = Some(end);
        self
    }

    /// Advances the time: a stall.
    pub fn advance(&self, by: Duration) {
        let mut time = self.lock();
        time.now = time.now.saturating_add(by);
    }

    /// Sets the time: a jump. It can go backwards.
    pub fn set(&self, now: Duration) {
        self.lock().now = now;
    }

    fn lock(&self) -> MutexGuard<'_, SimulatedTime> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for SimulatedTimer {
    fn now(&self) -> Duration {
        self.lock().now
    }

    fn wait_until(&self, time: Duration, stop: &StopToken) {
        let jitter = {
            let simulated = self.lock();
            let is_over = simulated.until.is_some_and(|end| time >= end);
            let waits = time > simulated.now && !is_over;
            simulated.jitter.clone().filter(|_| waits)
        };
        // The function may use this timer.
        let late = jitter.map_or(Duration::ZERO, |jitter| {
            let mut jitter = jitter.lock().unwrap_or_else(PoisonError::into_inner);
            (*jitter)(time)
        });
        let mut simulated = self.lock();
        let wakes = simulated.now.max(time.saturating_add(late));
        match simulated.until.filter(|&end| wakes >= end) {
            None => simulated.now = wakes,
            Some(end) => {
                simulated.now = simulated.now.max(end);
                drop(simulated);
                stop.stop();
            }
        }
    }
}

impl fmt::Debug for SimulatedTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedTimer")
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}
