//! Flushes: where commands are carried out before the end of the run.

use std::sync::Arc;
use std::thread::{self, ThreadId};

use schedule::prelude::*;
use schedule::{
    Builder, Cause, ClosureSystem, DynamicSystem, FailurePolicy, Identity, RunError, View,
};

use crate::on::On;
use crate::trace::{Trace, races};
use crate::{Log, failures, take_log, with_log};

#[derive(Checkpoint)]
struct Loaded;

#[derive(Checkpoint)]
struct Unloaded;

#[derive(Checkpoint)]
struct Noon;

#[derive(Group)]
struct Day;

#[derive(Debug, Default, PartialEq, Resource)]
struct Level(u32);

#[derive(Debug, Default, PartialEq, Resource)]
struct Music(u32);

const LOAD: u32 = line!() + 2;
#[system(before = Loaded)]
fn load(mut commands: Commands<Inserts<Level>>) {
    commands.insert(Level(1));
}

#[system(before = Loaded)]
fn look_before(level: Option<&Level>, log: &mut Log) {
    log.push(if level.is_some() {
        "there before"
    } else {
        "not before"
    });
}

#[system(after = Loaded)]
fn play(level: &mut Level) {
    level.0 += 10;
}

#[system(after = play)]
fn look(level: &Level, log: &mut Log) {
    log.push(if level.0 == 11 { "played" } else { "other" });
}

#[system(after = look)]
fn look_twice(level: Option<&Level>, log: &mut Log) {
    log.push(if level.is_some() {
        "there"
    } else {
        "not there"
    });
}

#[system(after = Loaded)]
fn unload(mut commands: Commands) {
    commands.remove::<Level>();
}

#[system]
fn rest() {}

/// Runs in a row.
const N_REPEATS: usize = if cfg!(miri) { 2 } else { 3 };

/// Appends to the log when it is carried out.
fn say(text: &'static str) -> impl FnOnce(&mut Resources) + Send + 'static {
    move |resources| resources.get_mut::<Log>().unwrap().push(text)
}

/// A system that records a command which says this.
fn saying(text: &'static str) -> impl ClosureSystem<fn(Commands<'static>)> {
    move |mut commands: Commands| {
        commands.push(say(text));
    }
}

/// On each executor, the schedule of what `declare` adds.
fn schedules(
    declare: impl Fn(&mut Builder) -> &mut Builder,
) -> impl Iterator<Item = (On, Schedule)> {
    On::ALL.iter().map(move |&on| {
        let mut schedule = declare(&mut Schedule::builder()).build().unwrap();
        on.set(&mut schedule);
        (on, schedule)
    })
}

fn names_of_skipped(error: &RunError) -> Vec<&str> {
    let skipped = error.skipped().iter();
    skipped.map(|system| system.name.as_str()).collect()
}

#[test]
fn what_a_command_inserts_is_there_behind_the_flush() {
    for (on, mut schedule) in schedules(|all| {
        all.add::<look_twice>()
            .add::<look>()
            .add::<play>()
            .flush::<Loaded>()
            .add::<load>()
            .add::<look_before>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            let log = take_log(&mut resources);
            assert_eq!(log, ["not before", "played", "there"], "{on:?}");
            assert_eq!(resources.remove(), Some(Level(11)), "{on:?}");
        }
    }
}

#[test]
fn without_the_flush_it_is_missing_there() {
    for (on, mut schedule) in schedules(|all| {
        all.checkpoint::<Loaded>()
            .add::<load>()
            .add::<play>()
            .add::<look>()
    }) {
        let error = schedule.run(&mut with_log()).unwrap_err();
        assert_eq!(names_of_skipped(&error), ["look"], "{on:?}");
        assert_eq!(
            failures(Err(error)),
            ["play: resource `Level` is missing by now"],
            "{on:?}"
        );
    }
}

#[test]
fn what_no_command_declares_is_missing_before_the_run_though_a_flush_would_insert_it() {
    let mut schedule = Schedule::builder()
        .add_closure("load", |mut commands: Commands| {
            commands.insert(Level(1));
        })
        .flush::<Loaded>()
        .order("load", "Loaded")
        .add::<play>()
        .build()
        .unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert!(matches!(error, RunError::Missing(_)), "{error}");
}

#[test]
fn commands_at_a_flush_come_in_the_order_of_the_schedule() {
    for (on, mut schedule) in schedules(|all| {
        for text in ["a", "b", "c", "d", "e", "f"] {
            all.add_closure(text, saying(text)).before::<Loaded>();
        }
        all.flush::<Loaded>().order("e", "b").order("d", "a")
    }) {
        let expected = ["c", "d", "a", "e", "b", "f"];
        assert_eq!(schedule.systems().collect::<Vec<_>>(), expected);
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), expected, "{on:?}");
        }
    }
}

