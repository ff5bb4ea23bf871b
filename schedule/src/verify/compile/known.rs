//! Results of a verification that are kept to verify a changed schedule incrementally.

use std::collections::HashMap;

use super::nodes::{Graph, NumberedKind};
use super::{All, Implied};
use crate::verify::plan::Plan;
use schedule_graph::Edge;
use schedule_graph::internal::{self, NEW};
use schedule_graph::internal::{Needed, TruthTable};

/// Data that is kept with the plan. Nodes are ranks of the plan.
#[derive(Default)]
pub(crate) struct Known {
    /// The begin and the end of each group, keyed by identity.
    groups: HashMap<u128, (u32, u32)>,
    /// The needs of each node. Nodes without guards are absent.
    needs: HashMap<u32, KnownNeeds>,
    /// See [`Verdict::free`](schedule_graph::internal::Verdict::free).
    free: Option<Vec<(u32, u32)>>,
}

/// The conditions that a node needs, sorted, and the truth table of its guards.
type KnownNeeds = (Vec<Needed>, TruthTable);

/// The schedule that declarations change.
#[derive(Clone, Copy)]
pub(crate) struct Previous<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) known: &'a Known,
    pub(crate) implied: &'a Implied,
}

/// The memory of [`Previous`](internal::Previous).
pub(super) struct Remembered<'a> {
    previous_nodes: Vec<u32>,
    n_nodes: usize,
    declared: Vec<Edge>,
    free: &'a [(u32, u32)],
    has_changed_needs: Vec<bool>,
}

impl Known {
    /// `ranks[v]`: the rank of node v. `free`: pairs of node numbers.
    pub(super) fn new(graph: &Graph, free: Option<Vec<(u32, u32)>>, ranks: &[u32]) -> Self {
        let rank = |node: u32| ranks[node as usize];
        let groups = graph.groups.iter();
        let free = free.map(|free| free.into_iter().map(|(a, b)| (rank(a), rank(b))));
        Self {
            groups: groups
                .map(|group| (group.reference.id, (rank(group.begin), rank(group.end))))
                .collect(),
            needs: (0..ranks.len() as u32)
                .filter_map(|node| Some((rank(node), needs_of(graph, node, rank)?)))
                .collect(),
            free: free.map(Iterator::collect),
        }
    }
}

impl<'a> Remembered<'a> {
    /// Returns the previous results for the nodes of `graph`, or `None` if they do not suffice. O(nodes + orders).
    ///
    /// A declared node stores its rank in the previous schedule, if it was part of it.
    pub(super) fn new(previous: Previous<'a>, all: All<'_>, graph: &Graph) -> Option<Self> {
        let Previous { plan, known, .. } = previous;
        let free = known.free.as_ref()?;
        if !graph.weak.is_empty() {
            return None;
        }
        let ends: HashMap<u32, u32> = plan.loops.iter().map(|one| (one.begin, one.end)).collect();
        let old = |kind: &NumberedKind| match *kind {
            NumberedKind::Added(idx) => all.node(idx).rank,
            NumberedKind::LoopEnd(idx) => ends.get(&all.node(idx).rank?).copied(),
            NumberedKind::GroupBegin(group) | NumberedKind::GroupEnd(group) => {
                let id = graph.groups[group].reference.id;
                let (begin, end) = *known.groups.get(&id)?;
                Some(match kind {
                    NumberedKind::GroupBegin(_) => begin,
                    _ => end,
                })
            }
            NumberedKind::SyncPoint(_) => None,
        };
        let previous_nodes: Vec<u32> = graph
            .kinds
            .iter()
            .map(|kind| old(kind).unwrap_or(NEW))
            .collect();
        let old = |node: u32| previous_nodes[node as usize];
        let has_changed_needs = (0..previous_nodes.len() as u32).map(|node| {
            let now = needs_of(graph, node, old);
            now.as_ref() != known.needs.get(&old(node))
        });
        Some(Self {
            has_changed_needs: has_changed_needs.collect(),
            n_nodes: plan.order.len(),
            declared: plan.declared_edges().collect(),
            free,
            previous_nodes,
        })
    }

    pub(super) fn as_previous(&self) -> internal::Previous<'_> {
        internal::Previous {
            previous_nodes: &self.previous_nodes,
            n_nodes: self.n_nodes,
            declared: &self.declared,
            free: self.free,
            has_changed_needs: &self.has_changed_needs,
        }
    }
}

/// Returns the needs of a node, with conditions renumbered by `number`. `None` if it has no guards.
fn needs_of(graph: &Graph, node: u32, number: impl Fn(u32) -> u32) -> Option<KnownNeeds> {
    let needed = graph.needs().of(node).iter();
    let mut needed: Vec<Needed> = needed
        .map(|one| Needed {
            condition: number(one.condition),
            answers: one.answers,
        })
        .collect();
    needed.sort_unstable_by_key(|one| one.condition);
    let table = graph.needs().table(node).renumbered(number);
    (!needed.is_empty() || table != TruthTable::TRUE).then_some((needed, table))
}
