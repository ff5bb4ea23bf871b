//! Events and handlers: what `#[derive(Event)]` and `#[handler]` implement. Imports `store` and `base`.
//!
//! Enter at [`event`] and [`handler`]. [`recipe`] has the steps of a handler: it locates the keys of an event, and calls the handler.
//! [`reaction`] converts what a handler returns, and [`outcome`] is its result.

pub mod answers;
pub(crate) mod event;
pub(crate) mod handler;
pub(crate) mod key_lookup;
pub(crate) mod outcome;
pub(crate) mod reaction;
pub(crate) mod recipe;
