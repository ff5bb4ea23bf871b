//! Cycles and strongly connected components.

use super::UNSET;
use super::links::Links;
use super::search::Search;

/// Finds an edge that closes a cycle, by depth-first search with three colours (Tarjan 1972).
///
/// Returns the index of an edge to a node on the current search path, or `None` if the graph is acyclic.
///
/// `scratch`: len >= 2 n_nodes. Cost: O(V + E).
pub(crate) const fn find_back_edge(links: Links<'_>, scratch: &mut [u32]) -> Option<u32> {
    // The cursor of a node also holds its colour. White (not entered) and black (completed) are values that no link has.
    // Any other value is the next link to follow, and the node is grey.
    const WHITE: u32 = UNSET;
    const BLACK: u32 = UNSET - 1;

    let n_nodes = links.n_nodes();
    let (cursors, scratch) = scratch.split_at_mut(n_nodes);
    let (path, _) = scratch.split_at_mut(n_nodes);
    let mut node_idx = 0;
    while node_idx < n_nodes {
        cursors[node_idx] = WHITE;
        node_idx += 1;
    }

    let mut root_idx = 0;
    while root_idx < n_nodes {
        if cursors[root_idx] == WHITE {
            cursors[root_idx] = links.start(root_idx) as u32;
            path[0] = root_idx as u32;
            let mut n_path = 1;
            while n_path > 0 {
                let node_idx = path[n_path - 1] as usize;
                let link_idx = cursors[node_idx] as usize;
                if link_idx == links.end(node_idx) {
                    cursors[node_idx] = BLACK;
                    n_path -= 1;
                    continue;
                }
                cursors[node_idx] += 1;
                let target = links.target(link_idx);
                match cursors[target as usize] {
                    WHITE => {
                        cursors[target as usize] = links.start(target as usize) as u32;
                        path[n_path] = target;
                        n_path += 1;
                    }
                    BLACK => {}
                    _grey => return Some(links.origin(link_idx)),
                }
            }
        }
        root_idx += 1;
    }
    None
}

/// Finds the strongly connected components (Tarjan 1972, without recursion).
///
/// Writes the component of node v to `component[v]`, len >= n_nodes, and returns the number of components. The numbers are a
/// reverse topological order of the components: a component has a greater number than those that it reaches by `links`.
///
/// `scratch`: len >= 5 n_nodes. Cost: O(V + E).
pub const fn fill_components(
    links: Links<'_>,
    scratch: &mut [u32],
    component: &mut [u32],
) -> usize {
    let n_nodes = links.n_nodes();
    // found[v]: the number of nodes that were entered before node v.
    let (found, scratch) = scratch.split_at_mut(n_nodes);
    // low[v]: the least found[w] of an open node w known to be reachable from node v.
    let (low, scratch) = scratch.split_at_mut(n_nodes);
    // cursors[v]: the next link of node v to follow.
    let (cursors, scratch) = scratch.split_at_mut(n_nodes);
    // path: the nodes from the root of the search to the current one.
    let (path, scratch) = scratch.split_at_mut(n_nodes);
    // open: the entered nodes without a component, in the order of entry.
    let (open, _) = scratch.split_at_mut(n_nodes);
    let mut node_idx = 0;
    while node_idx < n_nodes {
        found[node_idx] = UNSET;
        component[node_idx] = UNSET;
        node_idx += 1;
    }

    let mut n_components = 0;
    let mut n_found = 0;
    let mut n_open = 0;
    let mut root_idx = 0;
    while root_idx < n_nodes {
        let mut n_path = 0;
        if found[root_idx] == UNSET {
            path[0] = root_idx as u32;
            n_path = 1;
        }
        while n_path > 0 {
            let node_idx = path[n_path - 1] as usize;
            if found[node_idx] == UNSET {
                found[node_idx] = n_found;
                low[node_idx] = n_found;
                n_found += 1;
                cursors[node_idx] = links.start(node_idx) as u32;
                open[n_open] = node_idx as u32;
                n_open += 1;
            }

            let link_idx = cursors[node_idx] as usize;
            if link_idx < links.end(node_idx) {
                cursors[node_idx] += 1;
                let target = links.target(link_idx);
                if found[target as usize] == UNSET {
                    path[n_path] = target;
                    n_path += 1;
                } else if component[target as usize] == UNSET
                    && found[target as usize] < low[node_idx]
                {
                    low[node_idx] = found[target as usize];
                }
                continue;
            }

            n_path -= 1;
            if low[node_idx] == found[node_idx] {
                // No earlier node is reachable, so this node and the open nodes after it are a component.
                loop {
                    n_open -= 1;
                    let member_idx = open[n_open] as usize;
                    component[member_idx] = n_components;
                    if member_idx == node_idx {
                        break;
                    }
                }
                n_components += 1;
            } else {
                // A node that is not the first of its component is not a root, so the path contains its parent.
                let parent_idx = path[n_path - 1] as usize;
                if low[node_idx] < low[parent_idx] {
                    low[parent_idx] = low[node_idx];
                }
            }
        }
        root_idx += 1;
    }
    n_components as usize
}

