//! The thread that compares snapshots in the background.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::own_threads::OwnThreads;
use super::reports::ServiceReports;
use super::spawn;
use crate::persist::durable::{Comparison, DurableError};
use schedule::internal::panic_of;

/// See [`ServiceSettings::compare_snapshots`](super::ServiceSettings::compare_snapshots).
pub(super) struct CompareSetting {
    /// Number of snapshots between two comparisons, at least 1.
    pub(super) n_snapshots: u64,
    pub(super) compare: Box<dyn FnMut() -> Result<Option<Comparison>, DurableError> + Send>,
}

/// A thread that compares snapshots. If it is dropped, it waits for the comparisons that were requested.
pub(super) struct Comparing {
    every: u64,
    /// Number of snapshots since the last comparison was requested.
    n_snapshots: u64,
    /// Has room for one request, beside the one that is processed.
    requests: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Comparing {
    pub(super) fn start(
        setting: CompareSetting,
        own_threads: OwnThreads,
        reports: ServiceReports,
    ) -> Self {
        let CompareSetting {
            n_snapshots: every,
            mut compare,
        } = setting;
        let (requests, received) = sync_channel(1);
        let thread = spawn("schedule-compare", move || {
            let _here = own_threads.enter();
            while received.recv().is_ok() {
                // The code that compares calls handlers, and may panic.
                match catch_unwind(AssertUnwindSafe(&mut compare)) {
                    Ok(Ok(None)) => {}
                    Ok(Ok(Some(comparison))) => reports.compared(&comparison),
                    Ok(Err(error)) => reports.comparison_failed(&error),
                    Err(panic) => reports.comparison_panicked(panic_of(panic).message()),
                }
            }
        });
        Self {
            every,
            n_snapshots: 0,
            requests: Some(requests),
            thread: Some(thread),
        }
    }

    /// A snapshot was written. If comparisons are late, a later snapshot requests the next one.
    pub(super) fn note_snapshot(&mut self) {
        self.n_snapshots += 1;
        if self.n_snapshots >= self.every
            && let Some(requests) = &self.requests
            && requests.try_send(()).is_ok()
        {
            self.n_snapshots = 0;
        }
    }
}

impl Drop for Comparing {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // All panics of the thread are caught.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for Comparing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Comparing({} of {})", self.n_snapshots, self.every)
    }
}
