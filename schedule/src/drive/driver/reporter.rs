//! Reports what happens in the runs of a driver: to statistics, hooks, warnings and metrics.

use core::time::Duration;

use super::meter::{DriverMeter, MeteredRun};
use super::notices::Notices;
use super::{DriverStats, Overrun};
use crate::data::limits::{LimitKind, LimitMiss, LimitedPart, MeasuredRun, TimeLimits};
use crate::data::resource::Resources;
use crate::run::schedule::{MeasuredRanks, Schedule, SlowAmong};
use crate::run::timeline::LimitedRanks;

pub(super) type OverrunHook = Box<dyn FnMut(&Overrun, &mut Resources) + Send>;
pub(super) type LimitHook = Box<dyn FnMut(&LimitMiss, &mut Resources) + Send>;

#[derive(Default)]
pub(super) struct Reporter {
    /// On the heap, because its histograms are large.
    pub(super) stats: Box<DriverStats>,
    pub(super) meter: DriverMeter,
    notices: Notices,
    pub(super) on_overrun: Option<OverrunHook>,
    pub(super) on_limit_miss: Option<LimitHook>,
}

impl Reporter {
    /// A run has ended. All times are times of the clock.
    pub(super) fn run_ended(
        &mut self,
        schedule: &Schedule,
        resources: &Resources,
        [due, begin, end]: [Duration; 3],
        has_failed: bool,
    ) {
        let run = MeteredRun {
            lateness: begin.saturating_sub(due),
            run_time: end.saturating_sub(begin),
            has_failed,
        };
        self.stats.n_runs += 1;
        self.stats.n_failed += u64::from(run.has_failed);
        self.stats.lateness.add(run.lateness);
        self.stats.run_time.add(run.run_time);
        self.meter.note_run(schedule, resources, run);
    }

    pub(super) fn overrun(
        &mut self,
        schedule: &Schedule,
        resources: &mut Resources,
        overrun: &Overrun,
    ) {
        self.stats.n_overruns += 1;
        self.stats.max_overrun = self.stats.max_overrun.max(overrun.by());
        self.meter.note_overrun();
        self.notices.warn(schedule.name(), overrun.end, overrun);
        if let Some(hook) = &mut self.on_overrun {
            hook(overrun, resources);
        }
    }

    /// Reports the limits that a part of a run exceeded. `begin`, `end`: times of the run, by the clock.
    pub(super) fn measured(
        &mut self,
        (schedule, measured): (&Schedule, &MeasuredRanks),
        resources: &mut Resources,
        [begin, end]: [Duration; 2],
        ranks: LimitedRanks,
        (of, limits, run): (LimitedPart, TimeLimits, MeasuredRun),
    ) {
        for (kind, limit, took) in limits.exceeded(&run) {
            let among = match kind {
                LimitKind::Deadline => SlowAmong::EndedBy(run.due.saturating_add(run.response)),
                LimitKind::Budget => SlowAmong::Part(ranks),
            };
            let miss = LimitMiss {
                nth_run: self.stats.n_runs - 1,
                of: of.clone(),
                kind,
                limit,
                took,
                began_late: begin.saturating_sub(run.due),
                busy: run.busy,
                slow: schedule.slow_systems(measured, among, took.saturating_sub(limit)),
            };
            self.stats.note_limit_miss(kind);
            self.meter.note_limit_miss(kind);
            self.notices.warn(schedule.name(), end, &miss);
            if let Some(hook) = &mut self.on_limit_miss {
                hook(&miss, resources);
            }
        }
    }
}