#[test]
fn commands_recorded_behind_a_flush_are_carried_out_at_the_end() {
    for (on, mut schedule) in schedules(|all| {
        all.flush::<Loaded>()
            .add_closure("behind", saying("at the end"))
            .after::<Loaded>()
            .add_closure("before", saying("at the flush"))
            .before::<Loaded>()
            .add_closure("last", |log: &mut Log| log.push("the last system"))
            .after::<Loaded>()
            .order("behind", "last")
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                take_log(&mut resources),
                ["at the flush", "the last system", "at the end"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn each_of_two_flushes_carries_out_what_came_since_the_one_before() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("first", saying("first"))
            .before::<Loaded>()
            .flush::<Loaded>()
            .add_closure("second", saying("second"))
            .after::<Loaded>()
            .before::<Unloaded>()
            .add_closure("between", |log: &mut Log| log.push("between"))
            .after::<Loaded>()
            .before::<Unloaded>()
            .order("second", "between")
            .flush::<Unloaded>()
            .add_closure("third", saying("third"))
            .after::<Unloaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
            .order("third", "behind")
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                take_log(&mut resources),
                ["first", "between", "second", "behind", "third"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn what_is_inserted_at_one_flush_may_be_removed_at_the_next() {
    for (on, mut schedule) in schedules(|all| {
        all.add::<load>()
            .flush::<Loaded>()
            .add::<play>()
            .before::<Unloaded>()
            .add::<look>()
            .before::<Unloaded>()
            .add::<unload>()
            .before::<Unloaded>()
            .flush::<Unloaded>()
            .add::<look_twice>()
            .after::<Unloaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            let log = take_log(&mut resources);
            assert_eq!(log, ["played", "not there"], "{on:?}");
            assert!(!resources.contains::<Level>());
        }
    }
}

#[test]
fn commands_of_a_failed_system_are_dropped_at_the_flush() {
    let held = Arc::new(());
    for (on, mut schedule) in schedules(|all| {
        let (of_an_error, of_a_panic) = (held.clone(), held.clone());
        all.policy(Policy::AsAdded)
            .add_closure("returns an error", move |mut commands: Commands| {
                let held = of_an_error.clone();
                commands
                    .push(move |_| drop(held))
                    .push(say("of the one that returned an error"));
                Err::<(), _>("no")
            })
            .add_closure("panics", move |mut commands: Commands| -> () {
                let held = of_a_panic.clone();
                commands
                    .push(move |_| drop(held))
                    .push(say("of the one that panicked"));
                panic!("no");
            })
            .add_closure("works", saying("works"))
            .flush::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let n_held = Arc::strong_count(&held);
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let found = failures(schedule.run(&mut resources));
            assert_eq!(found, ["returns an error: no", "panics: panicked: no"]);
            assert_eq!(take_log(&mut resources), ["works", "behind"], "{on:?}");
            assert_eq!(Arc::strong_count(&held), n_held, "{on:?}");
        }
    }
}

/// What is declared to come behind the flush is skipped with it; what merely follows as added runs, and finds nothing.
#[test]
fn commands_of_a_skipped_flush_are_carried_out_at_the_end() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add::<load>()
            .add_closure("fails", || Err::<(), _>("no"))
            .before::<Loaded>()
            .flush::<Loaded>()
            .add::<play>()
            .add_closure("follows", |level: Option<&Level>, log: &mut Log| {
                log.push(if level.is_some() {
                    "there"
                } else {
                    "not there"
                });
            })
            .add_closure("records", saying("recorded behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), ["play"], "{on:?}");
            assert_eq!(failures(Err(error)), ["fails: no"]);
            let log = take_log(&mut resources);
            assert_eq!(log, ["not there", "recorded behind"], "{on:?}");
            assert_eq!(resources.remove(), Some(Level(1)), "{on:?}");
        }
    }
}

#[test]
fn commands_of_a_flush_that_a_stop_skips_are_carried_out_at_the_end() {
    for (on, mut schedule) in schedules(|all| {
        all.failure_policy(FailurePolicy::Stop)
            .add_closure("records", saying("recorded"))
            .add_closure("stops", || Err::<(), _>("no"))
            .order("records", "stops")
            .order("stops", "Loaded")
            .flush::<Loaded>()
            .add_closure("behind", saying("behind"))
            .after::<Loaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), ["behind"], "a flush is no system");
            assert_eq!(take_log(&mut resources), ["recorded"], "{on:?}");
        }
    }
}

/// The first flush is skipped: its commands wait for the end, and are not carried out at the second.
#[test]
fn a_flush_behind_a_skipped_one_carries_out_the_commands_of_both() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure("fails", || Err::<(), _>("no"))
            .before::<Loaded>()
            .add_closure("first", saying("first"))
            .flush::<Loaded>()
            .add_closure("between", |log: &mut Log| log.push("between"))
            .add_closure("second", saying("second"))
            .flush::<Unloaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap_err();
            let log = take_log(&mut resources);
            assert_eq!(log, ["between", "first", "second", "behind"], "{on:?}");
        }
    }
}

