//! A minimal set of orders that ends all races of a graph.

use super::VerifyInput;
use super::levelled::members;
use super::masks::{Masks, MasksMemory};
use super::race_policies::RacePolicies;
use super::walk::WalkMemory;
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::graph::links::Links;
use crate::graph::order::{fill_ranked_edges, fill_ranks};
use crate::graph::reach::merge_successor_rows;
use crate::graph::window::Window;
use crate::policy::Policy;

/// Finds a minimal set of races such that ordering them ends all races.
///
/// Each race is ordered along one topological order of declared, weak and writers-first edges, smallest index first. The
/// result is the part of the transitive reduction of declared edges, weak edges and races that is not declared or weak
/// (Aho, Garey, Ullman 1972), so no order in it is redundant. Edges of writers first are excluded from the reduction,
/// because they excuse no other pair.
///
/// Races are not listed first. Nodes are visited from the last to the first, so the row of reachability of each later
/// node is complete. The races of a node are the bits of later nodes that conflict with it and are not reached.
///
/// If nodes of two loops race, one order is enough: that of the first pair that races.
///
/// Declared and weak orders must have no cycle.
/// Cost: O((V + E + U) V / 64), and O(V / 64) for each order that is found.
#[derive(Debug)]
pub struct Remedy<'a> {
    input: VerifyInput<'a>,
    /// A topological order of all nodes, those for weak orders included. The body of a loop is between its begin and its
    /// end.
    order: &'a [u32],
    ranks: &'a [u32],
    /// The successors of each rank by declared edges, weak edges, and orders found for earlier windows.
    links: Links<'a>,
    /// Reachability by rank, as in [`Reach`](crate::graph::reach::Reach), with the orders found so far.
    reach: &'a mut [usize],
    masks: MasksMemory<'a>,
    /// The later nodes in the same loop that conflict with the node of this rank. If it is the end of a loop, also those
    /// that conflict with a node of the loop body.
    row: &'a mut [usize],
    window: Window,
    /// The rank of the current row. Lower ranks follow.
    rank: usize,
    /// The position in the current row.
    block: usize,
}

impl<'a> Remedy<'a> {
    /// Finds the orders of races with a later node in the window from `first` on. The window is as wide as memory permits.
    ///
    /// `edges`: declared edges, weak edges, and orders found for earlier windows.
    pub(super) const fn new(
        input: VerifyInput<'a>,
        order: &'a [u32],
        edges: &[Edge],
        first: usize,
        memory: WalkMemory<'a>,
    ) -> Self {
        let n_nodes = order.len();
        let mut window = memory.window;
        if Window::full(n_nodes).n_blocks < window.n_blocks {
            window = Window::full(n_nodes);
        }
        window.first = first;
        let ranks = memory.ranks.split_at_mut(n_nodes).0;
        fill_ranks(order, ranks);
        let ranked = memory.ranked.split_at_mut(edges.len()).0;
        fill_ranked_edges(edges, ranks, ranked);
        let mut masks = memory.masks.first(input.n_rows() * window.n_blocks);
        Masks::fill(input.uses, order, window, &mut masks);
        add_later_uses(input, order, ranks, window, &mut masks);
        Self {
            input,
            order,
            ranks,
            links: memory.all_links.links(n_nodes, ranked),
            reach: memory.all,
            masks,
            row: memory.row,
            window,
            rank: window.n_rows(n_nodes),
            block: window.n_blocks,
        }
    }

    /// One past the last rank of the window.
    pub(super) const fn end(&self) -> usize {
        self.window.end()
    }

    /// The next pair and the edge that orders it. The order of the pairs is unspecified.
    pub const fn next(&mut self, policies: &mut RacePolicies<'_>) -> Option<((u32, u32), Edge)> {
        let n_blocks = self.window.n_blocks;
        loop {
            while self.block < n_blocks {
                let bits = self.row[self.block] & !self.reach[self.rank * n_blocks + self.block];
                if bits == 0 {
                    self.block += 1;
                    continue;
                }
                let offset = self.block * Window::NODES_PER_BLOCK;
                let later = self.window.first + offset + bits.trailing_zeros() as usize;
                let edge = self.input.levels.lift(Edge {
                    from: self.order[self.rank],
                    to: self.order[later],
                });
                match self.first_race(edge, policies) {
                    Some(pair) => {
                        self.lead_to(self.ranks[edge.to as usize]);
                        return Some((pair, edge));
                    }
                    None => self.forget(edge.to),
                }
            }
            if self.rank == 0 {
                return None;
            }
            self.rank -= 1;
            self.fill_row();
        }
    }

