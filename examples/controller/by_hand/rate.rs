//! Rates of the loop by hand.

use std::time::Duration;

use crate::rates::{Periods, Rated};
use crate::report::Line;
use crate::script::Script;

/// A rate of the loop. If the loop is late, one run serves all due times that have passed.
pub(super) struct HandRate {
    period: Duration,
    /// The number of due times with an outcome.
    n_due: u32,
    /// The due time from which the current run counts.
    served: Duration,
    pub(super) line: Line,
}

impl HandRate {
    pub(super) fn new<M: Rated>(script: &Script) -> Self {
        let periods = Periods::new(M::period(), script.length);
        Self {
            period: M::period(),
            n_due: 0,
            served: Duration::ZERO,
            line: Line::new(M::LABEL, periods),
        }
    }

    pub(super) fn next_due(&self) -> Duration {
        self.period * self.n_due
    }

    /// Returns whether the rate is due.
    pub(super) fn begin(&mut self, now: Duration) -> bool {
        let due = self.next_due();
        if now < due {
            return false;
        }
        self.served = due;
        let n_due = (now.as_nanos() / self.period.as_nanos()) as u32 + 1;
        self.line.n_skipped += u64::from(n_due - self.n_due - 1);
        self.n_due = n_due;
        self.line.n_due = n_due.into();
        self.line.periods.note(now);
        self.line.n_late += u64::from(now - due > self.period / 2);
        true
    }

    pub(super) fn end(&mut self, has_failed: bool, time: &impl Fn() -> Duration) {
        self.line.n_failed += u64::from(has_failed);
        self.line.n_deadline_missed += u64::from(time() - self.served > self.period);
    }
}
