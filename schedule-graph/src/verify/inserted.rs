//! Sync points that are inserted between nodes with commands and the nodes that use what these change.
//!
//! They are computed after all phases that may reject a graph, and reject nothing. As few as possible are inserted: within one
//! level, as many as the longest chain of pairs needs, along all edges of the first four phases. Each pair is served by the last
//! sync point that can serve it. Each sync point is ordered with all nodes of its level.

use super::{Draft, Origin, VerifyInput};
use crate::conflict::{Use, Uses};
use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};
use crate::graph::lists::Lists;

/// An inserted sync point. Its node follows the nodes of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertedSyncPoint {
    /// The loop in whose body it is, or [`NO_LOOP`].
    pub around: u32,
    /// The pairs that need it, as in [`VerifyInput::commands`].
    pub pairs: Vec<Edge>,
}

/// The sync points of a graph, and the graph with them.
pub(super) struct Inserted {
    pub(super) sync_points: Vec<InsertedSyncPoint>,
    /// The number of nodes of a plan without them.
    n_planned: usize,
    around: Vec<u32>,
    own: Vec<u32>,
    starts: Vec<u32>,
    uses: Vec<Use>,
    costs: Vec<u64>,
}

impl Inserted {
    /// Finds the sync points for the pairs of the input. Adds edges to the graph that order them with the nodes that need them.
    ///
    /// `order`: a topological order of the graph. Cost: O(V + E + pairs).
    pub(super) fn new(input: &VerifyInput<'_>, graph: &mut Draft, order: &[u32]) -> Self {
        let levels = input.levels;
        let n_planned = input.n_planned;
        let lifted: Vec<Edge> = input
            .commands
            .iter()
            .map(|&pair| lift(levels, pair))
            .collect();
        // distance[v]: the number of sync points of the level of node v that come before it.
        let mut distance = vec![0_u32; graph.n_nodes];
        let edges = Lists::of_successors(graph.n_nodes, &graph.edges);
        let pairs = Lists::of_successors(graph.n_nodes, &lifted);
        for &node in order {
            let (own, links) = (distance[node as usize], edges.links());
            for link in links.start(node as usize)..links.end(node as usize) {
                let to = links.target(link);
                if levels.around(node) == levels.around(to) {
                    distance[to as usize] = distance[to as usize].max(own);
                }
            }
            let links = pairs.links();
            for link in links.start(node as usize)..links.end(node as usize) {
                let to = links.target(link);
                // Commands of the condition of a loop are recorded before its body, which is another level.
                let own = if levels.around(node) == levels.around(to) {
                    own
                } else {
                    0
                };
                distance[to as usize] = distance[to as usize].max(own + 1);
            }
        }
        let mut inserted = Self {
            sync_points: Vec::new(),
            n_planned,
            around: levels.around.iter().copied().take(n_planned).collect(),
            own: levels.own.iter().copied().take(n_planned).collect(),
            starts: input.uses.starts()[..=n_planned].to_vec(),
            uses: input.uses.first(n_planned).all().to_vec(),
            costs: input.costs.iter().copied().take(n_planned).collect(),
        };
        // Sync points are numbered by level, then by distance.
        let key = |pair: &Edge| (levels.around(pair.to), distance[pair.to as usize]);
        let mut keys: Vec<(u32, u32)> = lifted.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        inserted.add(&keys, levels, graph);
        let mut ordered: Vec<(u32, Edge)> = Vec::new();
        for (lifted, pair) in lifted.iter().zip(input.commands) {
            let number = keys
                .binary_search(&key(lifted))
                .expect("each pair has a key");
            inserted.sync_points[number].pairs.push(*pair);
            let node = (n_planned + number) as u32;
            let Edge { from, to } = *lifted;
            if levels.around(from) == levels.around(to) {
                ordered.push((number as u32, Edge { from, to: node }));
            }
            ordered.push((number as u32, Edge { from: node, to }));
        }
        ordered.sort_unstable_by_key(|(number, edge)| (*number, edge.from, edge.to));
        ordered.dedup();
        for (number, edge) in ordered {
            graph.push(edge, Origin::Commands(number));
        }
        inserted
    }

