//! Determines the due times that a run serves.

use core::time::Duration;

#[cfg(feature = "metrics")]
use super::RateCounts;
use super::counts::Ending;
use super::observer::{DueTimes, NotQueried, QueryOutcome, RunEnd, RunObserver, SystemWork};
use super::{Backlog, Rate, RateReport};
use crate::base::identity::Identity;
use crate::base::nanos::Nanos;
use crate::data::limits::{MeasuredRun, TimeLimits};
use crate::data::resource::{Resources, SlotHint};

impl<M> Rate<M> {
    /// Sets whether a driver has set the clock.
    #[inline]
    pub(super) fn set_driven(&mut self, is_driven: bool) {
        if is_driven != self.is_driven {
            self.is_driven = is_driven;
            self.set_early();
        }
    }

    /// Sets how early a run can begin. Must be called after each change of the period, the tolerance, `backlog` and `is_driven`.
    #[cold]
    pub(super) fn set_early(&mut self) {
        // A driver begins each run at a due time of some rate. The due times of this rate can be far from it.
        self.early = if self.is_driven && self.tolerance.is_none() {
            Nanos::ZERO
        } else {
            self.jitter()
        };
    }

    /// The tolerance in force.
    fn jitter(&self) -> Nanos {
        match (self.tolerance, self.backlog) {
            (Some(tolerance), _) => tolerance.min(self.period.half()),
            (None, Backlog::Skip) => self.period.half(),
            (None, Backlog::CatchUp(_)) => Nanos::ZERO,
        }
    }

    /// Whether a run with this lateness is late.
    pub(super) fn is_late(&self, lateness: Nanos) -> bool {
        match (self.tolerance, self.backlog) {
            (None, Backlog::CatchUp(_)) => lateness >= self.period,
            _ => lateness > self.jitter(),
        }
    }

    /// The number of due times that a run at this time can serve.
    pub(super) fn n_due(&self, now: Nanos) -> u64 {
        let until = now.plus(self.early);
        if until < self.next || self.is_start && now < self.next {
            return 0;
        }
        until.minus(self.next).whole(self.period).saturating_add(1)
    }

    /// Ends the next `n` due times with this outcome.
    pub(super) fn end(&mut self, n: u64, ending: Ending) {
        if n > 0 {
            self.is_start = false;
            self.counts.add(ending, n);
            self.next = self.next.plus(self.period.times(n));
        }
    }

    /// Sets the time up to which time was counted. If the clock was set back, the due times move back by the same
    /// amount.
    pub(super) fn see(&mut self, now: Nanos) {
        if now < self.seen {
            self.next = self.next.minus(self.seen.minus(now));
        }
        self.seen = now;
    }

    /// Whether the rate is due now. If so, one due time counts as served.
    #[inline]
    pub(super) fn evaluate(&mut self, now: Nanos) -> bool {
        let is_first_in_run = !core::mem::replace(&mut self.is_asked, true);
        if is_first_in_run {
            self.served = None;
        }
        if self.is_reset | self.is_paused | self.is_start | (now < self.seen) {
            return self.evaluate_after_pause(now, is_first_in_run);
        }
        if now != self.seen {
            self.n_in_turn = 0;
            self.seen = now;
        }
        self.evaluate_now(now)
    }

    /// Like `evaluate`, before the start, or after a reset, a pause, or a change of the clock.
    #[inline(never)]
    fn evaluate_after_pause(&mut self, now: Nanos, is_first_in_run: bool) -> bool {
        if is_first_in_run && core::mem::take(&mut self.is_reset) {
            self.next = now;
            self.is_start = true;
            self.n_in_turn = 0;
        } else if now != self.seen {
            self.n_in_turn = 0;
            self.see(now);
        }
        self.seen = now;
        self.is_new = false;
        if is_first_in_run && self.is_paused && self.is_driven {
            // The driver evaluates a false guard once per period, so the pause may have ended up to a period ago.
            let waited = now.minus(self.next).min(self.period);
            self.next = self.next.plus(waited);
        }
        if self.is_start && now < self.next {
            self.n_in_turn = 0;
            return false;
        }
        self.evaluate_now(now)
    }

    /// Serves a due time, if there is one.
    #[inline]
    fn evaluate_now(&mut self, now: Nanos) -> bool {
        let until = now.plus(self.early);
        if until < self.next {
            self.n_in_turn = 0;
            return false;
        }
        self.serve(now, until)
    }

