//! Dynamic systems that declare components at run time.

use std::collections::HashMap;
use std::sync::Arc;

use schedule::access::ResourceId;
use schedule::dynamic::{AccessError, DynamicSystem};
use schedule::entity::{ComponentId, DynamicQuery};
use schedule::graph::ResourceKind;
use schedule::prelude::*;
use schedule::report::Warning;
use schedule::{Executor, System};
use schedule_hecs::ViewExt;
use schedule_hecs::prelude::*;

use crate::trace::races;
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;
use schedule_tests::same_number::{Salty, Wet};

#[derive(Component)]
struct Health(i64);

#[derive(Component)]
struct Armor(i64);

#[derive(Component)]
struct Frozen;

#[derive(Identity)]
struct Ships;

/// Returns a component by the text that a script would use.
fn named(name: &str) -> ComponentId<World> {
    let known: HashMap<String, ComponentId<World>> = [
        ComponentId::of::<Health>(),
        ComponentId::of::<Armor>(),
        ComponentId::of::<Frozen>(),
        ComponentId::of::<Wet>(),
        ComponentId::of::<Salty>(),
    ]
    .map(|component| (component.name().to_string(), component))
    .into();
    known[name]
}

/// Returns a system with a line of declarations: `writes Health without Frozen`.
fn script(name: &str, declarations: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ()).queries(query(declarations))
}

fn query(declarations: &str) -> DynamicQuery<World> {
    let words: Vec<&str> = declarations.split(' ').collect();
    let declare = |query: DynamicQuery<World>, pair: &[&str]| {
        let component = named(pair[1]);
        match pair[0] {
            "reads" => query.reads(component),
            "writes" => query.writes(component),
            "reads_optional" => query.reads_optional(component),
            "writes_optional" => query.writes_optional(component),
            "with" => query.with(component),
            _ => query.without(component),
        }
    };
    words.chunks(2).fold(DynamicQuery::new(), declare)
}

#[system]
fn look(_: Query<&Health>) {}

#[system(for_each, with = Frozen)]
fn melt(health: &mut Health) {
    health.0 += 1;
}

#[system]
fn spawn(_: &mut World) {}

#[system]
fn look_at_ships(_: Query<&Health, (), Ships>) {}

fn races_with<S: System>(declarations: &str) -> bool {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(script("script", declarations))
        .add::<S>();
    !races(&mut builder).is_empty()
}

#[test]
fn a_dynamic_system_conflicts_with_queries_on_the_components_that_it_names() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(script("hurt", "writes Health"))
        .add::<look>();
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("race on `Health`"), "{error}");
    builder.order("hurt", "look").build().unwrap();

    assert!(races_with::<melt>("reads Health"));
    assert!(races_with::<melt>("reads_optional Health"));
    assert!(races_with::<look>("writes_optional Health"));
    assert!(races_with::<spawn>("reads Armor"), "the world is read");
    assert!(!races_with::<look>("reads Health"));
    assert!(!races_with::<look>("writes Armor"));
    assert!(!races_with::<look_at_ships>("writes Health"));
}

/// One filter of [`same_number`](schedule_tests::same_number), then the other one.
#[system]
fn wet_and_salty(
    _: Query<&mut Health, With<Wet>>,
    _: Query<&mut Health, (Without<Wet>, With<Salty>)>,
) {
}

#[system]
fn dry(_: Query<&mut Health, Without<Wet>>) {}

#[test]
fn two_filters_with_one_number_stay_two() {
    let mut builder = Schedule::builder();
    builder.add::<wet_and_salty>().add::<dry>();
    assert_eq!(races(&mut builder).len(), 1);

    let mut script = script("script", "writes Health with Wet");
    script = script.queries(query("writes Health without Wet with Salty"));
    let mut builder = Schedule::builder();
    builder.add_dynamic(script).add::<dry>();
    assert_eq!(races(&mut builder).len(), 1);
}

#[test]
fn two_dynamic_systems_conflict_on_components() {
    let races_of = |one: &str, other: &str| {
        let mut builder = Schedule::builder();
        builder
            .add_dynamic(script("one", one))
            .add_dynamic(script("other", other));
        !races(&mut builder).is_empty()
    };
    assert!(races_of("writes Health", "reads Health"));
    assert!(!races_of("reads Health", "reads Health"));
    assert!(!races_of(
        "writes Health with Frozen",
        "writes Health without Frozen"
    ));
    assert!(!races_of(
        "writes Health reads Frozen",
        "writes Health without Frozen"
    ));
    assert!(races_of(
        "writes Health reads_optional Frozen",
        "writes Health without Frozen"
    ));
}

#[test]
fn filters_that_exclude_each_other_prove_that_there_is_no_conflict() {
    assert!(!races_with::<melt>("writes Health without Frozen"));
    assert!(races_with::<melt>("writes Health with Frozen"));
    assert!(races_with::<melt>("writes Health without Armor"));
}

