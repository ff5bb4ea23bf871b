//! Policies: the treatment of conflicting pairs without an order.

mod filtered;
mod groups;

use core::fmt;

pub use self::groups::{GroupRule, GroupRules};
use crate::conflict::{AccessKind, Use, Uses};
use crate::graph::edge::Edge;

/// The treatment of a race: a pair of systems that conflict and have no order.
///
/// A policy is set for a schedule, for a resource, or for a pair of systems or groups. A resource without a policy has that
/// of the schedule. A pair without a policy has the strictest policy of the resources on which it conflicts. The
/// variants are listed from the strictest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Policy {
    /// The race is an error.
    #[default]
    Reject,
    /// The system that writes runs before the system that reads. Two writers are an error. So are two systems of which each
    /// writes a resource that the other reads.
    WritersFirst,
    /// The two run in insertion order, as far as all other orders permit.
    InsertionOrder,
    /// As [`Policy::InsertionOrder`], with a reason why the order does not matter. Reports show the reason.
    Accepted,
    /// The build orders all of these pairs together, such that runs are short.
    ///
    /// The same declarations and costs give the same order. Any change of them may give another order. See
    /// `Schedule::choices` of the crate `schedule`.
    Optimize,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Policy {
    /// The name of the policy in messages.
    pub const fn text(self) -> &'static str {
        match self {
            Policy::Reject => "reject",
            Policy::WritersFirst => "writers first",
            Policy::InsertionOrder => "insertion order",
            Policy::Accepted => "accepted",
            Policy::Optimize => "optimize",
        }
    }
}

/// The policies of a schedule. Nodes and resources are numbers.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// The policy of the schedule.
    pub schedule: Policy,
    /// `resources[r]`: the policy of resource r; len = n_resources.
    pub resources: &'a [Option<Policy>],
    /// The policies of pairs of nodes: smaller node first, ascending, no pair twice.
    pub pairs: &'a [(u32, u32, Policy)],
    /// The policies of pairs of groups. They do not apply to a pair in `pairs`.
    pub groups: GroupRules<'a>,
    /// The policies of plugins.
    pub plugins: Plugins<'a>,
}

/// The policies of the plugins of a schedule. The policy of a plugin applies to pairs of nodes in the plugin.
///
/// Plugins are numbered from 1. Number 0 is the schedule. A plugin has a greater number than the plugin that contains it.
#[derive(Clone, Copy, Debug)]
pub struct Plugins<'a> {
    /// `of_nodes[v]`: the innermost plugin that node v is in; len = n_nodes, or 0 if there are no plugins.
    pub of_nodes: &'a [u32],
    /// `around[p]`: the plugin that contains plugin p directly; len = n_plugins + 1.
    pub around: &'a [u32],
    /// `schedules[p]`: the policy of plugin p; len = n_plugins + 1.
    pub schedules: &'a [Option<Policy>],
    /// `resources[p * n_resources + r]`: the policy of resource r in plugin p; len = (n_plugins + 1) × n_resources.
    pub resources: &'a [Option<Policy>],
}

impl Plugins<'_> {
    /// A schedule without plugins.
    pub const NONE: Self = Plugins {
        of_nodes: &[],
        around: &[],
        schedules: &[],
        resources: &[],
    };

    /// The innermost plugin that a node is in.
    pub const fn of_node(self, node: u32) -> u32 {
        match self.of_nodes {
            [] => 0,
            of_nodes => of_nodes[node as usize],
        }
    }

    /// The innermost plugin that both nodes are in. O(plugins around them).
    pub const fn common(self, first: u32, second: u32) -> u32 {
        self.around_both(self.of_node(first), self.of_node(second))
    }

    /// The innermost plugin that is or contains each of two plugins. O(plugins around them).
    pub const fn around_both(self, a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        while a != b {
            if a > b {
                a = self.around[a as usize];
            } else {
                b = self.around[b as usize];
            }
        }
        a
    }
}

