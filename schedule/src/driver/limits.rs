//! Measures the systems whose time is limited.

use core::time::Duration;
use std::sync::Arc;

use super::epoch::Epoch;
use super::reporter::Reporter;
use super::timer::Timer;
use crate::observer::DueTimes;
use crate::resource::Resources;
use crate::schedule::Schedule;
use crate::stopwatch::Now;

/// The systems that are measured in each run.
pub(super) struct Measuring {
    now: Now,
    /// The ranks of the systems with limits. `None` if they must be looked up.
    systems: Option<Vec<u32>>,
    /// `rates[i]`: whether the systems of rate i are measured.
    rates: Vec<bool>,
}

impl Measuring {
    pub(super) fn new<T: Timer>(timer: &T) -> Self {
        let timer = timer.clone();
        Self {
            now: Arc::new(move || timer.now()),
            systems: None,
            rates: Vec::new(),
        }
    }

    /// The schedule may have changed.
    pub(super) fn forget(&mut self) {
        self.systems = None;
        self.rates.clear();
    }

    /// Prepares the measurement of a run. Allocates only if limits were set since the last run.
    pub(super) fn begin_run(&mut self, schedule: &mut Schedule, rates: &[Option<DueTimes>]) {
        if self.systems.is_none() {
            self.systems = Some(schedule.measure_limited(&self.now));
        }
        self.rates.resize(rates.len(), false);
        for (nth, rate) in rates.iter().enumerate() {
            let has_limits = rate.is_some_and(|rate| rate.has_limits);
            if has_limits && !core::mem::replace(&mut self.rates[nth], true) {
                schedule.measure_rate(nth, &self.now);
            }
        }
        schedule.clear_measured(None, self.systems.as_deref().unwrap_or_default());
        for (nth, is_measured) in self.rates.iter().enumerate() {
            if *is_measured {
                schedule.clear_measured(Some(nth), &[]);
            }
        }
    }

    /// Notes the times of a run, and reports the limits that it exceeded. `due`, `end`: times of the run, by the clock.
    pub(super) fn end_run(
        &self,
        schedule: &mut Schedule,
        resources: &mut Resources,
        reporter: &mut Reporter,
        epoch: Epoch,
        [due, end]: [Duration; 2],
    ) {
        let clock_time = |time| epoch.to_clock(time);
        for &rank in self.systems.iter().flatten() {
            if let Some(measured) = schedule.note_system_times(rank, due, clock_time) {
                reporter.measured(schedule, resources, end, measured);
            }
        }
        let rates = self.rates.iter().enumerate();
        for (nth, _) in rates.filter(|(_, is_measured)| **is_measured) {
            if let Some(measured) = schedule.note_rate_times(nth, resources, clock_time) {
                reporter.measured(schedule, resources, end, measured);
            }
        }
    }
}
