//! The decisions of a run: the outcome of each node, as data that can be saved and compared.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;

use self::outcome_code::{DISABLED, FAILED, FINISHED, GUARD_FALSE, SKIPPED, UNREACHED};
use crate::base::panics::drop_caught;
use crate::base::place::SystemPlace;
use crate::declare::failure::Cause;
use crate::run::node::{RunNode, Work};
use crate::run::nodes::Nodes;
use crate::run::outcome::Outcome;

/// The decisions of the last run. A run reuses the memory, so it allocates nothing if no system fails.
#[derive(Default)]
pub(crate) struct Decisions {
    /// The nodes that decide: systems, loops and sync points, by rank.
    nodes: Vec<DecidingNode>,
    /// `codes[i]`: the outcome of `nodes[i]`, see [`outcome_code`]; len = n_nodes.
    pub(crate) codes: Vec<u64>,
    /// The failures, by rank.
    pub(crate) failures: Vec<NotedFailure>,
    /// The names of the missing resources, if the run was refused because of them.
    pub(crate) missing: Option<Vec<String>>,
}

/// A node whose outcome is noted.
struct DecidingNode {
    kind: DecidingKind,
    place: Arc<SystemPlace>,
}

/// The kind of a node. The numbers are those in recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecidingKind {
    System = 0,
    Loop = 1,
    SyncPoint = 2,
}

/// The failure of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotedFailure {
    /// The index of the node.
    pub(crate) node: u64,
    /// The text of the cause.
    pub(crate) text: String,
}

/// The codes of outcomes. They are the numbers in recordings.
pub(crate) mod outcome_code {
    /// The node is in a loop that ran no iteration, or did not run because the run was refused.
    pub(crate) const UNREACHED: u64 = 0;
    pub(crate) const DISABLED: u64 = 1;
    pub(crate) const GUARD_FALSE: u64 = 2;
    pub(crate) const SKIPPED: u64 = 3;
    /// A loop that failed is above [`FINISHED`].
    pub(crate) const FAILED: u64 = 4;
    /// The node finished. The index of its answer is added. For a loop, twice the number of iterations is added, and 1 if it failed.
    pub(crate) const FINISHED: u64 = 5;
}

impl Decisions {
    /// Replaces the list of nodes by those of a schedule. Returns whether their names or kinds have changed. Costs one
    /// comparison for each node if they have not.
    pub(crate) fn renew(&mut self, nodes: &Nodes) -> bool {
        let is_same = |known: &DecidingNode, (kind, node): (DecidingKind, &RunNode)| {
            known.kind == kind && Arc::ptr_eq(&known.place, &node.about.place)
        };
        let mut found = deciding(nodes);
        let mut known = self.nodes.iter();
        let is_known = loop {
            match (known.next(), found.next()) {
                (None, None) => break true,
                (Some(known), Some((_, kind, node))) if is_same(known, (kind, node)) => {}
                _ => break false,
            }
        };
        if is_known {
            return false;
        }
        let nodes = deciding(nodes).map(|(_, kind, node)| DecidingNode {
            kind,
            place: Arc::clone(&node.about.place),
        });
        let nodes: Vec<DecidingNode> = nodes.collect();
        let name = |node: &DecidingNode| (node.kind, node.place.name.clone());
        let has_changed = !self.nodes.iter().map(name).eq(nodes.iter().map(name));
        self.nodes = nodes;
        has_changed
    }

    /// The kinds and names of the nodes.
    pub(crate) fn nodes(&self) -> impl ExactSizeIterator<Item = (DecidingKind, &str)> {
        let nodes = self.nodes.iter();
        nodes.map(|node| (node.kind, node.place.name.as_str()))
    }

