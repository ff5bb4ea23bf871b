//! Systems that live in another crate than the tests that schedule them.
//!
//! A link to a system is a link to its function: [`poison`], [`combat::poison`], [`rot()`].

pub mod child;
pub mod combat;
mod rot;
pub mod scratch;
pub mod village;

pub use self::combat::poison;
// The module has the name of the function, so the hidden type has another one.
pub use self::rot::{Rot, rot};

/// Makes the code blocks of the README doc tests. They use all crates of the workspace, which `schedule` does not depend on.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
