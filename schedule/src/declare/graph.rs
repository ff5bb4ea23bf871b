//! The graph of a schedule as data, and as text for Graphviz and Mermaid.
//!
//! [`Schedule::graph`](crate::Schedule::graph) and [`BuildError::graph`](crate::BuildError::graph) return a
//! [`ScheduleGraph`] of a schedule, or of a rejected schedule. Each call computes the graph from the declarations.
//!
//! [`Picture`] selects the part of a graph that is drawn. The crate `schedule-view` draws it as an SVG.

mod boxes;
mod check;
mod dot;
mod edge;
mod mermaid;
mod node;
mod picture;
mod place;
pub(crate) mod scene;
mod schedule_graph;
mod swept;

pub use self::edge::{Edge, Origin};
pub use self::node::{Kind, Node, Touched};
pub use self::picture::Picture;
pub use self::place::Place;
pub use self::schedule_graph::{
    AcceptedRace, CommandPair, Fault, FaultKind, InsertedSyncPoint, PolicyOf, ResourceInfo,
    ResourceKind, ScheduleGraph, SetPolicy,
};
pub use crate::base::document::{DataError, Version};
