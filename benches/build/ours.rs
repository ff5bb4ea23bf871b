//! This project.

use std::time::Instant;

use benches::random_graph::RandomGraph;
use schedule::Builder;
use schedule::dynamic::View;

use crate::contender::Times;

pub(crate) fn build(graph: &RandomGraph) -> Times {
    let start = Instant::now();
    let mut builder = declared(graph);
    let built_from = Instant::now();
    let schedule = builder.build().expect("the graph has no races");
    let end = Instant::now();
    drop(schedule);
    Times {
        build: end - built_from,
        whole: end - start,
    }
}

/// Measures the change that replaces the middle system of a built schedule by an equal one.
pub(crate) fn replace(graph: &RandomGraph) -> Times {
    let (mut builder, mut nodes) = graph.declare_numbered(|_| |_: &mut View<'_>| ());
    let mut schedule = builder.build().expect("the graph has no races");
    let middle = nodes.len() / 2;
    let start = Instant::now();
    let changed = schedule.change(|builder| {
        builder.remove(nodes[middle]);
        builder.add_dynamic(graph.system(middle, |_: &mut View<'_>| ()));
        nodes[middle] = builder.last().expect("it was added");
        for &(first, then) in &graph.edges {
            if first == middle || then == middle {
                builder.order(nodes[first], nodes[then]);
            }
        }
        builder
    });
    let end = Instant::now();
    changed.expect("the graph has no races");
    Times {
        build: end - start,
        whole: end - start,
    }
}

pub(crate) fn refuses(graph: &RandomGraph) -> bool {
    declared(graph).build().is_err()
}

pub(crate) fn declared(graph: &RandomGraph) -> Builder {
    graph.declare(|_| |_: &mut View<'_>| ())
}
