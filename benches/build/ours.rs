//! This project.

use std::time::Instant;

use benches::random_graph::RandomGraph;
use schedule::{Builder, View};

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

pub(crate) fn refuses(graph: &RandomGraph) -> bool {
    declared(graph).build().is_err()
}

pub(crate) fn declared(graph: &RandomGraph) -> Builder {
    graph.declare(|_| |_: &mut View<'_>| ())
}
