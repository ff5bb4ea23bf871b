//! The last phase: pairs under [`Policy::AsFits`], all of them together.
//!
//! By then everything else is ordered, and what is left may go either way. An order of all nodes that keeps to the rest is
//! chosen, and every pair follows it.

use std::collections::{HashMap, HashSet};

use super::levelled::Levelled;
use super::{Graph, Origin, Question, Unpinned, sort};
use crate::conflict::{Use, Uses};
use crate::fit::Loose;
use crate::graph::edge::Edge;
use crate::graph::levels::NO_LOOP;
use crate::policy::Policy;

/// What is known of races before the phase begins.
pub(super) struct Fits {
    /// Whether a pair races under [`Policy::AsFits`].
    pub(super) is_needed: bool,
    /// Whether there may be one.
    may_be_needed: bool,
    /// `is_split[r]`: on resource r, some pairs go as fits and others do not, because that is set for them or for the part
    /// that they are in; len = n_resources.
    is_split: Vec<bool>,
    /// Races that run as added, though the users of no single resource all do.
    as_added: Vec<(u32, u32)>,
}

impl Fits {
    pub(super) fn new(question: &Question<'_>) -> Self {
        let rules = question.rules;
        let mut is_split = vec![false; question.n_resources];
        let fit = rules.pairs.iter().filter(|pair| pair.2 == Policy::AsFits);
        for &(a, b, _) in fit {
            let mut shared = question.uses.shared(a, b);
            while let Some(conflict) = shared.next() {
                is_split[conflict.resource as usize] = true;
            }
        }
        let may_be_needed = rules.has(Policy::AsFits);
        if may_be_needed {
            for (is_split, resource) in is_split.iter_mut().zip(0..) {
                let fits = |part| rules.of_resource(part, resource).1 == Policy::AsFits;
                let outside = fits(0);
                let mut parts = 1..rules.parts.around.len() as u32;
                *is_split |= parts.any(|part| fits(part) != outside);
            }
        }
        Self {
            // Where races are not looked at one by one, there may be some.
            is_needed: may_be_needed && !rules.needs_races(),
            may_be_needed,
            is_split,
            as_added: Vec::new(),
        }
    }

    /// A race, and its policy.
    pub(super) fn meet(&mut self, question: &Question<'_>, a: u32, b: u32, policy: Policy) {
        match policy {
            Policy::AsFits => self.is_needed = true,
            Policy::AsAdded | Policy::Accepted if self.may_be_needed => {
                let mut is_alone = question.rules.set_for(a, b).is_some();
                let mut shared = question.uses.shared(a, b);
                while let Some(conflict) = shared.next() {
                    is_alone |= self.is_split[conflict.resource as usize];
                }
                if is_alone {
                    self.as_added.push((a, b));
                }
            }
            _ => {}
        }
    }

    /// Adds all edges that are left to be added. `order` is the one for pairs that run as added. Returns the pinned edges
    /// that were not followed.
    pub(super) fn choose(
        &mut self,
        question: &Question<'_>,
        graph: &mut Graph,
        order: &[u32],
    ) -> Vec<(u32, Unpinned)> {
        // How they were met depends on what was known before.
        self.as_added.sort_unstable();
        self.add_as_added(question, graph, order);
        let unpinned = add_pinned(question, graph);
        let order = fit(question, graph);
        graph.add_along(question, question.uses, &order);
        unpinned
    }

    fn add_as_added(&self, question: &Question<'_>, graph: &mut Graph, order: &[u32]) {
        let uses = question.uses;
        let is_kept = |one: &Use| {
            !self.is_split[one.resource as usize]
                && question.rules.of_resource(0, one.resource).1 != Policy::AsFits
        };
        let mut starts = vec![0];
        let mut kept = Vec::new();
        for node in 0..uses.n_nodes() as u32 {
            let own = (uses.start(node)..uses.end(node)).map(|use_idx| uses.nth(use_idx));
            kept.extend(own.filter(is_kept));
            starts.push(kept.len() as u32);
        }
        graph.add_along(question, Uses::new(&starts, &kept), order);
        let mut ranks = vec![0; order.len()];
        for (rank, &node) in order.iter().enumerate() {
            ranks[node as usize] = rank;
        }
        for &(a, b) in &self.as_added {
            let (from, to) = match ranks[a as usize] < ranks[b as usize] {
                true => (a, b),
                false => (b, a),
            };
            let conflict = uses.shared(from, to).next().expect("a race");
            graph.edges.push(question.levels.lift(Edge { from, to }));
            graph.origins.push(Origin::AsAdded(conflict.resource));
        }
    }
}

/// Adds the pinned edges that can be followed, and returns the others.
///
/// O((V + E + U) V / 64), and where some contradict the rest, O(V + E) for each.
fn add_pinned(question: &Question<'_>, graph: &mut Graph) -> Vec<(u32, Unpinned)> {
    if question.pinned.is_empty() {
        return Vec::new();
    }
    let mut wanted: HashSet<(u32, u32)> = HashSet::new();
    for &Edge { from, to } in question.pinned {
        wanted.insert((from, to));
    }
    // The resource of each pair that goes as fits, the way it is pinned. Those that never run both follow, too.
    let mut resources: HashMap<(u32, u32), u32> = HashMap::new();
    graph.for_each_pair(question, None, &mut |a, b| {
        for (from, to) in [(a, b), (b, a)] {
            let lifted = question.levels.lift(Edge { from, to });
            let pair = (lifted.from, lifted.to);
            if wanted.contains(&pair)
                && question.rules.of_pair(question.uses, a, b) == Policy::AsFits
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
            Some(&resource) => racing.push((idx, edge, Origin::AsFits(resource))),
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
fn fit(question: &Question<'_>, graph: &Graph) -> Vec<u32> {
    let levels = question.levels;
    let levelled = Levelled::new(graph.n_nodes, &graph.edges, levels);
    let mut costs = question.costs.to_vec();
    // What the condition and the parts of each loop touch, as `Uses` has it.
    let mut touched = vec![Vec::new(); levels.ends.len()];
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
            uses: Uses::new(&starts, &uses),
            edges: &levelled.edges[level],
            costs: &of_level,
        };
        orders[level] = loose.order();
        if let Some(own) = level.checked_sub(1) {
            let begin = levels.ends[own].0;
            costs[begin as usize] += of_level.iter().sum::<u64>();
            uses.extend_from_slice(question.uses.of(begin));
            // Writes first, so that they are kept.
            uses.sort_unstable_by_key(|one| (one.resource, !one.is_write));
            uses.dedup_by_key(|one| one.resource);
            touched[own] = uses;
        }
    }
    levelled.join(levels, orders)
}
