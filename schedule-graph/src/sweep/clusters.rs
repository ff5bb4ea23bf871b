//! The contracted graph while sweeps are formed.

use super::SweepInput;
use super::model::{SweepModel, Timing};
use super::search::DetourSearch;
use crate::graph::edge::Edge;
use crate::precedence::reduce;

/// A node of the contracted graph: a sweep, or a single node. Its number is the rank of its first member.
#[derive(Debug, Default)]
struct Cluster {
    /// The ranks of the members, ascending. Empty if the node has joined another cluster.
    members: Vec<u32>,
    /// The predecessors of the members outside of the cluster, by rank. May contain nodes repeatedly.
    before: Vec<u32>,
    /// The successors of the members outside of the cluster, as `before`.
    after: Vec<u32>,
    /// The sum of the costs of the members.
    cost_ns: u64,
    /// The index in the topological order, if the cluster is placed.
    position: usize,
    /// The head is exact if the cluster is placed or prepared. For the tail see [`Clusters::exact_from`].
    timing: Timing,
}

/// The contracted graph. Nodes are placed by ascending rank, so nodes that are not placed are single and have no path to a
/// placed one.
pub(super) struct Clusters {
    /// `of_node[rank]`: the cluster of a node; len = n_nodes.
    of_node: Vec<u32>,
    /// By number; len = n_nodes.
    clusters: Vec<Cluster>,
    /// The placed clusters in a topological order.
    order: Vec<u32>,
    /// The tails of nodes that are not placed, and of clusters from this position on, are exact. Others may be too small or
    /// too great since the last join.
    exact_from: usize,
    /// The modelled makespan: an upper bound of the longest path through each cluster.
    makespan: u64,
    model: SweepModel,
}

impl Clusters {
    /// All nodes are single, and none is placed.
    pub(super) fn new(input: &SweepInput<'_>) -> Self {
        let n_nodes = input.n_nodes();
        let mut clusters: Vec<Cluster> = (0..n_nodes as u32)
            .zip(input.costs_ns)
            .map(|(rank, &cost_ns)| Cluster {
                members: vec![rank],
                cost_ns: u64::from(cost_ns),
                ..Cluster::default()
            })
            .collect();
        let kept = reduce(n_nodes, input.edges).into_iter().zip(input.edges);
        for (_, &Edge { from, to }) in kept.filter(|(is_kept, _)| *is_kept) {
            clusters[from as usize].after.push(to);
            clusters[to as usize].before.push(from);
        }
        // The work of per-entity nodes with their barriers, and of the others divided by the number of workers.
        let (mut each_ns, mut other_ns, mut longest) = (0, 0, 0);
        for rank in (0..n_nodes).rev() {
            let cost_ns = clusters[rank].cost_ns;
            let duration = match input.nodes[rank] {
                Some(_) => input.model.alone(cost_ns),
                None => cost_ns,
            };
            match input.nodes[rank] {
                Some(_) => each_ns += duration,
                None => other_ns += duration,
            }
            let after = clusters[rank].after.iter();
            let tails = after.map(|&after| &clusters[after as usize].timing);
            let tail = tails
                .map(|timing| timing.duration + timing.tail)
                .max()
                .unwrap_or(0);
            longest = longest.max(duration + tail);
            clusters[rank].timing = Timing {
                head: 0,
                duration,
                tail,
            };
        }
        Self {
            of_node: (0..n_nodes as u32).collect(),
            clusters,
            order: Vec::with_capacity(n_nodes),
            exact_from: 0,
            makespan: longest.max(each_ns + input.model.divided(other_ns)),
            model: input.model,
        }
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.of_node.len()
    }

    pub(super) fn n_placed(&self) -> usize {
        self.order.len()
    }

    /// The cluster at a position.
    pub(super) fn at(&self, position: usize) -> u32 {
        self.order[position]
    }

    /// The position of a placed cluster.
    pub(super) fn position(&self, cluster: u32) -> usize {
        self.get(cluster).position
    }

    /// The cluster of a node.
    pub(super) fn of(&self, rank: u32) -> u32 {
        self.of_node[rank as usize]
    }

    fn get(&self, cluster: u32) -> &Cluster {
        &self.clusters[cluster as usize]
    }

    /// The members of a cluster. Empty for the number of a node that has joined another cluster.
    pub(super) fn members(&self, cluster: u32) -> &[u32] {
        &self.get(cluster).members
    }

    /// The clusters with an edge to this one. May contain clusters repeatedly.
    pub(super) fn before(&self, cluster: u32) -> impl Iterator<Item = u32> {
        self.get(cluster).before.iter().map(|&rank| self.of(rank))
    }