#[test]
fn a_command_that_panics_at_a_flush_fails_its_system_and_the_run_goes_on() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure("a", saying("a"))
            .add_closure("panics", |mut commands: Commands, mut more: Commands| {
                commands
                    .push(say("before the panic"))
                    .push(|_| panic!("too late"))
                    .push(say("after the panic"));
                more.push(say("of the other parameter"));
            })
            .add_closure("c", saying("c"))
            .flush::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
            .order("panics", "behind")
            .add_closure("late", saying("late"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(names_of_skipped(&error), [""; 0], "they run: {on:?}");
            assert!(matches!(error.failures()[0].cause, Cause::CommandPanic(_)));
            assert_eq!(
                failures(Err(error)),
                ["panics: a command panicked: too late"],
                "{on:?}"
            );
            assert_eq!(
                take_log(&mut resources),
                ["a", "before the panic", "c", "behind", "late"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn commands_that_panic_at_a_flush_and_at_the_end_are_told_in_the_order_of_the_schedule() {
    for (on, mut schedule) in schedules(|all| {
        let panicking = |text: &'static str| {
            move |mut commands: Commands| {
                commands.push(move |_| panic!("{text}"));
            }
        };
        all.policy(Policy::AsAdded)
            .add_closure("a", panicking("at the flush"))
            .add_closure("b", || Err::<(), _>("no"))
            .add_closure("c", panicking("at the flush too"))
            .flush::<Loaded>()
            .add_closure("d", panicking("at the end"))
            .add_closure("e", || Err::<(), _>("no"))
    }) {
        for _ in 0..N_REPEATS {
            assert_eq!(
                failures(schedule.run(&mut Resources::new())),
                [
                    "a: a command panicked: at the flush",
                    "b: no",
                    "c: a command panicked: at the flush too",
                    "d: a command panicked: at the end",
                    "e: no",
                ],
                "{on:?}"
            );
        }
    }
}

#[test]
fn what_a_command_removes_at_a_flush_fails_its_users_behind_it_by_name() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure("unload", |mut commands: Commands| {
                commands.remove::<Level>().remove::<Music>();
            })
            .add_closure("use before", |level: &mut Level| level.0 += 1)
            .flush::<Loaded>()
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
                    "use: resource `Level` is missing by now",
                    "mute: resource `Music` is missing by now",
                    "both: resource `Level` is missing by now",
                ],
                "{on:?}"
            );
            assert_eq!(take_log(&mut resources), ["gone"], "{on:?}");
        }
    }
}

