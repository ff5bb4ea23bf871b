//! The phases that may reject a graph: declared orders, weak orders, races and `writers first`.

use super::levelled::sort_by_levels;
use super::messages::{MessageReader, MessageUses};
use super::race_policies::RacePolicies;
use super::remedy::Remedy;
use super::walk::{Walk, WalkExtent, WalkMemory};
use super::{Origin, VerifyInput};
use crate::arena::Full;
use crate::arena::{Arena, List, fill};
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::cycle::{fill_components, fill_shortest_cycles};
use crate::graph::edge::Edge;
use crate::graph::order::sort_topologically;
use crate::links_memory::LinksMemory;
use crate::policy::writers_first;
use crate::sync_point_races::SyncPointRaces;

/// The maximum sizes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasesExtent {
    /// Nodes, those for weak orders included.
    pub n_nodes: usize,
    /// Declared edges.
    pub n_declared: usize,
    /// Weak edges.
    pub n_weak: usize,
    /// The number of pairs that only weak orders order, plus twice the number of pairs under `writers first`.
    pub n_pairs: usize,
    /// Resources, the additional ones included.
    pub n_resources: usize,
    /// Pairs of a resource and a signature, as in [`Filters::list`](crate::conflict::Filters::list).
    pub n_filtered: usize,
    /// The maximum number of blocks of reachability. 0 if there are no weak orders and races are not searched for.
    pub n_blocks: usize,
    /// Whether a node folds a resource.
    pub has_folds: bool,
}

impl PhasesExtent {
    /// The maximum number of edges at any time.
    pub const fn n_edges(self) -> usize {
        let n_more = if self.n_weak > self.n_pairs {
            self.n_weak
        } else {
            self.n_pairs
        };
        self.n_declared + n_more
    }
}

/// The memory of [`Phases`].
#[derive(Debug)]
pub struct PhasesMemory<'a> {
    edges: &'a mut [Edge],
    origins: &'a mut [u32],
    links: LinksMemory<'a>,
    scratch: &'a mut [u32],
    component: &'a mut [u32],
    firsts: &'a mut [u32],
    lasts: &'a mut [u32],
    condensed: &'a mut [Edge],
    starts: &'a mut [u32],
    found: &'a mut [u32],
    steps: &'a mut [Edge],
    step_origins: &'a mut [u32],
    walk: WalkMemory<'a>,
    sync_point_races: [LinksMemory<'a>; 2],
    sync_point_scratch: &'a mut [u32],
}

impl<'a> PhasesMemory<'a> {
    /// Takes memory for this extent. `has_roles`: whether there are sync points and implied conditions.
    pub const fn take(arena: &mut Arena<'a>, extent: PhasesExtent, has_roles: bool) -> Self {
        let n_nodes = extent.n_nodes;
        let n_edges = extent.n_edges();
        let n_all = n_nodes + n_edges + extent.n_weak;
        let (n_walked, n_condensed) = if extent.n_blocks == 0 {
            (0, 0)
        } else {
            (n_nodes, n_all)
        };
        let (n_role_nodes, n_role_edges) = if has_roles {
            (n_walked, n_condensed)
        } else {
            (0, 0)
        };
        Self {
            edges: arena.edges(n_edges),
            origins: arena.words(n_edges),
            links: LinksMemory::take(arena, n_nodes, n_all),
            scratch: arena.words(SCRATCH_PER_NODE * n_nodes),
            component: arena.words(n_nodes),
            firsts: arena.words(n_walked),
            lasts: arena.words(n_walked),
            condensed: arena.edges(n_condensed),
            starts: arena.words(n_nodes + 1),
            found: arena.words(n_nodes),
            steps: arena.edges(n_nodes),
            step_origins: arena.words(n_nodes),
            walk: WalkMemory::take(
                arena,
                WalkExtent {
                    n_nodes: n_walked,
                    n_edges: n_condensed,
                    n_resources: extent.n_resources,
                    n_filtered: extent.n_filtered,
                    n_blocks: extent.n_blocks,
                    has_declared: extent.n_weak > 0,
                    has_folds: extent.has_folds,
                },
            ),
            sync_point_races: [
                LinksMemory::take(arena, n_role_nodes, n_role_edges),
                LinksMemory::take(arena, n_role_nodes, n_role_edges),
            ],
            sync_point_scratch: arena.words(SyncPointRaces::n_scratch_words(n_role_nodes)),
        }
    }
}

