//! The edge, which is all a caller needs to describe a graph.

/// A directed edge between two nodes.
///
/// An edge from a node to itself is a cycle of length one. Several edges may join the same two
/// nodes; where only one of them can be named, it is the earliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node that comes first.
    pub from: u32,
    /// The node that comes after `from`.
    pub to: u32,
}
