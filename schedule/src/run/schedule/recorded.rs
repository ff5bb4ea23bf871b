//! Runs that a driver records.

use core::time::Duration;
use std::sync::Arc;

use super::Schedule;
use crate::base::time::Instant;
use crate::data::record::{RecordClock, RecordedRun, RunNumber};
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::timeline::{MeasuredLimit, MeasuredLimits, Recording};

impl Schedule {
    /// Records a run. Returns the result, the number of the run, and when it began and ended.
    pub(super) fn record_here(
        &mut self,
        resources: &mut Resources,
    ) -> (Result<(), RunError>, RunNumber, Instant, Instant) {
        let run = RecordedRun::new(None);
        let prepared = self.nodes.prepare(resources);
        let begin = Instant::now();
        let result = match prepared {
            Ok(()) => {
                self.execution
                    .record(&mut self.nodes, &self.plan, resources, &run);
                self.finish_run(resources)
            }
            Err(refusal) => Err(self.run_refused(*refusal, resources, Some(&run))),
        };
        (result, run.number, begin, Instant::now())
    }

    /// Records the next run in the time of this clock, if it begins while the clock [waits](RecordClock::wait_for) for it. Returns the
    /// number of the run.
    pub(crate) fn record_next(&mut self, clock: &Arc<RecordClock>) -> RunNumber {
        let run = RecordedRun::new(Some(Arc::clone(clock)));
        let number = run.number;
        self.execution.record_next(run);
        number
    }

    /// Does not record the next run. Releases the clock if there was no run.
    pub(crate) fn record_no_run(&mut self) {
        self.execution.record_no_run();
    }

    /// Returns a recording in the time of this clock. `begin`, `end`: times of the run.
    pub(crate) fn recording<'s>(
        &'s self,
        run: RunNumber,
        clock: &RecordClock,
        [begin, end]: [Duration; 2],
        limits: &'s [MeasuredLimit],
    ) -> Recording<'s> {
        Recording {
            schedule: &self.name,
            nodes: &self.nodes,
            plan: &self.plan,
            run,
            begin: clock.at(begin),
            end: clock.at(end),
            limits: Some(MeasuredLimits {
                all: limits,
                begin,
                observers: &self.observers,
            }),
        }
    }
}
