//! A verified schedule in the form that executors need: flat arrays, by rank. The body of a loop is between its begin
//! and its end.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::base::formula::Formula;
use crate::base::place::SystemPlace;
use crate::base::program::{Answer, Program, Programs};
use crate::data::access::ResourceId;
use crate::verify::folds::Folds;
use crate::verify::sweeps::SweepPlan;
use schedule_graph::Edge;
use schedule_graph::internal::Lists;
use schedule_graph::internal::{Levels, NO_LOOP};
use schedule_graph::internal::{Origin, Verdict};
use schedule_graph::internal::{Precedence, reduce};
use schedule_graph::internal::{fill_ranked_edges, fill_ranks};

/// Nodes by rank in a topological order, with their edges.
#[derive(Debug)]
pub(crate) struct Plan {
    /// `order[rank]`: the node of that rank; len = n_nodes.
    pub(crate) order: Vec<u32>,
    /// The edges by rank, so that `from < to`.
    edges: Vec<Edge>,
    /// `origins[i]`: the origin of edge i; len = n_edges.
    origins: Vec<Origin>,
    /// The loops in the order of their declaration. A loop precedes the loops in its body.
    pub(crate) loops: Vec<PlannedLoop>,
    /// The systems that fold. Set when the nodes of the plan are known.
    pub(crate) folds: Folds,
    /// The per-entity systems.
    pub(crate) sweeps: SweepPlan,
    /// `enclosing_loops[rank]`: the innermost loop around a node, or `NO_LOOP`; len = n_nodes, or 0 without loops.
    enclosing_loops: Vec<u32>,
    /// `is_always[rank]`: whether a failure before the node does not skip it; len = n_nodes, or 0 if all nodes can be skipped.
    is_always: Vec<bool>,
    /// The inserted sync points. Their nodes follow all others. Set when the names of the nodes are known.
    pub(crate) sync_points: Vec<PlannedSyncPoint>,
    guards: Programs,
    /// `formulas[rank]`: the guard of a node, for messages; len = n_nodes, or 0 if there is no guard.
    formulas: Vec<Option<Formula<Answer>>>,
    /// The rank of each condition and those of the conditions that it inherits from a guard of a group. Set when both are known.
    #[expect(
        clippy::box_collection,
        reason = "few plans have any, so the field takes one word"
    )]
    inherited: Option<Box<HashSet<(u32, u32)>>>,
    /// See [`Plan::dependents`]. Computed at the first use.
    dependents: OnceLock<Lists>,
    /// See [`Plan::incoming`].
    incoming: OnceLock<Vec<Edge>>,
}

/// An inserted sync point.
#[derive(Clone, Debug)]
pub(crate) struct PlannedSyncPoint {
    pub(crate) place: SystemPlace,
    /// The loop around it, or `NO_LOOP`.
    pub(crate) enclosing_loop: u32,
    /// The pairs that need it.
    pub(crate) pairs: Vec<PlannedPair>,
}

/// A node with commands, and a node that comes after it and finds what they change. Both are nodes of the graph.
#[derive(Clone, Debug)]
pub(crate) struct PlannedPair {
    pub(crate) writer: u32,
    pub(crate) user: u32,
    pub(crate) change: ResourceId,
}

/// The ranks of the begin and the end of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedLoop {
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

impl Plan {
    /// The plan of a single node.
    pub(crate) fn of_one() -> Self {
        Self {
            order: vec![0],
            edges: Vec::new(),
            origins: Vec::new(),
            loops: Vec::new(),
            folds: Folds::default(),
            sweeps: SweepPlan::default(),
            enclosing_loops: Vec::new(),
            is_always: Vec::new(),
            sync_points: Vec::new(),
            guards: Programs::default(),
            formulas: Vec::new(),
            inherited: None,
            dependents: OnceLock::new(),
            incoming: OnceLock::new(),
        }
    }

    /// The plan of `n_nodes` nodes with these edges, without loops and guards.
    #[cfg(test)]
    pub(crate) fn of_edges(n_nodes: u32, edges: Vec<Edge>) -> Self {
        Self {
            order: (0..n_nodes).collect(),
            edges,
            ..Self::of_one()
        }
    }

