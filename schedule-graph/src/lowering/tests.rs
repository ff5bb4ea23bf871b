mod conditions;
mod declarations;
mod graph;
mod groups;
mod needs;
mod uses;

use self::declarations::Declarations;
use super::*;
use crate::arena::{Full, Heap};
use crate::graph::edge::Edge;

/// The item of a declared node.
fn node(idx: u32) -> Item {
    Item::Node(idx)
}

/// The item of a group.
fn group(idx: u32) -> Item {
    Item::Group(idx)
}
