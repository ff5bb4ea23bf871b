//! `bevy_ecs`: systems without an order run in any order, or are an error if that is requested.
#![expect(
    unsafe_code,
    reason = "a resource without a type is described manually"
)]

use core::alloc::Layout;
use std::time::Instant;

use benches::random_graph::{Policy, RandomGraph, System as Touched};
use bevy_ecs::component::{ComponentCloneBehavior, ComponentDescriptor, ComponentId, StorageType};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{LogLevel, ScheduleBuildSettings};
#[expect(
    deprecated,
    reason = "the only API for systems whose number of resources is known at run time"
)]
use bevy_ecs::{system::FilteredResourcesMutParamBuilder, world::FilteredResourcesMut};

use crate::contender::Times;

/// A set for each system, to name it in orders.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
struct Nth(usize);

pub(crate) fn refuses(graph: &RandomGraph) -> bool {
    let (mut world, resources) = world(graph);
    let mut schedule = declared(graph, &mut world, &resources);
    schedule.initialize(&mut world).is_err()
}

pub(crate) fn build(graph: &RandomGraph) -> Times {
    let (mut world, resources) = world(graph);
    let start = Instant::now();
    let mut schedule = declared(graph, &mut world, &resources);
    let built_from = Instant::now();
    schedule
        .initialize(&mut world)
        .expect("the graph has no races");
    let end = Instant::now();
    Times {
        build: end - built_from,
        whole: end - start,
    }
}

fn world(graph: &RandomGraph) -> (World, Vec<ComponentId>) {
    let mut world = World::new();
    let names = graph.resources.iter();
    let resources = names.map(|name| register(&mut world, name)).collect();
    (world, resources)
}

fn register(world: &mut World, name: &str) -> ComponentId {
    // SAFETY: the value has no content, so it needs no drop function, and any thread may access it.
    let descriptor = unsafe {
        ComponentDescriptor::new_with_layout(
            name.to_string(),
            StorageType::SparseSet,
            Layout::new::<()>(),
            None,
            true,
            false,
            ComponentCloneBehavior::Ignore,
            None,
        )
    };
    world.register_component_with_descriptor(descriptor)
}

fn declared(graph: &RandomGraph, world: &mut World, resources: &[ComponentId]) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_build_settings(ScheduleBuildSettings {
        ambiguity_detection: match graph.policy {
            Policy::InsertionOrder => LogLevel::Ignore,
            Policy::Reject => LogLevel::Error,
        },
        ..Default::default()
    });
    for (idx, touched) in graph.systems.iter().enumerate() {
        let system = dynamic(world, resources, touched);
        // Systems need a set only if orders refer to them.
        match graph.policy {
            Policy::InsertionOrder => schedule.add_systems(system),
            Policy::Reject => schedule.add_systems(system.in_set(Nth(idx))),
        };
    }
    for &(first, then) in &graph.edges {
        schedule.configure_sets(Nth(first).before(Nth(then)));
    }
    schedule
}

#[expect(deprecated, reason = "see above")]
fn dynamic(
    world: &mut World,
    resources: &[ComponentId],
    touched: &Touched,
) -> impl System<In = (), Out = ()> + use<> {
    let reads = touched.reads.map(|resource| resources[resource]);
    let writes = resources[touched.writes];
    let access = FilteredResourcesMutParamBuilder::new(move |builder| {
        builder
            .add_read_by_id(reads[0])
            .add_read_by_id(reads[1])
            .add_write_by_id(writes);
    });
    (access,)
        .build_state(world)
        .build_system(|_: FilteredResourcesMut| {})
}
