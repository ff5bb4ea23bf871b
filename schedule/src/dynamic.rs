//! Systems that a program creates at run time: closures, and systems that name their resources by text.

pub use crate::system::{AccessError, ClosureSystem, DynamicSystem, View};
