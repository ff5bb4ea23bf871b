//! Runs on several threads: who runs where and when, and that it comes to the same as a run on one.

mod at_once;
mod auto;
mod bound;
mod dropping;
mod failing;
mod pool;
mod thread;

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::on::On;

/// Where the tests of this folder run.
const ON: &[On] = if cfg!(miri) { On::PARALLEL } else { On::ALL };

/// Runs in a row, where one alone may go well by chance.
const N_RUNS: usize = if cfg!(miri) { 1 } else { 100 };

/// How many threads the pools have in which systems run at once.
const POOL_SIZES: &[usize] = if cfg!(miri) { &[2] } else { &[2, 4] };

/// A barrier that fails, and does not hang, if the others never come.
#[derive(Debug)]
pub(crate) struct Meeting {
    n_members: usize,
    n_arrivals: Mutex<usize>,
    has_changed: Condvar,
}

impl Meeting {
    /// No run takes that long, unless it would last for ever.
    pub(crate) const LIMIT: Duration = Duration::from_secs(20);

    pub(crate) fn of(n_members: usize) -> Self {
        Self {
            n_members,
            n_arrivals: Mutex::new(0),
            has_changed: Condvar::new(),
        }
    }

    /// Waits until all have come. They may meet any number of times.
    pub(crate) fn wait(&self) {
        let mut n_arrivals = self.n_arrivals.lock().unwrap();
        *n_arrivals += 1;
        let n_needed = n_arrivals.next_multiple_of(self.n_members);
        self.has_changed.notify_all();
        let is_early = |n_arrivals: &mut usize| *n_arrivals < n_needed;
        let waited = self
            .has_changed
            .wait_timeout_while(n_arrivals, Self::LIMIT, is_early);
        let has_failed = waited.unwrap().1.timed_out();
        assert!(!has_failed, "the others never came");
    }
}
