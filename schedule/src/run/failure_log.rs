//! The failures of the current run, for nodes that take [`Failures`](crate::param::Failures).
//!
//! A node that fails adds an entry before it is completed. A node that depends on it starts later, so it finds the entry. It ignores
//! entries of all other nodes, because they depend on timing.

use core::fmt::Write;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::panics::drop_caught;
use crate::base::place::SystemPlace;
use crate::data::param::PastFailure;
use crate::data::param::state::FailureLists;
use crate::declare::failure::Cause;
use crate::run::node::{RunNode, Work};

/// The maximum number of texts for which memory is taken before the first failure.
const RESERVED_TEXTS: usize = 64;

/// The memory of such a text.
const RESERVED_BYTES: usize = 128;

/// The failures of the current run.
pub(crate) struct FailureLog {
    /// `nodes[rank]`; len = n_nodes.
    nodes: Box<[LoggedNode]>,
    entries: Mutex<LogEntries>,
}

#[derive(Default)]
struct LogEntries {
    /// Ascending by rank. Those of one node are in the order in which they were added.
    list: Vec<LogEntry>,
    /// Texts of earlier runs, whose memory is used again when no list of a system has them any more.
    spare: Vec<Arc<String>>,
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
    cause: Arc<String>,
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

    /// Takes memory for the first failures.
    pub(crate) fn reserve(&self) {
        let mut entries = self.entries();
        entries.list.reserve(self.nodes.len());
        let texts = 0..self.n_texts();
        let texts = texts.map(|_| Arc::new(String::with_capacity(RESERVED_BYTES)));
        entries.spare.extend(texts);
        entries.spare.reserve(self.nodes.len());
    }

    /// The number of texts whose memory is kept: those of two runs, since the lists of the systems have those of an earlier run.
    fn n_texts(&self) -> usize {
        2 * self.nodes.len().min(RESERVED_TEXTS)
    }

    /// Adds a failure. `roots`: the nodes that find it, with those that depend on them. `None`: all that depend on node `rank`.
    #[cold]
    pub(crate) fn add(&self, rank: u32, cause: &Cause, roots: Option<Vec<u32>>) {
        let mut of_text = self.entries().take_spare();
        let text = Arc::get_mut(&mut of_text).expect("no list has it");
        // The error of a user can panic while it is printed.
        let result = catch_unwind(AssertUnwindSafe(|| write!(text, "{cause}")));
        if let Err(payload) = result {
            drop_caught(payload);
            text.clear();
            text.push_str("the text of the error panicked");
        }
        self.entries().add(LogEntry {
            rank,
            cause: of_text,
            roots,
        });
    }

    /// Adds the failures and the skipped systems before a node to lists, by rank. `before`: the nodes that it depends on, ascending.
    /// `not_run`: whether a node was skipped, and whether it is disabled.
    pub(crate) fn list(
        &self,
        rank: u32,
        before: &[u32],
        not_run: impl Fn(u32) -> (bool, bool),
        lists: &mut FailureLists,
    ) {
        let is_before = |rank: u32| before.binary_search(&rank).is_ok();
        for entry in &self.entries().list {
            let is_found = match &entry.roots {
                None => is_before(entry.rank),
                Some(roots) => roots.iter().any(|&root| root == rank || is_before(root)),
            };
            if is_found && let Some(place) = &self.nodes[entry.rank as usize].place {
                lists.failed.push(PastFailure {
                    system: Arc::clone(place),
                    cause: Arc::clone(&entry.cause),
                });
            }
        }
        // All nodes up to these ranks are in a skipped loop, or in a disabled one.
        let (mut skipped_to, mut off_to) = (0, 0);
        for &rank in before {
            let node = &self.nodes[rank as usize];
            let (was_skipped, is_disabled) = not_run(rank);
            let is_skipped = rank < skipped_to || was_skipped;
            let is_off = rank < off_to || is_disabled;
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
        let mut entries = self.entries();
        let LogEntries { list, spare } = &mut *entries;
        spare.extend(list.drain(..).map(|entry| entry.cause));
        // Texts beyond the limit are left to their users, or dropped.
        let mut n_excess = spare.len().saturating_sub(self.n_texts());
        spare.retain(|text| {
            let is_excess = n_excess > 0 && !is_free(text);
            n_excess -= usize::from(is_excess);
            !is_excess
        });
        spare.truncate(self.n_texts());
    }

    fn entries(&self) -> MutexGuard<'_, LogEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether no list has this text any more.
fn is_free(text: &Arc<String>) -> bool {
    Arc::strong_count(text) == 1
}

impl LogEntries {
    fn add(&mut self, entry: LogEntry) {
        let place = self.list.partition_point(|one| one.rank <= entry.rank);
        self.list.insert(place, entry);
    }

    /// Returns an empty text that nothing else shares.
    fn take_spare(&mut self) -> Arc<String> {
        let Some(place) = self.spare.iter().position(is_free) else {
            return Arc::default();
        };
        let mut text = self.spare.swap_remove(place);
        // Only this list has it, so no other thread can share it meanwhile.
        Arc::get_mut(&mut text).expect("it is free").clear();
        text
    }
}
