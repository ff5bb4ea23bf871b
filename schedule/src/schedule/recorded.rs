//! Runs that a driver records.

use core::time::Duration;
use std::sync::Arc;

use super::Schedule;
use crate::record::{RecordClock, RunNumber};
use crate::timeline::{MeasuredLimit, MeasuredLimits, Recording};

impl Schedule {
    /// Makes the next run a recorded one, in the time of this clock. Returns its number.
    pub(crate) fn begin_recording(&mut self, clock: &Arc<RecordClock>) -> RunNumber {
        self.nodes.set_record_clock(Some(clock));
        let run = self.nodes.number_run();
        self.execution.record_next(run);
        run
    }

    /// Ends the recording of this run, also if it did not take place. Returns the number under which its executions are found.
    pub(crate) fn end_recording(&mut self, clock: &Arc<RecordClock>, run: RunNumber) -> RunNumber {
        self.execution.record_no_run();
        match self.nodes.is_record_clock(Some(clock)) {
            true => run,
            // The schedule was replaced or changed, and has no executions of this run.
            false => self.nodes.number_run(),
        }
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

    /// Releases the clock of the driver.
    pub(crate) fn release_record_clock(&mut self) {
        self.nodes.set_record_clock(None);
    }
}