    const fn fill_row(&mut self) {
        let (window, rank) = (self.window, self.rank);
        let n_blocks = window.n_blocks;
        let start = rank * n_blocks;
        merge_successor_rows(self.links, window, rank, self.reach);
        let mut link = self.links.start(rank);
        while link < self.links.end(rank) {
            if let Some(bit) = window.bit(self.links.target(link)) {
                self.reach[start + bit.block] |= bit.mask;
            }
            link += 1;
        }
        self.block = n_blocks;
        let levels = self.input.levels;
        let node = self.order[rank];
        let (mut member, last) = members(levels, self.ranks, node);
        if last > rank {
            // A later node that races with a loop is ordered after its end.
            return;
        }
        let end = match levels.around(node) {
            NO_LOOP => self.order.len(),
            around => self.ranks[levels.loops[around as usize].to as usize] as usize,
        };
        let end = if end < window.end() {
            end
        } else {
            window.end()
        };
        let next = if rank + 1 > window.first {
            rank + 1
        } else {
            window.first
        };
        if next >= end {
            return;
        }
        let first_block = (next - window.first) / Window::NODES_PER_BLOCK;
        let end_block = (end - window.first).div_ceil(Window::NODES_PER_BLOCK);
        let mut block = first_block;
        while block < n_blocks {
            self.row[block] = 0;
            block += 1;
        }
        let masks = self.masks.view(window, self.input.uses.filters());
        let uses = self.input.uses;
        while member <= rank {
            let of_member = self.order[member];
            let mut use_idx = uses.start(of_member);
            while use_idx < uses.end(of_member) {
                let one = uses.nth(use_idx);
                if self.input.rules.may_reject(one.resource) {
                    let mask = masks.of(one);
                    let mut block = first_block;
                    while block < end_block {
                        self.row[block] |= mask[block];
                        block += 1;
                    }
                }
                use_idx += 1;
            }
            member += 1;
        }
        self.row[first_block] &= usize::MAX << ((next - window.first) % Window::NODES_PER_BLOCK);
        let n_in_last = (end - window.first) % Window::NODES_PER_BLOCK;
        if n_in_last > 0 {
            self.row[end_block - 1] &= (1 << n_in_last) - 1;
        }
        self.block = first_block;
    }

    /// The first racing pair that this edge orders, the earlier node first.
    const fn first_race(&self, edge: Edge, policies: &mut RacePolicies<'_>) -> Option<(u32, u32)> {
        let levels = self.input.levels;
        let (first_from, last_from) = members(levels, self.ranks, edge.from);
        let (first_to, last_to) = members(levels, self.ranks, edge.to);
        let mut found: Option<(u32, u32)> = None;
        let mut from_rank = first_from;
        while from_rank <= last_from {
            let mut to_rank = first_to;
            while to_rank <= last_to {
                let (from, to) = (self.order[from_rank], self.order[to_rank]);
                let is_better = match found {
                    None => true,
                    Some((a, b)) => is_before((from, to), (a, b)),
                };
                if is_better && self.is_race(from, to, policies) {
                    found = Some((from, to));
                }
                to_rank += 1;
            }
            from_rank += 1;
        }
        found
    }

    /// Whether two nodes without a path race under [`Policy::Reject`].
    const fn is_race(&self, a: u32, b: u32, policies: &mut RacePolicies<'_>) -> bool {
        let input = self.input;
        input.uses.shared(a, b).next().is_some()
            && !input.needs.never_both_run(a, b)
            && matches!(policies.policy(a, b), Some(Policy::Reject))
    }

    /// Marks this rank, and all ranks that it reaches, as reached by the node of the row.
    const fn lead_to(&mut self, rank: u32) {
        let n_blocks = self.window.n_blocks;
        let start = self.rank * n_blocks;
        let mut block = 0;
        if let Some(bit) = self.window.bit(rank) {
            self.reach[start + bit.block] |= bit.mask;
            block = bit.block;
        }
        let from = rank as usize * n_blocks;
        while block < n_blocks {
            self.reach[start + block] |= self.reach[from + block];
            block += 1;
        }
    }

    /// Removes a node, or all nodes of a loop, from the row.
    const fn forget(&mut self, node: u32) {
        let (mut rank, last) = members(self.input.levels, self.ranks, node);
        while rank <= last {
            if let Some(bit) = self.window.bit(rank as u32) {
                self.row[bit.block] &= !bit.mask;
            }
            rank += 1;
        }
    }
}

/// Adds the uses of loop nodes after the window to the begin of their loop. Otherwise an order to the loop for these uses
/// would be found with a later window only, and could make an earlier result redundant.
///
/// Cost: O(loops + depth of loops × uses).
const fn add_later_uses(
    input: VerifyInput<'_>,
    order: &[u32],
    ranks: &[u32],
    window: Window,
    masks: &mut MasksMemory<'_>,
) {
    if window.end() >= order.len() {
        return;
    }
    let loops = input.levels.loops;
    let mut idx = 0;
    while idx < loops.len() {
        let begin = ranks[loops[idx].from as usize] as usize;
        let end = ranks[loops[idx].to as usize] as usize;
        if begin >= window.first && begin < window.end() {
            let mut rank = window.end();
            while rank <= end {
                masks.add(input.uses, order[rank], window, begin);
                rank += 1;
            }
        }
        idx += 1;
    }
}

/// Whether the first pair comes before the other, smaller nodes first.
const fn is_before(one: (u32, u32), other: (u32, u32)) -> bool {
    let (low, high) = sorted(one);
    let (other_low, other_high) = sorted(other);
    low < other_low || low == other_low && high < other_high
}

const fn sorted((a, b): (u32, u32)) -> (u32, u32) {
    if a < b { (a, b) } else { (b, a) }
}
