//! Commands that had no effect: reports, warnings and failures.

use schedule::columns::{Columns, EntityId};
use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{Builder, MissedCommandPolicy, RunError};
use schedule_hecs::prelude::*;

use schedule_tests::listener::Listener;
use schedule_tests::on::On;

#[derive(Component)]
struct Corpse;

#[derive(Component)]
struct Fuel;

#[derive(Columns)]
struct Rocket {
    fuel: Fuel,
}

/// Entities that do not exist any more.
#[derive(Resource)]
struct Gone {
    entity: Entity,
    rocket: EntityId<Rocket>,
}

#[derive(Resource, Default)]
struct Stock(u32);

#[derive(Resource, Default)]
struct Left(u32);

#[derive(Checkpoint)]
struct Applied;

#[system]
fn bury(gone: &Gone, mut commands: Commands) {
    commands.entity(gone.entity).insert((Corpse,));
    commands.spawn((Corpse,));
    commands.entity(gone.entity).despawn();
}

#[system(after = bury)]
fn launch(gone: &Gone, mut commands: Commands<Changes<Columns<Rocket>>>) {
    commands.columns().despawn(gone.rocket);
    commands.columns().spawn(Rocket { fuel: Fuel });
}

#[system(after = launch)]
fn sell(mut commands: Commands) {
    commands.push(|resources| {
        let stock = resources.get_mut::<Stock>().unwrap();
        match stock.0.checked_sub(1) {
            Some(left) => stock.0 = left,
            None => resources.report_missed(1, "the stock is empty"),
        }
    });
}

#[system(after = sell)]
fn count(mut n: Local<u32>) {
    *n += 1;
}

#[system]
fn is_left(left: &mut Left) -> bool {
    left.0 = left.0.saturating_sub(1);
    left.0 > 0
}

fn resources() -> Resources {
    let mut world = World::new();
    let entity = world.spawn(());
    world.despawn(entity).unwrap();
    let mut rockets = Columns::<Rocket>::new();
    let rocket = rockets.spawn(Rocket { fuel: Fuel });
    rockets.despawn(rocket);
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(rockets);
    resources.insert(Gone { entity, rocket });
    resources.insert(Stock(2));
    resources.insert_default::<Left>();
    resources
}

/// The number of entities and of rockets.
fn counts(resources: &Resources) -> [usize; 2] {
    let world = resources.get::<World>().unwrap();
    let rockets = resources.get::<Columns<Rocket>>().unwrap();
    [world.len(), rockets.len()]
}

schedule! { Day { bury, launch, sell, count } }
schedule! { Strict { on missed commands fail, bury, launch, sell, count } }

/// The systems with missed commands, and the numbers of commands and runs.
fn missed(schedule: &Schedule) -> Vec<(String, u64, u64)> {
    let missed = schedule
        .report()
        .missed_commands
        .into_iter()
        .map(|one| (one.system.name, one.n_commands, one.n_runs));
    missed.collect()
}

#[test]
fn missed_commands_are_reported_with_the_system_and_its_place() {
    for &on in On::EACH {
        let mut schedule = Day::new();
        on.set(&mut schedule);
        let mut resources = resources();
        for _ in 0..3 {
            on.run(&mut schedule, &mut resources).unwrap();
        }
        let expected = [("bury", 6, 3), ("launch", 3, 3), ("sell", 1, 1)]
            .map(|(name, n, n_runs)| (name.to_string(), n, n_runs));
        assert_eq!(missed(&schedule), expected, "{on:?}");
        assert_eq!(counts(&resources), [3, 3]);
        let report = schedule.report();
        let text = report.to_string();
        assert!(
            text.contains("\ncommands without effect\n  `bury` ("),
            "{text}"
        );
        assert_eq!(report.missed_commands[0].system.location.file(), file!());
        let last = &report.missed_commands[0].last;
        assert!(last.starts_with("`insert` on entity "), "{last}");
        let last = &report.missed_commands[1].last;
        assert!(last.starts_with("`despawn` on entity "), "{last}");
        assert_eq!(report.missed_commands[2].last, "the stock is empty");
        // The stores keep the commands, too.
        let world = resources.get::<World>().unwrap();
        assert_eq!(world.missed().n_total(), 6);

        // A change keeps the numbers.
        let change = |builder: &mut Builder| {
            builder.add_closure("more", || ());
        };
        schedule
            .change(|builder| {
                change(builder);
                builder
            })
            .unwrap();
        assert_eq!(missed(&schedule), expected);
    }
}

