//! The program around runs. Imports all folders below it.
//!
//! [`driver`] runs a schedule at the due times of its rates. [`spanning`] is slow work beside runs, [`replay`] records inputs and repeats
//! them, and [`realtime`] gives threads a priority.

pub mod driver;
#[cfg(feature = "realtime")]
pub mod realtime;
#[cfg(feature = "snapshot")]
pub mod replay;
pub mod spanning;