    /// `guard_of(v)`: the guard of node v, over answers of nodes. O(nodes + edges).
    pub(crate) fn new(
        verdict: Verdict,
        levels: Levels<'_>,
        guard_of: impl Fn(u32) -> Option<Formula<Answer>>,
    ) -> Self {
        let mut ranks = vec![0; verdict.order.len()];
        fill_ranks(&verdict.order, &mut ranks);
        // The nodes of inserted sync points follow all others.
        let n_others = verdict.order.len() - verdict.inserted.len();
        let enclosing_loop_of = |node: u32| match (node as usize).checked_sub(n_others) {
            None => levels.around(node),
            Some(idx) => verdict.inserted[idx].around,
        };
        let mut edges = verdict.edges.clone();
        fill_ranked_edges(&verdict.edges, &ranks, &mut edges);
        let by_rank = verdict.order.iter();
        let enclosing_loops = by_rank.clone().map(|&node| enclosing_loop_of(node));
        let loops = levels.loops.iter().map(|one| PlannedLoop {
            begin: ranks[one.from as usize],
            end: ranks[one.to as usize],
        });
        let guards = by_rank.map(|&node| {
            let guard = guard_of(node)?;
            Some(guard.map(|answer| Answer {
                rank: ranks[answer.rank as usize],
                index: answer.index,
            }))
        });
        let formulas: Vec<_> = guards.collect();
        let enclosing_loops: Vec<u32> = enclosing_loops.collect();
        let is_guarded = formulas.iter().any(Option::is_some);
        Self {
            loops: loops.collect(),
            folds: Folds::default(),
            sweeps: SweepPlan::default(),
            enclosing_loops: if levels.is_flat() {
                Vec::new()
            } else {
                enclosing_loops
            },
            is_always: Vec::new(),
            sync_points: Vec::new(),
            guards: Programs::new(formulas.iter().map(Option::as_ref)),
            formulas: if is_guarded { formulas } else { Vec::new() },
            order: verdict.order,
            edges,
            origins: verdict.origins,
            inherited: None,
            dependents: OnceLock::new(),
            incoming: OnceLock::new(),
        }
    }

    /// Sets which nodes run whatever failed before them. `is_always(v)`: whether node v does.
    pub(crate) fn set_always(&mut self, is_always: impl Fn(u32) -> bool) {
        let is_always: Vec<bool> = self.order.iter().map(|&node| is_always(node)).collect();
        if is_always.contains(&true) {
            self.is_always = is_always;
        }
    }

    /// Sets the nodes that inherit a condition from a group, by rank.
    pub(crate) fn set_inherited(&mut self, inherited: HashSet<(u32, u32)>) {
        self.inherited = (!inherited.is_empty()).then(|| Box::new(inherited));
    }

    /// Whether a condition is in the guard of a node only because the node guards members of a group. So the group, and not the node, is
    /// what the condition guards.
    pub(crate) fn is_inherited(&self, rank: u32, condition: u32) -> bool {
        let inherited = self.inherited.as_ref();
        inherited.is_some_and(|inherited| inherited.contains(&(rank, condition)))
    }

    /// Whether a node runs whatever failed before it.
    pub(crate) fn is_always(&self, rank: u32) -> bool {
        self.is_always
            .get(rank as usize)
            .is_some_and(|&always| always)
    }

