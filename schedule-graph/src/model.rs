//! The public interface of the crate: a graph that is built node by node at run time.

use core::fmt;

use crate::conflict::{AccessKind, Disjoint, Filters, Use, Uses};
use crate::exclusion::Needs;
use crate::graph::edge::Edge;
use crate::graph::levels::Levels;
use crate::policy::{GroupRules, Plugins, Policy, Rules};
use crate::precedence::reduce;
use crate::verify::{Origin, VerifyInput, Violations, verify};

/// Nodes that use resources, orders between them, and policies for conflicts without an order.
///
/// Two nodes conflict if they use one resource, unless both read it or both fold it. Each conflicting pair must be ordered:
/// by orders, also through other nodes, or by a [`Policy`].
///
/// ```
/// use schedule_graph::{AccessKind, Graph, Policy};
///
/// let (health, log) = (0, 1);
/// let mut graph = Graph::new();
/// let poison = graph.add_node(&[(health, AccessKind::Write)]);
/// let heal = graph.add_node(&[(health, AccessKind::Write)]);
/// let report = graph.add_node(&[(health, AccessKind::Read), (log, AccessKind::Write)]);
/// graph.order(heal, poison);
///
/// // `report` has no order with the other two nodes. One more order ends both races.
/// let error = graph.verify().unwrap_err();
/// assert_eq!(error.races, [(poison, report), (heal, report)]);
/// assert_eq!(error.missing_orders, [(poison, report)]);
///
/// graph.resource_policy(health, Policy::WritersFirst);
/// graph.order(heal, poison);
/// let verified = graph.verify()?;
/// assert_eq!(verified.order, [heal, poison, report]);
/// # Ok::<(), schedule_graph::VerifyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    starts: Vec<u32>,
    uses: Vec<Use>,
    /// Pairs of disjoint signatures.
    disjoint: Vec<(u16, u16)>,
    n_resources: usize,
    orders: Vec<Edge>,
    weak: Vec<Edge>,
    policy: Policy,
    resources: Vec<(u32, Policy)>,
    pairs: Vec<(u32, u32, Policy)>,
    costs: Vec<u64>,
}

/// A graph in which each conflicting pair is ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// All nodes in a topological order. Of the nodes that may come next, the one that was added first comes first.
    pub order: Vec<u32>,
    /// The edges of the transitive reduction, ascending.
    pub edges: Vec<Edge>,
    /// The conflicting pairs that only [`Policy::Accepted`] orders. Smaller node first, ascending.
    pub accepted: Vec<(u32, u32)>,
}

/// The error of [`Graph::verify`]: the reasons why a graph has no valid order. At least one list is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyError {
    /// Cycles of orders, as nodes: one shortest cycle for each strongly connected component.
    pub cycles: Vec<Vec<u32>>,
    /// Conflicting pairs without an order. Smaller node first, ascending.
    ///
    /// If there are more than 1,000, only the first 20 of each resource are listed. A pair belongs to the resource with the
    /// smallest number on which it conflicts.
    pub races: Vec<(u32, u32)>,
    /// The number of conflicting pairs without an order.
    pub n_races: usize,
    /// Cycles that [`Policy::WritersFirst`] closes, as nodes.
    pub writers_first: Vec<Vec<u32>>,
    /// A minimal set of orders that ends all races. Empty if there are cycles of orders.
    pub missing_orders: Vec<(u32, u32)>,
}

impl Graph {
    /// Creates a graph without nodes.
    pub fn new() -> Self {
        Self {
            starts: vec![0],
            ..Self::default()
        }
    }

    /// Adds a node that uses these resources, and returns its number. Nodes are numbered from 0 in insertion order.
    ///
    /// A resource may be listed several times. If its kinds differ, the node writes it. O(n log n) for n uses.
    pub fn add_node(&mut self, uses: &[(u32, AccessKind)]) -> u32 {
        let uses = uses.iter();
        self.add(
            uses.map(|&(resource, kind)| Use::new(resource, kind))
                .collect(),
        )
    }

