//! Directed edges.

/// A directed edge between two nodes.
///
/// An edge from a node to itself is a cycle of length 1. Several edges may join the same two nodes. A result that can
/// contain only one of them contains the earliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node that comes first.
    pub from: u32,
    /// The node that comes after `from`.
    pub to: u32,
}
