//! Incremental search for conflicting pairs without a path, in a graph of which most was verified before.
//!
//! Two conflicting nodes of the previous graph either had a path or are in its list of pairs without one. So only three kinds
//! of pairs are candidates:
//!
//! - pairs with a new node,
//! - pairs without a path in the previous graph,
//! - pairs all of whose paths may have led through a removed node or edge.
//!
//! One node of each candidate gets a row, which is a bit in one word of each node. A pass over the graph in each direction
//! handles 64 rows.

use super::{Draft, VerifyInput, sort};
use crate::conflict::AccessKind;
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::graph::lists::Lists;
use crate::graph::order::fill_ranks;

/// The previous number of a new node.
pub const NEW: u32 = u32::MAX;

/// The previous graph. It has no weak orders. Two nodes that are in both graphs conflict in both or in neither.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a> {
    /// `previous_nodes[v]`: the previous number of node v, or [`NEW`]; len = n_nodes.
    pub previous_nodes: &'a [u32],
    /// The number of nodes of the previous graph.
    pub n_nodes: usize,
    /// The declared edges of the previous graph, in its numbers.
    pub declared: &'a [Edge],
    /// All conflicting pairs that had no path and of which both nodes may run, in previous numbers.
    pub free: &'a [(u32, u32)],
    /// `has_changed_needs[v]`: the needs of node v changed, so the nodes with which it never runs may differ;
    /// len = n_nodes, or 0 if no needs changed.
    pub has_changed_needs: &'a [bool],
}

/// The number of rows in one pass: the bits of a word.
const ROWS_AT_ONCE: usize = u64::BITS as usize;

impl Draft {
    /// Calls `visit` with every conflicting pair without a path whose nodes may both run, in any order.
    ///
    /// Returns false, without visiting pairs, if there are so many rows that a full search is cheaper.
    /// Cost: O((V + E + U) R / 64) for R rows.
    pub(super) fn for_each_race_incremental(
        &self,
        input: &VerifyInput<'_>,
        previous: &Previous<'_>,
        visit: &mut impl FnMut(u32, u32),
    ) -> bool {
        let order = &*sort(self.n_nodes, &self.edges).expect("the graph must be acyclic");
        let lists = Lists::of_successors(self.n_nodes, &self.edges);
        let rows = self.rows_of(input, previous, order, &lists);
        // A row costs a pass in each direction. A full search needs one direction only.
        if 2 * rows.len() > self.n_nodes {
            return false;
        }
        let mut ranks = vec![0; self.n_nodes];
        fill_ranks(order, &mut ranks);
        let mut row_of = vec![usize::MAX; self.n_nodes];
        for (row, &node) in rows.iter().enumerate() {
            row_of[node as usize] = row;
        }
        // As in `Masks`, for rows.
        let has_folds = input.uses.has_folds();
        let filters = input.uses.filters();
        let mut users = vec![0_u64; input.n_rows()];
        let mut modifiers = users.clone();
        let mut non_folders = vec![0_u64; if has_folds { input.n_rows() } else { 0 }];
        for (chunk, nodes) in rows.chunks(ROWS_AT_ONCE).enumerate() {
            users.fill(0);
            modifiers.fill(0);
            non_folders.fill(0);
            let mut own = vec![0_u64; self.n_nodes];
            for (bit, &node) in nodes.iter().enumerate() {
                own[node as usize] = 1 << bit;
                for use_idx in input.uses.start(node)..input.uses.end(node) {
                    let one = input.uses.nth(use_idx);
                    for row in filters.rows_meeting(one) {
                        users[row] |= 1 << bit;
                        if one.kind.modifies() {
                            modifiers[row] |= 1 << bit;
                        }
                        if has_folds && one.kind != AccessKind::Fold {
                            non_folders[row] |= 1 << bit;
                        }
                    }
                }
            }
            let before = reached(lists.links(), order.iter().copied(), &own);
            let after = reaching(lists.links(), order.iter().rev().copied(), &own);
            for node in 0..self.n_nodes as u32 {
                let mut conflicts = 0;
                for use_idx in input.uses.start(node)..input.uses.end(node) {
                    let one = input.uses.nth(use_idx);
                    let masks = match one.kind {
                        AccessKind::Read => &modifiers,
                        AccessKind::Write => &users,
                        AccessKind::Fold => &non_folders,
                    };
                    conflicts |= masks[filters.row(one)];
                }
                let idx = node as usize;
                let mut free = conflicts & !before[idx] & !after[idx] & !own[idx];
                while free != 0 {
                    let row = chunk * ROWS_AT_ONCE + free.trailing_zeros() as usize;
                    free &= free - 1;
                    // A pair of two rows is visited for one of them.
                    if row_of[idx] != usize::MAX && row_of[idx] < row {
                        continue;
                    }
                    let (mut a, mut b) = (node, rows[row]);
                    if ranks[a as usize] > ranks[b as usize] {
                        (a, b) = (b, a);
                    }
                    if !input.needs.never_both_run(a, b) {
                        visit(a, b);
                    }
                }
            }
        }
        true
    }

