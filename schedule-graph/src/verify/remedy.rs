//! Which orders end the races of a graph.

use super::levelled::members;
use super::masks::{Masks, MasksMemory};
use super::phases::{Judge, Phases};
use super::walk::{WalkExtent, WalkMemory};
use super::{MAX_BLOCKS, Question};
use crate::arena::Heap;
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::graph::links::Links;
use crate::graph::order::{fill_ranked_edges, fill_ranks};
use crate::graph::reach::merge_successor_rows;
use crate::graph::window::Window;
use crate::policy::Policy;

/// Finds those of the races that end all of them once they are ordered, the earlier node before the later one, by the
/// place of both in the order that the remedy follows: in insertion order, after everything that is declared, weak or writers first.
///
/// Of all races, put along that order, it is what the transitive reduction leaves beside the orders that are there
/// (Aho, Garey, Ullman 1972): so none can be left out. The edges of writers first do not count for that, since they excuse
/// no other pair. Pairs are not listed for it. The last node comes first; what reaches a node is complete by then, so that
/// the races of a node are the bits of what conflicts with it and comes later without being reached.
///
/// Parts of two loops race for those: one order is enough, and it is that of the first pair that races.
///
/// Called where declared and weak orders have no cycle.
/// Cost: O((V + E + U) V / 64), and O(V / 64) for each order that is found.
#[derive(Debug)]
pub struct Remedy<'a> {
    question: Question<'a>,
    /// A topological order of all nodes, those for weak orders included, with the parts of a loop between its begin and its
    /// end.
    order: &'a [u32],
    ranks: &'a [u32],
    /// The successors of each rank by declared and weak orders, and by what was found for other windows.
    links: Links<'a>,
    /// By rank, as [`Reach`](crate::graph::reach::Reach) has it, with what is found.
    reach: &'a mut [usize],
    masks: MasksMemory<'a>,
    /// What conflicts with the node of this rank, or with a part of the loop that it is the end of, and comes after it in the
    /// loop around both.
    row: &'a mut [usize],
    window: Window,
    /// The rank whose row is gone through; those below follow.
    rank: usize,
    /// Where in its row.
    block: usize,
}

impl<'a> Remedy<'a> {
    /// Of the races with a node in the window from `first` on; for the first window, it is as wide as there is memory for.
    ///
    /// `edges`: declared and weak ones, and what was found for the windows before.
    pub(super) const fn new(
        question: Question<'a>,
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
        let mut masks = memory.masks.first(question.n_rows() * window.n_blocks);
        Masks::fill(question.uses, order, window, &mut masks);
        add_later_parts(question, order, ranks, window, &mut masks);
        Self {
            question,
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

    /// The next pair, and the edge by which it is ordered; in no particular order.
    pub const fn next(&mut self, judge: &mut Judge<'_>) -> Option<((u32, u32), Edge)> {
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
                let edge = self.question.levels.lift(Edge {
                    from: self.order[self.rank],
                    to: self.order[later],
                });
                match self.first_race(edge, judge) {
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
        let levels = self.question.levels;
        let node = self.order[rank];
        let (mut member, last) = members(levels, self.ranks, node);
        if last > rank {
            // What races with a loop comes after its end.
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
        let masks = self.masks.view(window, self.question.uses.filters());
        let uses = self.question.uses;
        while member <= rank {
            let of_member = self.order[member];
            let mut use_idx = uses.start(of_member);
            while use_idx < uses.end(of_member) {
                let one = uses.nth(use_idx);
                if self.question.rules.may_reject(one.resource) {
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

    /// The first pair that races, of all nodes that this edge puts before others; in the order of the edge.
    const fn first_race(&self, edge: Edge, judge: &mut Judge<'_>) -> Option<(u32, u32)> {
        let levels = self.question.levels;
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
                if is_better && self.is_race(from, to, judge) {
                    found = Some((from, to));
                }
                to_rank += 1;
            }
            from_rank += 1;
        }
        found
    }

    /// Whether two nodes without a path race under [`Policy::Reject`].
    const fn is_race(&self, a: u32, b: u32, judge: &mut Judge<'_>) -> bool {
        let question = self.question;
        question.uses.shared(a, b).next().is_some()
            && !question.needs.are_exclusive(a, b)
            && matches!(judge.policy(a, b), Some(Policy::Reject))
    }

    /// Adds that the node of the row leads to this rank, and to all that it leads to.
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

    /// Leaves a node, or all of a loop, out of the row.
    const fn forget(&mut self, node: u32) {
        let (mut rank, last) = members(self.question.levels, self.ranks, node);
        while rank <= last {
            if let Some(bit) = self.window.bit(rank as u32) {
                self.row[bit.block] &= !bit.mask;
            }
            rank += 1;
        }
    }
}

/// Lets the begin of a loop use what its parts after the window use. Else an order that leads to the loop because of these
/// would be found with a later window only, and by then another one may have been found that it makes needless.
///
/// Cost: O(loops + depth of loops × uses).
const fn add_later_parts(
    question: Question<'_>,
    order: &[u32],
    ranks: &[u32],
    window: Window,
    masks: &mut MasksMemory<'_>,
) {
    if window.end() >= order.len() {
        return;
    }
    let loops = question.levels.loops;
    let mut idx = 0;
    while idx < loops.len() {
        let begin = ranks[loops[idx].from as usize] as usize;
        let end = ranks[loops[idx].to as usize] as usize;
        if begin >= window.first && begin < window.end() {
            let mut rank = window.end();
            while rank <= end {
                masks.add(question.uses, order[rank], window, begin);
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

/// All pairs that [`Remedy`] finds, in the order of a run.
pub(super) fn remedy(question: &Question<'_>, phases: &mut Phases<'_>) -> Vec<(u32, u32)> {
    let order = phases.sort_for_remedy().to_vec();
    let mut judge = phases.judge();
    let mut ranks = vec![0; order.len()];
    fill_ranks(&order, &mut ranks);
    let mut edges = [question.declared, question.weak].concat();
    let mut found = Vec::new();
    let mut first = 0;
    while first < order.len() {
        let extent = WalkExtent {
            n_nodes: order.len(),
            n_edges: edges.len(),
            n_resources: question.n_resources,
            n_filtered: question.uses.filters().n_filtered(),
            n_blocks: MAX_BLOCKS,
            has_declared: false,
            has_folds: question.uses.has_folds(),
        };
        let mut heap = Heap::of(|arena| WalkMemory::take(arena, extent));
        let memory = WalkMemory::take(&mut heap.arena(), extent);
        let mut remedy = Remedy::new(*question, &order, &edges, first, memory);
        first = remedy.window.end();
        let of_window = core::iter::from_fn(|| remedy.next(&mut judge));
        let of_window: Vec<_> = of_window.collect();
        edges.extend(of_window.iter().map(|(_, edge)| edge));
        found.extend(of_window);
    }
    let rank = |node: u32| ranks[node as usize];
    found.sort_unstable_by_key(|(_, edge)| (rank(edge.from), rank(edge.to)));
    found.into_iter().map(|(pair, _)| pair).collect()
}
