//! The helpers that wait for the next run, because a period was set or learned.

use core::time::Duration;
use std::sync::Arc;

use super::PreparedExecutor;
use super::auto::Mode;
use super::period::{NextHelpers, Period};
use super::processors::n_threads;
use crate::base::time::{self, Instant};
use crate::data::executor_choice::Executor;
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;

impl PreparedExecutor {
    /// Sets the time from the begin of a run to the begin of the next one. `None`: unknown.
    pub(crate) fn set_period(&mut self, period: Option<Duration>) {
        // Ends the thread of the last period.
        self.period = None;
        self.due = Arc::default();
        self.several = None;
        self.auto.discard_choice();
        if time::HAS_THREADS {
            let of_runs = |period| Box::new(Period::new(period, Arc::clone(&self.due), None));
            self.period = period.map(of_runs);
        }
    }

    /// Determines whether `Auto` learns the period.
    pub(crate) fn learn_period(&mut self, is_learned: bool) {
        self.auto.rate().ignore(!is_learned);
        self.drop_learned_period();
    }

    /// Ends the thread of a period that was learned.
    pub(super) fn drop_learned_period(&mut self) {
        if self
            .period
            .as_ref()
            .is_some_and(|period| period.is_learned())
        {
            (self.period, self.awaited) = (None, None);
            self.auto.note_helpers(None);
        }
    }

    pub(crate) fn period(&self) -> Option<&Period> {
        self.period.as_deref()
    }

    /// Notes whether helpers wait for the run that begins.
    pub(super) fn begin_run(&mut self) {
        match &mut self.period {
            None => {}
            // A serial run needs no helpers, and takes no lock.
            Some(period) if self.executor == Executor::Serial => period.count_run(),
            Some(period) => {
                let is_awaited = period.begin_run() && self.several.is_some();
                self.auto.note_helpers(self.awaited.filter(|_| is_awaited));
            }
        }
    }

    /// Decides which helpers the next run needs.
    #[inline]
    pub(super) fn end_run(&mut self, nodes: &Nodes, plan: &Plan) {
        let has_period = self.period.is_some() || self.auto.rate().period().is_some();
        if has_period && self.executor != Executor::Serial {
            self.plan_next_helpers(nodes, plan);
        }
    }

    #[inline(never)]
    fn plan_next_helpers(&mut self, nodes: &Nodes, plan: &Plan) {
        let is_set = self
            .period
            .as_ref()
            .is_some_and(|period| !period.is_learned());
        if !is_set && !self.is_rate_used() {
            return;
        }
        let next = self.next_helpers(nodes, plan);
        self.awaited = next.as_ref().map(|(mode, _)| *mode);
        let next = next.map(|(_, helpers)| helpers);
        if !is_set && let Some(period) = self.auto.rate().period() {
            match &self.period {
                Some(learned) => learned.adjust(period),
                // A thread is started only if it wakes helpers.
                None if next.is_none() => return,
                None => {
                    let begin = self.auto.rate().begin();
                    let learned = Period::new(period, Arc::clone(&self.due), begin);
                    self.period = Some(Box::new(learned));
                }
            }
        }
        if let Some(period) = &mut self.period {
            period.end_run(next);
        }
    }

    /// Whether `Auto` uses the rate that it has learned. Gives it up after several wake-ups for nothing.
    fn is_rate_used(&mut self) -> bool {
        if self
            .period
            .as_ref()
            .is_some_and(|period| period.is_useless())
        {
            self.auto.rate().give_up();
        }
        let is_used = self.executor == Executor::Auto
            && time::HAS_THREADS
            && self.auto.rate().period().is_some();
        if !is_used {
            self.drop_learned_period();
        }
        is_used
    }

    /// Returns the mode of the next run and its helpers, if it should have helpers that wait.
    fn next_helpers(&mut self, nodes: &Nodes, plan: &Plan) -> Option<(Mode, NextHelpers)> {
        // Another thread cannot ask for help in the pool of this thread.
        if self.pool.is_none() && rayon::current_thread_index().is_some() {
            return None;
        }
        let n_threads = || n_threads(self.pool.as_deref());
        let (mode, n_helpers) = match self.executor {
            Executor::Serial => return None,
            Executor::Parallel => (Mode::Parallel, n_threads() as u32 - 1),
            Executor::Auto if !self.auto.costs().is_known() || !self.auto.can_be_faster() => {
                return None;
            }
            Executor::Auto => {
                let n_threads = n_threads();
                let mode = self.auto.mode_with_helpers(n_threads);
                if mode != Mode::Serial && self.several.is_none() {
                    self.plan(nodes, plan, Instant::now(), n_threads);
                }
                (mode, self.auto.n_workers(n_threads) as u32 - 1)
            }
        };
        let several = self.several.as_ref()?;
        let helped = match mode {
            Mode::Serial => return None,
            Mode::Timetabled => several.timetabled.as_ref()?.helped(),
            Mode::Parallel => several.parallel.as_ref()?.helped(),
        };
        let helpers = NextHelpers {
            helped,
            n_helpers,
            pool: self.pool.clone(),
        };
        Some((mode, helpers))
    }
}