/// A graph while the phases add edges to it.
#[derive(Debug)]
pub struct Phases<'a> {
    input: VerifyInput<'a>,
    n_nodes: usize,
    /// The number of edges after the first two phases.
    n_ordered: usize,
    /// The declared edges, then those of weak orders, then those of `writers first`.
    edges: List<'a, Edge>,
    /// `origins[e]`: the code of the origin of edge e; len = number of edges.
    origins: List<'a, u32>,
    /// A topological order, smallest index first. If there are cycles, the component of each node instead.
    order: &'a mut [u32],
    n_cycles: usize,
    /// `starts[c]..starts[c + 1]`: the steps of cycle c.
    starts: &'a mut [u32],
    steps: List<'a, Edge>,
    step_origins: List<'a, u32>,
    scratch: Scratch<'a>,
}

/// Memory that the phases use one after the other.
#[derive(Debug)]
struct Scratch<'a> {
    links: LinksMemory<'a>,
    words: &'a mut [u32],
    firsts: &'a mut [u32],
    lasts: &'a mut [u32],
    condensed: &'a mut [Edge],
    found: &'a mut [u32],
    walk: WalkMemory<'a>,
    sync_point_races: [LinksMemory<'a>; 2],
    sync_point_words: &'a mut [u32],
}

impl<'a> Phases<'a> {
    /// Phases 1 and 2: declared and weak orders. If the declared orders have a cycle, weak orders are ignored.
    ///
    /// Cost: O(V log V + E). If there are weak orders, O((V + E + U) V / 64) for U uses.
    ///
    /// # Errors
    ///
    /// If weak orders order more pairs than there is memory for.
    pub const fn begin(input: VerifyInput<'a>, memory: PhasesMemory<'a>) -> Result<Self, Full> {
        let mut phases = Self {
            input,
            n_nodes: input.uses.n_nodes(),
            n_ordered: input.declared.len(),
            edges: List::new(memory.edges),
            origins: List::new(memory.origins),
            order: memory.component.split_at_mut(input.uses.n_nodes()).0,
            n_cycles: 0,
            starts: memory.starts,
            steps: List::new(memory.steps),
            step_origins: List::new(memory.step_origins),
            scratch: Scratch {
                links: memory.links,
                words: memory.scratch,
                firsts: memory.firsts,
                lasts: memory.lasts,
                condensed: memory.condensed,
                found: memory.found,
                walk: memory.walk,
                sync_point_races: memory.sync_point_races,
                sync_point_words: memory.sync_point_scratch,
            },
        };
        let n_declared = input.declared.len();
        let mut idx = 0;
        while idx < n_declared {
            phases.push(input.declared[idx], Origin::Declared(idx as u32));
            idx += 1;
        }
        phases.find_cycles();
        if input.weak.is_empty() || phases.n_cycles > 0 {
            return Ok(phases);
        }
        let mut idx = 0;
        while idx < input.weak.len() {
            phases.push(input.weak[idx], Origin::Weak(idx as u32));
            idx += 1;
        }
        phases.find_cycles();
        if phases.n_cycles == 0 && !phases.keep_weak() {
            return Err(Full);
        }
        Ok(phases)
    }

    /// The number of cycles that were found: one shortest cycle for each strongly connected component.
    pub const fn n_cycles(&self) -> usize {
        self.n_cycles
    }

