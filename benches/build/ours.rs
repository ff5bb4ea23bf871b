//! This project.

use std::time::Instant;

use schedule::{Builder, DynamicSystem, Schedule, View};

use crate::contender::Times;
use crate::random_graph::{Policy, RandomGraph, System};

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
    let mut builder = Schedule::builder();
    builder.policy(match graph.policy {
        Policy::AsAdded => schedule::Policy::AsAdded,
        Policy::Reject => schedule::Policy::Reject,
    });
    let mut nodes = Vec::with_capacity(graph.systems.len());
    for system in &graph.systems {
        builder.add_dynamic(dynamic(graph, system));
        nodes.extend(builder.last());
    }
    for &(first, then) in &graph.edges {
        builder.order(nodes[first], nodes[then]);
    }
    builder
}

fn dynamic(graph: &RandomGraph, system: &System) -> DynamicSystem {
    let name = |resource: usize| graph.resources[resource].as_str();
    DynamicSystem::new("system", |_: &mut View<'_>| ())
        .reads(name(system.reads[0]))
        .reads(name(system.reads[1]))
        .writes(name(system.writes))
}
