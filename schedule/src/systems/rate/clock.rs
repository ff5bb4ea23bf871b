//! The clock that rates use.

use core::time::Duration;

use schedule_macros::{Group, Resource, system};

use crate::base::time::Instant;

/// The time of a schedule. It begins at 0.
///
/// A program advances it between runs, or adds the system [`tick`]. [`Clock::tick`] advances it with the real time. A test can call
/// [`Clock::advance`] with any duration. A [`Driver`](crate::Driver) advances it before each run.
///
/// With the feature `serde`, the time is serialized. The next [`Clock::tick`] of a deserialized clock continues from it.
#[derive(Resource, Debug, Default)]
#[resource(crate = crate)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clock {
    now: Duration,
    /// The real time at which this clock showed 0.
    #[cfg_attr(feature = "serde", serde(skip))]
    start: Option<Instant>,
    /// Whether a driver runs the schedule: runs begin at due times.
    #[cfg_attr(feature = "serde", serde(skip))]
    is_driven: bool,
    /// For recordings of inputs.
    #[cfg(feature = "snapshot")]
    #[cfg_attr(feature = "serde", serde(skip))]
    ticks: RunTicks,
}

/// The ticks of the current run, if it is recorded or replayed.
#[cfg(feature = "snapshot")]
#[derive(Debug, Default)]
struct RunTicks {
    /// Whether a recorded or replayed run goes on.
    is_noting: bool,
    /// The times after the ticks of this run.
    noted: Vec<Duration>,
    /// In a replay: the times after the ticks of the recorded run. `None` if they are not recorded.
    replayed: Option<Vec<Duration>>,
}

/// A clone has the time of the clock, but is not part of the run.
impl Clone for Clock {
    fn clone(&self) -> Self {
        Self {
            now: self.now,
            start: self.start,
            ..Self::default()
        }
    }
}

impl Clock {
    /// Creates a clock at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The current time.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Advances the clock by this duration.
    pub fn advance(&mut self, by: Duration) {
        self.now = self.now.saturating_add(by);
    }

    /// Advances the clock to this time. Does nothing if the clock is already there or later.
    pub fn advance_to(&mut self, time: Duration) {
        self.now = self.now.max(time);
    }

    /// Advances the clock to the begin of a run by a driver.
    pub(crate) fn drive_to(&mut self, time: Duration) {
        self.advance_to(time);
        self.is_driven = true;
    }

    /// Ends the use of the clock by a driver.
    pub(crate) fn end_drive(&mut self) {
        self.is_driven = false;
    }

    pub(crate) fn is_driven(&self) -> bool {
        self.is_driven
    }

    /// Advances the clock with the real time, which counts from the first tick. A tick never sets the clock back.
    ///
    /// Does nothing in a run by a [`Driver`](crate::Driver), which has set the clock. In a replayed run, advances the clock to the
    /// time of the same tick in the recorded run. A tick that the recorded run does not have changes nothing.
    ///
    /// On `wasm32-unknown-unknown` there is no real time. There, this needs
    /// [`set_time_source`](crate::rate::set_time_source), and does nothing without it.
    pub fn tick(&mut self) {
        if self.is_driven {
            return;
        }
        #[cfg(feature = "snapshot")]
        if let Some(replayed) = &self.ticks.replayed {
            let time = replayed.get(self.ticks.noted.len());
            self.now = time.map_or(self.now, |&time| self.now.max(time));
            self.ticks.noted.push(self.now);
            return;
        }
        let before = self.now;
        let start = *self.start.get_or_insert_with(|| Instant::now() - before);
        self.now = self.now.max(start.elapsed());
        #[cfg(feature = "snapshot")]
        if self.ticks.is_noting {
            self.ticks.noted.push(self.now);
        }
    }
}

/// Recordings and replays of runs.
#[cfg(feature = "snapshot")]
impl Clock {
    /// Begins a run whose ticks are noted.
    pub(crate) fn begin_noting(&mut self) {
        self.ticks.is_noting = true;
        self.ticks.noted.clear();
    }

    /// Ends the run whose ticks are noted.
    pub(crate) fn end_noting(&mut self) {
        self.ticks.is_noting = false;
    }

    /// The times after the ticks of the run.
    pub(crate) fn noted_ticks(&self) -> &[Duration] {
        &self.ticks.noted
    }

    /// Sets the time of a replayed run, which can be earlier than the current time. `ticks`: the times after the ticks of the
    /// recorded run, if they are recorded.
    pub(crate) fn begin_replay(
        &mut self,
        now: Duration,
        is_driven: bool,
        ticks: Option<Vec<Duration>>,
    ) {
        self.now = now;
        // The next tick in real time continues from the time of the replay.
        self.start = None;
        self.is_driven = is_driven;
        self.begin_noting();
        self.ticks.replayed = ticks;
    }

    pub(crate) fn end_replay(&mut self) {
        self.is_driven = false;
        self.end_noting();
        self.ticks.replayed = None;
    }
}

/// The systems that advance the clock. Rates come after this group. Add your own systems that advance the clock to it.
#[derive(Group, Debug)]
#[group(crate = crate)]
pub struct Tick;

/// Advances the clock with the real time, by [`Clock::tick`].
#[system(crate = crate, in = Tick)]
pub fn tick(clock: &mut Clock) {
    clock.tick();
}