    /// Notes the decisions of a run, before its outcomes are reset. `missing`: the resources because of which it was refused. O(nodes).
    pub(crate) fn note(&mut self, nodes: &Nodes, missing: Option<Vec<String>>) {
        self.codes.clear();
        self.failures.clear();
        self.missing = missing;
        // All nodes up to this rank are in a loop that ran no iteration. Their outcomes are those of an earlier run.
        let mut unreached_to = 0;
        for (rank, node) in (0..).zip(&nodes.by_rank) {
            let mut outcome = code(nodes, rank, node);
            let is_unreached = rank < unreached_to || nodes.is_refused() && outcome == SKIPPED;
            if is_unreached && outcome != DISABLED {
                outcome = UNREACHED;
            }
            if let Work::Loop(repeat) = &node.work {
                let has_iterated = outcome >= FAILED && repeat.n_iterations > 0;
                if !has_iterated {
                    unreached_to = unreached_to.max(repeat.end);
                }
                if outcome >= FAILED {
                    let has_failed = u64::from(outcome == FAILED);
                    outcome = FINISHED + 2 * repeat.n_iterations + has_failed;
                }
            }
            if kind(node).is_none() {
                continue;
            }
            if let Some(cause) = &node.about.cause {
                self.failures.push(NotedFailure {
                    node: self.codes.len() as u64,
                    text: text_of(cause),
                });
            }
            self.codes.push(outcome);
        }
    }
}

/// The nodes that decide, with their ranks.
pub(crate) fn deciding(nodes: &Nodes) -> impl Iterator<Item = (u32, DecidingKind, &RunNode)> {
    let ranks = (0..).zip(&nodes.by_rank);
    ranks.filter_map(|(rank, node)| Some((rank, kind(node)?, node)))
}

fn kind(node: &RunNode) -> Option<DecidingKind> {
    match node.work {
        Work::System(_) => Some(DecidingKind::System),
        Work::Loop(_) => Some(DecidingKind::Loop),
        Work::ApplyCommands => Some(DecidingKind::SyncPoint),
        Work::Nothing | Work::LoopEnd(_) => None,
    }
}

fn code(nodes: &Nodes, rank: u32, node: &RunNode) -> u64 {
    match nodes.outcomes.get(rank) {
        // The answer of a node without answers depends on how it was executed.
        Outcome::Finished(_) if node.about.branches.is_none() => FINISHED,
        Outcome::Finished(answer) => FINISHED + u64::from(answer),
        Outcome::Failed => FAILED,
        Outcome::Skipped => SKIPPED,
        Outcome::GuardFalse => GUARD_FALSE,
        Outcome::Disabled => DISABLED,
    }
}

/// The error of a user can panic while it is printed.
fn text_of(cause: &Cause) -> String {
    let text = catch_unwind(AssertUnwindSafe(|| cause.to_string()));
    text.unwrap_or_else(|payload| {
        drop_caught(payload);
        "the text of the error panicked".to_string()
    })
}

/// Describes an outcome, for messages. `failure`: the text of the failure of the node, if it failed.
pub(crate) fn outcome_text(code: u64, node: Option<&RunNode>, failure: Option<&str>) -> String {
    let is_loop = node.is_some_and(|node| matches!(node.work, Work::Loop(_)));
    match code {
        _ if is_loop && code >= FINISHED => {
            let iterations = match (code - FINISHED) / 2 {
                1 => "1 iteration".to_string(),
                n => format!("{n} iterations"),
            };
            match (code - FINISHED) % 2 {
                0 => format!("ran {iterations}"),
                _ => format!(
                    "failed, with {iterations}: {}",
                    failure.unwrap_or("a node of the body failed")
                ),
            }
        }
        _ if let Some(failure) = failure => format!("failed: {failure}"),
        UNREACHED => "was not reached".to_string(),
        DISABLED => "was disabled".to_string(),
        GUARD_FALSE => "did not run, because its guard was false".to_string(),
        SKIPPED => "was skipped, because another system failed".to_string(),
        FAILED => "failed".to_string(),
        _ => {
            let answer = code - FINISHED;
            match node {
                Some(node) if node.about.branches.is_some() => {
                    let answer = u32::try_from(answer).unwrap_or(u32::MAX);
                    format!("answered `{}`", node.about.text_of(answer))
                }
                _ => "ran".to_string(),
            }
        }
    }
}
