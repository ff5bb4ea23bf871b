//! Sweeps: per-entity nodes that run together, chunk by chunk.
//!
//! A per-entity node calls a function for each entity of a store. A sweep is a set of such nodes, its members. It divides
//! the entities into chunks. On each chunk, it runs all members in the order of their ranks. The members need no barrier, and
//! a chunk is still in a cache when the next member uses it. To all other nodes a sweep is one node: it waits for the
//! predecessors of all members, and the successors of each member wait for the whole sweep.
//!
//! Two nodes may share a sweep if no rule keeps them apart. [`Apart`] has a variant for each rule.
//!
//! # Algorithm
//!
//! The graph is contracted step by step. The nodes are placed in the order of their ranks. A node joins the nearest earlier
//! sweep that every rule permits; the nearest sweep is the one whose last member has the greatest rank. If there is none, the
//! node opens a sweep of one member, which later nodes may join. Each join is checked on the graph in which all earlier joins
//! are contracted. Fusion of loops in compilers is the same problem, and is solved by a similar greedy search (Kennedy and
//! McKinley 1993).
//!
//! A join closes a cycle if and only if a path of at least two contracted edges leads from the sweep to the node. A path back
//! is impossible, because all successors of the node have greater ranks and are placed later. A backward search from the node
//! finds these paths. It visits contracted nodes in descending topological order, and stops at the position of the sweep. A
//! join changes the order only between that position and the node (Pearce and Kelly 2006).
//!
//! All rules except [`Apart::Delay`] are permanent: if they refuse a join, they also refuse to merge the final sweeps. So
//! the result is maximal: to merge two final sweeps violates a rule, or the model refused the merge when the later of the
//! two sweeps was opened.
//!
//! Cost of a decision: O(n + e) for the nodes and edges between the sweep and the node, and O(1) for each earlier use that
//! conflicts. All decisions together cost O(n (n + e)) in the worst case. If nodes join sweeps that are near, the sum is
//! close to O(n + e). Redundant edges are removed first, at the cost of [`reduce`](crate::precedence::reduce).

mod apart;
mod clusters;
mod contracted;
mod model;
mod pairs;
mod search;

use std::collections::HashMap;

pub use self::apart::Apart;
pub use self::contracted::Contracted;
pub use self::model::SweepModel;

use self::clusters::Clusters;
use self::pairs::Pairs;
use self::search::DetourSearch;
use crate::conflict::{Disjoint, Use};
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::graph::links::Links;

/// A per-entity node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepNode {
    /// The store of the entities.
    pub store: u32,
    /// Whether the node may share a sweep. False if its sweeping is turned off, or if a failure of the node stops the run.
    pub is_sweepable: bool,
    /// Whether the node can fail by its return value, such that its dependents are skipped.
    pub can_fail: bool,
}

/// The use of a resource by a per-entity node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepUse {
    /// The resource, the kind of access, and the filter.
    pub access: Use,
    /// Whether the resource is a component, and the node accesses only that of the entity at hand. False for components that
    /// are reached through a query, for other resources, and for folds.
    pub is_own_row: bool,
}

/// The nodes of a plan, by rank in a topological order.
#[derive(Clone, Copy, Debug)]
pub struct SweepInput<'a> {
    /// `nodes[rank]`: the per-entity node of that rank, or `None` for any other node; len = n_nodes.
    pub nodes: &'a [Option<SweepNode>],
    /// `around[rank]`: the innermost loop around a node, or [`NO_LOOP`]; len = n_nodes, or 0 without loops.
    pub around: &'a [u32],
    /// `use_starts[rank]..use_starts[rank + 1]`: the uses of a node; len = n_nodes + 1. Only the uses of per-entity nodes are
    /// read.
    pub use_starts: &'a [u32],
    /// The uses of all nodes. A node may have several uses of a resource. The uses by deferred commands are left out.
    pub uses: &'a [SweepUse],
    /// The disjoint filters.
    pub disjoint: Disjoint<'a>,
    /// The edges by rank, so that `from < to`. They include the edges from the begin of each loop to its body, and from the
    /// body to the end of the loop. Each pair of nodes that conflict and can both run has a path.
    pub edges: &'a [Edge],
    /// The nodes that are skipped if a node fails or is skipped. Each of these links has a path of `edges`.
    pub dependents: Links<'a>,
    /// `costs_ns[rank]`: the run time of a node on one worker; len = n_nodes. Equal costs if they are not known.
    pub costs_ns: &'a [u32],
    /// The model of run times.
    pub model: SweepModel,
}

impl<'a> SweepInput<'a> {
    fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    fn around(&self, rank: u32) -> u32 {
        self.around.get(rank as usize).copied().unwrap_or(NO_LOOP)
    }