impl Rules<'_> {
    /// The policy of a conflicting pair. O(uses of both + log pairs), and as [`GroupRules::of_pair`].
    pub const fn of_pair(self, uses: Uses<'_>, first: u32, second: u32) -> Policy {
        if let Some(policy) = self.set_for(first, second) {
            return policy;
        }
        let plugin = self.plugins.common(first, second);
        let mut strictest = Policy::Optimize;
        let mut shared = uses.shared(first, second);
        while let Some(conflict) = shared.next() {
            let policy = self.of_resource(plugin, conflict.resource).1;
            if (policy as u8) < strictest as u8 {
                strictest = policy;
            }
        }
        strictest
    }

    /// The policy of a resource for pairs in this plugin, and the plugin that sets it. O(plugins around the plugin).
    pub const fn of_resource(self, plugin: u32, resource: u32) -> (u32, Policy) {
        let n_resources = self.resources.len();
        let mut plugin = plugin;
        while plugin > 0 {
            let idx = plugin as usize;
            if let Some(policy) = self.plugins.resources[idx * n_resources + resource as usize] {
                return (plugin, policy);
            }
            if let Some(policy) = self.plugins.schedules[idx] {
                return (plugin, policy);
            }
            plugin = self.plugins.around[idx];
        }
        match self.resources[resource as usize] {
            Some(policy) => (0, policy),
            None => (0, self.schedule),
        }
    }

    /// Whether a pair that conflicts on this resource may be under [`Policy::Reject`] for it. O(1).
    pub(crate) const fn may_reject(self, resource: u32) -> bool {
        !self.pairs.is_empty()
            || !self.groups.is_empty()
            || !self.plugins.of_nodes.is_empty()
            || matches!(self.of_resource(0, resource).1, Policy::Reject)
    }

    /// The policy set for this pair: by a rule that names both nodes, or else by one that names a group.
    pub const fn set_for(self, first: u32, second: u32) -> Option<Policy> {
        if let Some(policy) = find_pair(self.pairs, first, second) {
            return Some(policy);
        }
        match self.groups.of_pair(first, second) {
            Some(rule) => Some(rule.policy),
            None => None,
        }
    }

    /// Whether races must be found one by one.
    ///
    /// False if all races are under [`Policy::InsertionOrder`] or [`Policy::Optimize`] by the policies of the schedule and
    /// of resources alone. A resource may have [`Policy::Optimize`] in one plugin only.
    pub const fn needs_races(self) -> bool {
        self.has(Policy::Reject)
            || self.has(Policy::WritersFirst)
            || self.has(Policy::Accepted)
            || (self.has(Policy::Optimize)
                && !(self.pairs.is_empty()
                    && self.groups.is_empty()
                    && self.plugins.of_nodes.is_empty()))
    }

    /// Whether a policy may order pairs after the races.
    pub const fn may_add_later(self) -> bool {
        self.has(Policy::InsertionOrder) || self.has(Policy::Accepted) || self.has(Policy::Optimize)
    }

    /// Whether this policy is set for anything.
    pub const fn has(self, policy: Policy) -> bool {
        let mut found = self.schedule as u8 == policy as u8;
        let mut resource = 0;
        while resource < self.resources.len() {
            if let Some(of_resource) = self.resources[resource] {
                found |= of_resource as u8 == policy as u8;
            }
            resource += 1;
        }
        let mut plugin = 0;
        while plugin < self.plugins.schedules.len() {
            if let Some(of_plugin) = self.plugins.schedules[plugin] {
                found |= of_plugin as u8 == policy as u8;
            }
            plugin += 1;
        }
        let mut resource = 0;
        while resource < self.plugins.resources.len() {
            if let Some(of_resource) = self.plugins.resources[resource] {
                found |= of_resource as u8 == policy as u8;
            }
            resource += 1;
        }
        let mut pair = 0;
        while pair < self.pairs.len() {
            found |= self.pairs[pair].2 as u8 == policy as u8;
            pair += 1;
        }
        let mut rule = 0;
        while rule < self.groups.rules.len() {
            found |= self.groups.rules[rule].policy as u8 == policy as u8;
            rule += 1;
        }
        found
    }
}