    /// Serves a due time. `until`: the last one that can be served. Returns `false` if this is more than `catch_up` allows.
    #[inline(never)]
    fn serve(&mut self, now: Nanos, until: Nanos) -> bool {
        if self.next == Nanos::MAX {
            // Due times end here. Otherwise this one would be served again and again.
            self.n_in_turn = 0;
            return false;
        }
        let n_due = until.minus(self.next).whole(self.period).saturating_add(1);
        let lateness = now.minus(self.next);
        if self.n_in_turn == 0 {
            self.lateness = lateness;
            self.max_lateness = self.max_lateness.max(lateness);
            self.late.add_nanos(lateness);
            self.served.get_or_insert(self.next.duration());
        }
        // The run counts for the first due time. With `catch_up`, it counts for the first one within the limit.
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
                self.served(now.minus(self.next))
            }
        };
        self.end(1, ending);
        self.last = Some(ending);
        true
    }

    pub(super) fn served(&self, lateness: Nanos) -> Ending {
        if lateness > Nanos::ZERO && self.is_late(lateness) {
            Ending::Late
        } else {
            Ending::OnTime
        }
    }

    /// Updates the rate at the end of a run of a schedule that contains its condition.
    #[inline]
    pub(super) fn run_ended(&mut self, end: RunEnd, outcome: QueryOutcome) {
        self.set_driven(end.is_driven);
        let last = self.last.take();
        self.n_in_turn = 0;
        self.is_paused = false;
        let is_asked = core::mem::take(&mut self.is_asked);
        let is_usual = is_asked && outcome.work == SystemWork::Ran && self.new_period.is_none();
        if !is_usual {
            self.settle_and_change(end, outcome, last, is_asked);
        }
    }

    #[inline(never)]
    fn settle_and_change(
        &mut self,
        end: RunEnd,
        outcome: QueryOutcome,
        last: Option<Ending>,
        is_asked: bool,
    ) {
        self.settle(end, outcome, last, is_asked);
        self.take_new_period();
    }

    /// Sets the outcomes of due times at the end of a run.
    fn settle(&mut self, end: RunEnd, outcome: QueryOutcome, last: Option<Ending>, is_asked: bool) {
        let RunEnd {
            now, is_refused, ..
        } = end;
        if is_asked {
            let ending = match outcome.work {
                SystemWork::Ran => return,
                SystemWork::Skipped if is_refused => Ending::Failed,
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
                let paused = if self.is_new {
                    // The time before the first run was no pause.
                    now.minus(self.next)
                } else {
                    now.minus(self.seen)
                };
                self.next = self.next.plus(paused);
                self.is_paused = true;
            }
            NotQueried::Disabled => self.end(self.n_due(now), Ending::Disabled),
            // At once, because a later run may never begin. So the rate does not make up for them.
            NotQueried::Skipped if is_refused => self.end(self.n_due(now), Ending::Failed),
            NotQueried::Paused | NotQueried::Skipped => {
                if self.backlog == Backlog::Skip {
                    self.end(self.n_due(now), Ending::Skipped);
                }
            }
        }
        self.see(now);
        self.is_new = false;
    }
}

impl<M: Identity + 'static> RunObserver for Rate<M> {
    fn run_ended(resources: &mut Resources, hint: &SlotHint, end: RunEnd, outcome: QueryOutcome) {
        if let Some(rate) = resources.find_mut::<Self>(hint) {
            rate.run_ended(end, outcome);
        }
    }

    fn due_times(resources: &Resources, hint: &SlotHint) -> Option<DueTimes> {
        let rate = resources.find::<Self>(hint)?;
        Some(DueTimes {
            next: rate.next,
            seen: rate.seen,
            period: rate.period,
            is_paused: rate.is_paused,
            has_limits: rate.limits.is_some(),
        })
    }

    fn clock_set(resources: &mut Resources, hint: &SlotHint, now: Duration) {
        let now = Nanos::of(now);
        let is_set_back = |rate: &Self| now < rate.seen;
        if resources.find::<Self>(hint).is_some_and(is_set_back)
            && let Some(rate) = resources.find_mut::<Self>(hint)
        {
            rate.see(now);
        }
    }

    fn note_times(
        resources: &mut Resources,
        end: Duration,
        busy: Duration,
    ) -> Option<(TimeLimits, MeasuredRun)> {
        let rate = resources.get_mut::<Self>()?;
        rate.note_times(end, busy)
    }

    fn report(resources: &Resources) -> Option<RateReport> {
        resources.get::<Self>().map(Self::report)
    }

    #[cfg(feature = "metrics")]
    fn counts(resources: &Resources) -> Option<RateCounts> {
        resources.get::<Self>().map(Self::counts)
    }
}