    /// Computes the head of a node that is placed next.
    pub(super) fn prepare(&mut self, rank: u32) {
        self.refresh_head(rank);
    }

    /// Places a node as a cluster of its own.
    pub(super) fn push(&mut self, rank: u32) {
        self.clusters[rank as usize].position = self.order.len();
        self.order.push(rank);
    }

    /// Whether the model permits a prepared node to join a sweep.
    ///
    /// Compares the longest path through the joined sweep with the makespan, and with the longest path if the node and the
    /// sweep run in turn. O(edges of both), and the edges of clusters whose tails are not exact.
    pub(super) fn is_worth_joining(&mut self, rank: u32, sweep: u32) -> bool {
        self.refresh_tails(self.position(sweep));
        let alone = self.get(sweep).timing.in_turn(self.get(rank).timing);
        self.joined(rank, sweep).length() <= self.makespan.max(alone)
    }

    /// The times of a sweep if a prepared node joins it.
    fn joined(&self, rank: u32, sweep: u32) -> Timing {
        let (node, cluster) = (&self.get(rank), &self.get(sweep));
        let before = self.before(rank).filter(|&before| before != sweep);
        let head = before.map(|before| self.get(before).timing.end()).max();
        let after = cluster.after.iter().map(|&after| self.of(after));
        let after = after.filter(|&after| after != rank);
        Timing {
            head: cluster.timing.head.max(head.unwrap_or(0)),
            duration: self.model.swept(cluster.cost_ns + node.cost_ns),
            tail: node.timing.tail.max(self.longest_after(after)),
        }
    }

    /// Adds a prepared node to a sweep. No path leads from the sweep through another cluster to the node.
    ///
    /// `search` has visited all clusters after the sweep. Those with a path to the node move before the sweep. O(nodes +
    /// edges) after the position of the sweep.
    pub(super) fn join(&mut self, rank: u32, sweep: u32, search: &DetourSearch) {
        self.makespan = self.makespan.max(self.joined(rank, sweep).length());
        self.contract(rank, sweep);
        let position = self.position(sweep);
        let (mut moved, rest): (Vec<u32>, Vec<u32>) = self.order[position + 1..]
            .iter()
            .partition(|&&cluster| search.has_path_from(cluster));
        let n_moved = moved.len();
        moved.push(sweep);
        moved.extend(rest);
        for (position, cluster) in (position..).zip(moved) {
            self.order[position] = cluster;
            self.clusters[cluster as usize].position = position;
        }
        // The heads of clusters before the sweep are the same as before, and so are the tails of those after it.
        for position in position + n_moved..self.order.len() {
            self.refresh_head(self.order[position]);
        }
        self.exact_from = position + n_moved + 1;
        self.refresh_tails(position);
    }

    /// Moves the members and edges of a node to a sweep.
    fn contract(&mut self, rank: u32, sweep: u32) {
        let node = core::mem::take(&mut self.clusters[rank as usize]);
        self.of_node[rank as usize] = sweep;
        let of_node = &self.of_node;
        let cluster = &mut self.clusters[sweep as usize];
        cluster.members.push(rank);
        cluster.cost_ns += node.cost_ns;
        cluster.timing.duration = self.model.swept(cluster.cost_ns);
        cluster.before.extend(node.before);
        cluster.after.extend(node.after);
        let is_outside = |&rank: &u32| of_node[rank as usize] != sweep;
        cluster.before.retain(is_outside);
        cluster.after.retain(is_outside);
    }

    fn refresh_head(&mut self, cluster: u32) {
        let ends = self
            .before(cluster)
            .map(|before| self.get(before).timing.end());
        let head = ends.max().unwrap_or(0);
        self.clusters[cluster as usize].timing.head = head;
    }

    /// Makes the tails exact from a position on.
    fn refresh_tails(&mut self, position: usize) {
        while self.exact_from > position {
            self.exact_from -= 1;
            let cluster = self.order[self.exact_from];
            let after = self.get(cluster).after.iter().map(|&after| self.of(after));
            let tail = self.longest_after(after);
            self.clusters[cluster as usize].timing.tail = tail;
        }
    }

    /// The length of the longest path that starts with one of these clusters.
    fn longest_after(&self, after: impl Iterator<Item = u32>) -> u64 {
        let lengths =
            after.map(|after| self.get(after).timing.duration + self.get(after).timing.tail);
        lengths.max().unwrap_or(0)
    }
}
