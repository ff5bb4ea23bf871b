//! Streams: the order of events, and the threads that process them. Imports `observe` and the folders below it.
//!
//! Enter at [`stream`]. [`inline`] processes events on one thread, [`parallel`] on several, with [`lanes`] or [`queues`]. [`mode`] selects.
//! [`streaming`] is a stream inside a schedule.

pub(crate) mod arrivals;
pub(crate) mod batches;
pub(crate) mod dispatch;
pub(crate) mod ends;
pub(crate) mod helpers;
pub(crate) mod inline;
pub(crate) mod lane_tails;
pub(crate) mod lanes;
pub(crate) mod mode;
pub(crate) mod parallel;
pub(crate) mod queue_tails;
pub(crate) mod queues;
pub(crate) mod ready;
pub(crate) mod ring;
#[cfg(feature = "durable")]
pub(crate) mod single;
pub(crate) mod stream;
pub(crate) mod streaming;
// Only tests and benchmarks use it, through `internal`, which needs the feature.
#[cfg(any(test, feature = "durable"))]
pub(crate) mod tickets;
pub(crate) mod traffic;
