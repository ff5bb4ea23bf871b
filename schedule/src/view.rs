//! What a schedule came to, to be looked at: as data, and as pictures of it.
//!
//! [`Schedule::outline`](crate::Schedule::outline) and [`BuildError::outline`](crate::BuildError::outline) tell the same of a
//! schedule that was built and of one that was refused: an [`Outline`]. It is made when somebody asks, from what was
//! declared, and costs nothing before.

mod boxes;
mod dot;
mod edge;
mod gantt;
mod layout;
mod mermaid;
mod node;
mod outline;
mod picture;
mod place;
mod scene;
mod sheet;
mod svg;

pub use self::edge::{Edge, Origin};
pub use self::node::{Kind, Node, Touched};
pub use self::outline::{
    Accepted, Fault, FaultKind, Outline, PolicyOf, Resource, ResourceKind, SetPolicy, Version,
};
pub use self::picture::Picture;
pub use self::place::Place;
