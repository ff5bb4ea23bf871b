//! The lowest layer: code that knows nothing about schedules. Imports no other folder.
//!
//! - [`snapshot`]: values as bytes, with names, versions and schemas.
//! - [`identity`], [`place`], [`text`], [`escape`]: names and places of items, and how texts show them.
//! - [`formula`], [`program`]: conditions of any kind, as trees and as flat code.
//! - [`random`]: numbers that depend only on a seed and a place.
//! - [`panics`], [`user_value`], [`reused`], [`kept_memory`], [`sync`], [`prefetch`]: panics, values of users, memory and atomics.
//! - [`time`], [`nanos`], [`cost`], [`histogram`], [`span`], [`thread`]: time, its measurement and spans of `tracing`.

pub(crate) mod cost;
pub(crate) mod document;
pub(crate) mod escape;
pub(crate) mod formula;
pub(crate) mod histogram;
pub mod identity;
pub(crate) mod kept_memory;
pub(crate) mod module_path;
pub(crate) mod nanos;
pub(crate) mod panics;
pub(crate) mod place;
pub(crate) mod prefetch;
pub(crate) mod program;
pub mod random;
pub(crate) mod reused;
#[cfg(feature = "snapshot")]
pub mod snapshot;
pub(crate) mod span;
pub(crate) mod sync;
pub(crate) mod text;
pub(crate) mod thread;
pub(crate) mod time;
pub(crate) mod tuples;
pub(crate) mod user_value;
