//! The phases of the verdict, as [`verify`](crate::verify) has them, without the last two: what runs as added or as fits never fails.

use super::conditions::Conditions;
use super::draft::Draft;
use super::edges::{Edges, Origin};
use super::fault::{Fault, Kind};
use super::memory::{List, Memory};
use super::node::{Item, Spot};
use crate::conflict::{Masks, Pairs, Uses};
use crate::exclusion::Needs;
use crate::flush_races::FlushRaces;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::cycle::{fill_components, fill_shortest_cycles};
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use crate::graph::reach::fill_reach;
use crate::graph::window::Window;
use crate::policy::{Policy, Rules, writers_first};

/// The steps of all cycles that were found: of each the edge, and the code of why it is there.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub(super) edges: List<'a, Edge>,
    pub(super) origins: List<'a, u32>,
}

/// What is judged.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) uses: Uses<'q>,
    pub(super) n_resources: usize,
    pub(super) rules: Rules<'q>,
    pub(super) needs: Needs<'q>,
    /// As [`FlushRaces::roles`] has them.
    pub(super) roles: &'q [u32],
}

/// How much memory a graph takes that is judged: of so many nodes, with so many edges, and as many more for pairs that
/// weak orders or [`Policy::WritersFirst`] order.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) n_nodes: usize,
    pub(super) n_edges: usize,
    pub(super) n_weak: usize,
    pub(super) n_pairs: usize,
    pub(super) n_resources: usize,
}

impl Extent {
    pub(super) const fn n_all_edges(self) -> usize {
        self.n_edges + self.n_weak + 2 * self.n_pairs
    }

    pub(super) const fn n_words(self) -> usize {
        let links = self.n_nodes + 1 + 2 * self.n_all_edges();
        // Sorts and searches for cycles: three and three; walks through pairs: two, each with two lists of links.
        let searches = 6 * (links + (SCRATCH_PER_NODE + 4) * self.n_nodes + 2);
        let walks = 2 * (2 * links + (SCRATCH_PER_NODE + 2) * self.n_nodes);
        let condensed = links + (SCRATCH_PER_NODE + 3) * self.n_nodes;
        searches + walks + condensed + 3 * self.n_nodes
    }

    pub(super) const fn n_edges(self) -> usize {
        // All of them; ranked copies for two walks, twice each; the condensed graph; pairs, and the steps of cycles.
        5 * self.n_all_edges()
            + (self.n_nodes + self.n_all_edges())
            + self.n_pairs
            + 3 * self.n_nodes
    }

    pub(super) const fn n_blocks(self) -> usize {
        let width = self.n_nodes.div_ceil(usize::BITS as usize);
        let walk = 2 * self.n_nodes * width + 2 * self.n_resources * width + width;
        2 * walk
    }
}

/// Tells of all cycles and races.
pub(super) const fn judge<'a>(
    draft: &mut Draft<'_>,
    edges: &mut Edges<'a>,
    conditions: &Conditions<'_>,
    question: Question<'_>,
    extent: Extent,
    memory: &mut Memory<'a>,
) -> Steps<'a> {
    let n_nodes = edges.n_nodes;
    let mut steps = Steps {
        edges: List::new(memory.take_edges(3 * n_nodes)),
        origins: List::new(memory.take_words(3 * n_nodes)),
    };
    // 1 and 2: declared and weak orders. A cycle among the declared ones is not told again with the weak ones.
    let mut all = Graph::new(edges);
    let mut n_cycles =
        all.tell_of_cycles(draft, edges, conditions, Kind::Cycle, &mut steps, memory);
    let n_declared = all.list.len();
    if edges.weak.len() > 0 {
        let mut idx = 0;
        while idx < edges.weak.len() {
            all.list.push(edges.weak.at(idx));
            all.origins.push(edges.weak_origins.at(idx));
            idx += 1;
        }
        if n_cycles == 0 {
            n_cycles =
                all.tell_of_cycles(draft, edges, conditions, Kind::Cycle, &mut steps, memory);
            if n_cycles == 0 {
                all.keep_weak(edges, question, n_declared, memory);
            }
        }
    }
    if !question.rules.needs_races() {
        return steps;
    }
    // 3: races. With cycles, whatever lies on one is ordered against all that it leads to or that leads to it.
    let mut first = List::new(memory.take_edges(extent.n_pairs));
    if n_cycles > 0 {
        let condensed = all.without_cycles(memory);
        let declared = all.list.as_slice().split_at(n_declared).0;
        condensed.tell_of_races(draft, question, declared, &mut first, memory);
        return steps;
    }
    let declared = all.list.as_slice().split_at(n_declared).0;
    all.tell_of_races(draft, question, declared, &mut first, memory);
    // 4: writers first.
    if first.len() > 0 {
        let mut idx = 0;
        while idx < first.len() {
            let Edge { from, to } = first.at(idx);
            let found = writers_first(question.uses, from, to);
            if let Some(resource) = found.first_to_second {
                let edge = edges.levels().lift(Edge { from, to });
                all.push(edge, Origin::WritersFirst(resource));
            }
            if let Some(resource) = found.second_to_first {
                let edge = edges.levels().lift(Edge { from: to, to: from });
                all.push(edge, Origin::WritersFirst(resource));
            }
            idx += 1;
        }
        all.tell_of_cycles(
            draft,
            edges,
            conditions,
            Kind::WritersFirst,
            &mut steps,
            memory,
        );
    }
    steps
}