/// A value of another size, so that nobody finds it where the old one lay.
#[test]
fn what_a_command_removes_and_inserts_anew_is_found_where_it_lies() {
    #[derive(Resource)]
    struct Map(Box<[u64]>);

    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure("grow", |map: &Map, mut commands: Commands| {
                let grown = vec![map.0[0] + 1; map.0.len() * 2];
                commands.push(move |resources| {
                    let old = resources.remove::<Map>();
                    resources.insert(Map(grown.into()));
                    drop(old);
                });
            })
            .flush::<Loaded>()
            .add_closure("fill", |map: &mut Map| map.0.fill(7))
            .add_closure("grow again", |map: &Map, mut commands: Commands| {
                let grown = vec![map.0[0] + 1; map.0.len() * 2];
                commands.push(|resources| drop(resources.insert(Map(grown.into()))));
            })
            .flush::<Unloaded>()
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
fn a_dynamic_system_that_reads_all_finds_what_a_flush_inserted() {
    for (on, mut schedule) in schedules(|all| {
        let reads_all = |name: &str, expected: &'static [i64]| {
            let call = move |view: &mut View<'_>| {
                let found = view.get_named::<i64>("R").into_iter().copied();
                assert_eq!(found.collect::<Vec<_>>(), expected);
            };
            DynamicSystem::new(name, call).reads_all_except([])
        };
        all.policy(Policy::AsAdded)
            .add_dynamic(reads_all("before", &[]))
            .add_closure("insert", |mut commands: Commands| {
                commands.push(|resources| {
                    resources.insert_named("R", 5_i64);
                });
            })
            .flush::<Loaded>()
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
fn a_command_at_a_flush_may_change_all_resources_for_others() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure("change", |mut commands: Commands| {
                commands.push(|resources| {
                    let mut others = with_log();
                    others.insert(Level(100));
                    std::mem::swap(resources, &mut others);
                });
            })
            .add_closure("use before", |level: &mut Level| level.0 += 1)
            .flush::<Loaded>()
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
fn a_command_at_a_flush_may_run_a_schedule_and_that_may_have_flushes() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("start", move |mut commands: Commands<Inserts<Level>>| {
            commands.push(move |resources| {
                let mut inner = Schedule::builder()
                    .add::<load>()
                    .flush::<Loaded>()
                    .add::<play>()
                    .build()
                    .unwrap();
                inner.run(resources).unwrap();
            });
        })
        .before::<Loaded>()
        .flush::<Loaded>()
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

#[test]
fn a_flush_is_carried_out_on_the_thread_that_calls_run() {
    #[derive(Debug, Identity, PartialEq)]
    struct Window(u32);

    #[derive(Debug, PartialEq, Resource)]
    struct DoneOn(ThreadId);

    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure("open", |mut commands: Commands| {
                commands.push(|resources| {
                    resources.insert(DoneOn(thread::current().id()));
                    resources.main_thread().remove::<Window>();
                    resources.main_thread().insert(Window(7));
                });
            })
            .flush::<Loaded>()
            .add_closure("draw", |mut window: NonSendMut<Window>| window.0 += 1)
    }) {
        let mut resources = Resources::new();
        resources.main_thread().insert(Window(0));
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            let done_on = resources.remove::<DoneOn>();
            assert_eq!(done_on, Some(DoneOn(thread::current().id())), "{on:?}");
            let window = resources.main_thread().insert(Window(0));
            assert_eq!(window, Some(Window(8)), "{on:?}");
        }
    }
}