/// A second query of the same system adds its access, and does not weaken the filter of the first one.
#[test]
fn each_query_of_a_dynamic_system_has_its_own_filter() {
    let system =
        |other: &str| script("script", "writes Health without Frozen").queries(query(other));
    let races_of = |system: DynamicSystem| {
        let mut builder = Schedule::builder();
        builder.add_dynamic(system).add::<melt>();
        !races(&mut builder).is_empty()
    };
    assert!(!races_of(system("reads Armor with Frozen")));
    assert!(!races_of(system("reads Health without Frozen")));
    assert!(races_of(system("reads Health with Armor")));
}

#[test]
fn the_graph_and_warnings_contain_the_components_of_dynamic_systems() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(script("script", "writes Health reads Armor without Health"));
    let schedule = builder.build().unwrap();
    let graph = schedule.graph();
    let kind = |name: &str| {
        let mut all = graph.resources.iter();
        all.find(|one| one.name == name).map(|one| one.kind)
    };
    assert_eq!(kind("Health"), Some(ResourceKind::Component));
    assert_eq!(kind("Armor"), Some(ResourceKind::Component));
    let [Warning::UnmatchableQuery { system }] = &schedule.warnings()[..] else {
        panic!("{:?}", schedule.warnings());
    };
    assert_eq!(system.name, "script");

    let overlapping = script("script", "writes Health").queries(query("reads Health"));
    let schedule = Schedule::builder()
        .add_dynamic(overlapping)
        .build()
        .unwrap();
    assert!(schedule.warnings().is_empty(), "{:?}", schedule.warnings());
}

fn resources() -> Resources {
    let mut world = World::new();
    world.spawn((Health(10), Frozen));
    world.spawn((Health(20), Armor(2)));
    let mut resources = Resources::new();
    resources.insert(world);
    resources
}

fn healths(resources: &mut Resources) -> Vec<i64> {
    let world = resources.get_mut::<World>().unwrap();
    let mut all = world.query::<&Health>();
    all.iter_mut().map(|health| health.0).collect()
}

#[track_caller]
fn run(system: DynamicSystem) -> Vec<i64> {
    let mut resources = resources();
    let mut schedule = Schedule::builder().add_dynamic(system).build().unwrap();
    schedule.run(&mut resources).unwrap();
    healths(&mut resources)
}

#[test]
fn the_body_queries_what_the_system_declares() {
    let system = DynamicSystem::new("script", |view| {
        let mut all: Query<(&mut Health, Option<&Armor>), Without<Frozen>> = view.query_mut()?;
        for (health, armor) in &mut all {
            health.0 += armor.map_or(0, |armor| armor.0);
        }
        drop(all);
        let frozen: Query<(), With<Frozen>> = view.query()?;
        let armored: Query<&Armor, (Without<Frozen>, With<Health>)> = view.query()?;
        assert_eq!((frozen.len(), armored.len()), (1, 1));
        Ok::<(), BoxError>(())
    });
    let declared = query("writes Health reads_optional Armor without Frozen");
    assert_eq!(run(system.queries(declared)), [10, 22]);
}

/// An alternative of a filter counts if each of its entities is declared.
#[test]
fn the_filter_of_a_query_can_be_narrower_than_the_declared_one() {
    type Narrower = Or<((With<Frozen>, With<Armor>), (With<Frozen>, Without<Armor>))>;
    type Wider = Or<(With<Frozen>, With<Armor>)>;
    let system = DynamicSystem::new("script", |view| {
        let narrower: Result<Query<&mut Health, Narrower>, _> = view.query_mut();
        assert_eq!(narrower.unwrap().len(), 1);
        let wider: Result<Query<&mut Health, Wider>, _> = view.query_mut();
        assert!(wider.is_err());
    });
    run(system.queries(query("writes Health with Frozen")));
}

