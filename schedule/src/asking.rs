//! The nodes that query the resources that get a report at the end of a run (`settling.rs`), and the outcomes of these
//! nodes.
//!
//! A node that does not run cannot record this. So the end of each run computes the reports from the outcomes of these
//! nodes and of the nodes that they guard.

use std::collections::{BTreeMap, HashSet};

use crate::node::{RunNode, Work as NodeWork};
use crate::nodes::Nodes;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::resource::Resources;
use crate::settling::{Ended, Settles, SystemWork, Unasked};

/// The resources that get reports, each with the nodes that query it.
#[derive(Debug, Default)]
pub(crate) struct Settlings(Box<[Settling]>);

#[derive(Debug)]
struct Settling {
    settles: Settles,
    asking: Vec<Asking>,
}

/// A node that queries a resource.
#[derive(Debug)]
struct Asking {
    rank: u32,
    /// The ranks of the nodes that it guards, without other conditions. Empty for a loop.
    guarded: Vec<u32>,
}

impl Settlings {
    /// O(nodes + leaves of guards).
    pub(crate) fn new(nodes: &[RunNode], plan: &Plan) -> Self {
        if nodes.iter().all(|node| node.about.settles.is_none()) {
            return Self::default();
        }
        let mut guarded_by: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (rank, node) in (0..).zip(nodes) {
            if matches!(node.work, NodeWork::Nothing | NodeWork::LoopEnd(_)) {
                continue;
            }
            if let Some(guard) = plan.guard(rank) {
                for condition in guard.conditions() {
                    guarded_by.entry(condition).or_default().push(rank);
                }
            }
        }
        let conditions: HashSet<u32> = guarded_by.keys().copied().collect();
        let mut settlings: Vec<Settling> = Vec::new();
        for (rank, node) in (0..).zip(nodes) {
            let Some(settles) = node.about.settles else {
                continue;
            };
            let mut guarded = guarded_by.remove(&rank).unwrap_or_default();
            guarded.retain(|guarded| !conditions.contains(guarded));
            let asking = Asking { rank, guarded };
            let is_same = |one: &&mut Settling| one.settles.resource == settles.resource;
            match settlings.iter_mut().find(is_same) {
                Some(settling) => settling.asking.push(asking),
                None => settlings.push(Settling {
                    settles,
                    asking: vec![asking],
                }),
            }
        }
        Self(settlings.into())
    }

    /// Reports the end of a run to each resource. O(1) if there are no such resources, otherwise at most O(guarded
    /// nodes).
    pub(crate) fn settle(&self, nodes: &Nodes, plan: &Plan, resources: &mut Resources) {
        for Settling { settles, asking } in &self.0 {
            let mut all: Option<Ended> = None;
            for one in asking {
                let ended = one.ended(nodes, plan);
                all = Some(all.map_or(ended, |all| Ended {
                    work: all.work.max(ended.work),
                    unasked: all.unasked.max(ended.unasked),
                }));
            }
            if let Some(ended) = all {
                (settles.settle)(resources, ended);
            }
        }
    }
}

impl Asking {
    fn ended(&self, nodes: &Nodes, plan: &Plan) -> Ended {
        let outcome = nodes.outcomes.get(self.rank);
        let work = match outcome {
            Outcome::Finished(_) => self.work(nodes, plan),
            Outcome::Failed => SystemWork::Failed,
            // This node did not query the resource, so it has the least value.
            Outcome::Skipped | Outcome::Passed | Outcome::Disabled => SystemWork::Disabled,
        };
        let mut unasked = match outcome {
            Outcome::Finished(_) => Unasked::Unreached,
            other => unasked_by(other),
        };
        for begin in loops_around(plan, self.rank, None) {
            // Outcomes in a loop whose body did not run are those of an earlier run.
            match nodes.outcomes.get(begin) {
                Outcome::Finished(_) | Outcome::Failed if has_passed(nodes, begin) => {}
                Outcome::Finished(_) => unasked = Unasked::Unreached,
                other => unasked = unasked_by(other),
            }
        }
        Ended { work, unasked }
    }

    /// The outcome of the guarded nodes. A loop counts as a guarded node of its own condition.
    fn work(&self, nodes: &Nodes, plan: &Plan) -> SystemWork {
        let has_failed = nodes.outcomes.has_failed();
        let mut work = None;
        for &guarded in &self.guarded {
            let one = work_of(nodes, plan, guarded, plan.around(self.rank));
            work = work.max(Some(one));
            if work == Some(SystemWork::Ran) && !has_failed {
                break;
            }
        }
        work.unwrap_or(SystemWork::Ran)
    }
}

/// The reason why a node with this outcome did not run.
fn unasked_by(outcome: Outcome) -> Unasked {
    match outcome {
        Outcome::Passed => Unasked::Paused,
        Outcome::Disabled => Unasked::Disabled,
        Outcome::Finished(_) | Outcome::Skipped | Outcome::Failed => Unasked::Skipped,
    }
}

/// The outcome of a node, and of the loops around it inside of loop `level`.
fn work_of(nodes: &Nodes, plan: &Plan, rank: u32, level: Option<usize>) -> SystemWork {
    let mut work = match nodes.outcomes.get(rank) {
        Outcome::Finished(_) => SystemWork::Ran,
        Outcome::Failed => SystemWork::Failed,
        Outcome::Skipped | Outcome::Passed => SystemWork::Skipped,
        Outcome::Disabled => SystemWork::Disabled,
    };
    for begin in loops_around(plan, rank, level) {
        match nodes.outcomes.get(begin) {
            Outcome::Finished(_) | Outcome::Failed if has_passed(nodes, begin) => {}
            Outcome::Disabled => work = SystemWork::Disabled,
            _ => work = SystemWork::Skipped,
        }
    }
    work
}

/// The begins of the loops around a node, from the inside out, up to but not including loop `level` and the loops
/// around it.
fn loops_around(plan: &Plan, rank: u32, level: Option<usize>) -> impl Iterator<Item = u32> {
    let around = move |rank: u32| {
        let around = plan.around(rank).filter(|around| Some(*around) != level)?;
        Some(plan.loops[around].begin)
    };
    core::iter::successors(around(rank), move |&begin| around(begin))
}

/// Whether the body of this loop ran when the loop was last executed.
fn has_passed(nodes: &Nodes, begin: u32) -> bool {
    match &nodes.by_rank[begin as usize].work {
        NodeWork::Loop(repeat) => repeat.n_iterations > 0,
        _ => false,
    }
}
