//! One node after the other, on the thread that calls.
//!
//! Invariant: exactly one system runs at a time, by rank, so that all that comes before it is decided.
#![expect(unsafe_code, reason = "calls systems, whose conditions it keeps")]

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use super::step::{after_exclusive, skip_dependents, step};
use crate::failure::{Cause, FailurePolicy, Panic};
use crate::node::Outcome;
use crate::nodes::Nodes;
use crate::param::FetchFrom;
use crate::plan::Plan;
use crate::resource::Resources;

/// Runs all nodes by rank. O(nodes).
///
/// The nodes are prepared for these resources, on this thread.
pub(crate) fn run(nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
    let from = FetchFrom::new(resources);
    let mut next = 0;
    loop {
        // Catching costs nothing until somebody panics, but hinders inlining: once around all is cheapest.
        let result = catch_unwind(AssertUnwindSafe(|| run_on(nodes, &mut next, from)));
        let cause = match result {
            Ok(Ok(())) => break,
            Ok(Err(cause)) => cause,
            Err(payload) => Cause::Panic(Panic::new(payload)),
        };
        let failed = next - 1;
        nodes.has_failed = true;
        let node = &mut nodes.by_rank[failed];
        node.fail(cause);
        match node.on_failure {
            FailurePolicy::SkipDependents => {
                let outcome_of = |rank: usize| &nodes.by_rank[rank].outcome;
                skip_dependents(plan.dependents().links(), failed, outcome_of);
            }
            FailurePolicy::CarryOn => {}
            FailurePolicy::Stop => {
                for node in &nodes.by_rank[next..] {
                    node.outcome.set(Outcome::Skipped);
                }
            }
        }
        if nodes.by_rank[failed].is_exclusive {
            // SAFETY: no system runs, and this thread called `run`.
            unsafe { after_exclusive(nodes, failed, from) };
        }
    }
}

/// Runs nodes up to one that fails; `next` is the one behind it.
fn run_on(nodes: &mut Nodes, next: &mut usize, from: FetchFrom<'_>) -> Result<(), Cause> {
    while let Some(node) = nodes.by_rank.get_mut(*next) {
        let rank = *next;
        *next += 1;
        if node.outcome.get() == Outcome::Skipped {
            continue;
        }
        // SAFETY: the node was prepared for these resources, no other system runs, and this thread called `run`.
        unsafe { step(node, from) }?;
        if node.is_exclusive {
            // SAFETY: no system runs, and this thread called `run`.
            unsafe { after_exclusive(nodes, rank, from) };
        }
    }
    Ok(())
}