    /// Adds a node that uses parts of resources, and returns its number. Each use is a resource, a kind and a signature.
    ///
    /// A signature is the number of a filter, such as that of a query. Uses with [disjoint](Graph::disjoint) signatures do not
    /// conflict. Signature 0 means no filter. If a resource is listed with different signatures, its use has no filter.
    ///
    /// ```
    /// use schedule_graph::{AccessKind, Graph};
    ///
    /// let position = 0;
    /// let (players, enemies) = (1, 2);
    /// let mut graph = Graph::new();
    /// let walk = graph.add_filtered_node(&[(position, AccessKind::Write, players)]);
    /// let chase = graph.add_filtered_node(&[(position, AccessKind::Write, enemies)]);
    /// assert_eq!(graph.verify().unwrap_err().races, [(walk, chase)]);
    ///
    /// graph.disjoint(players, enemies);
    /// assert!(graph.verify()?.edges.is_empty());
    /// # Ok::<(), schedule_graph::VerifyError>(())
    /// ```
    pub fn add_filtered_node(&mut self, uses: &[(u32, AccessKind, u16)]) -> u32 {
        let uses = uses.iter().map(|&(resource, kind, signature)| Use {
            resource,
            kind,
            signature,
        });
        self.add(uses.collect())
    }

    fn add(&mut self, mut uses: Vec<Use>) -> u32 {
        Use::join(&mut uses);
        for one in &uses {
            self.n_resources = self.n_resources.max(one.resource as usize + 1);
        }
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.uses.append(&mut uses);
        self.starts.push(self.uses.len() as u32);
        self.costs.push(1);
        self.costs.len() as u32 - 1
    }

    /// Declares two signatures as disjoint: a use of a resource with one of them does not conflict with a use with the other
    /// one. If both are the same, two uses with that signature do not conflict.
    ///
    /// # Panics
    ///
    /// If a signature is 0.
    pub fn disjoint(&mut self, one: u16, other: u16) -> &mut Self {
        assert!(
            one != 0 && other != 0,
            "signature 0 stands for no filter, and is disjoint with none"
        );
        self.disjoint.push((one, other));
        self
    }

