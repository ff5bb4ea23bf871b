//! The behaviour of event streams, journals, durable streams and services.
//!
//! Miri skips the modules about files and services.

mod durable;
mod handler;
#[cfg(not(miri))]
mod journal;
#[cfg(not(miri))]
mod service;
mod stream;
mod streaming;