/// The policy of a pair in a list such as [`Rules::pairs`], by binary search.
const fn find_pair(pairs: &[(u32, u32, Policy)], first: u32, second: u32) -> Option<Policy> {
    let (a, b) = if first < second {
        (first, second)
    } else {
        (second, first)
    };
    let (mut low, mut high) = (0, pairs.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let (c, d, policy) = pairs[middle];
        if c == a && d == b {
            return Some(policy);
        }
        if c < a || (c == a && d < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    None
}

/// The edges that [`Policy::WritersFirst`] adds between two nodes. If it adds both, they form a cycle, which is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritersFirst {
    /// The resource for which the first comes before the second.
    pub first_to_second: Option<u32>,
    /// The resource for which the second comes before the first.
    pub second_to_first: Option<u32>,
}

/// Orders the node that writes or folds before the reader on every resource that two nodes share. O(uses of both).
pub const fn writers_first(uses: Uses<'_>, first: u32, second: u32) -> WritersFirst {
    let mut edges = WritersFirst {
        first_to_second: None,
        second_to_first: None,
    };
    let mut shared = uses.shared(first, second);
    while let Some(conflict) = shared.next() {
        if conflict.first.modifies() && edges.first_to_second.is_none() {
            edges.first_to_second = Some(conflict.resource);
        }
        if conflict.second.modifies() && edges.second_to_first.is_none() {
            edges.second_to_first = Some(conflict.resource);
        }
    }
    edges
}

/// The edges of [`fill_insertion_order`], each with its resource. If uses have filters, the edges of
/// [`filtered::insertion_order`].
pub(crate) fn insertion_order(
    uses: Uses<'_>,
    n_resources: usize,
    order: &[u32],
) -> impl Iterator<Item = (Edge, u32)> {
    if !uses.filters().is_empty() {
        let (edges, resources) = filtered::insertion_order(uses, n_resources, order);
        return edges.into_iter().zip(resources);
    }
    let n_uses = uses.n_uses();
    let mut scratch = vec![0; 2 * n_resources + 2 * n_uses + uses.n_nodes()];
    let max_edges = max_insertion_order(uses, n_resources, order);
    let mut edges = vec![Edge { from: 0, to: 0 }; max_edges];
    let mut resources = vec![0; max_edges];
    let n_edges = fill_insertion_order(
        uses,
        n_resources,
        order,
        &mut scratch,
        &mut edges,
        &mut resources,
    );
    edges.truncate(n_edges);
    edges.into_iter().zip(resources)
}

/// An upper bound of the number of edges of [`fill_insertion_order`]. It is `2 * uses.n_uses()` if no node folds.
fn max_insertion_order(uses: Uses<'_>, n_resources: usize, order: &[u32]) -> usize {
    if !uses.has_folds() {
        return 2 * uses.n_uses();
    }
    // By resource: the kind and number of uses in its last run, and the number of uses in the run before.
    let mut runs = vec![(AccessKind::Write, 0, 0); n_resources];
    let mut n_edges = 0;
    for &node in order {
        for one in uses.of(node) {
            let (kind, n_alike, n_before) = &mut runs[one.resource as usize];
            if kind.conflicts_with(one.kind) {
                (*kind, *n_before, *n_alike) = (one.kind, *n_alike, 0);
            }
            *n_alike += 1;
            n_edges += *n_before;
        }
    }
    n_edges
}

/// Orders every conflicting pair along `order`, with few edges. Ignores filters.
///
/// The uses of a resource in that order are divided into runs: consecutive readers, consecutive nodes that fold, and single
/// writers. Each node of a run gets an edge from each node of the previous run. Pairs with a path get edges too, which do not
/// contradict the path.
///
/// Writes edges and their resources, and returns the number of edges. Both slices need room for [`max_insertion_order`]
/// elements, which is `2 * uses.n_uses()` if no node folds. No two edges join the same nodes.
/// `scratch` has len >= 2 n_resources + 2 n_uses + n_nodes.
///
/// Cost: O(n_resources + n_uses + edges).
pub(crate) const fn fill_insertion_order(
    uses: Uses<'_>,
    n_resources: usize,
    order: &[u32],
    scratch: &mut [u32],
    edges: &mut [Edge],
    resources: &mut [u32],
) -> usize {
    const NONE: u32 = u32::MAX;
    // lasts[r]: the last use of resource r so far, which is in its current run.
    let (lasts, scratch) = scratch.split_at_mut(n_resources);
    // befores[r]: the last use of resource r in the previous run.
    let (befores, scratch) = scratch.split_at_mut(n_resources);
    // earlier[u]: the previous use in the run of use u. owners[u]: the node of use u.
    let (earlier, scratch) = scratch.split_at_mut(uses.n_uses());
    let (owners, scratch) = scratch.split_at_mut(uses.n_uses());
    // met[v]: the last node to which an edge leads from node v. Without it, a node that accesses everything would get
    // several edges to the same node.
    let (met, _) = scratch.split_at_mut(uses.n_nodes());
    let mut resource = 0;
    while resource < n_resources {
        lasts[resource] = NONE;
        befores[resource] = NONE;
        resource += 1;
    }
    let mut node = 0;
    while node < met.len() {
        met[node] = NONE;
        node += 1;
    }
    let mut n_edges = 0;
    let mut rank = 0;
    while rank < order.len() {
        let to = order[rank];
        let mut use_idx = uses.start(to);
        while use_idx < uses.end(to) {
            let Use { resource, kind, .. } = uses.nth(use_idx);
            let last = lasts[resource as usize];
            owners[use_idx] = to;
            earlier[use_idx] = last;
            if last == NONE || uses.nth(last as usize).kind.conflicts_with(kind) {
                earlier[use_idx] = NONE;
                befores[resource as usize] = last;
            }
            lasts[resource as usize] = use_idx as u32;
            let mut before = befores[resource as usize];
            while before != NONE {
                let from = owners[before as usize];
                if met[from as usize] != to {
                    met[from as usize] = to;
                    edges[n_edges] = Edge { from, to };
                    resources[n_edges] = resource;
                    n_edges += 1;
                }
                before = earlier[before as usize];
            }
            use_idx += 1;
        }
        rank += 1;
    }
    n_edges
}

#[cfg(test)]
mod tests;
