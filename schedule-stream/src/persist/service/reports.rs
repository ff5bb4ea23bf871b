//! Reports of the threads of a service: errors that no client waits for, and metrics.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::retries::SnapshotRetries;
use crate::base::notices;
use crate::observe::meter::StorageMeter;
use crate::persist::durable::{Comparison, DurableError};
use schedule::internal::drop_caught;

/// An error of a service that no client waits for: see [`ServiceSettings::errors`](super::ServiceSettings::errors).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BackgroundError<'e> {
    /// A snapshot that no client has requested was not saved or written, or older ones were not removed. The service
    /// continues, and tries again after more batches than before. Failures after which the number of batches stays the same are not
    /// reported: see [`ServiceSettings::snapshot_every`](super::ServiceSettings::snapshot_every).
    Snapshot {
        /// The last batch of the snapshot.
        batch: u64,
        /// The number of batches until the next attempt.
        retry_after: u64,
        /// The reason.
        error: &'e DurableError,
    },
    /// Not an error: a snapshot was written after others that were reported as [`Snapshot`](Self::Snapshot).
    SnapshotsResumed {
        /// The last batch of the snapshot.
        batch: u64,
        /// The number of snapshots before it that failed.
        n_failed: u32,
    },
    /// A replay from the older snapshot gives another state than the newer one: see
    /// [`ServiceSettings::compare_snapshots`](super::ServiceSettings::compare_snapshots). The service continues.
    StateDiffers {
        /// The sections that differ.
        comparison: &'e Comparison,
    },
    /// Two snapshots were not compared, or a replay gives another outcome. The service continues.
    Comparison {
        /// The reason: for another outcome [`DurableError::Differs`].
        error: &'e DurableError,
    },
    /// The function that compares snapshots panicked. The service continues.
    ComparisonPanicked {
        /// The message.
        message: &'e str,
    },
    /// The journal failed, and the service has ended. Clients that wait get
    /// [`ServiceError::Unknown`](super::ServiceError::Unknown), and recovery decides.
    Journal {
        /// The reason.
        error: &'e DurableError,
    },
}

impl fmt::Display for BackgroundError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Snapshot {
                batch,
                retry_after,
                error,
            } => write!(
                f,
                "the snapshot after batch {batch} failed: {error}; the next attempt is {retry_after} batches later"
            ),
            Self::SnapshotsResumed { batch, n_failed } => write!(
                f,
                "the snapshot after batch {batch} was written; {n_failed} before it had failed"
            ),
            Self::StateDiffers { comparison } => comparison.fmt(f),
            Self::Comparison { error } => {
                write!(f, "the comparison of two snapshots failed: {error}")
            }
            Self::ComparisonPanicked { message } => {
                write!(f, "the comparison of two snapshots panicked: {message}")
            }
            Self::Journal { error } => {
                write!(f, "the service ended, because its journal failed: {error}")
            }
        }
    }
}

impl std::error::Error for BackgroundError<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Snapshot { error, .. } | Self::Comparison { error } | Self::Journal { error } => {
                error.source()
            }
            Self::SnapshotsResumed { .. }
            | Self::StateDiffers { .. }
            | Self::ComparisonPanicked { .. } => None,
        }
    }
}

/// See [`ServiceSettings::errors`](super::ServiceSettings::errors).
pub(super) type ErrorCallback = Arc<dyn Fn(BackgroundError<'_>) + Send + Sync>;

/// See the module. Each thread has a clone.
#[derive(Clone)]
pub(super) struct ServiceReports {
    stream: Arc<str>,
    callback: Option<ErrorCallback>,
    pub(super) meter: StorageMeter,
}

impl ServiceReports {
    /// Creates them with the recorder of this thread, which all threads of the service use.
    pub(super) fn new(stream: Arc<str>, callback: Option<ErrorCallback>) -> Self {
        let mut meter = StorageMeter::new(Arc::clone(&stream));
        meter.begin_call();
        meter.register_all();
        Self {
            stream,
            callback,
            meter,
        }
    }

    /// Counts a snapshot that failed. Reports it, if this makes the wait for the next one longer. If a client has requested it, it does
    /// not: the client gets the error.
    pub(super) fn snapshot_failed(
        &mut self,
        batch: u64,
        error: &DurableError,
        (before, after): (SnapshotRetries, SnapshotRetries),
    ) {
        self.meter.note_snapshot_error();
        if let Some(retry_after) = after.wait()
            && after != before
            && after.is_longer()
        {
            let notice = || notices::snapshot_error(&self.stream, batch, retry_after, error);
            let error = BackgroundError::Snapshot {
                batch,
                retry_after,
                error,
            };
            self.report(notice, error);
        }
    }

    /// Reports that a snapshot was written, if others before it had failed.
    pub(super) fn snapshot_written(&self, batch: u64, n_failed: u32) {
        if n_failed > 0 {
            let notice = || notices::snapshots_resumed(&self.stream, batch, n_failed);
            self.report(
                notice,
                BackgroundError::SnapshotsResumed { batch, n_failed },
            );
        }
    }

    /// Reports that two snapshots were compared, if they differ.
    pub(super) fn compared(&self, comparison: &Comparison) {
        if !comparison.is_equal() {
            self.report_comparison(BackgroundError::StateDiffers { comparison });
        }
    }

    /// Reports that two snapshots were not compared, or that an outcome differs.
    pub(super) fn comparison_failed(&self, error: &DurableError) {
        self.report_comparison(BackgroundError::Comparison { error });
    }

    /// Reports that the function that compares snapshots panicked.
    pub(super) fn comparison_panicked(&self, message: &str) {
        self.report_comparison(BackgroundError::ComparisonPanicked { message });
    }

    fn report_comparison(&self, error: BackgroundError<'_>) {
        let notice = || notices::comparison(&self.stream, &error);
        self.report(notice, error);
    }

    /// Reports that the journal failed.
    pub(super) fn journal_failed(&self, error: &DurableError) {
        let notice = || notices::journal_error(&self.stream, error);
        self.report(notice, BackgroundError::Journal { error });
    }

    fn report(&self, notice: impl FnOnce(), error: BackgroundError<'_>) {
        // A callback or subscriber that panics ends no thread of the service.
        let reported = catch_unwind(AssertUnwindSafe(|| {
            notice();
            if let Some(callback) = &self.callback {
                callback(error);
            }
        }));
        drop_caught(reported);
    }
}

impl fmt::Debug for ServiceReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceReports")
            .field("stream", &self.stream)
            .field("meter", &self.meter)
            .finish_non_exhaustive()
    }
}