fn text<T>(result: Result<T, AccessError>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn access_that_is_not_declared_is_an_error() {
    let system = DynamicSystem::new("script", |view| {
        let errors = [
            text(view.query::<&Armor, (), ()>()),
            text(view.query_mut::<&mut Frozen, (), ()>()),
            text(view.query_mut::<&mut Health, (), ()>()),
            text(view.query::<&Health, Without<Frozen>, Ships>()),
            text(view.query::<(), (), Ships>()),
            text(view.get::<World<Ships>>()),
            text(view.get_mut::<World>()),
        ];
        assert_eq!(
            errors,
            [
                "`script` queries `Armor`, but does not declare it; add `.queries(…)`",
                "`script` writes `Frozen`, but declares only a read; use `writes` in `.queries(…)`",
                "`script` accesses `Health` of more entities than it declares; add the filters of `.queries(…)` to the query, or \
                 declare it without them. For an `Option`, declare it by `writes_optional` or `reads_optional`",
                "`script` queries `Health in World<Ships>`, but does not declare it; add `.queries(…)`",
                "`script` uses `World<Ships>`, but does not declare it; add `.reads(…)` or `.writes(…)`",
                "`script` uses `World<Ships>`, but does not declare it; add `.reads(…)` or `.writes(…)`",
                "`script` writes `World`, but declares only a read; use `.writes(…)`",
            ]
        );
    });
    let health = query("writes Health without Frozen");
    run(system.queries(health).queries(query("reads Frozen")));
}

/// A component among the resources of a dynamic system is never missing. Without its store it cannot be queried.
#[test]
fn a_component_that_is_declared_like_a_resource_conflicts_with_queries() {
    let system = || {
        DynamicSystem::new("script", |view| {
            let all: Result<Query<&mut Health>, _> = view.query_mut();
            let error = all.unwrap_err().to_string();
            assert!(error.contains("uses `World`"), "{error}");
        })
        .writes(named("Health"))
    };
    let mut builder = Schedule::builder();
    builder.add_dynamic(system()).add::<look>();
    assert!(!races(&mut builder).is_empty());
    run(system());

    let with_store = DynamicSystem::new("script", |view| {
        let mut all: Query<&mut Health> = view.query_mut()?;
        all.iter_mut().for_each(|health| health.0 = 0);
        Ok::<(), BoxError>(())
    });
    let world = ResourceId::of::<World>();
    assert_eq!(run(with_store.writes(named("Health")).reads(world)), [0, 0]);
}

#[test]
fn a_missing_world_is_reported_before_a_dynamic_system_runs() {
    let system = script("script", "writes Health");
    let mut schedule = Schedule::builder().add_dynamic(system).build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert!(error.to_string().contains("`World`"), "{error}");
}

#[test]
fn a_dynamic_system_with_a_query_is_the_condition_of_a_loop() {
    #[system]
    fn thaw(world: &mut World) {
        let entity = world.query::<(Entity, &Frozen)>().iter().next().unwrap().0;
        world.remove::<(Frozen,)>(entity).unwrap();
        world.get_mut::<Health>(entity).unwrap().0 += 1;
    }

    let is_anyone_frozen = DynamicSystem::new("is_anyone_frozen", |view| {
        let frozen: Query<&Frozen> = view.query()?;
        Ok::<bool, BoxError>(!frozen.is_empty())
    });
    let mut builder = Schedule::builder();
    builder.repeat_while_dynamic(is_anyone_frozen.queries(query("reads Frozen")), |body| {
        body.add::<thaw>()
    });
    let mut resources = resources();
    builder.build().unwrap().run(&mut resources).unwrap();
    let mut all = healths(&mut resources);
    all.sort_unstable();
    assert_eq!(all, [11, 20]);
}

/// Both systems hold exclusive references to components of one type while they wait for each other.
#[test]
fn a_dynamic_system_runs_at_the_same_time_as_a_query_with_another_filter() {
    let meeting = Arc::new(Meeting::of(2));
    let (of_script, of_typed) = (Arc::clone(&meeting), meeting);
    let system = DynamicSystem::new("script", move |view| {
        let mut others: Query<&mut Health, Without<Frozen>> = view.query_mut()?;
        for health in &mut others {
            of_script.wait();
            health.0 += 1;
        }
        Ok::<(), BoxError>(())
    });
    let mut schedule = Schedule::builder()
        .add_dynamic(system.queries(query("writes Health without Frozen")))
        .add_closure("typed", move |mut all: Query<&mut Health, With<Frozen>>| {
            for health in &mut all {
                of_typed.wait();
                health.0 -= 1;
            }
        })
        .build()
        .unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(2));
    let mut resources = resources();
    for _ in 0..10 {
        schedule.run(&mut resources).unwrap();
    }
    assert_eq!(healths(&mut resources), [0, 30]);
}

/// Filters are compared by identities. A component with the identity of another one would make a query seem narrower.
#[test]
#[should_panic(expected = "have the same `Identity::ID`")]
fn a_query_with_a_component_of_a_taken_identity_is_rejected() {
    struct Fake;

    impl Identity for Fake {
        const ID: u128 = <Frozen as Identity>::ID;
        const NAME: schedule::identity::Name = schedule::identity::Name::new("Fake");
    }

    impl schedule::entity::ComponentType for Fake {
        type Itself = Self;
    }

    impl Component for Fake {}

    let system = DynamicSystem::new("fake", |view| {
        let _: Query<&mut Health, Without<Fake>> = view.query_mut()?;
        Ok::<(), AccessError>(())
    })
    .queries(query("writes Health without Frozen"));
    let mut resources = Resources::new();
    resources.insert(World::new());
    let mut schedule = Schedule::builder().add_dynamic(system).build().unwrap();
    let error = schedule.run(&mut resources).unwrap_err();
    panic!("{error}");
}
