//! The verdict on a graph of nodes that use resources: in which order they run, or why they cannot.
//!
//! The phases are those of the policies: declared orders; weak orders; races; `writers first`; `as added`; `as fits`. What
//! a later phase adds never excuses a pair that an earlier one has refused. The rules themselves are the `const fn`s
//! of [`graph`](crate::graph), [`conflict`](crate::conflict) and [`policy`](crate::policy); here they get memory.

mod again;
mod fits;
mod levelled;
mod remedy;

use fixedbitset::FixedBitSet;

pub(crate) use self::again::{Before, NEW};
use self::fits::Fits;
use self::levelled::Levelled;
use crate::conflict::{Masks, Pairs, Uses};
use crate::exclusion::Needs;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::cycle::{fill_components, fill_shortest_cycles, find_back_edge};
use crate::graph::edge::Edge;
use crate::graph::levels::Levels;
use crate::graph::lists::Lists;
use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use crate::graph::reach::{Reach, fill_reach};
use crate::graph::window::Window;
use crate::policy::{Policy, Rules, fill_as_added, writers_first};

/// What is to be verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) uses: Uses<'a>,
    pub(crate) n_resources: usize,
    /// Node a before node b.
    pub(crate) declared: &'a [Edge],
    /// Node a before node b, if they conflict.
    pub(crate) weak: &'a [Edge],
    pub(crate) rules: Rules<'a>,
    /// Declared and weak edges are lifted already, and those that make loops are among the declared ones.
    pub(crate) levels: Levels<'a>,
    pub(crate) needs: Needs<'a>,
    /// As [`FlushRaces::roles`](crate::flush_races::FlushRaces::roles) has them.
    pub(crate) roles: &'a [u32],
    /// `costs[v]`: what node v takes, in any unit; len = n_nodes. Asked for under [`Policy::AsFits`] only.
    pub(crate) costs: &'a [u64],
    /// Node a before node b, lifted, if they race under [`Policy::AsFits`]; the first ones count most.
    pub(crate) pinned: &'a [Edge],
    /// What is known already, if most of it was verified before.
    pub(crate) before: Option<Before<'a>>,
}

/// An edge of the verdict, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This one of the declared edges.
    Declared(u32),
    /// This one of the weak edges: it, or a path through it, orders a conflicting pair.
    Weak(u32),
    /// [`Policy::WritersFirst`], for this resource.
    WritersFirst(u32),
    /// [`Policy::AsAdded`] or [`Policy::Accepted`], for this resource.
    AsAdded(u32),
    /// [`Policy::AsFits`], for this resource.
    AsFits(u32),
}

/// A graph in which all conflicting nodes are ordered.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// All edges: the declared ones first, in their order, then those of each phase.
    pub(crate) edges: Vec<Edge>,
    /// `origins[i]`: where edge i comes from; len = n_edges.
    pub(crate) origins: Vec<Origin>,
    /// A topological order of all that, smallest index first, in which a loop is one node with its parts inside;
    /// len = n_nodes.
    pub(crate) order: Vec<u32>,
    /// Pairs that run as added under [`Policy::Accepted`]; smaller node first, sorted.
    pub(crate) accepted: Vec<(u32, u32)>,
    /// Pinned edges that were not followed: by index, ascending.
    pub(crate) unpinned: Vec<(u32, Unpinned)>,
    /// All conflicting pairs of which both may run, and that only policies order: for the next verdict. `None` if they were
    /// not looked for, if there are weak orders, or if there are more than nodes.
    pub(crate) free: Option<Vec<(u32, u32)>>,
}

/// Why a pinned edge was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unpinned {
    /// The pair does not race under [`Policy::AsFits`].
    NoRace,
    /// With what is declared, and what was pinned before it, it closes a cycle.
    Contradicts,
}

