//! Successor lists that own their memory, for callers that have a heap.

use super::edge::Edge;
use super::links::Links;

/// The memory of [`Links`].
#[derive(Debug)]
pub struct Lists {
    starts: Vec<u32>,
    targets: Vec<u32>,
    origins: Vec<u32>,
}

impl Lists {
    /// Lists the successors of each node; see [`Links::of_successors`]. O(V + E).
    pub fn of_successors(n_nodes: usize, edges: &[Edge]) -> Self {
        let mut lists = Self {
            starts: vec![0; n_nodes + 1],
            targets: vec![0; edges.len()],
            origins: vec![0; edges.len()],
        };
        Links::of_successors(
            edges,
            &mut lists.starts,
            &mut lists.targets,
            &mut lists.origins,
        );
        lists
    }

    /// A view of the lists.
    pub fn links(&self) -> Links<'_> {
        Links::new(&self.starts, &self.targets, &self.origins)
    }
}
