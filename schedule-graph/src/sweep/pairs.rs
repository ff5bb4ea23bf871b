//! Rules that keep two nodes apart, independent of all other nodes: conflicts outside of their own rows, and failures.

use super::clusters::Clusters;
use super::{SweepInput, SweepUse};
use crate::conflict::AccessKind;
use crate::graph::edge::Edge;
use crate::graph::lists::Lists;

/// The placed per-entity nodes, by the resources that they use, and the sweeps that a node must not join.
pub(super) struct Pairs<'a> {
    users: Users<'a>,
    /// For each node, the nodes whose failure skips it by a single link of the dependents.
    ///
    /// A path of several links does not matter. Either it leaves the sweep, which another rule refuses, or its first link
    /// leads to a member.
    skipping: Lists,
    /// `refused_for[c]`: the last node that must not join cluster c, or `u32::MAX`; len = n_nodes.
    refused_for: Vec<u32>,
    /// The node of the last call of [`Pairs::mark`].
    node: u32,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(input: &'a SweepInput<'a>) -> Self {
        let n_nodes = input.n_nodes();
        let mut skipping = Vec::new();
        for failing in (0..n_nodes as u32).filter(|&rank| input.can_fail(rank)) {
            skipping.extend(skipped_by(input, failing).map(|skipped| Edge {
                from: skipped,
                to: failing,
            }));
        }
        Self {
            users: Users::new(input),
            skipping: Lists::of_successors(n_nodes, &skipping),
            refused_for: vec![u32::MAX; n_nodes],
            node: u32::MAX,
        }
    }

    /// Marks the clusters that a node must not join. O(uses of the node + earlier uses that conflict with them).
    pub(super) fn mark(&mut self, rank: u32, clusters: &Clusters) {
        self.node = rank;
        for (other, _) in self.users.conflicts(rank) {
            self.refused_for[clusters.of(other) as usize] = rank;
        }
        let skipping = self.skipping.links();
        for link in skipping.start(rank as usize)..skipping.end(rank as usize) {
            let failing = skipping.target(link);
            self.refused_for[clusters.of(failing) as usize] = rank;
        }
    }

    /// Whether the marked node must not join a cluster.
    pub(super) fn are_apart(&self, cluster: u32) -> bool {
        self.refused_for[cluster as usize] == self.node
    }

    /// Adds the uses of a placed node.
    pub(super) fn add(&mut self, rank: u32, clusters: &Clusters) {
        self.users
            .add(rank, |other| clusters.of(other) == clusters.of(rank));
    }
}

/// The nodes that a failure of this node skips, by a single link of the dependents.
pub(super) fn skipped_by<'a>(
    input: &SweepInput<'a>,
    failing: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    let links = input.dependents;
    (links.start(failing as usize)..links.end(failing as usize)).map(move |link| links.target(link))
}

/// A resource on which two nodes conflict outside of their own rows.
pub(super) fn conflict(input: &SweepInput<'_>, one: u32, other: u32) -> Option<u32> {
    let pairs = input.uses(one).iter().flat_map(|&one| {
        let others = input
            .uses(other)
            .iter()
            .filter(move |other| other.access.resource == one.access.resource);
        others.map(move |&other| (one, other))
    });
    let apart = pairs.filter(|&(one, other)| input.keep_apart(one, other));
    apart.map(|(one, _)| one.access.resource).min()
}

/// Nodes by the resources that they use.
pub(super) struct Users<'a> {
    input: &'a SweepInput<'a>,
    /// `of_resources[r]`: the uses of resource r in each kind; len = one past the greatest resource.
    of_resources: Vec<Vec<KindUsers>>,
}

/// The uses of a resource in one kind.
struct KindUsers {
    kind: AccessKind,
    is_own_row: bool,
    /// The rank of each user, and its use.
    users: Vec<(u32, SweepUse)>,
}

impl<'a> Users<'a> {
    pub(super) fn new(input: &'a SweepInput<'a>) -> Self {
        let resources = input.uses.iter().map(|one| one.access.resource as usize);
        let n_resources = resources.max().map_or(0, |greatest| greatest + 1);
        Self {
            input,
            of_resources: (0..n_resources).map(|_| Vec::new()).collect(),
        }
    }

    /// The added nodes with which a node conflicts outside of their own rows, with the resources. May contain nodes
    /// repeatedly.
    pub(super) fn conflicts(&self, rank: u32) -> impl Iterator<Item = (u32, u32)> {
        self.input.uses(rank).iter().flat_map(move |&one| {
            let kinds = self.of_resources[one.access.resource as usize].iter();
            // Only uses in kinds that conflict are visited, so shared reads of one resource cost nothing.
            let kinds = kinds.filter(move |users| {
                !(one.is_own_row && users.is_own_row) && one.access.kind.conflicts_with(users.kind)
            });
            let users = kinds.flat_map(|users| &users.users);
            let apart = users.filter(move |&&(_, other)| self.input.keep_apart(one, other));
            apart.map(move |&(other, _)| (other, one.access.resource))
        })
    }

    /// Adds the uses of a node. Leaves out a use if the last user is equivalent to the node and has the same filter.
    pub(super) fn add(&mut self, rank: u32, is_equivalent: impl Fn(u32) -> bool) {
        for &one in self.input.uses(rank) {
            let kinds = &mut self.of_resources[one.access.resource as usize];
            let is_same = |users: &KindUsers| {
                users.kind == one.access.kind && users.is_own_row == one.is_own_row
            };
            let idx = kinds.iter().position(is_same).unwrap_or_else(|| {
                kinds.push(KindUsers {
                    kind: one.access.kind,
                    is_own_row: one.is_own_row,
                    users: Vec::new(),
                });
                kinds.len() - 1
            });
            let users = &mut kinds[idx].users;
            let is_known = users
                .last()
                .is_some_and(|&(last, known)| known == one && is_equivalent(last));
            if !is_known {
                users.push((rank, one));
            }
        }
    }
}
