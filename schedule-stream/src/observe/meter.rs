//! Metrics: counters, gauges and histograms of the facade `metrics`.
//!
//! A [`StreamMeter`] belongs to a stream and counts what its calls do. The recorder gets the numbers once per batch. A
//! [`StorageMeter`] has the metrics of journals, snapshots and services. If the program has installed no recorder, a call checks
//! this once and measures nothing.
//!
//! Without the feature `metrics`, all functions do nothing, so other code does not depend on the feature.

#[cfg(feature = "metrics")]
mod family;
#[cfg(feature = "metrics")]
mod names;
#[cfg(not(feature = "metrics"))]
mod off;
#[cfg(all(feature = "metrics", feature = "durable"))]
mod storage;
#[cfg(feature = "metrics")]
mod stream;

#[cfg(not(feature = "metrics"))]
pub(crate) use self::off::*;
#[cfg(all(feature = "metrics", feature = "durable"))]
pub(crate) use self::storage::StorageMeter;
#[cfg(feature = "metrics")]
pub(crate) use self::stream::{ConflictCount, StreamMeter, SubmitTime};

use crate::store::found::MissingKind;
use crate::store::reason::Reason;

/// The mode of a stretch of events, as a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeLabel {
    Inline,
    Lanes,
    Queues,
}

/// The reason why an event has no answer, as a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorLabel {
    /// The handler returned an error.
    Failed,
    Panicked,
    /// The handler returned too many follow-up events.
    FollowUps,
    // The handler did not run.
    Missing,
    TooLarge,
    Alias,
    Skipped,
    Stopped,
    PanickedBeforeCall,
    DeadLetter,
}

impl ErrorLabel {
    pub(crate) fn of(reason: &Reason) -> Self {
        match reason {
            Reason::Missing(missing) => match missing.kind() {
                MissingKind::Absent => Self::Missing,
                MissingKind::IdTooLarge | MissingKind::SetTooLarge => Self::TooLarge,
            },
            Reason::Alias(..) => Self::Alias,
            Reason::Skipped => Self::Skipped,
            Reason::Exceeds(_) => Self::FollowUps,
            Reason::Stopped => Self::Stopped,
            Reason::DeadLetter => Self::DeadLetter,
            Reason::Panicked(_) => Self::Panicked,
            Reason::PanickedBeforeCall(_) => Self::PanickedBeforeCall,
        }
    }
}
