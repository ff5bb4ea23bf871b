//! Changes of resources by commands at a sync point, and their effects on later systems.

use schedule::dynamic::{DynamicSystem, View};
use schedule::prelude::*;

use super::{Level, Loaded, N_REPEATS, Unloaded, load, names_of_skipped, play, schedules};
use crate::{Log, failures, take_log, with_log};

#[derive(Debug, Default, PartialEq, Resource)]
struct Music(u32);

#[test]
fn resource_removed_at_a_sync_point_fails_later_users_by_name() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("unload", |mut commands: Commands| {
                commands.remove::<Level>().remove::<Music>();
            })
            .add_closure("use before", |level: &mut Level| level.0 += 1)
            .apply_commands::<Loaded>()
            .add_closure("use", |level: &Level| assert_eq!(level.0, 1))
            .add_closure("after use", |log: &mut Log| log.push("after use"))
            .order("use", "after use")
            .add_closure("mute", |_: &mut Music| ())
            .add_closure("both", |_: &Level, _: &Music| ())
            .add_closure("would like", |level: Option<&Level>, log: &mut Log| {
                log.push(if level.is_some() { "there" } else { "gone" });
            })
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            resources.insert(Level(0));
            resources.insert(Music(0));
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), ["after use"], "{on:?}");
            assert_eq!(
                failures(Err(error)),
                [
                    "use: resource `Level` is missing: it was removed during the run, or the system that should insert it did not",
                    "mute: resource `Music` is missing: it was removed during the run, or the system that should insert it did not",
                    "both: resource `Level` is missing: it was removed during the run, or the system that should insert it did not",
                ],
                "{on:?}"
            );
            assert_eq!(take_log(&mut resources), ["gone"], "{on:?}");
        }
    }
}

/// The new value has a different size, so its address differs from the old one.
#[test]
fn resource_removed_and_inserted_again_is_found() {
    #[derive(Resource)]
    struct Map(Box<[u64]>);

    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("grow", |map: &Map, mut commands: Commands| {
                let grown = vec![map.0[0] + 1; map.0.len() * 2];
                commands.push(move |resources| {
                    let old = resources.remove::<Map>();
                    resources.insert(Map(grown.into()));
                    drop(old);
                });
            })
            .apply_commands::<Loaded>()
            .add_closure("fill", |map: &mut Map| map.0.fill(7))
            .add_closure("grow again", |map: &Map, mut commands: Commands| {
                let grown = vec![map.0[0] + 1; map.0.len() * 2];
                commands.push(|resources| drop(resources.insert(Map(grown.into()))));
            })
            .apply_commands::<Unloaded>()
            .add_closure("check", |map: &Map| {
                assert!(map.0.iter().all(|&one| one == 8))
            })
    }) {
        let mut resources = Resources::new();
        resources.insert(Map(vec![1].into()));
        for run in 1..=N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                resources.get::<Map>().unwrap().0.len(),
                1 << (2 * run),
                "{on:?}"
            );
        }
    }
}

#[test]
fn dynamic_system_that_reads_all_sees_resources_of_a_sync_point() {
    for (on, mut schedule) in schedules(|all| {
        let reads_all = |name: &str, expected: &'static [i64]| {
            let call = move |view: &mut View<'_>| {
                let found = view.get_named::<i64>("R").into_iter().copied();
                assert_eq!(found.collect::<Vec<_>>(), expected);
            };
            DynamicSystem::new(name, call).reads_all_except([])
        };
        all.policy(Policy::InsertionOrder)
            .add_dynamic(reads_all("before", &[]))
            .add_closure("insert", |mut commands: Commands| {
                commands.push(|resources| {
                    resources.insert_named("R", 5_i64);
                });
            })
            .apply_commands::<Loaded>()
            .add_dynamic(reads_all("behind", &[5]))
    }) {
        let mut resources = Resources::new();
        for _ in 0..N_REPEATS {
            let result = schedule.run(&mut resources);
            assert!(result.is_ok(), "{on:?}: {result:?}");
            resources.remove_named::<i64>("R");
        }
    }
}

#[test]
fn command_at_a_sync_point_may_swap_all_resources() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("change", |mut commands: Commands| {
                commands.push(|resources| {
                    let mut others = with_log();
                    others.insert(Level(100));
                    std::mem::swap(resources, &mut others);
                });
            })
            .add_closure("use before", |level: &mut Level| level.0 += 1)
            .apply_commands::<Loaded>()
            .add_closure("use", |level: &mut Level| level.0 += 1)
            .add_closure("record", |level: &Level, mut commands: Commands| {
                let found = level.0;
                commands.push(move |resources| {
                    assert_eq!(resources.get(), Some(&Level(found)));
                    resources.insert(Music(found));
                });
            })
    }) {
        let mut resources = with_log();
        resources.insert(Level(0));
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(resources.get(), Some(&Level(101)), "{on:?}");
            assert_eq!(resources.get(), Some(&Music(101)), "{on:?}");
        }
    }
}

#[test]
fn a_command_at_a_sync_point_may_run_a_schedule_and_that_may_have_sync_points() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("start", move |mut commands: Commands<Inserts<Level>>| {
            commands.push(move |resources| {
                let mut inner = Schedule::builder()
                    .add::<load>()
                    .apply_commands::<Loaded>()
                    .add::<play>()
                    .build()
                    .unwrap();
                inner.run(resources).unwrap();
            });
        })
        .before::<Loaded>()
        .apply_commands::<Loaded>()
        .add_closure("look", |level: &Level, log: &mut Log| {
            log.push(if level.0 == 11 { "played" } else { "other" });
        })
        .after::<Loaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["played"], "{on:?}");
            resources.remove::<Level>();
        }
    }
}
