//! Systems that live in another crate than the tests that schedule them.
//!
//! A link to a system is a link to its function: [`poison`], [`combat::poison`], [`rot()`].

pub mod child;
pub mod combat;
mod rot;
pub mod village;

pub use self::combat::poison;
// The module has the name of the function, so the hidden type has another one.
pub use self::rot::{Rot, rot};

/// Its examples are compiled and run here, since they use crates that depend on `schedule`.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
