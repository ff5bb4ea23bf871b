//! One node, run: what all executors do with it.
//!
//! Invariant: the executor calls [`step`] for a node only when everything that comes before it is decided, and
//! [`after_exclusive`] only while nothing runs. As any two nodes that conflict are ordered, that is all that
//! [`Run::run`](crate::system::Run::run) asks for, once the nodes are prepared.
#![expect(unsafe_code, reason = "calls systems, whose conditions executors keep")]

use crate::failure::Cause;
use crate::graph::links::Links;
use crate::node::{AtomicOutcome, Node, Outcome, Work};
use crate::nodes::Nodes;
use crate::param::FetchFrom;

/// Runs the system of a node, if it has one.
///
/// # Errors
///
/// Why it failed.
///
/// # Safety
///
/// The node was prepared for these resources, no resource was inserted or removed since, and nothing that conflicts
/// with it runs. If it [`is_bound`](Node::is_bound), this is the thread that called `run`.
pub(super) unsafe fn step(node: &mut Node, from: FetchFrom<'_>) -> Result<(), Cause> {
    let Work::System(system) = &mut node.work else {
        return Ok(());
    };
    if node.is_missing {
        let missing = node.about.missing.clone();
        return Err(Cause::Missing(missing.expect("noted when it was prepared")));
    }
    // SAFETY: said by the caller.
    match unsafe { system.run(from) } {
        Ok(answer) => {
            // Of most it never changes, and their neighbours are run by other threads.
            if node.answer != answer {
                node.answer = answer;
            }
            Ok(())
        }
        Err(error) => Err(Cause::Error(error)),
    }
}

/// After an exclusive node, whatever became of it: carries out what was recorded before a flush, and lets the nodes
/// look resources up again.
///
/// # Safety
///
/// No system runs, and this is the thread that called `run`.
pub(super) unsafe fn after_exclusive(nodes: &mut Nodes, rank: usize, from: FetchFrom<'_>) {
    let node = &nodes.by_rank[rank];
    // SAFETY: no system runs.
    let resources = unsafe { from.get_mut() };
    if matches!(node.work, Work::Flush) && node.outcome.get() == Outcome::Finished {
        nodes.settle(rank, resources);
    }
    nodes.refresh(resources);
}

/// Marks what is skipped because a node failed, or was skipped itself.
///
/// `outcome_of(rank)` is asked for nodes that come after the failed one, none of which has been reached.
pub(super) fn skip_dependents<'a>(
    dependents: Links<'_>,
    failed: usize,
    outcome_of: impl Fn(usize) -> &'a AtomicOutcome,
) {
    let mut open = vec![failed];
    while let Some(rank) = open.pop() {
        for link in dependents.start(rank)..dependents.end(rank) {
            let dependent = dependents.target(link) as usize;
            let outcome = outcome_of(dependent);
            if outcome.get() == Outcome::Finished {
                outcome.set(Outcome::Skipped);
                open.push(dependent);
            }
        }
    }
}