/// Finds a shortest cycle through the first node of every component that has a cycle.
///
/// `component`: the result of [`fill_components`]. The first node of a component is the one with the smallest index. The
/// cycles are in the order of their first nodes. A component of one node without a self-loop has no cycle.
///
/// A cycle does not leave its component, so all cycles together have at most n_nodes edges. `edges`: memory,
/// len >= n_nodes. `starts`: memory, len >= n_nodes + 1.
///
/// `scratch`: len >= 4 n_nodes. Cost: O(V + E) for all cycles together, because each search stays in its component.
pub const fn fill_shortest_cycles<'a>(
    successors: Links<'_>,
    component: &[u32],
    scratch: &mut [u32],
    starts: &'a mut [u32],
    edges: &'a mut [u32],
) -> Cycles<'a> {
    let n_nodes = successors.n_nodes();
    // is_searched[c]: 1 if the first node of component c was visited.
    let (is_searched, scratch) = scratch.split_at_mut(n_nodes);
    let mut search = Search::new(n_nodes, scratch);
    let mut component_idx = 0;
    while component_idx < n_nodes {
        is_searched[component_idx] = 0;
        component_idx += 1;
    }

    let mut n_cycles = 0;
    let mut n_edges = 0;
    starts[0] = 0;
    let mut node_idx = 0;
    while node_idx < n_nodes {
        let component_idx = component[node_idx] as usize;
        if is_searched[component_idx] == 0 {
            is_searched[component_idx] = 1;
            let node = node_idx as u32;
            if let Some(walk) = search.shortest_walk(successors, Some(component), node, node) {
                let (_, unused) = edges.split_at_mut(n_edges);
                n_edges += search.fill_edges(walk, unused);
                n_cycles += 1;
                starts[n_cycles] = n_edges as u32;
            }
        }
        node_idx += 1;
    }

    Cycles {
        starts: starts.split_at(n_cycles + 1).0,
        edges: edges.split_at(n_edges).0,
    }
}

/// The cycles that [`fill_shortest_cycles`] finds: a view of two slices.
#[derive(Clone, Copy, Debug)]
pub struct Cycles<'a> {
    /// `starts[i]..starts[i + 1]`: the edges of cycle i; len = n_cycles + 1.
    starts: &'a [u32],
    /// The indices of the edges of all cycles, cycle by cycle.
    edges: &'a [u32],
}

impl<'a> Cycles<'a> {
    /// The number of cycles.
    pub const fn n_cycles(self) -> usize {
        self.starts.len() - 1
    }

    /// The number of edges of all cycles.
    pub const fn n_edges(self) -> usize {
        self.edges.len()
    }

    /// The indices of the edges of a cycle, from its first node back to it. Not empty.
    ///
    /// # Panics
    ///
    /// If `cycle_idx` is not less than [`Cycles::n_cycles`].
    pub const fn cycle(self, cycle_idx: usize) -> &'a [u32] {
        let start = self.starts[cycle_idx] as usize;
        let end = self.starts[cycle_idx + 1] as usize;
        self.edges.split_at(end).0.split_at(start).1
    }
}