    /// The steps of a cycle, from its smallest node back to it, as indices for [`Phases::step`]: the first step, and one past
    /// the last.
    pub const fn cycle(&self, nth: usize) -> (usize, usize) {
        (self.starts[nth] as usize, self.starts[nth + 1] as usize)
    }

    /// An edge of a cycle, and its origin.
    pub const fn step(&self, step: usize) -> (Edge, Origin) {
        let origin = Origin::of_code(self.step_origins.at(step));
        (self.steps.at(step), origin)
    }

    /// The number of nodes. The nodes for weak orders are not included once phase 2 has succeeded.
    pub const fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// All edges so far.
    pub const fn edges(&self) -> &[Edge] {
        self.edges.as_slice()
    }

    /// The origin of an edge.
    pub const fn origin(&self, edge: usize) -> Origin {
        Origin::of_code(self.origins.at(edge))
    }

    /// A topological order, smallest index first. There must be no cycles.
    pub const fn order(&self) -> &[u32] {
        self.order.split_at(self.n_nodes).0
    }

    /// Phase 3: the races and their policies.
    ///
    /// If there are cycles, two nodes count as ordered if a path leads from one to the other, also if both are on a cycle.
    pub const fn races(&mut self) -> (Walk<'_>, RacePolicies<'_>) {
        let n_condensed = if self.n_cycles > 0 {
            self.condense()
        } else {
            0
        };
        let edges = if self.n_cycles > 0 {
            self.scratch.condensed.split_at(n_condensed).0
        } else {
            self.edges.as_slice()
        };
        let input = self.input;
        let uses = input.uses.first(self.n_nodes);
        let walk = Walk::free(
            uses,
            input.n_resources,
            input.needs,
            edges,
            self.scratch.walk.reborrow(),
        );
        let policies = RacePolicies::new(
            input,
            edges,
            &mut self.scratch.sync_point_races,
            self.scratch.sync_point_words,
        );
        (walk, policies)
    }

