//! `Commands<Writes<C>>`: conflicts between the commands of two systems.

use schedule::Builder;
use schedule::access::ResourceId;
use schedule::graph::ResourceKind;
use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::schedule_of;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Target;

#[derive(Identity)]
struct Ships;

#[system]
fn aim(_: Commands<Writes<Target>>) {}

#[system]
fn forget(_: Commands<(Writes<Target>, Writes<Position>)>) {}

#[system]
fn place(_: Commands<Writes<Position>>) {}

#[system]
fn command(_: Commands) {}

#[system]
fn turn(_: Query<&mut Target>) {}

#[system]
fn aim_ships(_: Commands<Writes<Target, Ships>>) {}

#[system]
fn forget_ships(_: Commands<Writes<Target, Ships>>) {}

#[system]
fn never() -> bool {
    false
}

/// Returns the lines about races.
fn races(add: impl FnOnce(&mut Builder) -> &mut Builder) -> Vec<String> {
    let Err(error) = add(&mut Schedule::builder()).build() else {
        return Vec::new();
    };
    let text = error.to_string();
    let lines = text.lines().filter(|line| line.contains("race on"));
    lines.map(|line| line.trim().to_string()).collect()
}

#[test]
fn commands_that_change_one_component_race_by_its_name() {
    let races_of = races(|all| all.add::<aim>().add::<forget>());
    assert_eq!(races_of.len(), 1);
    assert!(
        races_of[0].contains("race on `deferred Target`"),
        "{races_of:?}"
    );
    let races_of = races(|all| all.add::<aim_ships>().add::<forget_ships>());
    let name = "race on `deferred Target in World<Ships>`";
    assert!(races_of[0].contains(name), "{races_of:?}");
    let ordered = races(|all| all.add::<aim>().add::<forget>().order("aim", "forget"));
    assert!(ordered.is_empty());
}

#[test]
fn commands_race_only_with_declared_changes_of_the_same_component() {
    for others in [
        races(|all| all.add::<aim>().add::<place>()),
        races(|all| all.add::<aim>().add::<command>()),
        races(|all| all.add::<aim>().add::<aim_ships>()),
        races(|all| all.add::<aim>().add::<turn>()),
    ] {
        assert!(others.is_empty(), "{others:?}");
    }
}

#[test]
fn the_commands_of_one_system_do_not_conflict_with_it() {
    #[system]
    fn two(_: Commands<Writes<Target>>, _: Commands<(Writes<Target>, Writes<Target>)>) {}

    #[system]
    fn all(_: &mut Resources, _: Commands<Writes<Target>>) {}

    #[system]
    fn read(_: &Resources, _: Query<&mut Target>, _: Commands<Writes<Target>>) {}

    let mut schedule = schedule_of(|builder| {
        let builder = builder.add::<two>().add_closure(
            "closure",
            |_: Commands<Writes<Position>>, _: Commands<Writes<Position>>| (),
        );
        builder
            .add::<all>()
            .order("two", "all")
            .order("closure", "all")
    });
    schedule.run(&mut Resources::new()).unwrap();
    schedule_of(|builder| builder.add::<read>());
}

#[test]
fn an_access_to_all_resources_excludes_the_changes_of_commands() {
    #[system]
    fn inspect(_: &Resources) {}

    assert!(races(|all| all.add::<inspect>().add::<aim>()).is_empty());
}

#[test]
fn a_loop_changes_the_components_that_its_body_changes() {
    let with_loop = |all: &mut Builder| {
        all.repeat_while::<never>(|body| body.add::<aim>());
    };
    assert_eq!(
        races(|all| {
            with_loop(all);
            all.add::<forget>()
        })
        .len(),
        1
    );
    assert!(
        races(|all| {
            with_loop(all);
            all.add::<place>()
        })
        .is_empty()
    );
}

#[test]
fn changes_of_commands_are_never_missing_nor_only_read() {
    let mut schedule = schedule_of(|all| all.add::<aim>().add::<place>());
    assert!(schedule.report().warnings.is_empty());
    schedule.run(&mut Resources::new()).unwrap();
}

#[test]
fn graph_lock_and_explanation_name_the_changes_of_commands() {
    let resource = ResourceId::of_deferred::<World, Target>();
    let mut builder = Schedule::builder();
    builder.add::<aim>().add::<forget>();
    builder.policy_for_resource(resource, Policy::InsertionOrder);
    let schedule = builder.build().unwrap();
    let graph = schedule.graph();
    let mut resources = graph.resources.iter();
    let resource = resources.find(|one| one.name == "deferred Target").unwrap();
    assert_eq!(resource.kind, ResourceKind::Deferred);
    let lock = schedule.lock().to_string();
    let edge = "aim -> forget, insertion order, for deferred Target\n";
    assert!(lock.contains(edge), "{lock}");
    let why = schedule.why("aim", "forget").unwrap().to_string();
    assert!(why.contains("`deferred Target`"), "{why}");
}

