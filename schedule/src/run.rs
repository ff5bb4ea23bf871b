//! Schedules and their runs. Imports `verify` and the folders below it.
//!
//! Enter at [`schedule`], whose `run` prepares the [`nodes`] and starts an [`executor`]. [`outcome`], [`report`], [`timeline`] and
//! [`simulation`] describe runs.

pub(crate) mod changes;
#[cfg(feature = "snapshot")]
pub(crate) mod decisions;
pub(crate) mod executor;
pub(crate) mod failure_log;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod observers;
pub(crate) mod outcome;
#[cfg(feature = "snapshot")]
pub mod program;
pub mod report;
pub(crate) mod row_loop;
pub(crate) mod schedule;
pub(crate) mod simulation;
pub(crate) mod stretches;
pub mod timeline;
