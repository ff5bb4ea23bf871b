//! Streams that survive the process. Imports all folders below it.
//!
//! Enter at [`durable`]. [`journal`] stores bytes and knows nothing of events. [`service`] has threads that serve clients, and [`testing`]
//! checks that handlers are deterministic.

#[cfg(feature = "durable")]
pub mod durable;
#[cfg(feature = "durable")]
pub mod journal;
#[cfg(all(feature = "durable", not(target_family = "wasm")))]
pub mod service;
#[cfg(all(feature = "durable", not(target_family = "wasm")))]
pub mod testing;
