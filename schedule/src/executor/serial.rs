//! One node after the other, on the thread that calls.
//!
//! Invariant: exactly one system runs at a time, and every node is prepared for the resources as they are: before
//! the run, and again whenever an exclusive system has changed which resources exist. That is all that
//! [`Run::run`](crate::system::Run::run) asks for.
#![expect(unsafe_code, reason = "calls systems, whose conditions it keeps")]

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::failure::{Cause, Failure, Panic};
use crate::node::{Node, Outcome, prepare};
use crate::param::FetchFrom;
use crate::plan::Plan;
use crate::resource::Resources;

/// Runs all nodes by rank, and returns the failures in that order. O(nodes).
///
/// The nodes are prepared for these resources, on this thread.
pub(crate) fn run(nodes: &mut [Node], plan: &Plan, resources: &mut Resources) -> Vec<Failure> {
    let mut failures = Vec::new();
    for node in nodes.iter_mut() {
        node.outcome = Outcome::Finished;
    }
    let mut next = 0;
    while next < nodes.len() {
        // Catching costs nothing until somebody panics, but hinders inlining: once around all is cheapest.
        let result = catch_unwind(AssertUnwindSafe(|| run_on(nodes, &mut next, resources)));
        let cause = match result {
            Ok(None) => break,
            Ok(Some(cause)) => cause,
            Err(payload) => Cause::Panic(Panic::new(payload)),
        };
        let node = &mut nodes[next - 1];
        node.outcome = Outcome::Failed;
        failures.push(node.failure(cause));
        skip_dependents(nodes, plan, next - 1);
        if nodes[next - 1].access.is_exclusive {
            prepare(nodes, resources);
        }
    }
    failures
}

/// Runs nodes up to one that fails, and returns why; `next` is the one behind it.
fn run_on(nodes: &mut [Node], next: &mut usize, resources: &mut Resources) -> Option<Cause> {
    while let Some(node) = nodes.get_mut(*next) {
        *next += 1;
        if node.outcome == Outcome::Skipped {
            continue;
        }
        let Some(system) = &mut node.system else {
            continue;
        };
        if let Some(missing) = &node.missing {
            return Some(Cause::Missing(missing.clone()));
        }
        // SAFETY: the node was prepared for these resources, and no other system runs.
        match unsafe { system.run(FetchFrom::new(resources)) } {
            Ok(answer) => node.answer = answer,
            Err(error) => return Some(Cause::Error(error)),
        }
        if node.access.is_exclusive {
            prepare(nodes, resources);
        }
    }
    None
}

/// Marks what comes after a failed node by more than a policy of order alone; that has a higher rank.
fn skip_dependents(nodes: &mut [Node], plan: &Plan, failed: usize) {
    let links = plan.dependents().links();
    let mut open = vec![failed];
    while let Some(rank) = open.pop() {
        for link in links.start(rank)..links.end(rank) {
            let dependent = links.target(link) as usize;
            if nodes[dependent].outcome == Outcome::Finished {
                nodes[dependent].outcome = Outcome::Skipped;
                open.push(dependent);
            }
        }
    }
}