    /// Adds the nodes, and the edges between those of one level.
    fn add(&mut self, keys: &[(u32, u32)], levels: Levels<'_>, graph: &mut Draft) {
        let end = *self.starts.last().expect("len = n_nodes + 1");
        for (number, &(around, _)) in keys.iter().enumerate() {
            let node = (self.n_planned + number) as u32;
            let origin = Origin::Commands(number as u32);
            self.sync_points.push(InsertedSyncPoint {
                around,
                pairs: Vec::new(),
            });
            self.starts.push(end);
            if !self.costs.is_empty() {
                self.costs.push(0);
            }
            if !levels.is_flat() {
                self.around.push(around);
                self.own.push(NO_LOOP);
            }
            if around != NO_LOOP {
                let Edge { from, to } = levels.loops[around as usize];
                graph.push(Edge { from, to: node }, origin);
                graph.push(Edge { from: node, to }, origin);
            }
            if number > 0 && keys[number - 1].0 == around {
                let from = node - 1;
                graph.push(Edge { from, to: node }, origin);
            }
        }
        graph.n_nodes += keys.len();
        graph.n_inserted = keys.len();
    }

    /// The input with the sync points as nodes that use nothing.
    pub(super) fn extend<'s>(&'s self, input: &VerifyInput<'s>) -> VerifyInput<'s> {
        VerifyInput {
            uses: Uses::new(&self.starts, &self.uses).with_filters(input.uses.filters()),
            n_planned: self.n_planned + self.sync_points.len(),
            levels: Levels {
                loops: input.levels.loops,
                around: &self.around,
                own: &self.own,
            },
            costs: &self.costs,
            ..*input
        }
    }

    /// Moves each sync point to its place: directly after the nodes and sync points that it must come after. Adds edges that order it
    /// with all other nodes of its level along that order.
    pub(super) fn finish(&self, input: &VerifyInput<'_>, graph: &mut Draft, order: &mut Vec<u32>) {
        let is_inserted = |node: u32| node as usize >= self.n_planned;
        // ranks[v]: the position of node v among the nodes that are not inserted, counted from 1.
        let mut ranks = vec![0_usize; order.len()];
        let others = order.iter().filter(|&&node| !is_inserted(node));
        for (rank, &node) in others.enumerate() {
            ranks[node as usize] = rank + 1;
        }
        // Sync points of one level have ascending numbers, so each one is placed before the next one is.
        let mut places: Vec<(usize, u32)> = Vec::new();
        let mut incoming: Vec<Vec<u32>> = vec![Vec::new(); self.sync_points.len()];
        for (edge, origin) in graph.edges.iter().zip(&graph.origins) {
            if let Origin::Commands(number) = *origin
                && edge.to as usize == self.n_planned + number as usize
            {
                incoming[number as usize].push(edge.from);
            }
        }
        for (number, incoming) in incoming.iter().enumerate() {
            let node = (self.n_planned + number) as u32;
            let place = incoming.iter().map(|&from| ranks[from as usize]).max();
            ranks[node as usize] = place.unwrap_or(0);
            places.push((ranks[node as usize], node));
        }
        places.sort_unstable();
        let mut placed = Vec::with_capacity(order.len());
        let mut next = places.iter().peekable();
        let others = order.iter().filter(|&&node| !is_inserted(node));
        for (rank, &node) in others.enumerate() {
            while let Some((_, inserted)) = next.next_if(|place| place.0 <= rank) {
                placed.push(*inserted);
            }
            placed.push(node);
        }
        placed.extend(next.map(|place| place.1));
        *order = placed;
        self.order_all(input, graph, order);
    }

