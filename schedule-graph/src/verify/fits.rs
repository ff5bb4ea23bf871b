//! The last phase: pairs under [`Policy::Optimize`], all of them together.
//!
//! By then everything else is ordered, and what is left may go either way. An order of all nodes that keeps to the rest is
//! chosen, and every pair follows it.

use std::collections::{HashMap, HashSet};

use super::levelled::Levelled;
use super::{Draft, Origin, Question, Unpinned, sort};
use crate::conflict::{Use, Uses};
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::optimize::Loose;
use crate::policy::Policy;

/// What is known of races before the phase begins.
pub(super) struct Fits {
    /// Whether pairs may race under [`Policy::Optimize`]. If none does, those that never run both are chosen all the same,
    /// so that it makes no difference whether races are looked at one by one.
    pub(super) is_needed: bool,
    /// `is_kept[r]`: no pair that conflicts on resource r goes under `optimize`, so that all of them follow the order of those that
    /// do not; len = n_resources.
    is_kept: Vec<bool>,
    /// Races that run in insertion order, and conflict on no resource that is kept.
    insertion_order: Vec<(u32, u32)>,
}

impl Fits {
    pub(super) fn new(question: &Question<'_>) -> Self {
        let is_needed = question.rules.has(Policy::Optimize);
        Self {
            is_needed,
            is_kept: match is_needed {
                true => kept(question),
                false => Vec::new(),
            },
            insertion_order: Vec::new(),
        }
    }

    /// A race, and its policy.
    pub(super) fn meet(&mut self, question: &Question<'_>, a: u32, b: u32, policy: Policy) {
        if self.is_needed && matches!(policy, Policy::InsertionOrder | Policy::Accepted) {
            let mut is_alone = true;
            let mut shared = question.uses.shared(a, b);
            while let Some(conflict) = shared.next() {
                is_alone &= !self.is_kept[conflict.resource as usize];
            }
            if is_alone {
                self.insertion_order.push((a, b));
            }
        }
    }

    /// Adds all edges that are left to be added. `order` is the one for pairs that run in insertion order. Returns the
    /// pinned edges that were not followed.
    pub(super) fn choose(
        &mut self,
        question: &Question<'_>,
        graph: &mut Draft,
        order: &[u32],
    ) -> Vec<(u32, Unpinned)> {
        // How they were met depends on what was known before.
        self.insertion_order.sort_unstable();
        self.add_insertion_order(question, graph, order);
        let unpinned = add_pinned(question, graph);
        let order = fit(question, graph);
        graph.add_along(question, question.planned_uses(), &order);
        unpinned
    }

    fn add_insertion_order(&self, question: &Question<'_>, graph: &mut Draft, order: &[u32]) {
        let uses = question.planned_uses();
        let is_kept = |one: &Use| self.is_kept[one.resource as usize];
        let mut starts = vec![0];
        let mut kept = Vec::new();
        for node in 0..uses.n_nodes() as u32 {
            let own = (uses.start(node)..uses.end(node)).map(|use_idx| uses.nth(use_idx));
            kept.extend(own.filter(is_kept));
            starts.push(kept.len() as u32);
        }
        let kept = Uses::new(&starts, &kept).with_filters(uses.filters());
        graph.add_along(question, kept, order);
        let mut ranks = vec![0; order.len()];
        for (rank, &node) in order.iter().enumerate() {
            ranks[node as usize] = rank;
        }
        for &(a, b) in &self.insertion_order {
            let (from, to) = match ranks[a as usize] < ranks[b as usize] {
                true => (a, b),
                false => (b, a),
            };
            let conflict = uses.shared(from, to).next().expect("a race");
            graph.edges.push(question.levels.lift(Edge { from, to }));
            graph
                .origins
                .push(Origin::InsertionOrder(conflict.resource));
        }
    }
}

