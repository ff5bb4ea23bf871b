//! Measures the systems whose time is limited.

use core::time::Duration;
use std::sync::Arc;

use super::epoch::SharedEpoch;
use super::reporter::Reporter;
use super::timer::Timer;
use crate::data::limits::{LimitedPart, MeasuredRun, TimeLimits};
use crate::data::resource::Resources;
use crate::data::slow_systems::SlowSystems;
use crate::data::stopwatch::Now;
use crate::run::schedule::{MeasuredRanks, Schedule, SlowAmong};
use crate::run::timeline::{LimitedRanks, MeasuredLimit};
use crate::systems::rate::observer::DueTimes;

/// The systems that are measured in each run.
pub(super) struct Measuring {
    /// Returns the time of the clock.
    now: Now,
    /// The measured systems. `None` if the limits may have changed.
    measured: Option<MeasuredRanks>,
    /// `rates[i]`: whether the systems of rate i are measured.
    rates: Vec<bool>,
    /// Whether all systems are measured.
    all: bool,
}

impl Measuring {
    pub(super) fn new<T: Timer>(timer: &T, epoch: &SharedEpoch) -> Self {
        let (timer, epoch) = (timer.clone(), epoch.clone());
        Self {
            now: Arc::new(move || epoch.now(&timer)),
            measured: None,
            rates: Vec::new(),
            all: false,
        }
    }

    /// Measures all systems from the next run on.
    pub(super) fn measure_all(&mut self) {
        self.all = true;
        self.measured = None;
    }

    /// Returns the time of the clock.
    pub(super) fn now(&self) -> Now {
        Arc::clone(&self.now)
    }

    /// Prepares the measurement of a run. Allocates only if limits were set or removed since the last run.
    pub(super) fn begin_run(&mut self, schedule: &mut Schedule, rates: &[Option<DueTimes>]) {
        let has_limits = rates
            .iter()
            .map(|rate| rate.is_some_and(|rate| rate.has_limits));
        if !self.rates.iter().copied().eq(has_limits.clone()) {
            self.rates.clear();
            self.rates.extend(has_limits);
            self.measured = None;
        }
        // A function of `with_run` can have changed or exchanged the schedule in the last run.
        if !self.has_measured(schedule) {
            self.measured = None;
        }
        let measured = self
            .measured
            .get_or_insert_with(|| schedule.measure(&self.now, &self.rates, self.all));
        schedule.clear_measured(measured);
    }

    /// Whether the measured systems are those of this schedule, as it is now: no run has changed or exchanged it.
    pub(super) fn has_measured(&self, schedule: &Schedule) -> bool {
        let measured = self.measured.as_ref();
        measured.is_some_and(|measured| schedule.has(measured))
    }

    /// Notes the times of a run that [has measured](Self::has_measured) the schedule, and reports the limits that it exceeded. `due`,
    /// `begin`, `end`: times of the run, by the clock. `all`: in a recorded run, the list to which all limits are added.
    pub(super) fn end_run(
        &self,
        schedule: &mut Schedule,
        resources: &mut Resources,
        reporter: &mut Reporter,
        [due, begin, end]: [Duration; 3],
        mut all: Option<&mut Vec<MeasuredLimit>>,
    ) {
        let Some(measured) = &self.measured else {
            return;
        };
        for &rank in &measured.limited {
            if let Some(times) = schedule.note_system_times(rank, due) {
                let of = LimitedRanks::OfSystem(rank);
                note(&mut all, of, &times);
                reporter.measured((schedule, measured), resources, [begin, end], of, times);
            }
        }
        let rates = self.rates.iter().enumerate();
        for (nth, _) in rates.filter(|(_, is_measured)| **is_measured) {
            if let Some(times) = schedule.note_rate_times(nth, resources) {
                let of = LimitedRanks::OfRate(nth);
                note(&mut all, of, &times);
                reporter.measured((schedule, measured), resources, [begin, end], of, times);
            }
        }
    }

    /// The systems that explain an overrun of a run that [has measured](Self::has_measured) the schedule.
    pub(super) fn slow_systems(
        &self,
        schedule: &Schedule,
        end: Duration,
        by: Duration,
    ) -> SlowSystems {
        let slow = |measured| schedule.slow_systems(measured, SlowAmong::EndedBy(end), by);
        self.measured.as_ref().map(slow).unwrap_or_default()
    }
}

/// Adds limits to the list of a recorded run.
fn note(
    all: &mut Option<&mut Vec<MeasuredLimit>>,
    of: LimitedRanks,
    (part, limits, run): &(LimitedPart, TimeLimits, MeasuredRun),
) {
    if let Some(all) = all {
        all.push(MeasuredLimit {
            of,
            part: part.clone(),
            limits: *limits,
            run: *run,
        });
    }
}
