//! Metrics of drivers: counters and histograms of the facade `metrics`.
//!
//! Without the feature `metrics`, all functions do nothing, so other code does not depend on the feature.

#[cfg(feature = "metrics")]
pub(super) use self::body::DriverMeter;
#[cfg(not(feature = "metrics"))]
pub(super) use self::off::DriverMeter;

use core::time::Duration;

/// A run, for metrics.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeteredRun {
    pub(super) lateness: Duration,
    pub(super) run_time: Duration,
    pub(super) has_failed: bool,
}

#[cfg(feature = "metrics")]
mod body {
    use metrics::{
        Counter, Histogram, Key, KeyName, Label, Level, Metadata, Recorder, SharedString, Unit,
        with_recorder,
    };

    use super::MeteredRun;
    use crate::data::limits::LimitKind;
    use crate::data::resource::Resources;
    use crate::run::schedule::Schedule;
    use crate::systems::rate::RateCounts;

    static METADATA: Metadata<'static> =
        Metadata::new("schedule::driver", Level::INFO, Some("schedule::driver"));

    const RUNS: &str = "schedule_driver_runs_total";
    const FAILED_RUNS: &str = "schedule_driver_failed_runs_total";
    const OVERRUNS: &str = "schedule_driver_overruns_total";
    const LIMIT_MISSES: &str = "schedule_driver_limit_misses_total";
    const DUE_TIMES: &str = "schedule_driver_due_times_total";
    const LATENESS: &str = "schedule_driver_lateness_seconds";
    const RUN_TIME: &str = "schedule_driver_run_seconds";

    /// The counters, with their descriptions.
    const COUNTERS: [(&str, &str); 5] = [
        (RUNS, "Runs of the schedule"),
        (FAILED_RUNS, "Runs that failed"),
        (OVERRUNS, "Runs that ended after the next due time"),
        (
            LIMIT_MISSES,
            "Deadlines and budgets that a rate or a system exceeded, by kind of limit",
        ),
        (DUE_TIMES, "Due times, by rate and outcome"),
    ];

    /// The histograms, with their descriptions.
    const HISTOGRAMS: [(&str, &str); 2] = [
        (LATENESS, "Time from the due time of a run to its begin"),
        (RUN_TIME, "Time from the begin of a run to its end"),
    ];

    /// The values of the label `outcome`.
    const OUTCOMES: [&str; 5] = ["on_time", "late", "skipped", "disabled", "failed"];

    /// The metrics of a driver. They are registered when the driver begins to run.
    #[derive(Default)]
    pub(in crate::drive::driver) struct DriverMeter(Option<DriverHandles>);

    struct DriverHandles {
        runs: Counter,
        failed_runs: Counter,
        overruns: Counter,
        deadlines: Counter,
        budgets: Counter,
        lateness: Histogram,
        run_time: Histogram,
        /// By rate.
        rates: Vec<RateHandles>,
    }

    struct RateHandles {
        /// The counts that the counters have.
        counted: RateCounts,
        /// By outcome.
        counters: [Counter; 5],
    }

    impl DriverMeter {
        /// Forgets the handles, because the recorder or the schedule may have changed.
        pub(in crate::drive::driver) fn forget(&mut self) {
            self.0 = None;
        }

        /// The rates may have other numbers now.
        pub(in crate::drive::driver) fn forget_rates(&mut self) {
            if let Some(handles) = &mut self.0 {
                handles.rates.clear();
            }
        }

        /// Registers the handles with the recorder of this thread.
        pub(in crate::drive::driver) fn begin_run(
            &mut self,
            schedule: &Schedule,
            resources: &Resources,
        ) {
            if self.0.is_none() {
                let handles = with_recorder(|recorder| register(recorder, schedule, resources));
                self.0 = Some(handles);
            }
        }

        pub(in crate::drive::driver) fn note_run(
            &mut self,
            schedule: &Schedule,
            resources: &Resources,
            run: MeteredRun,
        ) {
            let Some(handles) = &mut self.0 else { return };
            handles.runs.increment(1);
            handles.failed_runs.increment(u64::from(run.has_failed));
            handles.lateness.record(run.lateness);
            handles.run_time.record(run.run_time);
            let counts = schedule.rate_counts(resources);
            for (handles, counts) in handles.rates.iter_mut().zip(counts) {
                handles.note(counts.unwrap_or_default());
            }
        }

