//! Runs on several threads: which systems run on which threads and when. The results must equal those of a serial run.

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

/// The executors for the tests of this folder.
const ON: &[On] = if cfg!(miri) { On::PARALLEL } else { On::ALL };

/// Number of consecutive runs for tests in which a single run can succeed by chance.
const N_RUNS: usize = if cfg!(miri) { 1 } else { 100 };

/// The numbers of threads of pools in which systems run at the same time.
const POOL_SIZES: &[usize] = if cfg!(miri) { &[2] } else { &[2, 4] };

/// A barrier that fails instead of blocking forever if the others do not arrive.
#[derive(Debug)]
pub(crate) struct Meeting {
    n_members: usize,
    n_arrivals: Mutex<usize>,
    has_changed: Condvar,
}

impl Meeting {
    /// A time limit that no run exceeds, unless it would block forever.
    pub(crate) const LIMIT: Duration = Duration::from_secs(20);

    pub(crate) fn of(n_members: usize) -> Self {
        Self {
            n_members,
            n_arrivals: Mutex::new(0),
            has_changed: Condvar::new(),
        }
    }

    /// Waits until all members have arrived. Can be used any number of times.
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