    /// At least one node of each candidate pair. Nodes without uses are in no pair.
    pub(super) fn rows_of(
        &self,
        input: &VerifyInput<'_>,
        previous: &Previous<'_>,
        order: &[u32],
        lists: &Lists,
    ) -> Vec<u32> {
        let mut new_of = vec![None; previous.n_nodes];
        for (node, &old) in (0..).zip(previous.previous_nodes) {
            if old != NEW {
                new_of[old as usize] = Some(node);
            }
        }
        let previous_nodes = previous.previous_nodes.iter();
        let mut is_row: Vec<bool> = previous_nodes.map(|&old| old == NEW).collect();
        for (is_row, has_changed_needs) in is_row.iter_mut().zip(previous.has_changed_needs) {
            *is_row |= has_changed_needs;
        }
        for &(a, b) in previous.free {
            if let (Some(a), Some(b)) = (new_of[a as usize], new_of[b as usize])
                && !is_row[b as usize]
            {
                is_row[a as usize] = true;
            }
        }
        for (is_row, has_lost) in is_row
            .iter_mut()
            .zip(self.nodes_with_lost_paths(previous, &new_of, order, lists))
        {
            *is_row |= has_lost;
        }
        let uses = input.uses;
        let rows = (0..self.n_nodes as u32).filter(|&node| uses.start(node) < uses.end(node));
        rows.filter(|&node| is_row[node as usize]).collect()
    }

    /// At least one node of each pair that may have lost all paths.
    ///
    /// A lost path led through a hole: a removed edge, or connected removed nodes. If each predecessor of a hole still reaches
    /// each successor of the hole, no pair has lost all paths. Otherwise the result contains the nodes that reach a
    /// predecessor, or the nodes that a successor reaches, whichever are fewer.
    fn nodes_with_lost_paths(
        &self,
        previous: &Previous<'_>,
        new_of: &[Option<u32>],
        order: &[u32],
        lists: &Lists,
    ) -> Vec<bool> {
        let removed = self.removed_edges(previous, new_of, lists);
        let mut hole_of = Holes::new(previous.n_nodes);
        for edge in &removed {
            if new_of[edge.from as usize].is_none() && new_of[edge.to as usize].is_none() {
                hole_of.join(edge.from, edge.to);
            }
        }
        // The predecessors and successors of each hole. A removed edge between remaining nodes is a separate hole.
        let mut into: Vec<(usize, u32)> = Vec::new();
        let mut out_of: Vec<(usize, u32)> = Vec::new();
        for (idx, edge) in removed.iter().enumerate() {
            let (from, to) = (new_of[edge.from as usize], new_of[edge.to as usize]);
            let hole = match (from, to) {
                (None, _) => hole_of.find(edge.from) as usize,
                (_, None) => hole_of.find(edge.to) as usize,
                _ => previous.n_nodes + idx,
            };
            into.extend(from.map(|from| (hole, from)));
            out_of.extend(to.map(|to| (hole, to)));
        }
        into.sort_unstable();
        into.dedup();
        out_of.sort_unstable();
        out_of.dedup();
        let mut has_lost_ahead = vec![0; self.n_nodes];
        let mut has_lost_behind = vec![0; self.n_nodes];
        let mut has_lost = false;
        for into in into.chunks(ROWS_AT_ONCE) {
            let mut own = vec![0; self.n_nodes];
            for (bit, &(_, node)) in into.iter().enumerate() {
                own[node as usize] |= 1 << bit;
            }
            let reached = reached(lists.links(), order.iter().copied(), &own);
            for (first, of_hole) in chunks_of_holes(into) {
                let hole = of_hole[0].0;
                let bits = (u64::MAX >> (ROWS_AT_ONCE - of_hole.len())) << first;
                let start = out_of.partition_point(|one| one.0 < hole);
                let outs = out_of[start..].iter().take_while(|one| one.0 == hole);
                for &(_, out) in outs {
                    let mut missing = bits & !(reached[out as usize] | own[out as usize]);
                    if missing != 0 {
                        has_lost = true;
                        has_lost_behind[out as usize] = 1;
                    }
                    while missing != 0 {
                        let (_, node) = into[missing.trailing_zeros() as usize];
                        has_lost_ahead[node as usize] = 1;
                        missing &= missing - 1;
                    }
                }
            }
        }
        if !has_lost {
            return vec![false; self.n_nodes];
        }
        let all = |own: &[u64], others: Vec<u64>| -> Vec<bool> {
            let both = own.iter().zip(others);
            both.map(|(own, other)| own | other != 0).collect()
        };
        let ahead = all(
            &has_lost_ahead,
            reaching(lists.links(), order.iter().rev().copied(), &has_lost_ahead),
        );
        let behind = all(
            &has_lost_behind,
            reached(lists.links(), order.iter().copied(), &has_lost_behind),
        );
        let count = |nodes: &[bool]| nodes.iter().filter(|one| **one).count();
        if count(&ahead) < count(&behind) {
            ahead
        } else {
            behind
        }
    }