/// Why there is no verdict. At least one list is not empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Shortest cycles of declared and weak orders, one for each strongly connected component.
    pub(crate) cycles: Vec<Cycle>,
    /// Pairs under [`Policy::Reject`] that conflict, with no path between them; smaller node first, sorted.
    pub(crate) races: Vec<(u32, u32)>,
    /// Cycles through edges of [`Policy::WritersFirst`].
    pub(crate) writers_first: Vec<Cycle>,
    /// Those of the races that end all of them once they are ordered, the first node before the other. None if there are
    /// cycles of declared and weak orders.
    pub(crate) remedy: Vec<(u32, u32)>,
}

/// The edges of a cycle, from its smallest node back to it, and where they come from.
pub(crate) type Cycle = Vec<(Edge, Origin)>;

/// Verifies a graph.
///
/// Cost: O((V + E + U) V / 64) for U uses; O(V log V + E + U) where every policy is [`Policy::AsAdded`] and no order is
/// weak. Where a pair races under [`Policy::AsFits`], what [`Loose::order`] costs comes to that.
pub(crate) fn verify(question: &Question<'_>) -> Result<Verdict, Refusal> {
    let mut refusal = Refusal::default();
    let mut graph = Graph::declared(question);

    // 1 and 2: declared and weak orders. A cycle among the declared ones is not told again with the weak ones.
    let mut order = graph.sort_by_levels(question.levels);
    if order.is_none() {
        refusal.cycles = graph.cycles();
    } else if !question.weak.is_empty() {
        refusal.cycles = graph.keep_weak(question);
        order = graph.sort_by_levels(question.levels);
    }

    // 3: races, and 4: writers first.
    let mut accepted = Vec::new();
    let mut fits = Fits::new(question);
    let mut free = None;
    if question.rules.needs_races() {
        // With cycles, whatever lies on one is ordered against all that it leads to or that leads to it.
        let acyclic = if refusal.cycles.is_empty() {
            None
        } else {
            Some(graph.without_cycles(question))
        };
        let mut first = Vec::new();
        let ordered = acyclic.as_ref().unwrap_or(&graph);
        let mut found = Vec::new();
        let mut n_free = 0;
        let mut visit = |a: u32, b: u32| {
            n_free += 1;
            if n_free <= question.uses.n_nodes() {
                found.push((a, b));
            }
            let policy = question.rules.of_pair(question.uses, a, b);
            match policy {
                Policy::Reject => refusal.races.push((a.min(b), a.max(b))),
                Policy::WritersFirst => first.push((a, b)),
                Policy::Accepted => accepted.push((a.min(b), a.max(b))),
                Policy::AsAdded | Policy::AsFits => {}
            }
            fits.meet(question, a, b, policy);
        };
        let before = question.before.as_ref();
        let before = before.filter(|_| acyclic.is_none() && question.weak.is_empty());
        if !before.is_some_and(|before| graph.for_each_race_again(question, before, &mut visit)) {
            ordered.for_each_race(question, &mut visit);
        }
        free = (question.weak.is_empty() && n_free == found.len()).then_some(found);
        ordered.leave_races_that_others_end(question, &mut refusal.races);
        refusal.races.sort_unstable();
        accepted.sort_unstable();
        first.sort_unstable();
        if refusal.cycles.is_empty() && !first.is_empty() {
            graph.add_writers_first(question, &first);
            refusal.writers_first = graph.cycles();
            order = graph.sort_by_levels(question.levels);
        }
    }
    if refusal != Refusal::default() {
        if refusal.cycles.is_empty() {
            refusal.remedy = graph.remedy(question, &refusal.races);
        }
        return Err(refusal);
    }

    // 5: as added, and 6: as fits.
    let mut order = order.expect("what cannot be sorted has a cycle, and was refused");
    let mut unpinned = Vec::new();
    if fits.is_needed {
        unpinned = fits.choose(question, &mut graph, &order);
        let sorted = graph.sort_by_levels(question.levels);
        order = sorted.expect("all that was added follows one order");
    } else {
        graph.add_along(question, question.uses, &order);
        let all = 0..question.pinned.len() as u32;
        unpinned.extend(all.map(|pinned| (pinned, Unpinned::NoRace)));
    }
    Ok(Verdict {
        edges: graph.edges,
        origins: graph.origins,
        order,
        accepted,
        unpinned,
        free,
    })
}