#[test]
fn missed_commands_are_warnings_in_runs_that_become_rarer() {
    let mut schedule = Schedule::builder()
        .name("day")
        .add::<bury>()
        .build()
        .unwrap();
    let mut resources = resources();
    let texts = Listener::warnings(|| {
        (0..9).for_each(|_| schedule.run(&mut resources).unwrap());
    });
    assert_eq!(texts.len(), 4, "{texts:?}");
    for (text, n_runs) in texts.iter().zip([1, 2, 4, 8]) {
        let (n, file) = (2 * n_runs, file!());
        assert!(
            text.starts_with(&format!("commands of `bury` ({file}:")),
            "{text}"
        );
        let part = format!(
            ") had no effect: 2 in this run, {n} in {n_runs} runs; the first of this run: `insert` on entity "
        );
        assert!(text.contains(&part), "{text}");
    }
}

#[test]
fn missed_commands_fail_the_system_by_policy() {
    let of_builder = || {
        let mut builder = Schedule::builder();
        builder.add::<bury>().add::<launch>().add::<sell>();
        builder.missed_command_policy(MissedCommandPolicy::Fail);
        builder.add::<count>().build().unwrap()
    };
    for schedule in [Strict::new, of_builder] {
        for &on in On::EACH {
            let mut schedule = schedule();
            on.set(&mut schedule);
            let mut resources = resources();
            let error = on.run(&mut schedule, &mut resources).unwrap_err();
            let RunError::Failed {
                failures, skipped, ..
            } = &error
            else {
                panic!("{error}")
            };
            let names = failures.iter().map(|one| &*one.system.name);
            assert_eq!(names.collect::<Vec<_>>(), ["bury", "launch"], "{on:?}");
            assert!(matches!(
                failures[0].cause,
                Cause::MissedCommands { n: 2, .. }
            ));
            let text = failures[0].cause.to_string();
            assert!(
                text.ends_with("had no effect: the entity does not exist, and 1 more"),
                "{text}"
            );
            // The systems ran, so nothing is skipped. Their other commands are applied.
            assert!(skipped.is_empty());
            assert_eq!(counts(&resources), [1, 1]);
            assert_eq!(missed(&schedule).len(), 2);
        }
    }
}

#[derive(Group)]
struct Burials;

#[test]
fn missed_commands_fail_only_the_marked_system() {
    schedule! { Marked { bury: on missed commands fail, launch, sell, count } }
    schedule! { Grouped { group Burials: on missed commands fail { bury }, launch, sell, count } }
    let of_builder = || {
        let mut builder = Day::builder();
        builder.at("bury").fail_if_missed();
        builder.build().unwrap()
    };
    let cleared = || {
        let mut builder = Marked::builder();
        builder.at("bury").clear_fail_if_missed();
        builder.at("launch").fail_if_missed();
        builder.build().unwrap()
    };
    let of_bury = [Marked::new, Grouped::new, of_builder].map(|schedule| (schedule, "bury"));
    for (schedule, failing) in of_bury
        .into_iter()
        .chain([(cleared as fn() -> _, "launch")])
    {
        for &on in On::EACH {
            let mut schedule = schedule();
            on.set(&mut schedule);
            let error = on.run(&mut schedule, &mut resources()).unwrap_err();
            let names = error.failures().iter().map(|one| &*one.system.name);
            assert_eq!(names.collect::<Vec<_>>(), [failing], "{on:?}");
            assert_eq!(missed(&schedule).len(), 2);
        }
    }
}

