//! Insertion order for uses with filters.

use crate::conflict::{AccessKind, Uses};
use crate::graph::edge::Edge;

/// The uses of one resource with one signature so far.
#[derive(Clone, Debug, Default)]
struct History {
    /// Whether the signature is disjoint with itself. If it is, all uses are in the last run.
    is_alone: bool,
    /// The previous run: uses of one kind. Each is ordered before all uses of the last run, and after all earlier uses.
    before: Vec<(u32, AccessKind)>,
    /// The last run: one write, or uses of another kind that do not conflict.
    last: Vec<(u32, AccessKind)>,
}

impl History {
    fn push(&mut self, node: u32, kind: AccessKind) {
        if !self.is_alone && self.conflicts_with_last(kind) {
            core::mem::swap(&mut self.before, &mut self.last);
            self.last.clear();
        }
        self.last.push((node, kind));
    }

    fn conflicts_with_last(&self, kind: AccessKind) -> bool {
        let first = self.last.first();
        first.is_some_and(|first| first.1.conflicts_with(kind))
    }

    /// The latest nodes that conflict with a use of this kind. All earlier conflicting nodes are ordered before these.
    fn conflicting(&self, kind: AccessKind) -> impl Iterator<Item = u32> {
        let run = if self.is_alone || self.conflicts_with_last(kind) {
            &self.last
        } else {
            &self.before
        };
        let conflicting = run.iter().filter(move |one| one.1.conflicts_with(kind));
        conflicting.map(|one| one.0)
    }

    fn clear(&mut self) {
        self.before.clear();
        self.last.clear();
    }
}

/// Orders every conflicting pair along `order`, with edges between conflicting nodes only. Returns the edges, and the resource
/// of each. No two edges join the same nodes.
///
/// The uses of a resource with one signature are divided into runs, as without filters. A node gets edges from the last
/// conflicting run of each signature that is not disjoint with its own.
///
/// Cost: O(rows + uses × signatures of a resource + edges).
pub(super) fn insertion_order(
    uses: Uses<'_>,
    n_resources: usize,
    order: &[u32],
) -> (Vec<Edge>, Vec<u32>) {
    let filters = uses.filters();
    let mut histories = vec![History::default(); filters.n_rows(n_resources)];
    // met[v]: the last node to which an edge leads from node v.
    let mut met = vec![u32::MAX; uses.n_nodes()];
    let (mut edges, mut resources) = (Vec::new(), Vec::new());
    for &to in order {
        for &one in uses.of(to) {
            let resource = one.resource;
            for row in filters.rows_meeting(one) {
                for from in histories[row].conflicting(one.kind) {
                    if met[from as usize] != to {
                        met[from as usize] = to;
                        edges.push(Edge { from, to });
                        resources.push(resource);
                    }
                }
            }
            if one.signature == 0 && one.kind.is_write() {
                // The node is ordered after all earlier uses, and before all later ones.
                let (start, end) = filters.of_resource(resource);
                let filtered = n_resources + start..n_resources + end;
                for row in filtered.chain([resource as usize]) {
                    histories[row].clear();
                }
            }
            let history = &mut histories[filters.row(one)];
            history.is_alone = filters.are_disjoint(one.signature, one.signature);
            history.push(to, one.kind);
        }
    }
    (edges, resources)
}

#[cfg(test)]
mod tests;
