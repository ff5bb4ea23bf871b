//! Event logs: a stream that is recorded can be replayed, and a replay reports where it differs.

pub use crate::log::{EventLog, LoggedBatch, ReplayError};
