//! One node after the other, on the thread that calls.
//!
//! Invariant: exactly one system runs at a time, and every node is prepared for the resources as they are: before
//! the run, and again whenever an exclusive system has changed which resources exist. That is all that
//! [`Run::run`](crate::system::Run::run) asks for.
#![expect(unsafe_code, reason = "calls systems, whose conditions it keeps")]

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::failure::{Cause, Failure, Panic};
use crate::param::FetchFrom;
use crate::resource::Resources;
use crate::schedule::{Node, prepare};

/// Runs all nodes in their order, and returns the failures in that order. O(nodes).
///
/// The nodes are prepared for these resources, on this thread.
pub(crate) fn run(nodes: &mut [Node], resources: &mut Resources) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut next = 0;
    while next < nodes.len() {
        // Catching costs nothing until somebody panics, but hinders inlining: once around all is cheapest.
        let result = catch_unwind(AssertUnwindSafe(|| {
            while let Some(node) = nodes.get_mut(next) {
                next += 1;
                if let Some(cause) = run_node(node, resources) {
                    failures.push(node.failure(cause));
                }
                if node.is_exclusive {
                    prepare(nodes, resources);
                }
            }
        }));
        if let Err(payload) = result {
            let node = &mut nodes[next - 1];
            node.has_failed = true;
            failures.push(node.failure(Cause::Panic(Panic::new(payload))));
            if node.is_exclusive {
                prepare(nodes, resources);
            }
        }
    }
    failures
}

fn run_node(node: &mut Node, resources: &mut Resources) -> Option<Cause> {
    node.has_failed = true;
    if let Some(missing) = node.missing {
        return Some(Cause::Missing(missing.name));
    }
    // SAFETY: the node was prepared for these resources, and no other system runs.
    match unsafe { node.system.run(FetchFrom::new(resources)) } {
        Ok(answer) => {
            node.has_failed = false;
            node.answer = answer;
            None
        }
        Err(error) => Some(Cause::Error(error)),
    }
}
