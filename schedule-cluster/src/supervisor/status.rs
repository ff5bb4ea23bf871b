//! What is known about the worker processes, for handles.

use std::collections::VecDeque;

/// What is known about the processes.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// The ids of the processes, empty while they are started.
    pub(crate) ids: Vec<u32>,
    /// Number of generations that were started.
    pub(crate) n_generations: u64,
    /// Number of failures.
    pub(crate) n_failures: u64,
    /// The reasons of the last failures, the newest last. At most [`MAX_FAILURES`].
    pub(crate) failures: VecDeque<String>,
}

/// Number of failures whose reasons are kept.
const MAX_FAILURES: usize = 100;

impl Status {
    pub(super) fn add_failure(&mut self, reason: String) {
        self.n_failures += 1;
        if self.failures.len() == MAX_FAILURES {
            self.failures.pop_front();
        }
        self.failures.push_back(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_the_last_failures_are_kept() {
        let mut status = Status::default();
        for n in 1..=250 {
            status.add_failure(n.to_string());
        }
        assert_eq!(
            (status.n_failures, status.failures.len()),
            (250, MAX_FAILURES)
        );
        assert_eq!(status.failures.front().unwrap(), "151");
        assert_eq!(status.failures.back().unwrap(), "250");
    }
}
