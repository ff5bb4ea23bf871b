//! The last phase: orders all pairs under [`Policy::Optimize`] together.
//!
//! All other conflicting pairs are ordered before. The phase chooses one order of all nodes that respects the edges so
//! far, and orders every pair along it, so no cycle can arise.

use std::collections::{HashMap, HashSet};

use super::levelled::Levelled;
use super::{Draft, Origin, Unpinned, VerifyInput, sort};
use crate::conflict::{Use, Uses};
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::optimize::OptimizeInput;
use crate::policy::Policy;

/// The races that earlier phases leave to the last one.
pub(super) struct OptimizePhase {
    /// Whether the policy of any pair may be [`Policy::Optimize`]. If so, the phase runs even if no such pair races:
    /// pairs that never both run are ordered too, and the result must not depend on whether races were found one by one.
    pub(super) is_needed: bool,
    /// `is_insertion_ordered[r]`: no pair that conflicts on resource r is under [`Policy::Optimize`], so all of them follow
    /// insertion order; len = n_resources.
    is_insertion_ordered: Vec<bool>,
    /// Races in insertion order that conflict only on resources that are not in `is_insertion_ordered`.
    insertion_order: Vec<(u32, u32)>,
}

impl OptimizePhase {
    pub(super) fn new(input: &VerifyInput<'_>) -> Self {
        let is_needed = input.rules.has(Policy::Optimize);
        Self {
            is_needed,
            is_insertion_ordered: if is_needed {
                insertion_ordered_resources(input)
            } else {
                Vec::new()
            },
            insertion_order: Vec::new(),
        }
    }

    /// Records a race and its policy. O(uses of both nodes).
    pub(super) fn record_race(&mut self, input: &VerifyInput<'_>, a: u32, b: u32, policy: Policy) {
        if self.is_needed && matches!(policy, Policy::InsertionOrder | Policy::Accepted) {
            let mut has_no_ordered_resource = true;
            let mut shared = input.uses.shared(a, b);
            while let Some(conflict) = shared.next() {
                has_no_ordered_resource &= !self.is_insertion_ordered[conflict.resource as usize];
            }
            if has_no_ordered_resource {
                self.insertion_order.push((a, b));
            }
        }
    }

    /// Adds the edges of all pairs without a path. Pairs in insertion order follow `order`. Returns the pinned edges that
    /// were not followed.
    pub(super) fn add_edges(
        &mut self,
        input: &VerifyInput<'_>,
        graph: &mut Draft,
        order: &[u32],
    ) -> Vec<(u32, Unpinned)> {
        // An incremental search finds races in another order than a full search.
        self.insertion_order.sort_unstable();
        self.add_insertion_order(input, graph, order);
        let unpinned = add_pinned(input, graph);
        let order = optimized_order(input, graph);
        graph.add_along(input, input.planned_uses(), &order);
        unpinned
    }

    fn add_insertion_order(&self, input: &VerifyInput<'_>, graph: &mut Draft, order: &[u32]) {
        let uses = input.planned_uses();
        let is_insertion_ordered = |one: &Use| self.is_insertion_ordered[one.resource as usize];
        let mut starts = vec![0];
        let mut kept = Vec::new();
        for node in 0..uses.n_nodes() as u32 {
            let own = (uses.start(node)..uses.end(node)).map(|use_idx| uses.nth(use_idx));
            kept.extend(own.filter(is_insertion_ordered));
            starts.push(kept.len() as u32);
        }
        let kept = Uses::new(&starts, &kept).with_filters(uses.filters());
        graph.add_along(input, kept, order);
        let mut ranks = vec![0; order.len()];
        for (rank, &node) in order.iter().enumerate() {
            ranks[node as usize] = rank;
        }
        for &(a, b) in &self.insertion_order {
            let (from, to) = if ranks[a as usize] < ranks[b as usize] {
                (a, b)
            } else {
                (b, a)
            };
            let conflict = uses.shared(from, to).next().expect("a race");
            graph.edges.push(input.levels.lift(Edge { from, to }));
            graph
                .origins
                .push(Origin::InsertionOrder(conflict.resource));
        }
    }
}