        pub(in crate::drive::driver) fn note_overrun(&self) {
            if let Some(handles) = &self.0 {
                handles.overruns.increment(1);
            }
        }

        pub(in crate::drive::driver) fn note_limit_miss(&self, kind: LimitKind) {
            if let Some(handles) = &self.0 {
                match kind {
                    LimitKind::Deadline => handles.deadlines.increment(1),
                    LimitKind::Budget => handles.budgets.increment(1),
                }
            }
        }
    }

    impl RateHandles {
        /// Adds the due times since the last call. Counts that became smaller were reset.
        fn note(&mut self, counts: RateCounts) {
            let before = core::mem::replace(&mut self.counted, counts);
            let before = if before.total() > counts.total() {
                RateCounts::default()
            } else {
                before
            };
            let counts = values(&counts).into_iter().zip(values(&before));
            for (counter, (now, before)) in self.counters.iter().zip(counts) {
                counter.increment(now.saturating_sub(before));
            }
        }
    }

    /// The counts in the order of `OUTCOMES`.
    fn values(counts: &RateCounts) -> [u64; 5] {
        [
            counts.on_time,
            counts.late,
            counts.skipped,
            counts.disabled,
            counts.failed,
        ]
    }

    fn register(
        recorder: &dyn Recorder,
        schedule: &Schedule,
        resources: &Resources,
    ) -> DriverHandles {
        for (name, description) in COUNTERS {
            let name = KeyName::from_const_str(name);
            let description = SharedString::const_str(description);
            recorder.describe_counter(name, Some(Unit::Count), description);
        }
        for (name, description) in HISTOGRAMS {
            let name = KeyName::from_const_str(name);
            let description = SharedString::const_str(description);
            recorder.describe_histogram(name, Some(Unit::Seconds), description);
        }
        let key = |name: &'static str, labels: Vec<Label>| {
            let schedule = Label::new("schedule", schedule.name().to_string());
            Key::from_parts(name, [vec![schedule], labels].concat())
        };
        let counter = |name, labels| recorder.register_counter(&key(name, labels), &METADATA);
        let histogram = |name| recorder.register_histogram(&key(name, Vec::new()), &METADATA);
        let limit = |kind| counter(LIMIT_MISSES, vec![Label::from_static_parts("limit", kind)]);
        let rates = schedule
            .rates()
            .zip(schedule.rate_counts(resources))
            .map(|(rate, counts)| RateHandles {
                counted: counts.unwrap_or_default(),
                counters: OUTCOMES.map(|outcome| {
                    let rate = Label::new("rate", rate.to_string());
                    let outcome = Label::from_static_parts("outcome", outcome);
                    counter(DUE_TIMES, vec![rate, outcome])
                }),
            });
        DriverHandles {
            runs: counter(RUNS, Vec::new()),
            failed_runs: counter(FAILED_RUNS, Vec::new()),
            overruns: counter(OVERRUNS, Vec::new()),
            deadlines: limit("deadline"),
            budgets: limit("budget"),
            lateness: histogram(LATENESS),
            run_time: histogram(RUN_TIME),
            rates: rates.collect(),
        }
    }
}

#[cfg(not(feature = "metrics"))]
mod off {
    use super::MeteredRun;
    use crate::data::limits::LimitKind;
    use crate::data::resource::Resources;
    use crate::run::schedule::Schedule;

    /// Does nothing.
    #[cfg(not(feature = "metrics"))]
    #[derive(Default)]
    pub(in crate::drive::driver) struct DriverMeter;

    impl DriverMeter {
        #[inline(always)]
        pub(in crate::drive::driver) fn forget(&mut self) {}

        #[inline(always)]
        pub(in crate::drive::driver) fn forget_rates(&mut self) {}

        #[inline(always)]
        pub(in crate::drive::driver) fn begin_run(&mut self, _: &Schedule, _: &Resources) {}

        #[inline(always)]
        pub(in crate::drive::driver) fn note_run(
            &mut self,
            _: &Schedule,
            _: &Resources,
            _: MeteredRun,
        ) {
        }

        #[inline(always)]
        pub(in crate::drive::driver) fn note_overrun(&self) {}

        #[inline(always)]
        pub(in crate::drive::driver) fn note_limit_miss(&self, _: LimitKind) {}
    }
}