/// Nodes and edges while the phases add to them.
struct Graph<'a> {
    n_nodes: usize,
    list: List<'a, Edge>,
    /// `origins[i]`: the code of why edge i is there.
    origins: List<'a, u32>,
}

impl<'a> Graph<'a> {
    /// Takes the edges over; the list has room for those of the phases.
    const fn new(edges: &mut Edges<'a>) -> Self {
        Self {
            n_nodes: edges.n_nodes,
            list: edges.list.take(),
            origins: edges.origins.take(),
        }
    }

    const fn push(&mut self, edge: Edge, origin: Origin) {
        self.list.push(edge);
        self.origins.push(origin.code());
    }

    const fn links(&self, memory: &mut Memory<'a>) -> Links<'a> {
        links(self.n_nodes, self.list.as_slice(), memory)
    }

    /// Tells of one shortest cycle for each strongly connected component; returns how many there are.
    const fn tell_of_cycles(
        &self,
        draft: &mut Draft<'_>,
        edges: &Edges<'_>,
        conditions: &Conditions<'_>,
        kind: Kind,
        steps: &mut Steps<'_>,
        memory: &mut Memory<'a>,
    ) -> usize {
        let links = self.links(memory);
        let n_nodes = self.n_nodes;
        let scratch = memory.take_words(SCRATCH_PER_NODE * n_nodes);
        let component = memory.take_words(n_nodes);
        if sort_topologically(links, scratch, component) == n_nodes {
            return 0;
        }
        fill_components(links, scratch, component);
        let starts = memory.take_words(n_nodes + 1);
        let found = memory.take_words(n_nodes);
        let cycles = fill_shortest_cycles(links, component, scratch, starts, found);
        let mut idx = 0;
        while idx < cycles.n_cycles() {
            let cycle = cycles.cycle(idx);
            let start = steps.edges.len();
            let mut step = 0;
            while step < cycle.len() {
                let edge = cycle[step] as usize;
                steps.edges.push(self.list.at(edge));
                steps.origins.push(self.origins.at(edge));
                step += 1;
            }
            let first = edges.item(steps.edges.at(start).from);
            let spot = spot_of(draft, conditions, edges, steps, start, first);
            let fault = Fault::new(kind, spot, first, first);
            let range = (start as u32, steps.edges.len() as u32);
            draft.faults.push(fault.along(range));
            idx += 1;
        }
        cycles.n_cycles()
    }

    /// Leaves of the weak orders an edge for every conflicting pair that only they order.
    const fn keep_weak(
        &mut self,
        edges: &Edges<'_>,
        question: Question<'_>,
        n_declared: usize,
        memory: &mut Memory<'a>,
    ) {
        let mut walk = Walk::new(self, Some(n_declared), question, memory);
        // Which of them orders a pair nobody asks but a cycle of another phase, which shows one of them.
        let weak = edges.weak_origins.at(edges.weak.len() - 1);
        let mut n_kept = n_declared;
        while let Some((from, to)) = walk.next(question) {
            let edge = edges.levels().lift(Edge { from, to });
            if n_kept < self.list.len() {
                self.list.set(n_kept, edge);
                self.origins.set(n_kept, weak);
            } else {
                self.list.push(edge);
                self.origins.push(weak);
            }
            n_kept += 1;
        }
        self.list.truncate(n_kept);
        self.origins.truncate(n_kept);
    }

    /// A graph without cycles in which two nodes have a path between them, either way, exactly if they have one here.
    ///
    /// Every strongly connected component becomes a chain, entered at its first node and left at its last.
    const fn without_cycles(&self, memory: &mut Memory<'a>) -> Self {
        let n_nodes = self.n_nodes;
        let links = self.links(memory);
        let scratch = memory.take_words(SCRATCH_PER_NODE * n_nodes);
        let component = memory.take_words(n_nodes);
        fill_components(links, scratch, component);
        // The first and the last node of each component; a node that is none where nothing was met.
        let firsts = memory.take_words(n_nodes);
        let lasts = memory.take_words(n_nodes);
        let mut idx = 0;
        while idx < n_nodes {
            firsts[idx] = u32::MAX;
            idx += 1;
        }
        let mut list = List::new(memory.take_edges(n_nodes + self.list.len()));
        let mut node = 0;
        while node < n_nodes {
            let own = component[node] as usize;
            if firsts[own] == u32::MAX {
                firsts[own] = node as u32;
            } else {
                list.push(Edge {
                    from: lasts[own],
                    to: node as u32,
                });
            }
            lasts[own] = node as u32;
            node += 1;
        }
        let mut idx = 0;
        while idx < self.list.len() {
            let Edge { from, to } = self.list.at(idx);
            let (from, to) = (component[from as usize], component[to as usize]);
            if from != to {
                list.push(Edge {
                    from: lasts[from as usize],
                    to: firsts[to as usize],
                });
            }
            idx += 1;
        }
        Self {
            n_nodes,
            list,
            origins: List::new(memory.take_words(0)),
        }
    }

    /// Tells of every race under [`Policy::Reject`] that does not end with others, and lists those under
    /// [`Policy::WritersFirst`].
    const fn tell_of_races(
        &self,
        draft: &mut Draft<'_>,
        question: Question<'_>,
        declared: &[Edge],
        first: &mut List<'_, Edge>,
        memory: &mut Memory<'a>,
    ) {
        let mut walk = Walk::new(self, None, question, memory);
        // Empty if nothing can follow a flush.
        let n_words = FlushRaces::n_scratch_words(question.roles.len());
        let scratch = memory.take_words(n_words);
        let (declared, all) = match question.roles {
            [] => (&[] as &[Edge], &[] as &[Edge]),
            _ => (declared, self.list.as_slice()),
        };
        let flush_races = FlushRaces {
            roles: question.roles,
            declared: links(question.roles.len(), declared, memory),
            all: links(question.roles.len(), all, memory),
            uses: question.uses,
            needs: question.needs,
            rules: question.rules,
        };
        while let Some((from, to)) = walk.next(question) {
            match question.rules.of_pair(question.uses, from, to) {
                Policy::Reject => {
                    if let Some((flush, condition)) = FlushRaces::of_pair(question.roles, from, to)
                        && flush_races.is_ended_by_others(flush, condition, scratch)
                    {
                        continue;
                    }
                    // The one to change is the one that stands behind.
                    let (a, b) = (Item::Node(from), Item::Node(to));
                    let (one, other) = if draft.of(b).spot.is_after(draft.of(a).spot) {
                        (a, b)
                    } else {
                        (b, a)
                    };
                    draft.fault(Kind::Race, draft.of(other).spot, one, other);
                }
                Policy::WritersFirst => first.push(Edge { from, to }),
                Policy::Accepted | Policy::AsAdded | Policy::AsFits => {}
            }
        }
    }
}

/// Walks through the conflicting pairs of which both may run: those without a path in a graph, or those with one in it
/// and none in its first edges.
struct Walk<'w> {
    pairs: Pairs<'w>,
    row: &'w mut [usize],
}