    /// `ranks[v]`: the rank of node v; len = n_nodes.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.order.len()];
        fill_ranks(&self.order, &mut ranks);
        ranks
    }

    /// All edges, by rank, with their origins.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Edge, Origin)> {
        self.edges.iter().copied().zip(self.origins.iter().copied())
    }

    /// All edges, by rank.
    pub(crate) fn ranked_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The innermost loop around each node, or `NO_LOOP`; len = n_nodes, or 0 without loops.
    pub(crate) fn levels(&self) -> &[u32] {
        &self.enclosing_loops
    }

    /// The declared edges, by rank.
    pub(crate) fn declared_edges(&self) -> impl Iterator<Item = Edge> {
        let edges = self.edges.iter().zip(&self.origins);
        let declared = edges.filter(|(_, origin)| matches!(origin, Origin::Declared(_)));
        declared.map(|(edge, _)| *edge)
    }

    /// The innermost loop around a node.
    pub(crate) fn enclosing_loop(&self, rank: u32) -> Option<usize> {
        let idx = self.enclosing_loops.get(rank as usize).copied();
        idx.filter(|&idx| idx != NO_LOOP).map(|idx| idx as usize)
    }

    /// The node that keeps the commands of a node for a sync point in the body of a loop, or outside of all loops: the node itself, or the
    /// begin of the outermost loop around it that is not around the sync point.
    pub(crate) fn recorder_for(&self, rank: u32, enclosing_loop: u32) -> u32 {
        let mut recorder = rank;
        let mut found = self.enclosing_loop(rank);
        while let Some(inner) = found {
            if inner as u32 == enclosing_loop {
                break;
            }
            recorder = self.loops[inner].begin;
            found = self.enclosing_loop(recorder);
        }
        recorder
    }

    /// The guard of a node. `None` if it has no guard.
    #[inline]
    pub(crate) fn guard(&self, rank: u32) -> Option<Program<'_>> {
        self.guards.of(rank)
    }

    /// The guard of a node, for messages.
    pub(crate) fn formula(&self, rank: u32) -> Option<&Formula<Answer>> {
        self.formulas.get(rank as usize)?.as_ref()
    }

    /// For each rank, the nodes that are skipped if this node fails or is skipped. O(nodes + edges) for the first call.
    ///
    /// Edges that only [`Policy::InsertionOrder`](crate::Policy::InsertionOrder) or
    /// [`Policy::Optimize`](crate::Policy::Optimize) adds do not count, and neither do those of inserted sync points. A loop is represented by its begin. The nodes
    /// of its body have no edges to it in this list, and are skipped with the loop.
    pub(crate) fn dependents(&self) -> &Lists {
        self.dependents.get_or_init(|| {
            let begin_of: HashMap<u32, u32> =
                self.loops.iter().map(|one| (one.end, one.begin)).collect();
            let edges = self.edges.iter().zip(&self.origins);
            let binding = edges
                .filter(|(_, origin)| {
                    !matches!(
                        origin,
                        Origin::InsertionOrder(_) | Origin::Optimize(_) | Origin::Commands(_)
                    )
                })
                .map(|(edge, _)| *edge)
                .filter(|edge| {
                    self.enclosing_loop(edge.from) == self.enclosing_loop(edge.to)
                        && begin_of.get(&edge.to) != Some(&edge.from)
                });
            let binding = binding.map(|edge| Edge {
                from: begin_of.get(&edge.from).copied().unwrap_or(edge.from),
                to: edge.to,
            });
            Lists::of_successors(self.order.len(), &binding.collect::<Vec<_>>())
        })
    }

    /// The nodes that a node depends on: all whose failure skips it, or would skip it if it did not always run. Ascending.
    /// Includes the bodies of loops. O(nodes + edges).
    pub(crate) fn before(&self, rank: u32) -> Box<[u32]> {
        let links = self.dependents().links();
        let n_nodes = self.order.len();
        let reversed = (0..n_nodes).flat_map(|from| {
            let targets = (links.start(from)..links.end(from)).map(move |link| links.target(link));
            targets.map(move |to| Edge {
                from: to,
                to: from as u32,
            })
        });
        let lists = Lists::of_successors(n_nodes, &reversed.collect::<Vec<_>>());
        let links = lists.links();
        let mut open = vec![rank];
        // What comes before a loop comes before its body.
        let mut enclosing_loop = self.enclosing_loop(rank);
        while let Some(idx) = enclosing_loop {
            let begin = self.loops[idx].begin;
            open.push(begin);
            enclosing_loop = self.enclosing_loop(begin);
        }
        let mut is_before = vec![false; n_nodes];
        while let Some(rank) = open.pop() {
            for link in links.start(rank as usize)..links.end(rank as usize) {
                let before = links.target(link);
                if !core::mem::replace(&mut is_before[before as usize], true) {
                    open.push(before);
                }
            }
        }
        for one in &self.loops {
            if is_before[one.begin as usize] {
                is_before[one.begin as usize..one.end as usize].fill(true);
            }
        }
        let ranks = (0..).zip(is_before);
        ranks
            .filter_map(|(rank, is_it)| is_it.then_some(rank))
            .collect()
    }

    /// The reduced edges between the nodes, numbered by urgency. `costs[rank]`: the cost of a node, in any unit; len =
    /// n_nodes. O(nodes × edges / 64).
    pub(crate) fn precedence(&self, costs: &[u32]) -> Precedence {
        Precedence::new(&self.edges, costs)
    }

    /// Like [`precedence`](Self::precedence), but each sweep is one node, represented by its first member. Also returns the costs by
    /// rank: the first member of a sweep has the costs of all.
    pub(crate) fn precedence_of_sweeps(&self, costs: Vec<u32>) -> (Precedence, Vec<u32>) {
        let Some(contracted) = self.sweeps.contracted() else {
            return (self.precedence(&costs), costs);
        };
        let nodes = 0..contracted.n_nodes() as u32;
        let cost_of = |&rank: &u32| costs[rank as usize];
        let cost_of = |node: u32| {
            let costs = contracted.members(node).iter().map(cost_of);
            costs.fold(0, u32::saturating_add)
        };
        let of_nodes: Vec<u32> = nodes.map(cost_of).collect();
        let mut precedence = Precedence::new(&contracted.edges, &of_nodes);
        let mut of_ranks = vec![0; costs.len()];
        for rank in &mut precedence.ranks {
            let node = *rank;
            *rank = contracted.members(node)[0];
            of_ranks[*rank as usize] = of_nodes[node as usize];
        }
        (precedence, of_ranks)
    }

    /// The length of the critical path, with costs as in [`precedence`](Self::precedence). O(nodes + edges).
    ///
    /// `ends` is overwritten. `ends[rank]`: the end of a node, if each node starts as soon as its predecessors have
    /// ended.
    pub(crate) fn span(
        &self,
        costs: impl ExactSizeIterator<Item: Into<u64>>,
        ends: &mut Vec<u64>,
    ) -> u64 {
        ends.clear();
        ends.resize(costs.len(), 0);
        let mut edges = self.incoming().iter().peekable();
        let mut span = 0;
        for (rank, cost) in (0..).zip(costs) {
            let mut start = 0;
            while let Some(edge) = edges.next_if(|edge| edge.to == rank) {
                start = start.max(ends[edge.from as usize]);
            }
            ends[rank as usize] = start + cost.into();
            span = span.max(ends[rank as usize]);
        }
        span
    }

    /// All edges, sorted by their target. The first call sorts them.
    pub(crate) fn incoming(&self) -> &[Edge] {
        self.incoming.get_or_init(|| {
            let mut edges = self.edges.clone();
            edges.sort_unstable_by_key(|edge| edge.to);
            edges
        })
    }

    /// The edges that [`Policy::Optimize`](crate::Policy::Optimize) added and that no other edges imply, by rank.
    /// O(nodes × edges / 64).
    pub(crate) fn chosen_edges(&self) -> impl Iterator<Item = Edge> {
        let kept = reduce(self.order.len(), &self.edges)
            .into_iter()
            .zip(&self.origins)
            .zip(&self.edges);
        kept.filter_map(|((is_kept, origin), edge)| {
            (is_kept && matches!(origin, Origin::Optimize(_))).then_some(*edge)
        })
    }

    /// The number of edges of the transitive reduction that only a policy or a weak order requires. O(nodes × edges /
    /// 64).
    pub(crate) fn n_policy_edges(&self) -> usize {
        let kept = reduce(self.order.len(), &self.edges);
        let kept = kept.iter().zip(&self.origins);
        kept.filter(|(kept, origin)| **kept && !matches!(origin, Origin::Declared(_)))
            .count()
    }
}