/// See [`Fits::is_kept`]. A resource that goes under `optimize` in a plugin with a single user is not kept either, nor one
/// that a node of a group accesses which goes under `optimize` with others: that costs some edges only.
///
/// O(n_resources + uses × plugins around them).
fn kept(question: &Question<'_>) -> Vec<bool> {
    let (rules, uses) = (question.rules, question.planned_uses());
    let users = || {
        (0..uses.n_nodes() as u32).flat_map(|node| {
            let plugin = rules.plugins.of_node(node);
            uses.of(node).iter().map(move |one| (plugin, one.resource))
        })
    };
    // around[r]: the innermost plugin that all users of resource r are in.
    let mut around: Vec<Option<u32>> = vec![None; question.n_resources];
    for (plugin, resource) in users() {
        let around = &mut around[resource as usize];
        *around = Some(around.map_or(plugin, |other| rules.plugins.around_both(plugin, other)));
    }
    let mut is_kept = vec![true; question.n_resources];
    for (mut plugin, resource) in users() {
        let fits = |plugin| rules.of_resource(plugin, resource).1 == Policy::Optimize;
        is_kept[resource as usize] &= !fits(plugin);
        while Some(plugin) != around[resource as usize] {
            plugin = rules.plugins.around[plugin as usize];
            is_kept[resource as usize] &= !fits(plugin);
        }
    }
    for &(a, b, _) in rules.pairs.iter().filter(|pair| pair.2 == Policy::Optimize) {
        let mut shared = uses.shared(a, b);
        while let Some(conflict) = shared.next() {
            is_kept[conflict.resource as usize] = false;
        }
    }
    let rules = rules.groups;
    let fitting = rules
        .rules
        .iter()
        .filter(|rule| rule.policy == Policy::Optimize);
    let sets: HashSet<u32> = fitting.flat_map(|rule| [rule.one, rule.other]).collect();
    if !sets.is_empty() {
        for node in 0..uses.n_nodes() as u32 {
            if rules.sets_of(node).iter().any(|set| sets.contains(set)) {
                for one in uses.of(node) {
                    is_kept[one.resource as usize] = false;
                }
            }
        }
    }
    is_kept
}

/// Adds the pinned edges that can be followed, and returns the others.
///
/// O((V + E + U) V / 64), and where some contradict the rest, O(V + E) for each.
fn add_pinned(question: &Question<'_>, graph: &mut Draft) -> Vec<(u32, Unpinned)> {
    if question.pinned.is_empty() {
        return Vec::new();
    }
    let mut wanted: HashSet<(u32, u32)> = HashSet::new();
    for &Edge { from, to } in question.pinned {
        wanted.insert((from, to));
    }
    // The resource of each pair that goes under `optimize`, the way it is pinned. Those that never run both follow, too.
    let mut resources: HashMap<(u32, u32), u32> = HashMap::new();
    graph.for_each_pair(question, &mut |a, b| {
        for (from, to) in [(a, b), (b, a)] {
            let lifted = question.levels.lift(Edge { from, to });
            let pair = (lifted.from, lifted.to);
            if wanted.contains(&pair)
                && question.rules.of_pair(question.uses, a, b) == Policy::Optimize
            {
                let conflict = question.uses.shared(a, b).next().expect("a conflict");
                resources.entry(pair).or_insert(conflict.resource);
            }
        }
    });
    let mut unpinned = Vec::new();
    let mut racing: Vec<(u32, Edge, Origin)> = Vec::new();
    for (idx, &edge) in (0..).zip(question.pinned) {
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

/// An order of all nodes that keeps to all edges: level by level, the inner ones first, as a loop takes what its parts do.
fn fit(question: &Question<'_>, graph: &Draft) -> Vec<u32> {
    let levels = question.levels;
    let levelled = Levelled::new(graph.n_nodes, &graph.edges, levels);
    let mut costs = question.costs.to_vec();
    // What the condition and the parts of each loop touch, as `Uses` has it.
    let mut touched = vec![Vec::new(); levels.loops.len()];
    let mut orders = vec![Vec::new(); levelled.nodes.len()];
    for level in (0..levelled.nodes.len()).rev() {
        let nodes = &levelled.nodes[level];
        let (mut starts, mut uses) = (vec![0], Vec::new());
        for &node in nodes {
            uses.extend_from_slice(match levels.own(node) {
                NO_LOOP => question.uses.of(node),
                own => &touched[own as usize],
            });
            starts.push(uses.len() as u32);
        }
        let of_level: Vec<u64> = nodes.iter().map(|&node| costs[node as usize]).collect();
        let loose = Loose {
            n_resources: question.n_resources,
            uses: Uses::new(&starts, &uses).with_filters(question.uses.filters()),
            edges: &levelled.edges[level],
            costs: &of_level,
        };
        orders[level] = loose.order();
        if let Some(own) = level.checked_sub(1) {
            let begin = levels.loops[own].from;
            costs[begin as usize] += of_level.iter().sum::<u64>();
            uses.extend_from_slice(question.uses.of(begin));
            Use::join(&mut uses);
            touched[own] = uses;
        }
    }
    levelled.join(levels, orders)
}