#[test]
fn missed_commands_of_a_loop_fail_the_loop_at_the_sync_point() {
    schedule! {
        Looping {
            on missed commands fail,
            repeat while is_left { bury -> apply_commands Applied },
            policy accepted "the loop decides by itself" for Left,
        }
    }
    for on in [On::Serial, On::Auto, On::Threads(2)] {
        let mut schedule = Looping::new();
        on.set(&mut schedule);
        let mut resources = resources();
        resources.insert(Left(5));
        let error = schedule.run(&mut resources).unwrap_err();
        let names = error.failures().iter().map(|one| &*one.system.name);
        assert_eq!(names.collect::<Vec<_>>(), ["bury"], "{on:?}");
        // The condition is not evaluated again.
        assert_eq!(resources.get::<Left>().unwrap().0, 4);
        assert_eq!(counts(&resources), [1, 0]);
    }
}

#[test]
fn setting_of_a_plugin_takes_precedence() {
    let burials = |builder: &mut Builder| {
        builder
            .add::<bury>()
            .missed_command_policy(MissedCommandPolicy::Warn);
    };
    let mut builder = Schedule::builder();
    builder
        .missed_command_policy(MissedCommandPolicy::Fail)
        .include(burials)
        .add::<launch>();
    let mut schedule = builder.build().unwrap();
    let error = schedule.run(&mut resources()).unwrap_err();
    let names = error.failures().iter().map(|one| &*one.system.name);
    assert_eq!(names.collect::<Vec<_>>(), ["launch"]);
    assert_eq!(missed(&schedule).len(), 2);
}

#[test]
fn setting_of_a_plugin_in_a_loop_takes_precedence() {
    let burials = |builder: &mut Builder| {
        builder
            .add::<bury>()
            .missed_command_policy(MissedCommandPolicy::Warn);
    };
    let mut builder = Schedule::builder();
    builder
        .missed_command_policy(MissedCommandPolicy::Fail)
        .repeat_while::<is_left>(|body| body.include(burials))
        .accept("is_left", "bury", "the loop decides by itself");
    let mut schedule = builder.build().unwrap();
    let mut resources = resources();
    resources.insert(Left(2));
    schedule.run(&mut resources).unwrap();
    assert_eq!(missed(&schedule).len(), 1);
}

#[test]
fn marked_loop_marks_its_body_and_a_marked_group_its_nested_groups() {
    let looped = || {
        let mut builder = Schedule::builder();
        builder.repeat_while::<is_left>(|body| body.add::<bury>());
        builder.fail_if_missed();
        builder.accept("is_left", "bury", "the loop decides by itself");
        builder.build().unwrap()
    };
    let grouped = || {
        #[derive(Group)]
        struct Outer;
        let mut builder = Schedule::builder();
        builder.add::<bury>().in_group::<Burials>();
        builder.group::<Burials>().in_group::<Outer>();
        builder.group::<Outer>().fail_if_missed();
        builder.build().unwrap()
    };
    for schedule in [looped as fn() -> Schedule, grouped] {
        let mut resources = resources();
        resources.insert(Left(2));
        let error = schedule().run(&mut resources).unwrap_err();
        assert!(matches!(
            error.failures()[0].cause,
            Cause::MissedCommands { .. }
        ));
    }
}

/// A command runs another schedule. The missed commands of that one are its own.
#[test]
fn missed_commands_of_a_nested_run_are_those_of_its_systems() {
    #[system]
    fn nest(mut commands: Commands) {
        commands.push(|resources| {
            resources.report_missed(1, "before");
            let mut inner = Schedule::builder().add::<bury>().build().unwrap();
            inner.run(resources).unwrap();
            let expected = ("bury".to_string(), 2, 1);
            assert_eq!(missed(&inner), [expected]);
            resources.report_missed(1, "after");
        });
    }
    let mut schedule = Schedule::builder().add::<nest>().build().unwrap();
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    assert_eq!(missed(&schedule), [("nest".to_string(), 2, 1)]);
    // Without a run, no system is known.
    resources.report_missed(1, "outside");
    schedule.run(&mut resources).unwrap();
    assert_eq!(missed(&schedule), [("nest".to_string(), 4, 2)]);
}
