//! The rates of the controller, and the periods between the runs of each.

use std::marker::PhantomData;
use std::time::Duration;

use schedule::prelude::*;
use schedule::{Identity, Rate};

/// Sensors, rotation rates and motors: 1 kHz.
#[derive(Group)]
pub(crate) struct RateLoop;

/// Tilt: 500 Hz.
#[derive(Group)]
pub(crate) struct TiltLoop;

/// Altitude and modes: 100 Hz.
#[derive(Group)]
pub(crate) struct AltitudeLoop;

/// Telemetry and parameters: 20 Hz.
#[derive(Group)]
pub(crate) struct Link;

/// The planner and the battery: 10 Hz.
#[derive(Group)]
pub(crate) struct Planning;

/// A rate: its name, and its period in ticks of 1 ms.
pub(crate) trait Rated: Identity + Send + Sync + 'static {
    const LABEL: &'static str;
    const TICKS: u32;

    fn period() -> Duration {
        TICK * Self::TICKS
    }

    /// The rate of the schedule.
    fn rate() -> Rate<Self>
    where
        Self: Sized,
    {
        Rate::every(Self::period())
    }
}

/// The period of the fastest rate.
pub(crate) const TICK: Duration = Duration::from_millis(1);

macro_rules! rated {
    ($($marker:ident $label:literal $ticks:literal)*) => {
        $(impl Rated for $marker {
            const LABEL: &'static str = $label;
            const TICKS: u32 = $ticks;
        })*
    };
}

rated! {
    RateLoop "1 kHz" 1
    TiltLoop "500 Hz" 2
    AltitudeLoop "100 Hz" 10
    Link "20 Hz" 50
    Planning "10 Hz" 100
}

/// How far the times between two runs are from the period.
#[derive(Clone, Debug, Default)]
pub(crate) struct Periods {
    period: Duration,
    last: Option<Duration>,
    pub(crate) errors: Vec<Duration>,
    /// Number of due times until the last run.
    n_due: u32,
    /// `missed[i]`: late and skipped due times in the i-th fifth of the time between two starts of the planner.
    pub(crate) missed: [u64; 5],
}

impl Periods {
    /// Has memory for the runs of a flight of this length.
    pub(crate) fn new(period: Duration, flight: Duration) -> Self {
        let n_runs = flight.as_nanos() / period.as_nanos() + 2;
        Self {
            period,
            last: None,
            errors: Vec::with_capacity(n_runs as usize),
            n_due: 0,
            missed: [0; 5],
        }
    }

    /// Notes that a run began at this time.
    pub(crate) fn note(&mut self, now: Duration) {
        if let Some(last) = self.last.replace(now) {
            self.errors.push((now - last).abs_diff(self.period));
        }
        let n_due = (now.as_nanos() / self.period.as_nanos()) as u32 + 1;
        if now > self.period * self.n_due + self.period / 2 {
            for nth in self.n_due..n_due {
                let part = (self.period * nth).as_millis() % 100 / 20;
                self.missed[part as usize] += 1;
            }
        }
        self.n_due = n_due;
    }
}

/// The periods of the runs of a rate.
#[derive(Resource)]
pub(crate) struct RunPeriods<M: Identity + 'static>(pub(crate) Periods, PhantomData<fn() -> M>);

impl<M: Rated> RunPeriods<M> {
    pub(crate) fn new(flight: Duration) -> Self {
        Self(Periods::new(M::period(), flight), PhantomData)
    }
}

/// Notes the begin of a run of this rate.
#[system]
pub(crate) fn note<M: Rated>(clock: &Clock, periods: &mut RunPeriods<M>) {
    periods.0.note(clock.now());
}