/// The edges of one shortest cycle through the first node of each strongly connected component. O(V + E).
pub(crate) fn cycles(n_nodes: usize, edges: &[Edge]) -> Vec<Vec<u32>> {
    let lists = Lists::of_successors(n_nodes, edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    if find_back_edge(lists.links(), &mut scratch).is_none() {
        return Vec::new();
    }
    let mut component = vec![0; n_nodes];
    fill_components(lists.links(), &mut scratch, &mut component);
    let mut starts = vec![0; n_nodes + 1];
    let mut members = vec![0; n_nodes];
    let cycles = fill_shortest_cycles(
        lists.links(),
        &component,
        &mut scratch,
        &mut starts,
        &mut members,
    );
    (0..cycles.n_cycles())
        .map(|cycle_idx| cycles.cycle(cycle_idx).to_vec())
        .collect()
}

/// Nodes and edges while the phases add to them.
#[derive(Debug)]
struct Graph {
    n_nodes: usize,
    edges: Vec<Edge>,
    origins: Vec<Origin>,
}

impl Graph {
    fn declared(question: &Question<'_>) -> Self {
        let n_edges = question.declared.len() as u32;
        Self {
            n_nodes: question.uses.n_nodes(),
            edges: question.declared.to_vec(),
            origins: (0..n_edges).map(Origin::Declared).collect(),
        }
    }

    /// One shortest cycle for each strongly connected component.
    fn cycles(&self) -> Vec<Cycle> {
        let one = |edge: u32| (self.edges[edge as usize], self.origins[edge as usize]);
        cycles(self.n_nodes, &self.edges)
            .into_iter()
            .map(|cycle| cycle.into_iter().map(one).collect())
            .collect()
    }

    /// Adds the weak orders; then, unless that closes a cycle, leaves of them an edge for every conflicting pair that
    /// only they order. Returns the cycles.
    fn keep_weak(&mut self, question: &Question<'_>) -> Vec<Cycle> {
        let n_declared = self.edges.len();
        let n_weak = question.weak.len() as u32;
        self.edges.extend_from_slice(question.weak);
        self.origins.extend((0..n_weak).map(Origin::Weak));
        let cycles = self.cycles();
        let mut kept = Vec::new();
        if cycles.is_empty() {
            self.for_each_pair(question, Some(question.declared), &mut |a, b| {
                if !question.needs.are_exclusive(a, b) {
                    kept.push(question.levels.lift(Edge { from: a, to: b }));
                }
            });
        }
        kept.sort_unstable_by_key(|edge| (edge.from, edge.to));
        kept.dedup();
        let weak = self.weak_origins(&kept);
        self.edges.truncate(n_declared);
        self.origins.truncate(n_declared);
        self.edges.append(&mut kept);
        self.origins.extend(weak);
        cycles
    }

    /// For each pair, sorted by where it starts, a weak order on a path that joins it. O(V + E) for each start.
    fn weak_origins(&self, pairs: &[Edge]) -> Vec<Origin> {
        let lists = Lists::of_successors(self.n_nodes, &self.edges);
        let links = lists.links();
        let mut origins = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunk_by(|a, b| a.from == b.from) {
            // A depth-first search in which every node remembers the first weak order on the way to it. One without
            // is met again, as long as that brings it one.
            let mut weak_to: Vec<Option<Origin>> = vec![None; self.n_nodes];
            let mut is_met = vec![false; self.n_nodes];
            let mut open = vec![pairs[0].from];
            while let Some(node) = open.pop() {
                for link in links.start(node as usize)..links.end(node as usize) {
                    let (to, origin) = (
                        links.target(link),
                        self.origins[links.origin(link) as usize],
                    );
                    let weak = matches!(origin, Origin::Weak(_)).then_some(origin);
                    let weak = weak_to[node as usize].or(weak);
                    let is_better = weak.is_some() && weak_to[to as usize].is_none();
                    if is_better || !is_met[to as usize] {
                        is_met[to as usize] = true;
                        weak_to[to as usize] = weak_to[to as usize].or(weak);
                        open.push(to);
                    }
                }
            }
            let of_pair = |pair: &Edge| weak_to[pair.to as usize];
            let of_pair = |pair| of_pair(pair).expect("no declared path joins the pair");
            origins.extend(pairs.iter().map(of_pair));
        }
        origins
    }

    /// A graph without cycles in which two nodes have a path between them, either way, exactly if they have one here.
    ///
    /// Every strongly connected component becomes a chain, entered at its first node and left at its last.
    fn without_cycles(&self, question: &Question<'_>) -> Self {
        let mut edges = self.edges.clone();
        edges.extend_from_slice(question.weak);
        let lists = Lists::of_successors(self.n_nodes, &edges);
        let mut scratch = vec![0; SCRATCH_PER_NODE * self.n_nodes];
        let mut component = vec![0; self.n_nodes];
        let n_components = fill_components(lists.links(), &mut scratch, &mut component);
        let mut ends: Vec<Option<(u32, u32)>> = vec![None; n_components];
        let mut chained = Vec::new();
        for (node, &component) in (0..).zip(&component) {
            match &mut ends[component as usize] {
                Some((_, last)) => {
                    chained.push(Edge {
                        from: *last,
                        to: node,
                    });
                    *last = node;
                }
                unmet => *unmet = Some((node, node)),
            }
        }
        let end_of = |node: u32| ends[component[node as usize] as usize].expect("it has this node");
        for edge in edges {
            if component[edge.from as usize] != component[edge.to as usize] {
                chained.push(Edge {
                    from: end_of(edge.from).1,
                    to: end_of(edge.to).0,
                });
            }
        }
        Self {
            n_nodes: self.n_nodes,
            origins: vec![Origin::Declared(0); chained.len()],
            edges: chained,
        }
    }

    /// Calls `visit` with every conflicting pair of which both may run and that has no path here, in the order of a
    /// topological sort of this graph.
    fn for_each_race(&self, question: &Question<'_>, visit: &mut impl FnMut(u32, u32)) {
        self.for_each_pair(question, None, &mut |a, b| {
            if !question.needs.are_exclusive(a, b) {
                visit(a, b);
            }
        });
    }

    /// Calls `visit` with every conflicting pair, in the order of a topological sort of this graph: with those without a
    /// path here, or, if `declared` is given, with those that have a path here and none in that.
    fn for_each_pair(
        &self,
        question: &Question<'_>,
        declared: Option<&[Edge]>,
        visit: &mut impl FnMut(u32, u32),
    ) {
        let order = sort(self.n_nodes, &self.edges).expect("called where there is no cycle");
        let mut ranks = vec![0; self.n_nodes];
        fill_ranks(&order, &mut ranks);
        let ranked = |edges: &[Edge]| {
            let mut ranked = edges.to_vec();
            fill_ranked_edges(edges, &ranks, &mut ranked);
            Lists::of_successors(self.n_nodes, &ranked)
        };
        let all = ranked(&self.edges);
        let declared = declared.map(ranked);

        let mut window = Window::full(self.n_nodes);
        window.n_blocks = window
            .n_blocks
            .min(MAX_BLOCKS.div_ceil(self.n_nodes.max(1)));
        let blocks =
            FixedBitSet::with_capacity(self.n_nodes * window.n_blocks * Window::NODES_PER_BLOCK);
        let mut all_blocks = blocks.clone();
        let mut declared_blocks = declared.as_ref().map(|_| blocks);
        let mut users = FixedBitSet::with_capacity(
            question.n_resources * window.n_blocks * Window::NODES_PER_BLOCK,
        );
        let mut writers = users.clone();
        let mut row = vec![0; window.n_blocks];
        while window.first < self.n_nodes {
            let masks = Masks::fill(
                question.uses,
                &order,
                window,
                users.as_mut_slice(),
                writers.as_mut_slice(),
            );
            let reach = fill_reach(all.links(), window, all_blocks.as_mut_slice());
            let declared: Option<Reach<'_>> = match (&declared, &mut declared_blocks) {
                (Some(lists), Some(blocks)) => {
                    Some(fill_reach(lists.links(), window, blocks.as_mut_slice()))
                }
                _ => None,
            };
            let (free_of, ordered_by) = match declared {
                Some(declared) => (declared, Some(reach)),
                None => (reach, None),
            };
            let mut pairs = Pairs::new(question.uses, &order, masks, free_of, ordered_by);
            while let Some((a, b)) = pairs.next(&mut row) {
                visit(a, b);
            }
            window.first = window.end();
        }
    }

    fn add_writers_first(&mut self, question: &Question<'_>, pairs: &[(u32, u32)]) {
        for &(a, b) in pairs {
            let edges = writers_first(question.uses, a, b);
            if let Some(resource) = edges.first_to_second {
                let edge = Edge { from: a, to: b };
                self.edges.push(question.levels.lift(edge));
                self.origins.push(Origin::WritersFirst(resource));
            }
            if let Some(resource) = edges.second_to_first {
                let edge = Edge { from: b, to: a };
                self.edges.push(question.levels.lift(edge));
                self.origins.push(Origin::WritersFirst(resource));
            }
        }
    }

    /// Every pair that conflicts by these uses in this order, unless its loop orders it.
    fn add_along(&mut self, question: &Question<'_>, uses: Uses<'_>, order: &[u32]) {
        let n_uses = uses.n_uses();
        let mut scratch = vec![0; 2 * question.n_resources + 2 * n_uses + self.n_nodes];
        let mut edges = vec![Edge { from: 0, to: 0 }; 2 * n_uses];
        let mut resources = vec![0; 2 * n_uses];
        let n_edges = fill_as_added(
            uses,
            question.n_resources,
            order,
            &mut scratch,
            &mut edges,
            &mut resources,
        );
        for (&edge, &resource) in edges[..n_edges].iter().zip(&resources) {
            let lifted = question.levels.lift(edge);
            // The condition of a loop and what is in that are ordered.
            if !question.levels.is_of_loop(lifted) {
                let policy = question.rules.of_pair(question.uses, edge.from, edge.to);
                self.edges.push(lifted);
                self.origins.push(match policy {
                    Policy::AsFits => Origin::AsFits(resource),
                    _ => Origin::AsAdded(resource),
                });
            }
        }
    }

    /// A topological order, if there is no cycle: at each level smallest index first, a loop being one node there, with
    /// its parts between its begin and its end. O(V log V + E).
    fn sort_by_levels(&self, levels: Levels<'_>) -> Option<Vec<u32>> {
        let flat = sort(self.n_nodes, &self.edges)?;
        if levels.is_flat() {
            return Some(flat);
        }
        let levelled = Levelled::new(self.n_nodes, &self.edges, levels);
        let of_level = |level: usize| sort(levelled.nodes[level].len(), &levelled.edges[level]);
        let orders = (0..levelled.nodes.len()).map(of_level);
        Some(levelled.join(levels, orders.collect::<Option<_>>()?))
    }
}

/// A topological order, smallest index first, if there is no cycle.
pub(crate) fn sort(n_nodes: usize, edges: &[Edge]) -> Option<Vec<u32>> {
    let lists = Lists::of_successors(n_nodes, edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    let mut order = vec![0; n_nodes];
    let n_sorted = sort_topologically(lists.links(), &mut scratch, &mut order);
    (n_sorted == n_nodes).then_some(order)
}

/// How many blocks of reachability are held at once: 32 MiB; few in tests, which then meet many windows.
const MAX_BLOCKS: usize = if cfg!(test) { 1 << 5 } else { 1 << 22 };

#[cfg(test)]
mod tests;
