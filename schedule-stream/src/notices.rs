//! Events of the crate `tracing`, at level `WARN`, with the target of all spans.
//!
//! Without the feature `tracing`, all functions do nothing, so other code does not depend on the feature.

#[cfg(feature = "durable")]
use core::fmt::Display;
use core::time::Duration;

use crate::position::Position;

/// Warns that a handler was slow.
#[cfg(feature = "tracing")]
pub(crate) fn slow_handler(
    stream: Option<&str>,
    handler: &str,
    position: Option<Position>,
    duration: Duration,
) {
    tracing::warn!(
        target: "schedule",
        stream,
        handler,
        batch = position.map(|position| position.batch),
        index = position.map(|position| position.index),
        ?duration,
        "slow handler"
    );
}

/// Does nothing.
#[cfg(not(feature = "tracing"))]
pub(crate) fn slow_handler(_: Option<&str>, _: &str, _: Option<Position>, _: Duration) {}

/// Warns that a snapshot of a service was not written.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn snapshot_error(stream: &str, batch: u64, error: &dyn Display) {
    tracing::warn!(target: "schedule", stream, batch, %error, "the snapshot was not written");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn snapshot_error(_: &str, _: u64, _: &dyn Display) {}

/// Warns that a service has ended because its journal could not be written.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn journal_error(stream: &str, error: &dyn Display) {
    tracing::warn!(target: "schedule", stream, %error, "the service ended: the journal failed");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn journal_error(_: &str, _: &dyn Display) {}