impl<'w> Walk<'w> {
    const fn new<'a: 'w>(
        graph: &Graph<'a>,
        n_declared: Option<usize>,
        question: Question<'w>,
        memory: &mut Memory<'a>,
    ) -> Self {
        let n_nodes = graph.n_nodes;
        let window = Window::full(n_nodes);
        let scratch = memory.take_words(SCRATCH_PER_NODE * n_nodes);
        let order = memory.take_words(n_nodes);
        let links = graph.links(memory);
        assert!(
            sort_topologically(links, scratch, order) == n_nodes,
            "called where there is no cycle"
        );
        let ranks = memory.take_words(n_nodes);
        fill_ranks(order, ranks);
        let n_mask_blocks = question.n_resources * window.n_blocks;
        let masks = Masks::fill(
            question.uses,
            order,
            window,
            memory.take_blocks(n_mask_blocks),
            memory.take_blocks(n_mask_blocks),
        );
        let n_row_blocks = window.n_row_blocks(n_nodes);
        let all = ranked(n_nodes, graph.list.as_slice(), ranks, memory);
        let reach = fill_reach(all, window, memory.take_blocks(n_row_blocks));
        let (free_of, ordered_by) = match n_declared {
            None => (reach, None),
            Some(n_declared) => {
                let declared = graph.list.as_slice().split_at(n_declared).0;
                let declared = ranked(n_nodes, declared, ranks, memory);
                let declared = fill_reach(declared, window, memory.take_blocks(n_row_blocks));
                (declared, Some(reach))
            }
        };
        Self {
            pairs: Pairs::new(question.uses, order, masks, free_of, ordered_by),
            row: memory.take_blocks(window.n_blocks),
        }
    }

