//! Events of the crate `tracing`, at level `WARN`, with the target of all spans.
//!
//! Without the feature `tracing`, all functions do nothing, so other code does not depend on the feature.

#[cfg(feature = "durable")]
use core::fmt::Display;
use core::time::Duration;

use crate::base::position::Position;

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
pub(crate) fn snapshot_error(stream: &str, batch: u64, retry_after: u64, error: &dyn Display) {
    tracing::warn!(target: "schedule", stream, batch, retry_after, %error, "the snapshot was not written");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn snapshot_error(_: &str, _: u64, _: u64, _: &dyn Display) {}

/// Notes that a snapshot of a service was written after others that were not.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn snapshots_resumed(stream: &str, batch: u64, n_failed: u32) {
    tracing::warn!(target: "schedule", stream, batch, n_failed, "a snapshot was written again");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn snapshots_resumed(_: &str, _: u64, _: u32) {}

/// Warns that a service has ended because its journal could not be written.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn journal_error(stream: &str, error: &dyn Display) {
    tracing::warn!(target: "schedule", stream, %error, "the service ended: the journal failed");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn journal_error(_: &str, _: &dyn Display) {}

/// Warns that the comparison of two snapshots has found a difference, or has failed.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn comparison(stream: &str, error: &dyn Display) {
    tracing::warn!(target: "schedule", stream, %error, "snapshots differ, or were not compared");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn comparison(_: &str, _: &dyn Display) {}

/// Warns that a handler has used much processor time and has not ended.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn long_handler(stream: &str, position: Position, time: Duration) {
    tracing::warn!(
        target: "schedule",
        stream,
        batch = position.batch,
        index = position.index,
        ?time,
        "a handler has used more processor time than its limit, and has not ended"
    );
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn long_handler(_: &str, _: Position, _: Duration) {}

/// Warns that an event is not handled again.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn dead_letter(stream: &str, letter: &dyn Display) {
    tracing::warn!(target: "schedule", stream, %letter, "an event that ends the process is not handled again");
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn dead_letter(_: &str, _: &dyn Display) {}

/// Warns that the handler of an event was called, although the journal has a dead letter at its position.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn replaced_dead_letter(stream: &str, letter: &dyn Display) {
    tracing::warn!(
        target: "schedule",
        stream,
        %letter,
        "another event is at the position of a dead letter, and its handler was called"
    );
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn replaced_dead_letter(_: &str, _: &dyn Display) {}

/// Warns that a recovery has read values without schemas.
#[cfg(all(feature = "tracing", feature = "durable"))]
pub(crate) fn unknown_schemas(stream: &str) {
    tracing::warn!(
        target: "schedule",
        stream,
        "an older release has written the snapshot or the journal: if a type has changed since then without a new version, this is not noticed"
    );
}

/// Does nothing.
#[cfg(all(not(feature = "tracing"), feature = "durable"))]
pub(crate) fn unknown_schemas(_: &str) {}
