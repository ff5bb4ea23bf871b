//! A run without the library: one system after the other.

use inputs::graphs::graph::SystemGraph;

use crate::access::Access;
use crate::trace::{Trace, seen, written};

/// Runs every system once, in the order that `Policy::InsertionOrder` defines: edges first, then the smallest index.
pub(crate) fn run(graph: &SystemGraph, accesses: &[Access], n_resources: usize) -> Trace {
    let mut trace = Trace {
        seen: vec![0; graph.systems.len()],
        values: vec![0; n_resources],
    };
    for system in graph.order() {
        let Access { reads, writes, .. } = &accesses[system];
        let found = reads.iter().chain(writes).map(|&one| trace.values[one]);
        trace.seen[system] = seen(system, found);
        for &resource in writes {
            trace.values[resource] = written(trace.seen[system], resource, trace.values[resource]);
        }
    }
    trace
}
