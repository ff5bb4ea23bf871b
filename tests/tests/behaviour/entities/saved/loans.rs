//! Copies of a world within a run.

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::snapshot::SnapshotWriter;
use schedule::{Condition, Executor};
use schedule_hecs::KeptWorld;
use schedule_hecs::prelude::*;

use super::{Position, bytes_of};

#[system]
fn clone_shared(world: &World) {
    let _ = world.clone();
}

#[system(for_each)]
fn clone_in_each(position: &mut Position, #[resource] world: &World) {
    position.0 += world.clone().len() as i64;
}

#[system]
fn clone_beside_a_query(world: &World, mut positions: Query<&mut Position>) {
    for position in &mut positions {
        position.0 = world.clone().len() as i64;
    }
}

#[system]
fn clone_from_all(resources: &Resources) {
    let _ = resources.get::<World>().unwrap().clone();
}

#[system]
fn is_cloned(world: &World) -> bool {
    world.clone().len() > 100
}

#[system]
fn nothing() {}

#[test]
fn system_with_a_shared_reference_cannot_copy_the_world() {
    let text = "a system that takes `&World` cannot copy the entities, because other systems may write them meanwhile; take `&mut World`, or copy between runs";
    let in_view = DynamicSystem::new("in_view", |view| {
        let _ = view.get::<World>()?.clone();
        Ok::<(), BoxError>(())
    });
    let mut schedules = vec![
        Schedule::builder().add::<clone_shared>().build(),
        Schedule::builder().add::<clone_in_each>().build(),
        Schedule::builder().add::<clone_beside_a_query>().build(),
        Schedule::builder().add::<clone_from_all>().build(),
        Schedule::builder()
            .add::<nothing>()
            .run_if(Condition::of::<is_cloned>())
            .build(),
        Schedule::builder()
            .add_dynamic(in_view.reads(ResourceId::of::<World>()))
            .build(),
    ];
    if cfg!(miri) {
        // Each takes a minute under Miri.
        schedules.truncate(2);
    }
    for schedule in schedules {
        let mut schedule = schedule.unwrap();
        for executor in [Executor::Serial, Executor::Parallel] {
            schedule.set_executor(executor);
            let mut world = World::new();
            world.spawn((Position(1),));
            let mut resources = Resources::new();
            resources.insert(world);
            for _ in 0..2 {
                let error = schedule.run(&mut resources).unwrap_err().to_string();
                assert!(error.contains(text), "{error}");
                // The loan has ended, although the system failed.
                let copy = resources.get::<World>().unwrap().clone();
                assert_eq!(copy.len(), 1);
                // Also in a world at another address.
                resources.remove::<World>();
                resources.insert(copy);
            }
        }
    }
}

#[system]
fn save_shared(world: &World) {
    let errors = [
        SnapshotWriter::new()
            .section(world)
            .unwrap_err()
            .to_string(),
        serde_json::to_string(world).unwrap_err().to_string(),
        KeptWorld::new().save(world).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.contains("cannot copy the entities"), "{error}");
    }
}

/// The bytes of the last run.
#[derive(Resource, Default)]
struct Saved(Vec<u8>);

#[system]
fn save_exclusive(world: &mut World, saved: &mut Saved) {
    saved.0 = bytes_of(world);
    let copy = world.clone();
    let mut kept = KeptWorld::new();
    kept.save(&copy).unwrap();
    world.clear();
    kept.restore(world);
}

#[test]
fn system_with_an_exclusive_reference_can_copy_the_world() {
    let mut schedule = Schedule::builder()
        .add::<save_shared>()
        .add::<save_exclusive>()
        .order("save_shared", "save_exclusive")
        .build()
        .unwrap();
    for executor in [Executor::Serial, Executor::Parallel] {
        schedule.set_executor(executor);
        let mut world = World::new();
        world.spawn((Position(1),));
        let mut resources = Resources::new();
        resources.insert(world);
        resources.insert_default::<Saved>();
        schedule.run(&mut resources).unwrap();
        let bytes = bytes_of(resources.get::<World>().unwrap());
        assert_eq!(resources.get::<Saved>().unwrap().0, bytes);
    }
}
