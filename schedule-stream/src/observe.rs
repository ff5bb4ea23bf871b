//! Metrics, and warnings about slow handlers. Imports `program` and the folders below it.
//!
//! The engine reports to [`meter`] and [`slow`], which do not know it.

pub(crate) mod meter;
pub(crate) mod observer;
pub(crate) mod slow;