    /// The policies of the races of a graph without cycles. May also be called after phase 4.
    pub const fn race_policies(&mut self) -> RacePolicies<'_> {
        RacePolicies::new(
            self.input,
            self.edges.as_slice().split_at(self.n_ordered).0,
            &mut self.scratch.sync_point_races,
            self.scratch.sync_point_words,
        )
    }

    /// The orders that end all races, and the policies of races. Called after the other phases.
    ///
    /// Declared and weak orders must have no cycle, and the memory must be enough for a window of all nodes.
    pub const fn remedy(&mut self) -> (Remedy<'_>, RacePolicies<'_>) {
        self.sort_for_remedy();
        let input = self.input;
        let mut edges = List::new(&mut *self.scratch.condensed);
        push_all(&mut edges, input.declared);
        push_all(&mut edges, input.weak);
        let remedy = Remedy::new(
            input,
            self.order,
            edges.as_slice(),
            0,
            self.scratch.walk.reborrow(),
        );
        let policies = RacePolicies::new(
            input,
            self.edges.as_slice().split_at(self.n_ordered).0,
            &mut self.scratch.sync_point_races,
            self.scratch.sync_point_words,
        );
        (remedy, policies)
    }

    /// Sorts all nodes, those for weak orders included, into the order that the remedy follows.
    pub(super) const fn sort_for_remedy(&mut self) -> &[u32] {
        // Edges of writers first may close a cycle. Then they are left out, because the cycle is reported separately.
        let n_edges = self.edges.len();
        if !self.sort_with_weak(n_edges) && !self.sort_with_weak(self.input.declared.len()) {
            panic!("the graph must be acyclic");
        }
        self.order
    }

    const fn sort_with_weak(&mut self, n_edges: usize) -> bool {
        let mut edges = List::new(&mut *self.scratch.condensed);
        push_all(&mut edges, self.edges.as_slice().split_at(n_edges).0);
        push_all(&mut edges, self.input.weak);
        sort_by_levels(
            self.input.levels,
            edges.into_slice(),
            self.scratch.links.reborrow(),
            self.scratch.words,
            self.scratch.firsts,
            self.scratch.lasts,
            self.order,
        )
    }

    /// Phase 4 for one race: orders the writer before the reader. Adds edges in both directions if each node writes a resource
    /// that the other one reads.
    ///
    /// # Errors
    ///
    /// If there is too little memory for the edges.
    pub const fn add_writers_first(&mut self, a: u32, b: u32) -> Result<(), Full> {
        let input = self.input;
        let found = writers_first(input.uses, a, b);
        let edges = [(a, b, found.first_to_second), (b, a, found.second_to_first)];
        let mut idx = 0;
        while idx < edges.len() {
            let (from, to, resource) = edges[idx];
            if let Some(resource) = resource {
                if self.edges.is_full() {
                    return Err(Full);
                }
                let edge = input.levels.lift(Edge { from, to });
                self.push(edge, Origin::WritersFirst(resource));
            }
            idx += 1;
        }
        Ok(())
    }

    /// Sorts the nodes for [`Phases::add_message_order`]. There must be no cycles.
    pub const fn sort_for_messages(&mut self) {
        let n_nodes = self.n_nodes;
        let mut edges = List::new(&mut *self.scratch.condensed);
        push_all(&mut edges, self.edges.as_slice());
        let order = self.order.split_at_mut(n_nodes).0;
        let is_sorted = sort_by_levels(
            self.input.levels,
            edges.into_slice(),
            self.scratch.links.reborrow(),
            self.scratch.words,
            self.scratch.firsts,
            self.scratch.lasts,
            order,
        );
        assert!(is_sorted, "the graph must be acyclic");
        // The positions stay in `firsts`, which nothing else uses any more.
        let mut position = 0;
        while position < n_nodes {
            self.scratch.firsts[order[position] as usize] = position as u32;
            position += 1;
        }
    }

    /// Orders a pair that conflicts on messages, and that a policy orders later, by insertion order. So the readers between writers are
    /// known before sync points are inserted.
    ///
    /// # Errors
    ///
    /// If there is too little memory for the edge.
    pub const fn add_message_order(&mut self, a: u32, b: u32, resource: u32) -> Result<(), Full> {
        if self.edges.is_full() {
            return Err(Full);
        }
        let positions = &*self.scratch.firsts;
        let edge = if positions[a as usize] < positions[b as usize] {
            Edge { from: a, to: b }
        } else {
            Edge { from: b, to: a }
        };
        let edge = self.input.levels.lift(edge);
        self.push(edge, Origin::InsertionOrder(resource));
        Ok(())
    }

    /// The next reader of messages that runs between writers, by the edges so far. See [`MessageUses::next_between`]. There must be no
    /// cycles.
    pub const fn next_between(
        &mut self,
        uses: MessageUses<'_>,
        found: Option<MessageReader>,
    ) -> Option<MessageReader> {
        let n_nodes = self.n_nodes;
        let links = self.scratch.links.reborrow();
        let links = links.links(n_nodes, self.edges.as_slice());
        let order = self.order.split_at(n_nodes).0;
        let marks = self.scratch.words.split_at_mut(n_nodes).0;
        uses.next_between(found, links, order, marks)
    }

    /// See [`MessageUses::side`]. The reader is the last one that was found.
    pub const fn side(
        &self,
        uses: MessageUses<'_>,
        reader: MessageReader,
        node: u32,
    ) -> Option<bool> {
        uses.side(reader, node, self.scratch.words)
    }

    /// Finds the cycles of all edges so far, or a topological order if there are none.
    pub const fn find_cycles(&mut self) {
        let n_nodes = self.n_nodes;
        let links = self.scratch.links.reborrow();
        let links = links.links(n_nodes, self.edges.as_slice());
        let order = self.order.split_at_mut(n_nodes).0;
        if sort_topologically(links, self.scratch.words, order) == n_nodes {
            return;
        }
        fill_components(links, self.scratch.words, order);
        let cycles = fill_shortest_cycles(
            links,
            order,
            self.scratch.words,
            self.starts,
            self.scratch.found,
        );
        let (n_cycles, n_steps) = (cycles.n_cycles(), cycles.n_edges());
        let mut step = 0;
        while step < n_steps {
            let edge = self.scratch.found[step] as usize;
            self.steps.push(self.edges.at(edge));
            self.step_origins.push(self.origins.at(edge));
            step += 1;
        }
        self.n_cycles = n_cycles;
    }

    const fn push(&mut self, edge: Edge, origin: Origin) {
        self.edges.push(edge);
        self.origins.push(origin.code());
    }

    /// Replaces the weak edges by one edge for each conflicting pair that only they order, and removes the nodes for weak
    /// orders. Returns whether there was room for the edges.
    const fn keep_weak(&mut self) -> bool {
        let input = self.input;
        let n_declared = input.declared.len();
        let mut walk = Walk::ordered(
            input.uses,
            input.n_resources,
            input.needs,
            self.edges.as_slice(),
            n_declared,
            self.scratch.walk.reborrow(),
        );
        // The walk has its own copy of the weak edges.
        self.edges.truncate(n_declared);
        self.origins.truncate(n_declared);
        while let Some((from, to)) = walk.next() {
            if self.edges.is_full() {
                return false;
            }
            // The index of the weak order is found later, when a report needs it.
            self.edges.push(input.levels.lift(Edge { from, to }));
            self.origins.push(Origin::Weak(0).code());
        }
        self.n_nodes = input.n_planned;
        self.n_ordered = self.edges.len();
        self.find_cycles();
        true
    }

    /// Builds an acyclic graph in which two nodes have a path in some direction if and only if they have one along declared
    /// and weak edges. Returns the number of edges.
    ///
    /// Each strongly connected component becomes a chain. Edges into the component lead to the first node of the chain, and
    /// edges out of it start at the last node.
    const fn condense(&mut self) -> usize {
        let input = self.input;
        let mut edges = List::new(&mut *self.scratch.condensed);
        push_all(&mut edges, input.declared);
        push_all(&mut edges, input.weak);
        let n_edges = edges.len();
        let links = self.scratch.links.reborrow();
        let links = links.links(self.n_nodes, edges.as_slice());
        let component = self.order.split_at_mut(self.n_nodes).0;
        fill_components(links, self.scratch.words, component);
        // firsts[c] and lasts[c]: the first and the last node of component c.
        let (firsts, lasts) = (&mut *self.scratch.firsts, &mut *self.scratch.lasts);
        fill(firsts, u32::MAX);
        let mut node = 0;
        while node < self.n_nodes {
            let own = component[node] as usize;
            if firsts[own] == u32::MAX {
                firsts[own] = node as u32;
            } else {
                edges.push(Edge {
                    from: lasts[own],
                    to: node as u32,
                });
            }
            lasts[own] = node as u32;
            node += 1;
        }
        // Replaces all edges by edges between components and edges of chains.
        let mut n_kept = 0;
        let mut idx = 0;
        while idx < edges.len() {
            let mut edge = edges.at(idx);
            let is_in_chain = idx >= n_edges;
            let from = component[edge.from as usize] as usize;
            let to = component[edge.to as usize] as usize;
            if !is_in_chain {
                edge = Edge {
                    from: lasts[from],
                    to: firsts[to],
                };
            }
            if is_in_chain || from != to {
                edges.set(n_kept, edge);
                n_kept += 1;
            }
            idx += 1;
        }
        n_kept
    }
}

const fn push_all(list: &mut List<'_, Edge>, edges: &[Edge]) {
    let n_edges = edges.len();
    let mut idx = 0;
    while idx < n_edges {
        list.push(edges[idx]);
        idx += 1;
    }
}
