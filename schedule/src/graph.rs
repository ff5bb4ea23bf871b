//! The graph of a schedule as data, and its text in the languages of Graphviz and Mermaid.
//!
//! [`Schedule::outline`](crate::Schedule::outline) and [`BuildError::outline`](crate::BuildError::outline) return an
//! [`Outline`]: the first of a schedule that was built, the second of one that was refused. An outline is made when it is
//! asked for, from the declarations. Until then it costs nothing.
//!
//! [`Picture`] selects the part of an outline that is drawn. The crate `schedule-view` draws it as an SVG.

mod boxes;
mod check;
mod dot;
mod edge;
mod mermaid;
mod node;
mod outline;
mod picture;
mod place;
pub(crate) mod scene;

pub use self::edge::{Edge, Origin};
pub use self::node::{Kind, Node, Touched};
pub use self::outline::{
    Accepted, Fault, FaultKind, Outline, PolicyOf, Resource, ResourceKind, SetPolicy,
};
pub use self::picture::Picture;
pub use self::place::Place;
pub use crate::data::{DataError, Version};