    /// The number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.costs.len()
    }

    /// Orders the first node before the second.
    ///
    /// # Panics
    ///
    /// If a node does not exist.
    pub fn order(&mut self, first: u32, then: u32) -> &mut Self {
        let edge = self.edge(first, then);
        self.orders.push(edge);
        self
    }

    /// Orders the first node before the second if they conflict. Weak orders are transitive.
    ///
    /// # Panics
    ///
    /// If a node does not exist.
    pub fn weak_order(&mut self, first: u32, then: u32) -> &mut Self {
        let edge = self.edge(first, then);
        self.weak.push(edge);
        self
    }

    /// Sets the policy of conflicting pairs without an order. The default is [`Policy::Reject`].
    pub fn policy(&mut self, policy: Policy) -> &mut Self {
        self.policy = policy;
        self
    }

    /// Sets the policy of conflicts on a resource. Replaces a policy that was set before.
    pub fn resource_policy(&mut self, resource: u32, policy: Policy) -> &mut Self {
        self.n_resources = self.n_resources.max(resource as usize + 1);
        self.resources.push((resource, policy));
        self
    }

    /// Sets the policy of a pair of nodes. Replaces a policy that was set before.
    ///
    /// # Panics
    ///
    /// If a node does not exist.
    pub fn pair_policy(&mut self, one: u32, other: u32, policy: Policy) -> &mut Self {
        let Edge { from, to } = self.edge(one, other);
        self.pairs.push((from.min(to), from.max(to), policy));
        self
    }

    /// Sets the run time of a node, in any unit. The default is 1. [`Policy::Optimize`] depends on it.
    ///
    /// # Panics
    ///
    /// If the node does not exist.
    pub fn cost(&mut self, node: u32, cost: u64) -> &mut Self {
        self.edge(node, node);
        self.costs[node as usize] = cost;
        self
    }

    /// Orders each conflicting pair, or reports why that is impossible.
    ///
    /// The phases are, in this order: orders, weak orders, races, writers first, insertion order, optimize. The edges of a
    /// later phase do not order a pair that an earlier phase rejects.
    ///
    /// Cycles are found by depth-first search (Tarjan 1972), and a shortest one by breadth-first search. Races are found by
    /// reachability in bit sets (Purdom 1970). The order is found by Kahn's algorithm (1962) with a heap.
    /// Cost: O((V + E + U) V / 64) for V nodes, E orders and U uses; O(V log V + E + U) for the graph without the reduction
    /// where every policy is [`Policy::InsertionOrder`].
    ///
    /// # Errors
    ///
    /// If there is a cycle, or a race under [`Policy::Reject`].
    pub fn verify(&self) -> Result<Verified, VerifyError> {
        let mut resources = vec![None; self.n_resources];
        for &(resource, policy) in &self.resources {
            resources[resource as usize] = Some(policy);
        }
        let mut pairs = self.pairs.clone();
        // The sort is stable, so the policy of a pair that was set last is the last of its pair.
        pairs.sort_by_key(|&(a, b, _)| (a, b));
        pairs.reverse();
        pairs.dedup_by_key(|&mut (a, b, _)| (a, b));
        pairs.reverse();
        let filtered = match self.disjoint.as_slice() {
            [] => Vec::new(),
            _ => Filters::list(&self.uses),
        };
        let signatures = filtered.iter().map(|one| one.signature);
        let disjoint = self.disjoint.iter().map(|&(one, other)| one.max(other));
        let last = signatures.chain(disjoint).max();
        let n_signatures = last.map_or(0, |last| usize::from(last) + 1);
        let mut disjoint = vec![0; Disjoint::n_blocks(n_signatures)];
        for &(one, other) in &self.disjoint {
            Disjoint::set(&mut disjoint, n_signatures, one, other);
        }
        let filters = Filters::new(
            Disjoint::new(n_signatures, &disjoint),
            self.n_resources,
            &filtered,
        );
        let input = VerifyInput {
            uses: match self.starts.as_slice() {
                [] => Uses::NONE,
                starts => Uses::new(starts, &self.uses).with_filters(filters),
            },
            n_planned: self.n_nodes(),
            n_resources: self.n_resources,
            declared: &self.orders,
            weak: &self.weak,
            is_weak_order: &vec![true; self.weak.len()],
            is_messages: &[],
            rules: Rules {
                schedule: self.policy,
                resources: &resources,
                pairs: &pairs,
                groups: GroupRules::NONE,
                plugins: Plugins::NONE,
            },
            levels: Levels::NONE,
            needs: Needs::NONE,
            roles: &[],
            costs: &self.costs,
            pinned: &[],
            commands: &[],
            is_idle: &[],
            previous: None,
        };
        let verdict = verify(&input).map_err(VerifyError::from)?;
        let mut ranks = vec![0; verdict.order.len()];
        for (rank, &node) in (0..).zip(&verdict.order) {
            ranks[node as usize] = rank;
        }
        let ranked = verdict.edges.iter().map(|edge| Edge {
            from: ranks[edge.from as usize],
            to: ranks[edge.to as usize],
        });
        let ranked: Vec<Edge> = ranked.collect();
        let kept = reduce(self.n_nodes(), &ranked);
        let edges = verdict.edges.iter().zip(kept);
        let mut edges: Vec<Edge> = edges
            .filter_map(|(edge, is_kept)| is_kept.then_some(*edge))
            .collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        edges.dedup();
        Ok(Verified {
            order: verdict.order,
            edges,
            accepted: verdict.accepted,
        })
    }

    fn edge(&self, from: u32, to: u32) -> Edge {
        for node in [from, to] {
            let n_nodes = self.n_nodes();
            assert!(
                (node as usize) < n_nodes,
                "node {node} does not exist: there are {n_nodes} nodes"
            );
        }
        Edge { from, to }
    }
}

impl From<Box<Violations>> for VerifyError {
    fn from(violations: Box<Violations>) -> Self {
        let nodes = |cycle: &Vec<(Edge, Origin)>| cycle.iter().map(|(edge, _)| edge.from).collect();
        Self {
            cycles: violations.cycles.iter().map(nodes).collect(),
            n_races: violations.races.n_pairs,
            races: violations.races.listed,
            writers_first: violations.writers_first.iter().map(nodes).collect(),
            missing_orders: violations.remedy,
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_cycles = self.cycles.len() + self.writers_first.len();
        write!(
            f,
            "{n_cycles} cycles and {} races; {} orders are missing",
            self.n_races,
            self.missing_orders.len()
        )
    }
}

impl core::error::Error for VerifyError {}

#[cfg(test)]
mod tests;
