//! A verified schedule as an executor needs it: flat arrays, by rank. The parts of a loop stand between its begin and
//! its end.

use core::cmp::Reverse;
use std::collections::HashMap;
use std::sync::OnceLock;

use fixedbitset::FixedBitSet;

use crate::formula::Formula;
use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};
use crate::graph::order::{fill_ranked_edges, fill_ranks};
use crate::graph::reduce::mark_kept_edges;
use crate::verify::{Lists, Origin, Verdict};

/// Nodes by rank in a topological order, with their edges.
#[derive(Debug)]
pub(crate) struct Plan {
    /// `order[rank]`: the node of that rank; len = n_nodes.
    pub(crate) order: Vec<u32>,
    /// By rank, so that `from < to`.
    edges: Vec<Edge>,
    /// `origins[i]`: where edge i comes from; len = n_edges.
    origins: Vec<Origin>,
    /// By rank; a loop comes before those in it.
    pub(crate) loops: Vec<PlannedLoop>,
    /// `around[rank]`: the loop that a node is directly in, or `NO_LOOP`; len = n_nodes, or 0 if there is no loop.
    around: Vec<u32>,
    /// `guards[rank]`: what has to hold for a node to run; len = n_nodes, or 0 if there is no guard.
    guards: Vec<Option<Formula<Answer>>>,
    /// See [`Plan::dependents`]; made when a system first fails.
    dependents: OnceLock<Lists>,
}

/// The ranks at which a loop begins and ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedLoop {
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

/// An answer of the node of this rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) rank: u32,
    pub(crate) index: u32,
}

/// Which node waits for which, with nodes numbered by urgency: 0 is the most urgent one.
#[derive(Debug)]
pub(crate) struct Precedence {
    /// `ranks[v]`: the rank of node v; len = n_nodes.
    pub(crate) ranks: Vec<u32>,
    /// A transitive reduction, sorted; all edges have `from < to`.
    pub(crate) edges: Vec<Edge>,
}

impl Precedence {
    /// Whether each node waits for the one before it, so that one thread is as good as several.
    pub(crate) fn is_chain(&self) -> bool {
        let is_link = |(from, edge): (u32, &Edge)| edge.from == from && edge.to == from + 1;
        self.edges.len() + 1 >= self.ranks.len() && (0..).zip(&self.edges).all(is_link)
    }
}

impl Plan {
    /// Of a single node.
    pub(crate) fn of_one() -> Self {
        Self {
            order: vec![0],
            edges: Vec::new(),
            origins: Vec::new(),
            loops: Vec::new(),
            around: Vec::new(),
            guards: Vec::new(),
            dependents: OnceLock::new(),
        }
    }

    /// `guard_of(v)`: what has to hold for node v to run, as answers of nodes. Cost: O(nodes + edges).
    pub(crate) fn new(
        verdict: Verdict,
        levels: Levels<'_>,
        guard_of: impl Fn(u32) -> Option<Formula<Answer>>,
    ) -> Self {
        let mut ranks = vec![0; verdict.order.len()];
        fill_ranks(&verdict.order, &mut ranks);
        let mut edges = verdict.edges.clone();
        fill_ranked_edges(&verdict.edges, &ranks, &mut edges);
        let by_rank = verdict.order.iter();
        let around = by_rank.clone().map(|&node| levels.around(node));
        let loops = levels.ends.iter().map(|&(begin, end)| PlannedLoop {
            begin: ranks[begin as usize],
            end: ranks[end as usize],
        });
        let guards = by_rank.map(|&node| {
            let guard = guard_of(node)?;
            Some(guard.map(&mut |answer| Answer {
                rank: ranks[answer.rank as usize],
                index: answer.index,
            }))
        });
        let guards: Vec<_> = guards.collect();
        let is_guarded = guards.iter().any(Option::is_some);
        Self {
            loops: loops.collect(),
            around: if levels.is_flat() {
                Vec::new()
            } else {
                around.collect()
            },
            guards: if is_guarded { guards } else { Vec::new() },
            order: verdict.order,
            edges,
            origins: verdict.origins,
            dependents: OnceLock::new(),
        }
    }

