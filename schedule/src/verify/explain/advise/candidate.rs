//! Candidates for removal: each order, conflict or resource that is the only reason why one node waits for another.

use core::cmp::Reverse;
use std::collections::HashMap;

use super::numbers::Numbers;
use super::paths::Paths;
use crate::verify::plan::Plan;
use schedule_graph::Edge;
use schedule_graph::internal::Origin;
use schedule_graph::internal::reduce;

/// A candidate for removal.
pub(super) struct Candidate {
    pub(super) what: RemovedRestriction,
    /// The duration in nanoseconds of the longest path through an edge of this candidate.
    through_ns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RemovedRestriction {
    /// An order, by index of the declared order.
    Order(usize),
    /// A conflict of two nodes in order of execution, with the declared order of the two, if there is one.
    Conflict(u32, u32, Option<usize>),
    Resource {
        resource: u32,
        n_pairs: usize,
    },
}

impl Candidate {
    /// Returns each candidate that has an edge in the transitive reduction. Candidates with the longest paths come first.
    pub(super) fn all(numbers: &Numbers, plan: &Plan, paths: &Paths<'_>) -> Vec<Self> {
        let (edges, origins): (Vec<Edge>, Vec<Origin>) = plan.edges().unzip();
        let kept = reduce(plan.order.len(), &edges);
        let kept = edges
            .iter()
            .zip(origins)
            .zip(kept)
            .filter_map(|(one, is_kept)| is_kept.then_some(one));
        let mut longest: HashMap<RemovedRestriction, u64> = HashMap::new();
        let mut of_resources: HashMap<u32, (usize, u64)> = HashMap::new();
        for (edge, origin) in kept {
            let through_ns = paths.through(*edge);
            let [a, b] = [edge.from, edge.to].map(|rank| plan.order[rank as usize]);
            let mut resource = None;
            let conflict = |order| {
                numbers
                    .can_separate(a, b)
                    .then_some(RemovedRestriction::Conflict(a, b, order))
            };
            let [order, conflict] = match origin {
                Origin::Declared(edge) => {
                    let order = numbers.graph.order_edges.get(&edge).copied();
                    let both = order.filter(|_| numbers.are_nodes(a, b));
                    [
                        order.map(RemovedRestriction::Order),
                        both.and_then(|order| conflict(Some(order))),
                    ]
                }
                Origin::Weak(edge) => {
                    let conflicts = numbers.conflicts(a, b);
                    resource = conflicts.first().map(|conflict| conflict.resource);
                    let order = numbers.graph.weak_orders[edge as usize];
                    [order.map(RemovedRestriction::Order), conflict(None)]
                }
                Origin::Commands(_) => [None, None],
                // Systems of different branches never both run, so their conflicts do not matter.
                _ if numbers.never_both_run(a, b) => [None, None],
                Origin::WritersFirst(of) | Origin::InsertionOrder(of) | Origin::Optimize(of) => {
                    resource = Some(of);
                    [None, conflict(None)]
                }
            };
            for what in [order, conflict].into_iter().flatten() {
                let known = longest.entry(what).or_default();
                *known = through_ns.max(*known);
            }
            if let Some(resource) = resource.filter(|&one| numbers.is_named(one)) {
                let (n_pairs, known) = of_resources.entry(resource).or_default();
                *n_pairs += 1;
                *known = through_ns.max(*known);
            }
        }
        let of_resources = of_resources
            .into_iter()
            .map(|(resource, (n_pairs, through_ns))| {
                (
                    RemovedRestriction::Resource { resource, n_pairs },
                    through_ns,
                )
            });
        let all = longest.into_iter().chain(of_resources);
        let mut all: Vec<Self> = all
            .map(|(what, through_ns)| Self { what, through_ns })
            .collect();
        all.sort_unstable_by_key(|one| (Reverse(one.through_ns), one.what));
        all
    }
}
