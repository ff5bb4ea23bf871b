//! Refused runs: a required resource is missing, so only nodes that always run may run.

use std::collections::{HashMap, HashSet};

use super::Nodes;
use crate::data::access::ResourceId;
use crate::data::marks::Marks;
use crate::data::resource::{Resources, Status};
use crate::declare::failure::{Cause, MissingResource, MissingResources, RunError};
use crate::run::node::{RunNode, Work};
use crate::run::outcome::Outcome;
use crate::verify::plan::Plan;

/// The reason why a run is refused: required resources are missing.
pub(crate) struct Refusal {
    /// Each missing resource once, in the order of the nodes.
    missing: Vec<MissingResource>,
    /// The ranks of the nodes that require them, ascending.
    needed_by: Vec<u32>,
}

impl Refusal {
    /// The names of the missing resources.
    #[cfg(feature = "snapshot")]
    pub(crate) fn names(&self) -> Vec<String> {
        self.missing
            .iter()
            .map(|one| one.resource.clone())
            .collect()
    }
}

impl Nodes {
    /// The resources that are required, missing and not declared to be inserted by commands. `None` if all exist.
    pub(super) fn refusal(&self, resources: &Resources) -> Option<Refusal> {
        let inserted: HashSet<&ResourceId> = self
            .in_use()
            .flat_map(|(_, node)| &node.about.access.inserts)
            .collect();
        let mut missing: Vec<MissingResource> = Vec::new();
        let mut needed_by = Vec::new();
        let mut known: HashMap<&ResourceId, usize> = HashMap::new();
        let required = self.in_use().map(|(rank, node)| (rank, &node.about));
        for (rank, about) in required.filter(|(_, about)| !about.marks.has(Marks::SKIP_IF_MISSING))
        {
            for one in about.access.uses.iter().filter(|one| !one.is_optional) {
                if about.guaranteed.contains(&one.resource) {
                    continue;
                }
                let status = resources.status(&one.resource);
                if status == Status::Present || inserted.contains(&one.resource) {
                    continue;
                }
                let idx = *known.entry(&one.resource).or_insert_with(|| {
                    missing.push(MissingResource {
                        resource: one.resource.to_string(),
                        is_named: one.resource.text().is_some(),
                        is_main_thread: one.resource.is_main_thread(),
                        is_on_another_thread: status == Status::OnAnotherThread,
                        is_written: false,
                        insert: one.resource.insert(),
                        needed_by: Vec::new(),
                    });
                    missing.len() - 1
                });
                let missing = &mut missing[idx];
                missing.is_written |= one.kind.modifies();
                if !missing.needed_by.contains(&about.place) {
                    missing.needed_by.push((*about.place).clone());
                }
                if needed_by.last() != Some(&rank) {
                    needed_by.push(rank);
                }
            }
        }
        (!missing.is_empty()).then_some(Refusal { missing, needed_by })
    }

    /// Begins a refused run. The nodes must be prepared for these resources, and some of them are missing.
    ///
    /// Skips the nodes that require a missing resource, also if they always run, with the nodes that depend on their answers. A
    /// loop requires what its body requires. Otherwise a loop that always runs could wait forever for a system of its body.
    pub(crate) fn begin_refused(&mut self, refusal: &Refusal, plan: &Plan) {
        self.is_refused = true;
        self.outcomes.refuse();
        let mut needed_by = refusal.needed_by.iter().copied().peekable();
        let are_in_use: Vec<bool> = self.are_in_use().collect();
        // Conditions have lower ranks than the nodes that they guard, and a loop never is a condition. So one pass is enough.
        for (rank, is_in_use) in (0..).zip(are_in_use) {
            let requires = needed_by.next_if_eq(&rank).is_some();
            if !is_in_use || !(requires || self.has_skipped_condition(rank, plan)) {
                continue;
            }
            self.outcomes.set(rank, Outcome::Skipped);
            let enclosing_loop = |rank| Some(plan.loops[plan.enclosing_loop(rank)?].begin);
            for begin in
                core::iter::successors(enclosing_loop(rank), |&begin| enclosing_loop(begin))
            {
                self.outcomes.set(begin, Outcome::Skipped);
            }
        }
    }

    /// Whether the guard of a node has a condition that is skipped, so that it has no answer.
    fn has_skipped_condition(&self, rank: u32, plan: &Plan) -> bool {
        plan.formula(rank).is_some_and(|guard| {
            let mut leaves = guard.leaves();
            leaves.any(|leaf| self.outcomes.get(leaf.rank) == Outcome::Skipped)
        })
    }

    /// Whether the current run is refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Ends a refused run, and resets the outcomes. Returns the missing resources, and the outcomes of the nodes that ran.
    pub(crate) fn take_refused(&mut self, refusal: Refusal) -> RunError {
        let mut ran = Vec::new();
        let mut failures = self.spare_failures.list();
        // All nodes up to this rank are in a loop that ran no iteration.
        let mut unreached_to = 0;
        for (rank, node) in (0..).zip(&mut self.by_rank) {
            let has_started = rank >= unreached_to && has_started(node, self.outcomes.get(rank));
            if let Work::Loop(repeat) = &node.work
                && !(has_started && repeat.n_iterations > 0)
            {
                unreached_to = unreached_to.max(repeat.end);
            }
            if has_started && node.has_runnable() {
                ran.push(node.about.place.clone());
            }
            failures.extend(node.take_failure());
        }
        self.outcomes.reset();
        self.is_refused = false;
        // The next run must look for missing resources again.
        self.prepared = None;
        RunError::Missing(MissingResources {
            resources: refusal.missing,
            ran,
            failures,
        })
    }
}

/// Whether a node with this outcome has started.
fn has_started(node: &RunNode, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Finished(_) => true,
        // A loop also fails if a node of its body fails.
        Outcome::Failed => !node.about.cause.as_ref().is_some_and(Cause::is_missing),
        Outcome::Skipped | Outcome::GuardFalse | Outcome::Disabled => false,
    }
}