/// Computes [`OptimizePhase::is_insertion_ordered`].
///
/// Excludes a resource as soon as a policy could apply to it: a plugin with one user of the resource is enough, and so is a
/// node of a group that has a rule. The exclusion of too many resources only costs edges.
///
/// O(n_resources + uses × plugins around them).
fn insertion_ordered_resources(input: &VerifyInput<'_>) -> Vec<bool> {
    let (rules, uses) = (input.rules, input.planned_uses());
    let users = || {
        (0..uses.n_nodes() as u32).flat_map(|node| {
            let plugin = rules.plugins.of_node(node);
            uses.of(node).iter().map(move |one| (plugin, one.resource))
        })
    };
    // around[r]: the innermost plugin that all users of resource r are in.
    let mut around: Vec<Option<u32>> = vec![None; input.n_resources];
    for (plugin, resource) in users() {
        let around = &mut around[resource as usize];
        *around = Some(around.map_or(plugin, |other| rules.plugins.around_both(plugin, other)));
    }
    let mut is_insertion_ordered = vec![true; input.n_resources];
    for (mut plugin, resource) in users() {
        let is_optimized = |plugin| rules.of_resource(plugin, resource).1 == Policy::Optimize;
        is_insertion_ordered[resource as usize] &= !is_optimized(plugin);
        while Some(plugin) != around[resource as usize] {
            plugin = rules.plugins.around[plugin as usize];
            is_insertion_ordered[resource as usize] &= !is_optimized(plugin);
        }
    }
    for &(a, b, _) in rules.pairs.iter().filter(|pair| pair.2 == Policy::Optimize) {
        let mut shared = uses.shared(a, b);
        while let Some(conflict) = shared.next() {
            is_insertion_ordered[conflict.resource as usize] = false;
        }
    }
    let rules = rules.groups;
    let optimized = rules
        .rules
        .iter()
        .filter(|rule| rule.policy == Policy::Optimize);
    let sets: HashSet<u32> = optimized.flat_map(|rule| [rule.one, rule.other]).collect();
    if !sets.is_empty() {
        for node in 0..uses.n_nodes() as u32 {
            if rules.sets_of(node).iter().any(|set| sets.contains(set)) {
                for one in uses.of(node) {
                    is_insertion_ordered[one.resource as usize] = false;
                }
            }
        }
    }
    is_insertion_ordered
}

/// Adds the pinned edges that can be followed, and returns the others.
///
/// O((V + E + U) V / 64), and O(V + E) for each pinned edge if one of them closes a cycle.
fn add_pinned(input: &VerifyInput<'_>, graph: &mut Draft) -> Vec<(u32, Unpinned)> {
    if input.pinned.is_empty() {
        return Vec::new();
    }
    let mut wanted: HashSet<(u32, u32)> = HashSet::new();
    for &Edge { from, to } in input.pinned {
        wanted.insert((from, to));
    }
    // The resource of each pinned pair under `Policy::Optimize`. Pairs that never both run are included.
    let mut resources: HashMap<(u32, u32), u32> = HashMap::new();
    graph.for_each_pair(input, &mut |a, b| {
        for (from, to) in [(a, b), (b, a)] {
            let lifted = input.levels.lift(Edge { from, to });
            let pair = (lifted.from, lifted.to);
            if wanted.contains(&pair) && input.rules.of_pair(input.uses, a, b) == Policy::Optimize {
                let conflict = input.uses.shared(a, b).next().expect("a conflict");
                resources.entry(pair).or_insert(conflict.resource);
            }
        }
    });
    let mut unpinned = Vec::new();
    let mut racing: Vec<(u32, Edge, Origin)> = Vec::new();
    for (idx, &edge) in (0..).zip(input.pinned) {
        match resources.get(&(edge.from, edge.to)) {
            Some(&resource) => racing.push((idx, edge, Origin::Optimize(resource))),
            None => unpinned.push((idx, Unpinned::NoRace)),
        }
    }
    let n_before = graph.edges.len();
    graph.edges.extend(racing.iter().map(|pinned| pinned.1));
    graph.origins.extend(racing.iter().map(|pinned| pinned.2));
    if sort(graph.n_nodes, &graph.edges).is_none() {
        graph.edges.truncate(n_before);
        graph.origins.truncate(n_before);
        for (idx, edge, origin) in racing {
            graph.edges.push(edge);
            if sort(graph.n_nodes, &graph.edges).is_some() {
                graph.origins.push(origin);
            } else {
                graph.edges.pop();
                unpinned.push((idx, Unpinned::Contradicts));
            }
        }
        unpinned.sort_unstable_by_key(|one| one.0);
    }
    unpinned
}

/// An order of all nodes that respects all edges, for short runs. Inner levels come first, because the cost of a loop is
/// the sum of the costs in its body.
fn optimized_order(input: &VerifyInput<'_>, graph: &Draft) -> Vec<u32> {
    let levels = input.levels;
    let levelled = Levelled::new(graph.n_nodes, &graph.edges, levels);
    let mut costs = input.costs.to_vec();
    // loop_uses[l]: the joined uses of the condition and the body of loop l.
    let mut loop_uses = vec![Vec::new(); levels.loops.len()];
    let mut orders = vec![Vec::new(); levelled.nodes.len()];
    for level in (0..levelled.nodes.len()).rev() {
        let nodes = &levelled.nodes[level];
        let (mut starts, mut uses) = (vec![0], Vec::new());
        for &node in nodes {
            uses.extend_from_slice(match levels.own(node) {
                NO_LOOP => input.uses.of(node),
                own => &loop_uses[own as usize],
            });
            starts.push(uses.len() as u32);
        }
        let of_level: Vec<u64> = nodes.iter().map(|&node| costs[node as usize]).collect();
        let level_input = OptimizeInput {
            n_resources: input.n_resources,
            uses: Uses::new(&starts, &uses).with_filters(input.uses.filters()),
            edges: &levelled.edges[level],
            costs: &of_level,
        };
        orders[level] = level_input.order();
        if let Some(own) = level.checked_sub(1) {
            let begin = levels.loops[own].from;
            costs[begin as usize] += of_level.iter().sum::<u64>();
            uses.extend_from_slice(input.uses.of(begin));
            Use::join(&mut uses);
            loop_uses[own] = uses;
        }
    }
    levelled.join(levels, orders)
}