#[test]
fn commands_of_an_exclusive_system_wait_for_the_flush_too() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::AsAdded)
            .add_closure(
                "alone",
                |resources: &mut Resources, mut commands: Commands| {
                    say("alone")(resources);
                    commands.push(say("of the one that runs alone"));
                },
            )
            .add_closure("between", |log: &mut Log| log.push("between"))
            .flush::<Loaded>()
            .add_closure("behind", |log: &mut Log| log.push("behind"))
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(
                take_log(&mut resources),
                ["alone", "between", "of the one that runs alone", "behind"],
                "{on:?}"
            );
        }
    }
}

#[test]
fn a_flush_without_commands_does_nothing() {
    for (on, mut schedule) in schedules(|all| {
        all.flush::<Loaded>()
            .before::<Unloaded>()
            .flush::<Unloaded>()
            .add_closure("a", |log: &mut Log| log.push("a"))
            .before::<Loaded>()
            .add_closure("b", |log: &mut Log| log.push("b"))
            .after::<Unloaded>()
    }) {
        let mut resources = with_log();
        for _ in 0..N_REPEATS {
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["a", "b"], "{on:?}");
        }
        assert_eq!(schedule.systems().collect::<Vec<_>>(), ["a", "b"]);
    }
}

#[test]
fn a_flush_may_be_in_a_group_and_behind_one() {
    for (on, mut schedule) in schedules(|all| {
        all.flush::<Loaded>()
            .in_group::<Day>()
            .add_closure("member", saying("member"))
            .in_group::<Day>()
            .before::<Loaded>()
            .add_closure("before", |log: &mut Log| log.push("before"))
            .before::<Day>()
            .flush::<Unloaded>()
            .after::<Day>()
            .add_closure("after", saying("after"))
            .after::<Day>()
            .before::<Unloaded>()
            .add_closure("last", |log: &mut Log| log.push("last"))
            .after::<Unloaded>()
    }) {
        let mut resources = with_log();
        schedule.run(&mut resources).unwrap();
        let log = take_log(&mut resources);
        assert_eq!(log, ["before", "member", "after", "last"], "{on:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_flush_is_found_by_its_type_its_name_and_its_node() {
    let mut builder = Schedule::builder();
    builder.flush::<Loaded>();
    let first = builder.last().unwrap();
    builder.flush::<Loaded>().named("again");
    builder
        .add_closure("a", || ())
        .order("a", first)
        .order(first, "again")
        .add_closure("b", || ())
        .order("again", "b");
    let schedule = builder.build().unwrap();
    assert_eq!(schedule.systems().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_flush_without_an_order_is_a_race_with_every_system_that_names_both() {
    let mut builder = Schedule::builder();
    let line = line!() + 1;
    builder.add::<load>().flush::<Noon>().add::<rest>();
    builder.checkpoint::<Loaded>();
    let error = builder.build().unwrap_err();
    let text = error.to_string();
    let races: Vec<_> = error
        .races()
        .map(|race| (&race.first, &race.second))
        .collect();
    let names = races.iter().map(|race| (&*race.0.name, &*race.1.name));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [("load", "Noon"), ("Noon", "rest")]
    );
    let file = file!();
    assert!(text.contains(&format!("`load` ({file}:{LOAD})")), "{text}");
    assert!(text.contains(&format!("`Noon` ({file}:{line})")), "{text}");
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn two_flushes_without_an_order_are_a_race() {
    let mut builder = Schedule::builder();
    builder.flush::<Loaded>().flush::<Unloaded>();
    let expected = [("Loaded".to_string(), "Unloaded".to_string())];
    assert_eq!(races(&mut builder), expected);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_flush_and_a_checkpoint_are_no_race() {
    let mut builder = Schedule::builder();
    builder.flush::<Loaded>().checkpoint::<Noon>();
    assert_eq!(races(&mut builder), []);
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn a_policy_orders_a_flush() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::AsAdded)
        .add_dynamic(trace.system("a"))
        .flush::<Loaded>()
        .add_dynamic(trace.system("b"));
    assert_eq!(builder.build().unwrap().n_policy_orders(), 2);
}