/// A type whose name is that of a component with its kind.
#[test]
fn the_lock_distinguishes_types_from_changes_of_commands() {
    struct Odd;

    impl Identity for Odd {
        const ID: u128 = 4711;
        const NAME: schedule::identity::Name = schedule::identity::Name::new("deferred Target");
    }

    impl Resource for Odd {}

    #[system]
    fn one(_: &mut Odd) {}

    #[system]
    fn two(_: &mut Odd) {}

    let schedule = crate::insertion_order(|all| all.add::<one>().add::<two>());
    let lock = schedule.lock().to_string();
    assert!(lock.contains("for type \"deferred Target\"\n"), "{lock}");
}

/// Commands that declare components change no others. Without a declaration, they change only the default world and the stores
/// that the system accesses.
#[test]
fn undeclared_change_of_entities_fails_the_system() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder
        .add_closure("spawn", |mut commands: Commands<Writes<Target>>| {
            commands.spawn((Target,));
            commands.spawn((Target, Position));
        })
        .add_closure(
            "insert",
            |all: Query<Entity>, mut commands: Commands<Writes<Target>>| {
                for entity in &all {
                    commands.entity(entity).insert((Position,));
                }
            },
        )
        .add_closure(
            "remove",
            |all: Query<Entity>, mut commands: Commands<Writes<Target>>| {
                for entity in &all {
                    commands
                        .entity(entity)
                        .remove::<(Target,)>()
                        .remove::<(Position,)>();
                }
            },
        )
        .add_closure("batch", |mut commands: Commands<Writes<Target>>| {
            commands.spawn_batch([(Position,)]);
        })
        .add_closure("other world", |mut commands: Commands| {
            commands.world::<Ships>().spawn((Position,));
        })
        .add_closure(
            "declared",
            |mut commands: Commands<Changes<World<Ships>>>| {
                commands.world::<Ships>().spawn((Position,));
            },
        )
        .add_closure(
            "accessed",
            |ships: &World<Ships>, mut commands: Commands| {
                assert!(ships.is_empty());
                commands.world::<Ships>().spawn((Position, Target));
                commands.spawn((Position,));
            },
        );
    let mut world = World::new();
    world.spawn(());
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(World::<Ships>::with_tag());
    let error = builder.build().unwrap().run(&mut resources).unwrap_err();
    let failed: Vec<&str> = error
        .failures()
        .iter()
        .map(|failure| failure.system.name.as_str())
        .collect();
    assert_eq!(
        failed,
        ["spawn", "insert", "remove", "batch", "other world"]
    );
    let text = error.to_string();
    assert!(text.contains("commands change `World<Ships>`, but do not declare it: add `Changes<World<Ships>>` to the type"), "{text}");
    assert_eq!(resources.get::<World>().unwrap().len(), 2);
    assert_eq!(resources.get::<World<Ships>>().unwrap().len(), 2);
}

/// An order includes commands for the systems that name the declared component, also in a filter, and for those that take the world.
#[test]
fn only_users_of_a_declared_component_get_a_sync_point() {
    #[system]
    fn mark(_: Commands<Writes<Target>>) {}

    #[system]
    fn change_ships(_: Commands<Changes<World<Ships>>>) {}

    #[system]
    fn change_any(_: Commands) {}

    let n_inserted = |builder: &mut Builder| {
        builder.policy(Policy::InsertionOrder);
        let schedule = builder.build().unwrap();
        schedule.graph().sync_points.len()
    };
    let after = |first: &str, add: &dyn Fn(&mut Builder)| {
        let mut builder = Schedule::builder();
        builder
            .add::<mark>()
            .add::<change_ships>()
            .add::<change_any>();
        add(&mut builder);
        builder.order(first, "user");
        n_inserted(&mut builder)
    };
    let reads_target: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: Query<&Target>| ());
    };
    let filters: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: Query<Entity, Without<Target>>| ());
    };
    let other: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: Query<&Position>| ());
    };
    let world: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: &World, _: Query<&Position>| ());
    };
    let exclusive: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: &mut World| ());
    };
    let ships: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: Query<&Target, (), Ships>| ());
    };
    let nothing: &dyn Fn(&mut Builder) = &|all| {
        all.add_closure("user", |_: Local<u32>| ());
    };
    let users = [
        reads_target,
        filters,
        other,
        world,
        exclusive,
        ships,
        nothing,
    ];
    let found = |first| users.map(|user| after(first, user));
    assert_eq!(found("mark"), [1, 1, 0, 1, 1, 0, 0]);
    assert_eq!(found("change_any"), [1, 1, 1, 1, 1, 0, 0]);
    assert_eq!(found("change_ships"), [0, 0, 0, 0, 0, 1, 0]);
}