    const fn next(&mut self, question: Question<'_>) -> Option<(u32, u32)> {
        while let Some((a, b)) = self.pairs.next(self.row) {
            if !question.needs.are_exclusive(a, b) {
                return Some((a, b));
            }
        }
        None
    }
}

/// Successor lists of edges, renumbered by rank.
const fn ranked<'a>(
    n_nodes: usize,
    edges: &[Edge],
    ranks: &[u32],
    memory: &mut Memory<'a>,
) -> Links<'a> {
    let ranked = memory.take_edges(edges.len());
    fill_ranked_edges(edges, ranks, ranked);
    links(n_nodes, ranked, memory)
}

const fn links<'a>(n_nodes: usize, edges: &[Edge], memory: &mut Memory<'a>) -> Links<'a> {
    Links::of_successors(
        edges,
        memory.take_words(n_nodes + 1),
        memory.take_words(edges.len()),
        memory.take_words(edges.len()),
    )
}

/// Where a cycle is blamed: on the last of its orders that the listing says itself, else on the last of its guards, of its
/// memberships, of what attributes say; else on the last system for which a policy is there.
const fn spot_of(
    draft: &Draft<'_>,
    conditions: &Conditions<'_>,
    edges: &Edges<'_>,
    steps: &Steps<'_>,
    start: usize,
    first: Item,
) -> Spot {
    let mut best = draft.of(first).spot;
    let mut best_rank = 0;
    let mut step = start;
    while step < steps.edges.len() {
        let (mut rank, spot) = match Origin::of_code(steps.origins.at(step)) {
            Origin::Order(idx) | Origin::Weak(idx) => (5, draft.orders.at(idx as usize).spot),
            Origin::Leaf(leaf) => (4, conditions.spot_of(draft, leaf as usize)),
            Origin::Member(idx) => (3, draft.members.at(idx as usize).spot),
            Origin::WritersFirst(_) => (1, draft.of(edges.item(steps.edges.at(step).to)).spot),
            _ => (0, best),
        };
        // Of what an attribute says there is no token but the system.
        if rank > 2 && spot.clause == 0 {
            rank = 2;
        }
        if rank > best_rank || rank == best_rank && rank > 0 && spot.is_after(best) {
            best = spot;
            best_rank = rank;
        }
        step += 1;
    }
    best
}
