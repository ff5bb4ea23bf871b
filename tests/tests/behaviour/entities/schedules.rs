//! Queries in all parts of schedules: conditions, loops, plugins, reports and `schedule!`.

use schedule::graph::ResourceKind;
use schedule::prelude::*;
use schedule::{Condition, Executor};
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(i64);

#[derive(Component)]
struct Poisoned;

#[derive(Resource, Default)]
struct Turns(u32);

#[system]
fn is_anyone_poisoned(poisoned: Query<(), With<Poisoned>>) -> bool {
    !poisoned.is_empty()
}

#[system]
fn poison(mut poisoned: Query<&mut Health, With<Poisoned>>, turns: &mut Turns) {
    poisoned.iter_mut().for_each(|health| health.0 -= 1);
    turns.0 += 1;
}

#[system]
fn heal(mut others: Query<&mut Health, Without<Poisoned>>) {
    others.iter_mut().for_each(|health| health.0 += 1);
}

#[system]
fn cure(world: &mut World, turns: &Turns) {
    if turns.0 < 3 {
        return;
    }
    for entity in world.entities().collect::<Vec<_>>() {
        let _ = world.remove::<(Poisoned,)>(entity);
    }
}

fn resources() -> Resources {
    let mut world = World::new();
    world.spawn((Health(10), Poisoned));
    world.spawn((Health(10),));
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Turns::default());
    resources
}

fn healths(resources: &mut Resources) -> Vec<i64> {
    let world = resources.get_mut::<World>().unwrap();
    world
        .query::<&Health>()
        .iter()
        .map(|health| health.0)
        .collect()
}

/// The loop ends because the query of its condition matches no entity any more.
#[test]
fn a_query_is_the_condition_of_a_loop() {
    for executor in [Executor::Serial, Executor::Parallel] {
        let mut schedule = Schedule::builder()
            .repeat_while::<is_anyone_poisoned>(|body| {
                body.add::<poison>().add::<cure>().order("poison", "cure")
            })
            .build()
            .unwrap();
        schedule.set_executor(executor);
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        let mut all = healths(&mut resources);
        all.sort_unstable();
        assert_eq!(all, [7, 10]);
    }
}

#[test]
fn a_condition_that_reads_a_component_races_with_its_writer() {
    #[system]
    fn is_anyone_dead(all: Query<&Health>) -> bool {
        all.iter().any(|health| health.0 <= 0)
    }

    #[system]
    fn mourn() {}

    let mut builder = Schedule::builder();
    builder
        .add::<heal>()
        .add::<mourn>()
        .run_if(Condition::of::<is_anyone_dead>());
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("race on `Health`"), "{error}");
    builder.order("heal", "is_anyone_dead").build().unwrap();
}

schedule! {
    Healing {
        heal,
    }
}

schedule! {
    Frame {
        include Healing,
        poison: if is_anyone_poisoned,
        cure: after (heal, poison, is_anyone_poisoned),
    }
}

/// rustc accepts the schedule, because the filters of `heal` and `poison` exclude each other.
#[test]
fn a_listed_schedule_verifies_the_queries_of_a_plugin() {
    let mut frame = Frame::new();
    let mut resources = resources();
    for _ in 0..4 {
        frame.run(&mut resources).unwrap();
    }
    let mut all = healths(&mut resources);
    all.sort_unstable();
    assert_eq!(all, [8, 14], "the third run cures");
}

#[test]
fn reports_name_components() {
    #[system]
    fn count(_: Query<&Health>) {}

    let mut builder = Schedule::builder();
    builder.add::<heal>().add::<count>().order("heal", "count");
    let schedule = builder.build().unwrap();
    let graph = schedule.graph();
    let health = graph
        .resources
        .iter()
        .position(|one| one.name == "Health")
        .unwrap();
    assert_eq!(graph.resources[health].kind, ResourceKind::Component);
    let heal = graph.nodes.iter().find(|node| node.name == "heal").unwrap();
    assert_eq!(heal.touched.writes, [health]);
    let why = schedule.why("heal", "count").unwrap().to_string();
    assert!(why.contains("`Health`"), "{why}");
}

/// The labels of edges in pictures contain the subjects of conflicts.
#[test]
fn pictures_name_components_and_the_changes_of_commands() {
    #[system]
    fn count(_: Query<&Health>) {}

    #[system]
    fn infect(_: Commands<Writes<Poisoned>>) {}

    #[system]
    fn vaccinate(_: Commands<Writes<Poisoned>>) {}

    let schedule = crate::insertion_order(|all| {
        all.add::<heal>()
            .add::<count>()
            .add::<infect>()
            .add::<vaccinate>()
    });
    let graph = schedule.graph();
    let svg = schedule_view::graph_svg(&graph);
    for picture in [graph.picture().to_dot(), svg] {
        assert!(picture.contains("Health"), "{picture}");
        assert!(picture.contains("deferred Poisoned"), "{picture}");
    }
}

fn healing(builder: &mut schedule::Builder) {
    #[system(for_each, without = Poisoned)]
    fn rest(health: &mut Health) {
        health.0 += 1;
    }

    builder
        .add::<rest>()
        .add::<poison>()
        .run_if(Condition::of::<is_anyone_poisoned>());
}

#[test]
fn a_plugin_of_a_builder_has_queries_and_systems_for_each_entity() {
    let mut builder = Schedule::builder();
    builder.include(healing);
    let mut resources = resources();
    builder.build().unwrap().run(&mut resources).unwrap();
    assert_eq!(healths(&mut resources), [9, 11]);

    let mut builder = Schedule::builder();
    let error = builder.include(healing).add::<heal>().build().unwrap_err();
    let races: Vec<_> = error.races().collect();
    assert_eq!(races.len(), 1, "{error}");
    assert_eq!(races[0].first.name, "rest");
}

#[test]
fn a_missing_world_is_reported_before_anything_runs() {
    let mut schedule = Schedule::builder().add::<heal>().build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    assert!(
        error.contains("`World`") && error.contains("heal"),
        "{error}"
    );
    assert!(!error.contains("Health"), "{error}");
}
