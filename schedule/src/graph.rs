//! The graph of a schedule as data, and its text in the languages of Graphviz and Mermaid.
//!
//! [`Schedule::graph`](crate::Schedule::graph) and [`BuildError::graph`](crate::BuildError::graph) return a
//! [`ScheduleGraph`]: the first of a schedule that was built, the second of one that was refused. A graph is made when it is
//! asked for, from the declarations. Until then it costs nothing.
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

pub use self::edge::{Edge, Origin};
pub use self::node::{Kind, Node, Touched};
pub use self::picture::Picture;
pub use self::place::Place;
pub use self::schedule_graph::{
    AcceptedRace, Fault, FaultKind, PolicyOf, ResourceInfo, ResourceKind, ScheduleGraph, SetPolicy,
};
pub use crate::data::{DataError, Version};
