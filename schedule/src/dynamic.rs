//! Systems that a program puts together at run time: closures, and systems that name their resources by text.

pub use crate::system::{AccessError, ClosureSystem, DynamicSystem, View};