    /// The previous edges that were removed, in previous numbers. O(V + E).
    fn removed_edges(
        &self,
        previous: &Previous<'_>,
        new_of: &[Option<u32>],
        lists: &Lists,
    ) -> Vec<Edge> {
        let old_lists = Lists::of_successors(previous.n_nodes, previous.declared);
        let (links, old_links) = (lists.links(), old_lists.links());
        // visited[v]: the last node of which node v was found to be a successor.
        let mut visited = vec![NEW; self.n_nodes];
        let mut removed = Vec::new();
        for (old, &new) in new_of.iter().enumerate() {
            if let Some(new) = new {
                for link in links.start(new as usize)..links.end(new as usize) {
                    visited[links.target(link) as usize] = new;
                }
            }
            for link in old_links.start(old)..old_links.end(old) {
                let to = old_links.target(link);
                let is_kept = new.is_some()
                    && new_of[to as usize].is_some_and(|to| Some(visited[to as usize]) == new);
                if !is_kept {
                    let from = old as u32;
                    removed.push(Edge { from, to });
                }
            }
        }
        removed
    }
}

/// The entries of each hole, which are contiguous, with the index of the first.
fn chunks_of_holes(into: &[(usize, u32)]) -> impl Iterator<Item = (usize, &[(usize, u32)])> {
    let mut first = 0;
    into.chunk_by(|a, b| a.0 == b.0).map(move |of_hole| {
        let start = first;
        first += of_hole.len();
        (start, of_hole)
    })
}

/// `reached[v]`: the bits of all nodes from which a path of at least one edge leads to node v. `order` is topological.
/// O(V + E).
pub(super) fn reached(links: Links<'_>, order: impl Iterator<Item = u32>, own: &[u64]) -> Vec<u64> {
    let mut reached = vec![0; own.len()];
    for node in order {
        let bits = reached[node as usize] | own[node as usize];
        if bits != 0 {
            for link in links.start(node as usize)..links.end(node as usize) {
                reached[links.target(link) as usize] |= bits;
            }
        }
    }
    reached
}

/// `reaching[v]`: the bits of all nodes to which a path of at least one edge leads from node v. `order` is a reverse
/// topological order. O(V + E).
pub(super) fn reaching(
    links: Links<'_>,
    order: impl Iterator<Item = u32>,
    own: &[u64],
) -> Vec<u64> {
    let mut reaching = vec![0; own.len()];
    for node in order {
        let mut bits = 0;
        for link in links.start(node as usize)..links.end(node as usize) {
            let to = links.target(link) as usize;
            bits |= reaching[to] | own[to];
        }
        reaching[node as usize] = bits;
    }
    reaching
}

/// The holes as sets of connected removed nodes: a forest in which each tree is a hole (union-find, Galler, Fischer 1964).
struct Holes {
    parents: Vec<u32>,
}

impl Holes {
    fn new(n_nodes: usize) -> Self {
        Self {
            parents: (0..n_nodes as u32).collect(),
        }
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let parent = self.parents[node as usize];
            // Path halving keeps trees flat.
            self.parents[node as usize] = self.parents[parent as usize];
            node = parent;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a as usize] = b;
    }
}