    /// Orders each sync point with all nodes, so that nothing runs beside it: in its own level, and in each level around it, where the loop
    /// that contains it takes its place.
    fn order_all(&self, input: &VerifyInput<'_>, graph: &mut Draft, order: &[u32]) {
        let levels = input.levels;
        let around = |node: u32| {
            if self.around.is_empty() {
                NO_LOOP
            } else {
                self.around[node as usize]
            }
        };
        // barrier_in[l]: an inserted sync point in loop l, at any depth.
        let mut barrier_in: Vec<Option<u32>> = vec![None; levels.loops.len()];
        let mut with_barriers = vec![NO_LOOP];
        for (number, sync_point) in (0..).zip(&self.sync_points) {
            let mut level = sync_point.around;
            while level != NO_LOOP {
                barrier_in[level as usize].get_or_insert(number);
                with_barriers.push(level);
                level = levels.around(levels.loops[level as usize].from);
            }
        }
        with_barriers.sort_unstable();
        with_barriers.dedup();
        for level in with_barriers {
            self.order_level(
                input,
                graph,
                order.iter().copied().filter(|&node| around(node) == level),
                &barrier_in,
            );
        }
    }

    /// Orders the sync points of a level, and the loops that contain some, with the nodes of the level that come before them, back to the
    /// one before, and with those that come after them, up to the next one.
    fn order_level(
        &self,
        input: &VerifyInput<'_>,
        graph: &mut Draft,
        order: impl Iterator<Item = u32>,
        barrier_in: &[Option<u32>],
    ) {
        let mut open: Vec<u32> = Vec::new();
        let mut last: Option<(u32, Origin)> = None;
        for node in order {
            if input.is_idle.get(node as usize).is_some_and(|&idle| idle) {
                continue;
            }
            let number = (node as usize).checked_sub(self.n_planned);
            let own = match number {
                None => input.levels.own(node),
                Some(_) => NO_LOOP,
            };
            let number = match own {
                NO_LOOP => number.map(|number| number as u32),
                own => barrier_in[own as usize],
            };
            let is_end = own != NO_LOOP && input.levels.loops[own as usize].to == node;
            if let Some((from, origin)) = last
                && !(is_end && number.is_some())
            {
                graph.push(Edge { from, to: node }, origin);
            }
            match number {
                None => open.push(node),
                Some(number) => {
                    let origin = Origin::Commands(number);
                    for from in open.drain(..) {
                        graph.push(Edge { from, to: node }, origin);
                    }
                    last = Some((node, origin));
                }
            }
        }
    }
}

/// Sorts a graph as [`Draft::sort_by_levels`] does, but inserted sync points come before all other nodes that are ready.
pub(super) fn sort(graph: &Draft, levels: Levels<'_>) -> Option<Vec<u32>> {
    let n_others = (graph.n_nodes - graph.n_inserted) as u32;
    let n_inserted = graph.n_inserted as u32;
    let number = |node: u32| match node.checked_sub(n_others) {
        None => node + n_inserted,
        Some(idx) => idx,
    };
    let renumbered = |edge: &Edge| Edge {
        from: number(edge.from),
        to: number(edge.to),
    };
    let edges = graph.edges.iter().map(renumbered).collect();
    let loops: Vec<Edge> = levels.loops.iter().map(renumbered).collect();
    let mut lists = [levels.around, levels.own].map(<[u32]>::to_vec);
    for list in lists.iter_mut().filter(|list| !list.is_empty()) {
        list.rotate_right(graph.n_inserted);
    }
    let levels = Levels {
        loops: &loops,
        around: &lists[0],
        own: &lists[1],
    };
    let mut order = graph.sort_as_numbered(levels, edges)?;
    for node in &mut order {
        *node = match node.checked_sub(n_inserted) {
            None => *node + n_others,
            Some(node) => node,
        };
    }
    Some(order)
}

/// Lifts a pair to the level of its sync point. For a pair of a loop's condition and a node of its body, that is the body.
fn lift(levels: Levels<'_>, pair: Edge) -> Edge {
    let own = levels.own(pair.from);
    if own == NO_LOOP {
        return levels.lift(pair);
    }
    let mut to = pair.to;
    while levels.around(to) != NO_LOOP {
        let around = levels.around(to);
        let begin = levels.loops[around as usize].from;
        if around == own {
            return Edge {
                from: pair.from,
                to,
            };
        }
        to = begin;
    }
    levels.lift(pair)
}
