//! Verifies and orders graphs of nodes that use resources.
//!
//! Nodes, resources and edges are numbers; the crate knows no names and no values. The crate `schedule` gives the
//! numbers their meaning.
//!
//! The rules are `const fn`s over slices, so the same code runs at run time and in const evaluation. Functions that
//! need a heap are built on them.

mod arena;
#[cfg(test)]
mod cases;
mod command_pairs;
mod conflict;
mod exclusion;
mod graph;
#[doc(hidden)]
pub mod internal;
mod links_memory;
mod lowering;
mod machine;
mod model;
mod optimize;
mod policy;
mod precedence;
mod sweep;
mod sync_point_races;
mod timetable;
mod truth_table;
mod verify;

pub use self::conflict::AccessKind;
pub use self::graph::edge::Edge;
pub use self::machine::{Discipline, Machine};
pub use self::model::{Graph, Verified, VerifyError};
pub use self::policy::Policy;

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
