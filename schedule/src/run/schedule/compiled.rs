//! Creates a schedule from compiled declarations.

use super::Schedule;
use crate::base::cost::Cost;
use crate::base::place::SystemPlace;
use crate::data::failure_policy::FailurePolicy;
use crate::declare::declarations::{Declarations, Declared, DeclaredWork};
use crate::declare::problem::{BuildError, Problem};
use crate::run::node::RunNode;
use crate::verify::compile::{All, Compiled, NumberedKind, Previous, compile};
use crate::verify::explain::build_error;

impl Schedule {
    /// Creates a schedule from compiled declarations. Moves the systems out of the declarations and keeps the rest.
    ///
    /// The system of a node that already has a rank is moved from `old[rank]`.
    pub(crate) fn of(
        compiled: Compiled,
        mut declarations: Declarations,
        old: &mut [RunNode],
    ) -> Self {
        let Compiled {
            name,
            mut implied,
            places,
            graph,
            plan,
            known,
            on_failure,
            marks,
            mut proven,
            accepted,
            warnings,
        } = compiled;
        let ranks = plan.ranks();
        let n_declared = declarations.nodes.len();
        let mut nodes = Vec::with_capacity(graph.kinds.len());
        for (number, kind) in graph.kinds.iter().enumerate() {
            nodes.push(match *kind {
                NumberedKind::Added(idx) => {
                    let declared = match idx.checked_sub(n_declared) {
                        None => &mut declarations.nodes[idx],
                        Some(idx) => &mut implied.nodes[idx],
                    };
                    let place = places.of_node(declared).clone();
                    let mut node = made(declared, place, on_failure[idx], ranks[number], old);
                    node.about.guaranteed = core::mem::take(&mut proven[number]);
                    node.about.observer = declared.observer;
                    node.about.marks |= marks[idx];
                    node
                }
                // Only declared nodes are loops, so `idx` is an index of `declarations`.
                NumberedKind::LoopEnd(idx) => {
                    let place = places.of_node(&declarations.nodes[idx]);
                    RunNode::loop_end(place.clone())
                }
                NumberedKind::GroupBegin(group) | NumberedKind::GroupEnd(group) => {
                    RunNode::checkpoint(graph.groups[group].place())
                }
                NumberedKind::SyncPoint(idx) => {
                    let sync_point = &plan.sync_points[idx];
                    let served = sync_point.pairs.iter().map(|pair| {
                        let rank = ranks[pair.writer as usize];
                        plan.recorder_for(rank, sync_point.enclosing_loop)
                    });
                    RunNode::inserted_sync_point(sync_point.place.clone(), served)
                }
            });
        }
        declarations.reclaim(&mut implied.nodes);
        let mut schedule = Self::new(name, nodes, plan);
        schedule.declarations = declarations;
        schedule.implied = implied;
        schedule.places = places;
        schedule.known = known;
        schedule.accepted = accepted;
        schedule.warnings = warnings;
        schedule
    }

    /// Replaces the schedule by the one of changed declarations. Nodes that stay keep their state and costs.
    ///
    /// # Errors
    ///
    /// Fails as [`compile`] does. The schedule is then unchanged.
    pub(crate) fn recompile(
        &mut self,
        declarations: Declarations,
        problems: Vec<Problem>,
    ) -> Result<(), BuildError> {
        let previous = Previous {
            plan: &self.plan,
            known: &self.known,
            implied: &self.implied,
        };
        let compiled = compile(&declarations, problems, Some(previous))
            .map_err(|rejected| build_error(&declarations, *rejected))?;

        // Nothing fails from here on.
        let all = All::new(&declarations, &compiled.implied, &compiled.places);
        let old_ranks: Vec<Option<u32>> = all.there().map(|(_, node)| node.rank).collect();
        let costs: Vec<Cost> = self.execution.costs().collect();
        let mut changed = Self::of(compiled, declarations, &mut self.nodes.by_rank);
        changed.nodes.set_pool(self.nodes.pool().cloned());
        changed.moves_to_pool = self.moves_to_pool;
        let mut known = vec![None; changed.nodes.by_rank.len()];
        // `of` drops removed nodes and keeps the order of the others, so the new and the old ranks match.
        let ranks = changed.all().there();
        let ranks: Vec<u32> = ranks
            .map(|(_, node)| node.rank.expect("it was built"))
            .collect();
        for (rank, old) in ranks.into_iter().zip(old_ranks) {
            let Some(old) = old else { continue };
            let old_about = &mut self.nodes.by_rank[old as usize].about;
            let about = &mut changed.nodes.by_rank[rank as usize].about;
            about.limited = old_about.limited.take();
            about.missed = old_about.missed.take();
            known[rank as usize] = costs.get(old as usize).copied();
            if !self.nodes.outcomes.is_enabled(old) {
                changed.nodes.set_enabled(rank, false);
            }
        }
        core::mem::swap(&mut changed.execution, &mut self.execution);
        let (nodes, plan) = (&changed.nodes, &changed.plan);
        changed.execution.renew(&known, nodes, plan);
        *self = changed;
        Ok(())
    }
}

/// Creates the node of a declared system, and stores its new rank in the declaration.
fn made(
    declared: &mut Declared,
    place: SystemPlace,
    on_failure: FailurePolicy,
    rank: u32,
    old: &mut [RunNode],
) -> RunNode {
    let previous_rank = declared.rank.replace(rank);
    let previous = || {
        let run = previous_rank.and_then(|rank| old[rank as usize].take_runnable());
        run.expect("a system that its declaration does not hold is in a node")
    };
    match &mut declared.work {
        DeclaredWork::System(system) => RunNode::system(place, system.take(previous), on_failure),
        DeclaredWork::Checkpoint => RunNode::checkpoint(place),
        DeclaredWork::ApplyCommands => RunNode::apply_commands(place),
        DeclaredWork::Loop { condition, at_most } => {
            RunNode::repeat(place, condition.take(previous), *at_most, on_failure)
        }
        DeclaredWork::Removed => unreachable!("it has no number"),
    }
}