    fn uses(&self, rank: u32) -> &'a [SweepUse] {
        let rank = rank as usize;
        &self.uses[self.use_starts[rank] as usize..self.use_starts[rank + 1] as usize]
    }

    /// The store and the level of a node that may share a sweep.
    fn class(&self, rank: u32) -> Option<(u32, u32)> {
        let node = self.nodes[rank as usize].filter(|node| node.is_sweepable)?;
        Some((node.store, self.around(rank)))
    }

    fn can_fail(&self, rank: u32) -> bool {
        self.nodes[rank as usize].is_some_and(|node| node.can_fail)
    }

    /// Whether two uses of one resource keep their nodes apart.
    fn keep_apart(&self, one: SweepUse, other: SweepUse) -> bool {
        !(one.is_own_row && other.is_own_row)
            && one.access.kind.conflicts_with(other.access.kind)
            && !self
                .disjoint
                .has(one.access.signature, other.access.signature)
    }

    fn check(&self) {
        let n_nodes = self.n_nodes();
        assert!(
            self.around.is_empty() || self.around.len() == n_nodes,
            "around must have len = n_nodes, or 0"
        );
        assert!(
            self.use_starts.len() == n_nodes + 1,
            "use_starts must have len = n_nodes + 1"
        );
        assert!(
            self.dependents.n_nodes() == n_nodes,
            "dependents must have a row for each node"
        );
        assert!(
            self.costs_ns.len() == n_nodes,
            "costs_ns must have len = n_nodes"
        );
        assert!(
            self.model.n_workers > 0 && self.model.cache_percent <= 100,
            "the model must have a worker, and at most 100 percent of the cost"
        );
        assert!(
            self.edges.iter().all(|edge| edge.from < edge.to),
            "ranks must come from a topological order"
        );
    }
}

/// The sweeps of at least two members. They are numbered by their first members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweeps {
    /// `of_node[rank]`: the sweep of a node, or [`NO_SWEEP`]; len = n_nodes.
    of_node: Vec<u32>,
    /// `starts[s]..starts[s + 1]`: the members of sweep s; len = n_sweeps + 1.
    starts: Vec<u32>,
    /// The ranks of the members, by sweep, then ascending.
    members: Vec<u32>,
}

/// The value of a node without a sweep.
const NO_SWEEP: u32 = u32::MAX;

impl Sweeps {
    /// Decides which nodes share sweeps. The result is a function of the input. The documentation of the module `sweep` has
    /// the algorithm and its cost.
    ///
    /// # Panics
    ///
    /// If the lengths of the input are inconsistent, if the input has a node or signature that does not exist, if an edge does
    /// not lead to a greater rank, or if a field of the model is outside of its range.
    pub fn new(input: &SweepInput<'_>) -> Self {
        input.check();
        let mut clusters = Clusters::new(input);
        let mut search = DetourSearch::new(input.n_nodes());
        let mut pairs = Pairs::new(input);
        // By store and level, the sweeps in the order in which they were last joined.
        let mut recent: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        for rank in 0..input.n_nodes() as u32 {
            clusters.prepare(rank);
            let Some(class) = input.class(rank) else {
                clusters.push(rank);
                continue;
            };
            let sweeps = recent.entry(class).or_default();
            search.start(rank, &clusters);
            pairs.mark(rank, &clusters);
            let is_permitted = |&sweep: &u32| {
                if pairs.are_apart(sweep) {
                    return false;
                }
                search.visit_after(sweep, &clusters);
                !search.has_detour_from(sweep) && clusters.is_worth_joining(rank, sweep)
            };
            let sweep = match sweeps.iter().rposition(is_permitted) {
                Some(idx) => {
                    let sweep = sweeps.remove(idx);
                    clusters.join(rank, sweep, &search);
                    sweep
                }
                None => {
                    clusters.push(rank);
                    rank
                }
            };
            sweeps.push(sweep);
            pairs.add(rank, &clusters);
        }
        Self::of_clusters(&clusters)
    }

    fn of_clusters(clusters: &Clusters) -> Self {
        let mut sweeps = Self {
            of_node: vec![NO_SWEEP; clusters.n_nodes()],
            starts: vec![0],
            members: Vec::new(),
        };
        for cluster in 0..clusters.n_nodes() as u32 {
            let members = clusters.members(cluster);
            if members.len() < 2 {
                continue;
            }
            for &rank in members {
                sweeps.of_node[rank as usize] = sweeps.n_sweeps() as u32;
            }
            sweeps.members.extend_from_slice(members);
            sweeps.starts.push(sweeps.members.len() as u32);
        }
        sweeps
    }

    /// The number of sweeps.
    pub fn n_sweeps(&self) -> usize {
        self.starts.len() - 1
    }

    /// The ranks of the members of a sweep, ascending. At least two.
    pub fn members(&self, sweep: u32) -> &[u32] {
        let sweep = sweep as usize;
        &self.members[self.starts[sweep] as usize..self.starts[sweep + 1] as usize]
    }

    /// The sweep of a node. `None` if the node shares no sweep.
    pub fn of(&self, rank: u32) -> Option<u32> {
        let sweep = self.of_node[rank as usize];
        (sweep != NO_SWEEP).then_some(sweep)
    }

    /// The members of all sweeps.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.n_sweeps() as u32).map(|sweep| self.members(sweep))
    }
}

#[cfg(test)]
mod tests;