    /// `ranks[v]`: the rank of node v; len = n_nodes.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.order.len()];
        fill_ranks(&self.order, &mut ranks);
        ranks
    }

    /// What was declared, by rank.
    pub(crate) fn declared_edges(&self) -> impl Iterator<Item = Edge> {
        let edges = self.edges.iter().zip(&self.origins);
        let declared = edges.filter(|(_, origin)| matches!(origin, Origin::Declared(_)));
        declared.map(|(edge, _)| *edge)
    }

    /// The loop that a node is directly in.
    pub(crate) fn around(&self, rank: u32) -> Option<usize> {
        let around = self.around.get(rank as usize).copied();
        around
            .filter(|&around| around != NO_LOOP)
            .map(|around| around as usize)
    }

    /// What has to hold for a node to run.
    pub(crate) fn guard(&self, rank: u32) -> Option<&Formula<Answer>> {
        self.guards.get(rank as usize)?.as_ref()
    }

    /// By rank: what is skipped when this fails, or is skipped itself. O(nodes + edges) for the first call.
    ///
    /// What follows by [`Policy::AsAdded`](crate::Policy::AsAdded) only is not. A loop is its begin here: what is in it
    /// is skipped with it, and does not skip it.
    pub(crate) fn dependents(&self) -> &Lists {
        self.dependents.get_or_init(|| {
            let begin_of: HashMap<u32, u32> =
                self.loops.iter().map(|one| (one.end, one.begin)).collect();
            let edges = self.edges.iter().zip(&self.origins);
            let binding = edges.filter(|(_, origin)| !matches!(origin, Origin::AsAdded(_)));
            let binding = binding.map(|(edge, _)| *edge);
            let binding = binding.filter(|edge| {
                self.around(edge.from) == self.around(edge.to)
                    && begin_of.get(&edge.to) != Some(&edge.from)
            });
            let binding = binding.map(|edge| Edge {
                from: begin_of.get(&edge.from).copied().unwrap_or(edge.from),
                to: edge.to,
            });
            Lists::of_successors(self.order.len(), &binding.collect::<Vec<_>>())
        })
    }

    /// Which node waits for which, numbered by urgency. `costs[rank]`: what a node takes, in any unit; len = n_nodes.
    ///
    /// See [`by_urgency`]. Edges that others imply are left out. Cost: O(nodes × edges / 64).
    pub(crate) fn precedence(&self, costs: &[u32]) -> Precedence {
        let n_nodes = costs.len();
        let kept = self.edges.iter().zip(reduce(n_nodes, &self.edges));
        let kept = kept.filter_map(|(edge, is_kept)| is_kept.then_some(*edge));
        let mut edges: Vec<Edge> = kept.collect();
        let ranks = by_urgency(&Lists::of_successors(n_nodes, &edges), costs);
        let mut numbers = vec![0; n_nodes];
        fill_ranks(&ranks, &mut numbers);
        for edge in &mut edges {
            edge.from = numbers[edge.from as usize];
            edge.to = numbers[edge.to as usize];
        }
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        Precedence { ranks, edges }
    }

    /// How many edges of the transitive reduction only a policy, or a weak order, asks for. O(nodes × edges / 64).
    pub(crate) fn n_policy_edges(&self) -> usize {
        let kept = reduce(self.order.len(), &self.edges);
        let kept = kept.iter().zip(&self.origins);
        kept.filter(|(kept, origin)| **kept && !matches!(origin, Origin::Declared(_)))
            .count()
    }
}

/// The nodes of a ranked graph, the most urgent first, which is a topological order too.
///
/// A node is as urgent as the path is long that starts with it, of those to the end (highest level first, Hu 1961). Of
/// two such, the one comes first whose successors, the most urgent of them first, do: so more depends on it. Two workers
/// and equal costs then leave nothing to be gained, if the graph is reduced (Coffman and Graham 1972).
/// Cost: O(edges × log(nodes)).
fn by_urgency(successors: &Lists, costs: &[u32]) -> Vec<u32> {
    let n_nodes = costs.len();
    let links = successors.links();
    let behind = |node: usize| links.start(node)..links.end(node);
    // `steps[v]`: the length of that path, and how many nodes after v add nothing to it: so that any node has more than
    // its successors.
    let mut steps = vec![(0_u64, 0_u32); n_nodes];
    for node in (0..n_nodes).rev() {
        let longest = behind(node).map(|link| steps[links.target(link) as usize]);
        let (length, n_idle) = longest.max().unwrap_or((0, 0));
        steps[node] = match costs[node] {
            0 => (length, n_idle + 1),
            cost => (length + u64::from(cost), 0),
        };
    }
    let mut nodes: Vec<u32> = (0..n_nodes as u32).collect();
    nodes.sort_by_key(|&node| (steps[node as usize], Reverse(node)));
    // From the end: `urgencies[v]` is the place of v in `nodes`, and `ahead` those of its successors, the greatest first.
    let mut urgencies = vec![0; n_nodes];
    let mut ahead = vec![0; links.n_links()];
    let mut at = 0;
    for alike in nodes.chunk_by_mut(|&a, &b| steps[a as usize] == steps[b as usize]) {
        for &node in &*alike {
            let places = &mut ahead[behind(node as usize)];
            for (place, link) in places.iter_mut().zip(behind(node as usize)) {
                *place = urgencies[links.target(link) as usize];
            }
            places.sort_unstable_by_key(|&place| Reverse(place));
        }
        alike.sort_by_key(|&node| &ahead[behind(node as usize)]);
        for &node in &*alike {
            urgencies[node as usize] = at;
            at += 1;
        }
    }
    nodes.reverse();
    nodes
}

/// Which edges of a ranked graph its transitive reduction keeps.
fn reduce(n_nodes: usize, edges: &[Edge]) -> Vec<bool> {
    /// More blocks for each node are slower than several passes with some of them.
    const MAX_WIDTH: usize = 192;
    let lists = Lists::of_successors(n_nodes, edges);
    let width = n_nodes.div_ceil(usize::BITS as usize);
    let width = if width > MAX_WIDTH { 32 } else { width };
    let mut blocks = FixedBitSet::with_capacity(n_nodes * width * usize::BITS as usize);
    let mut kept = vec![true; edges.len()];
    mark_kept_edges(lists.links(), blocks.as_mut_slice(), &mut kept);
    kept
}
