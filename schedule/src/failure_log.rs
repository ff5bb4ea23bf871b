//! The failures of the current run, for nodes that take [`Failures`](crate::param::Failures).
//!
//! A node that fails adds an entry before it is completed. A node that depends on it starts later, so it finds the entry. It ignores
//! entries of all other nodes, because they depend on timing.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::failure::Cause;
use crate::node::{RunNode, Work};
use crate::outcome::{Outcome, Outcomes};
use crate::panics::drop_caught;
use crate::param::PastFailure;
use crate::param::state::FailureLists;
use crate::place::SystemPlace;

/// The failures of the current run.
pub(crate) struct FailureLog {
    /// `nodes[rank]`; len = n_nodes.
    nodes: Box<[LoggedNode]>,
    entries: Mutex<Vec<LogEntry>>,
}

/// The data about a node that other nodes may read while it runs.
struct LoggedNode {
    /// `None` for a checkpoint or the end of a loop.
    place: Option<Arc<SystemPlace>>,
    /// For the begin of a loop, the rank of its end. Otherwise 0.
    end: u32,
}

struct LogEntry {
    rank: u32,
    cause: Arc<str>,
    /// The nodes that find it, with those that depend on them. `None`: all that depend on node `rank`.
    roots: Option<Vec<u32>>,
}

impl FailureLog {
    /// Returns `None` if no node takes the failures before it.
    pub(crate) fn of(by_rank: &[RunNode]) -> Option<Self> {
        if !by_rank.iter().any(|node| node.reads_failures) {
            return None;
        }
        let nodes = by_rank.iter().map(|node| LoggedNode {
            place: node.has_work().then(|| Arc::clone(&node.about.place)),
            end: match &node.work {
                Work::Loop(repeat) => repeat.end,
                _ => 0,
            },
        });
        Some(Self {
            nodes: nodes.collect(),
            entries: Mutex::default(),
        })
    }

    /// Adds a failure. `roots`: the nodes that find it, with those that depend on them. `None`: all that depend on node `rank`.
    #[cold]
    pub(crate) fn add(&self, rank: u32, cause: &Cause, roots: Option<Vec<u32>>) {
        // The error of a user can panic while it is printed.
        let text = catch_unwind(AssertUnwindSafe(|| cause.to_string()));
        let text = text.unwrap_or_else(|payload| {
            drop_caught(payload);
            "the text of the error panicked".to_string()
        });
        self.entries().push(LogEntry {
            rank,
            cause: text.into(),
            roots,
        });
    }

    /// Adds the failures and the skipped systems before a node to lists, by rank. `before`: the nodes that it depends on, ascending.
    pub(crate) fn list(
        &self,
        rank: u32,
        before: &[u32],
        outcomes: &Outcomes,
        lists: &mut FailureLists,
    ) {
        let is_before = |rank: u32| before.binary_search(&rank).is_ok();
        let mut found: Vec<(u32, PastFailure)> = Vec::new();
        for entry in &*self.entries() {
            let is_found = match &entry.roots {
                None => is_before(entry.rank),
                Some(roots) => roots.iter().any(|&root| root == rank || is_before(root)),
            };
            if is_found && let Some(place) = &self.nodes[entry.rank as usize].place {
                let failure = PastFailure {
                    system: Arc::clone(place),
                    cause: Arc::clone(&entry.cause),
                };
                found.push((entry.rank, failure));
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        lists.failed.extend(found.into_iter().map(|(_, one)| one));
        // All nodes up to these ranks are in a skipped loop, or in a disabled one.
        let (mut skipped_to, mut off_to) = (0, 0);
        for &rank in before {
            let node = &self.nodes[rank as usize];
            let outcome = outcomes.get(rank);
            let is_skipped = rank < skipped_to || outcome == Outcome::Skipped;
            let is_off = rank < off_to || outcome == Outcome::Disabled;
            if is_skipped {
                skipped_to = skipped_to.max(node.end);
            }
            if is_off {
                off_to = off_to.max(node.end);
            }
            if is_skipped && !is_off {
                lists.skipped.extend(node.place.clone());
            }
        }
    }

    /// Removes all entries, after a run.
    pub(crate) fn clear(&self) {
        self.entries().clear();
    }

    fn entries(&self) -> MutexGuard<'_, Vec<LogEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
