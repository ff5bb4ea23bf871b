//! Determines the due times that a run serves.

use core::time::Duration;

use super::counts::Ending;
use super::{Backlog, Rate, RateReport};
use crate::identity::Identity;
use crate::limits::{Limits, MeasuredRun};
use crate::observer::{
    DueTimes, NotQueried, QueryOutcome, RunEnd, RunObserver, SystemWork, times, whole_periods,
};
use crate::resource::Resources;

impl<M> Rate<M> {
    /// How long before a due time a run can begin to serve it.
    fn early(&self) -> Duration {
        // A driver begins each run at a due time of some rate. The due times of this rate can be far from it.
        match self.is_driven && self.tolerance.is_none() {
            true => Duration::ZERO,
            false => self.jitter(),
        }
    }

    /// The tolerance in force.
    fn jitter(&self) -> Duration {
        match (self.tolerance, self.backlog) {
            (Some(tolerance), _) => tolerance.min(self.period / 2),
            (None, Backlog::Skip) => self.period / 2,
            (None, Backlog::CatchUp(_)) => Duration::ZERO,
        }
    }

    /// Whether a run with this lateness is late.
    pub(super) fn is_late(&self, lateness: Duration) -> bool {
        match (self.tolerance, self.backlog) {
            (None, Backlog::CatchUp(_)) => lateness >= self.period,
            _ => lateness > self.jitter(),
        }
    }

    /// The number of due times that a run at this time can serve.
    pub(super) fn n_due(&self, now: Duration) -> u64 {
        if self.is_start && now < self.next {
            return 0;
        }
        let until = now.saturating_add(self.early());
        match until.checked_sub(self.next) {
            Some(time) => whole_periods(time, self.period).saturating_add(1),
            None => 0,
        }
    }

    /// Ends the next `n` due times with this outcome.
    pub(super) fn end(&mut self, n: u64, ending: Ending) {
        self.is_start &= n == 0;
        self.counts.add(ending, n);
        self.next = self.next.saturating_add(times(self.period, n));
    }

    /// Sets the time up to which time was counted. If the clock was set back, the due times move back by the same
    /// amount.
    pub(super) fn see(&mut self, now: Duration) {
        if now < self.seen {
            self.next = self.next.saturating_sub(self.seen - now);
        }
        self.seen = now;
    }

    /// Whether the rate is due now. If so, one due time counts as served.
    pub(super) fn ask(&mut self, now: Duration) -> bool {
        let is_first_in_run = !core::mem::replace(&mut self.is_asked, true);
        if is_first_in_run {
            self.served = None;
        }
        if is_first_in_run && core::mem::take(&mut self.is_reset) {
            self.next = now;
            self.is_start = true;
            self.n_in_turn = 0;
        } else if now != self.seen {
            self.n_in_turn = 0;
            self.see(now);
        }
        self.seen = now;
        if is_first_in_run && self.is_paused && self.is_driven {
            // The driver evaluates a false guard once per period, so the pause may have ended up to a period ago.
            let waited = now.saturating_sub(self.next).min(self.period);
            self.next = self.next.saturating_add(waited);
        }
        let n_due = self.n_due(now);
        if n_due == 0 {
            self.n_in_turn = 0;
            return false;
        }
        let lateness = now.saturating_sub(self.next);
        if self.n_in_turn == 0 {
            self.lateness = lateness;
            self.max_lateness = self.max_lateness.max(lateness);
            self.late.add(lateness);
            self.served.get_or_insert(self.next);
        }
        // The run serves the first due time. With `catch_up`, it serves the first one within the limit.
        let ending = match self.backlog {
            Backlog::Skip => {
                let ending = self.served(lateness);
                self.end(n_due - 1, Ending::Skipped);
                ending
            }
            Backlog::CatchUp(at_most) => {
                let n_kept = u64::from(at_most - self.n_in_turn.min(at_most));
                self.end(n_due.saturating_sub(n_kept), Ending::Skipped);
                if n_kept == 0 {
                    self.n_in_turn = 0;
                    return false;
                }
                self.n_in_turn += 1;
                self.served(now.saturating_sub(self.next))
            }
        };
        self.end(1, ending);
        self.last = Some(ending);
        true
    }

    pub(super) fn served(&self, lateness: Duration) -> Ending {
        if self.is_late(lateness) {
            Ending::Late
        } else {
            Ending::OnTime
        }
    }

    /// Updates the rate at the end of a run of a schedule that contains its condition, at this time of the clock.
    pub(super) fn run_ended(&mut self, now: Duration, outcome: QueryOutcome) {
        self.settle(now, outcome);
        self.take_new_period();
    }

    /// Sets the outcomes of due times at the end of a run.
    fn settle(&mut self, now: Duration, outcome: QueryOutcome) {
        self.n_in_turn = 0;
        self.is_paused = false;
        let last = self.last.take();
        if core::mem::take(&mut self.is_asked) {
            let ending = match outcome.work {
                SystemWork::Ran => return,
                SystemWork::Skipped => Ending::Skipped,
                SystemWork::Disabled => Ending::Disabled,
                SystemWork::Failed => Ending::Failed,
            };
            if let Some(last) = last {
                self.counts.change(last, ending);
            }
            return;
        }
        self.served = None;
        if self.is_reset {
            return;
        }
        match outcome.not_queried {
            NotQueried::Unreached => return,
            NotQueried::Paused if !self.counts_paused => {
                let paused = now.saturating_sub(self.seen);
                self.next = self.next.saturating_add(paused);
                self.seen = self.seen.saturating_add(paused);
                self.is_paused = true;
            }
            NotQueried::Disabled => self.end(self.n_due(now), Ending::Disabled),
            NotQueried::Paused | NotQueried::Skipped => {
                if self.backlog == Backlog::Skip {
                    self.end(self.n_due(now), Ending::Skipped);
                }
            }
        }
        self.see(now);
    }
}

impl<M: Identity + 'static> RunObserver for Rate<M> {
    fn run_ended(resources: &mut Resources, end: RunEnd, outcome: QueryOutcome) {
        if let Some(rate) = resources.get_mut::<Self>() {
            rate.is_driven = end.is_driven;
            rate.run_ended(end.now, outcome);
        }
    }

    fn due_times(resources: &Resources) -> Option<DueTimes> {
        let rate = resources.get::<Self>()?;
        Some(DueTimes {
            next: rate.next,
            seen: rate.seen,
            period: rate.period,
            is_paused: rate.is_paused,
            has_limits: rate.limits.is_some(),
        })
    }

    fn note_times(
        resources: &mut Resources,
        end: Duration,
        busy: Duration,
    ) -> Option<(Limits, MeasuredRun)> {
        let rate = resources.get_mut::<Self>()?;
        rate.note_times(end, busy)
    }

    fn report(resources: &Resources) -> Option<RateReport> {
        resources.get::<Self>().map(Self::report)
    }
}
