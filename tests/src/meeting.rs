//! A point at which threads wait for each other, with a time limit.

#![allow(missing_docs, reason = "only tests use it")]

use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// A barrier that fails instead of blocking forever if the others do not arrive.
#[derive(Debug)]
pub struct Meeting {
    n_members: usize,
    n_arrivals: Mutex<usize>,
    has_changed: Condvar,
}

impl Meeting {
    /// A time limit that no run exceeds, unless it would block forever.
    pub const LIMIT: Duration = Duration::from_secs(20);

    pub fn of(n_members: usize) -> Self {
        Self {
            n_members,
            n_arrivals: Mutex::new(0),
            has_changed: Condvar::new(),
        }
    }

    /// Waits until all members have arrived. Can be used any number of times.
    pub fn wait(&self) {
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
