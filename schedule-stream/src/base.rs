//! The lowest layer: code that knows neither handlers nor streams. Imports no other folder.
//!
//! [`position`], [`key`] and [`footprint`] describe events: where they are in the order, and which records they use. [`slot`],
//! [`index`], [`places`] and [`blocks`] are memory.

pub(crate) mod backlog;
pub(crate) mod blocks;
pub(crate) mod footprint;
pub(crate) mod hash;
pub(crate) mod index;
pub(crate) mod key;
pub(crate) mod notices;
pub(crate) mod places;
pub(crate) mod position;
pub(crate) mod slot;
