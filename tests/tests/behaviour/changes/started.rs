//! The memory of a condition: it advances only when a node starts that the condition guards.

use std::sync::atomic::{AtomicU32, Ordering};

use schedule::condition::{changed, every, removed};
use schedule::prelude::*;
use schedule::{BoxError, Builder};
use schedule_hecs::prelude::*;
use schedule_tests::on::On;

use super::{Log, Map, insertion_order, logged, on_changed, take_log, with_map};

/// A condition that a test sets.
#[derive(Resource)]
struct Open(bool);

#[system]
fn is_open(open: &Open) -> bool {
    open.0
}

/// Runs a schedule on all executors: with closed and with open door, as given. Compares the logs of the runs.
#[track_caller]
fn compare(
    declare: impl Fn(&mut Builder) -> &mut Builder,
    runs: &[(bool, bool, &[&'static str])],
    has_loops: bool,
) {
    for &on in On::EACH {
        if matches!(on, On::Timetabled(_)) && has_loops {
            continue;
        }
        let mut schedule = insertion_order(&declare);
        on.set(&mut schedule);
        let mut resources = with_map();
        resources.insert(World::new());
        for (nth, &(is_written, is_open, expected)) in runs.iter().enumerate() {
            if is_written {
                resources.get_mut::<Map>().unwrap().0 += 1;
            }
            resources.insert(Open(is_open));
            let _ = schedule.run(&mut resources);
            let mut found = take_log(&mut resources);
            found.sort_unstable();
            assert_eq!(found, expected, "run {nth} {on:?}");
        }
    }
}

/// Open and closed runs of a system that logs `changed` once for each change.
const ONCE: &[(bool, bool, &[&str])] = &[
    (false, false, &[]),
    (false, false, &[]),
    (false, true, &["changed"]),
    (false, true, &[]),
    (true, false, &[]),
    (false, false, &[]),
    (false, true, &["changed"]),
    (false, true, &[]),
    (true, true, &["changed"]),
];

#[test]
fn change_is_kept_while_another_condition_is_false() {
    compare(
        |all| all.add::<on_changed>().run_if(Condition::of::<is_open>()),
        ONCE,
        false,
    );
}

#[test]
fn change_is_kept_while_the_system_is_not_asked() {
    #[derive(Group)]
    struct Gate;
    // The condition of the group is false, so that of the member is not evaluated.
    compare(
        |all| {
            all.add::<on_changed>()
                .in_group::<Gate>()
                .group::<Gate>()
                .run_if(Condition::of::<is_open>())
        },
        ONCE,
        false,
    );
}

#[test]
fn change_that_guards_a_group_is_kept_until_a_member_starts() {
    #[system(in = Watching, if = is_open)]
    fn member(log: &mut Log) {
        log.push("changed");
    }
    #[derive(Group)]
    struct Watching;
    // The condition of the member inherits that of the group. It is asked, but no member starts.
    compare(
        |all| {
            all.add::<member>()
                .group::<Watching>()
                .run_if(Condition::changed::<Map>())
        },
        ONCE,
        false,
    );
}

#[test]
fn change_that_guards_a_plugin_is_kept_until_one_of_its_systems_starts() {
    #[system(if = is_open)]
    fn member(log: &mut Log) {
        log.push("changed");
    }
    schedule! {
        Member { member }
    }
    schedule! {
        Whole { include Member: if changed<Map> }
    }
    compare(|all| all.include(Whole::builder()), ONCE, false);
}

#[test]
fn change_that_guards_a_loop_is_kept_until_the_loop_starts() {
    compare(
        |all| {
            let mut n = 0;
            all.repeat_while_closure(
                "loop",
                move || {
                    n += 1;
                    n % 2 == 1
                },
                |body| body.add_closure("member", |log: &mut Log| log.push("changed")),
            )
            .run_if(Condition::changed::<Map>() & Condition::of::<is_open>())
        },
        ONCE,
        true,
    );
}

#[test]
fn change_that_guards_a_sync_point_is_kept_until_it_starts() {
    #[derive(Checkpoint)]
    struct Applied;
    #[system]
    fn command(mut commands: Commands) {
        commands.push(|_| {});
    }
    #[system(if = changed<Map>)]
    fn see(log: &mut Log) {
        log.push("not started");
    }
    compare(
        |all| {
            all.add::<command>()
                .apply_commands::<Applied>()
                .run_if(Condition::changed::<Map>() & Condition::of::<is_open>())
                .add::<see>()
                .run_if(!Condition::of::<is_open>())
        },
        &[
            (false, true, &[]),
            (false, false, &[]),
            (true, true, &[]),
            (false, false, &[]),
            (true, false, &["not started"]),
            (false, false, &[]),
        ],
        false,
    );
}

#[test]
fn formulas_advance_the_memory_of_each_condition_in_them() {
    #[system(if = or(changed<Map>, is_open))]
    fn either(log: &mut Log) {
        log.push("either");
    }
    compare(
        |all| all.add::<either>(),
        &[
            (false, false, &["either"]),
            (false, false, &[]),
            (true, true, &["either"]),
            (false, false, &[]),
        ],
        false,
    );
    #[system(if = not(or(not(changed<Map>), not(is_open))))]
    fn both(log: &mut Log) {
        log.push("changed");
    }
    compare(|all| all.add::<both>(), ONCE, false);
}

#[test]
fn negated_change_stays_true_because_its_system_never_starts() {
    #[system(if = not(changed<Map>))]
    fn idle(log: &mut Log) {
        log.push("idle");
    }
    compare(
        |all| all.add::<idle>(),
        &[(false, true, &[]), (false, true, &[]), (true, true, &[])],
        false,
    );
    // Unless another one does.
    compare(
        |all| all.add::<on_changed>().add::<idle>(),
        &[
            (false, true, &["changed"]),
            (false, true, &["idle"]),
            (true, true, &["changed"]),
        ],
        false,
    );
}

#[test]
fn first_of_two_guarded_systems_advances_their_common_memory() {
    #[system(if = and(changed<Map>, is_open))]
    fn second(log: &mut Log) {
        log.push("second");
    }
    // Both guards are true in the run of the start, and the change is seen.
    compare(
        |all| all.add::<on_changed>().add::<second>(),
        &[
            (false, true, &["changed", "second"]),
            (true, false, &["changed"]),
            (false, true, &[]),
            (true, true, &["changed", "second"]),
        ],
        false,
    );
}

#[test]
fn failed_system_has_started_and_skipped_one_has_not() {
    #[system(if = changed<Map>)]
    fn fail(open: &Open, log: &mut Log) -> Result<(), BoxError> {
        log.push("fail");
        if open.0 { Ok(()) } else { Err("closed".into()) }
    }
    #[system(if = changed<Map>)]
    fn panic(open: &Open, log: &mut Log) {
        log.push("panic");
        assert!(open.0, "closed");
    }
    let runs = |name: &'static str| -> [(bool, bool, Vec<&'static str>); 3] {
        [
            (false, false, vec![name]),
            (false, false, vec![]),
            (true, true, vec![name]),
        ]
    };
    for (nth, runs) in [runs("fail"), runs("panic")].iter().enumerate() {
        let runs: Vec<_> = runs.iter().map(|(a, b, c)| (*a, *b, &c[..])).collect();
        compare(
            |all| {
                if nth == 0 {
                    all.add::<fail>()
                } else {
                    all.add::<panic>()
                }
            },
            &runs,
            false,
        );
    }
    #[system]
    fn guard(open: &Open) -> Result<(), BoxError> {
        if open.0 { Ok(()) } else { Err("closed".into()) }
    }
    // After the failure, the system is skipped, but its condition is asked.
    compare(
        |all| all.add::<guard>().add::<on_changed>().after::<guard>(),
        ONCE,
        false,
    );
}

#[test]
fn change_between_two_runs_of_a_slower_watcher_is_seen() {
    compare(
        |all| all.add::<on_changed>().run_if(Condition::of::<every<3>>()),
        &[
            (false, true, &[]),
            (false, true, &[]),
            (false, true, &["changed"]),
            (true, true, &[]),
            (false, true, &[]),
            (false, true, &["changed"]),
            (false, true, &[]),
            (false, true, &[]),
            (false, true, &[]),
        ],
        false,
    );
}

#[test]
fn removal_is_kept_until_a_system_starts() {
    #[system(if = and(removed<Map>, is_open))]
    fn mourn(log: &mut Log) {
        log.push("mourn");
    }
    for &on in On::EACH {
        let mut schedule = insertion_order(|all| all.add::<mourn>());
        on.set(&mut schedule);
        let mut resources = with_map();
        for (is_removed, is_open, expected) in [
            (false, true, &[][..]),
            (true, false, &[]),
            (false, false, &[]),
            (false, true, &["mourn"]),
            (false, true, &[]),
        ] {
            if is_removed {
                resources.remove::<Map>();
            }
            resources.insert(Open(is_open));
            assert_eq!(logged(&mut schedule, &mut resources), expected);
        }
    }
}

#[test]
fn change_in_a_loop_is_seen_in_its_iteration() {
    #[derive(Resource)]
    struct Left(u32);
    #[system]
    fn is_left(left: &mut Left) -> bool {
        left.0 = left.0.saturating_sub(1);
        left.0 > 0
    }
    #[system]
    fn write_odd(left: &Left, mut map: Mut<Map>, log: &mut Log) {
        if left.0 % 2 == 1 {
            map.0 += 1;
            log.push("write");
        } else {
            log.push("read");
        }
    }
    for on in [
        On::Serial,
        On::Auto,
        On::Threads(1),
        On::Threads(2),
        On::Threads(4),
    ] {
        let mut schedule = insertion_order(|all| {
            all.repeat_while::<is_left>(|body| {
                body.add::<write_odd>()
                    .add::<changed<Map>>()
                    .add::<on_changed>()
            })
        });
        on.set(&mut schedule);
        let mut resources = with_map();
        resources.insert(Left(5));
        let first = logged(&mut schedule, &mut resources);
        let rest = ["write", "changed", "read", "write", "changed"];
        assert_eq!(first, [&["read", "changed"][..], &rest].concat(), "{on:?}");
        resources.insert(Left(5));
        let second = logged(&mut schedule, &mut resources);
        assert_eq!(second, [&["read"][..], &rest].concat(), "{on:?}");
    }
}

#[test]
fn outer_condition_is_evaluated_once_for_all_iterations() {
    #[system]
    fn write_inside(map: &mut Map, log: &mut Log) {
        map.0 += 1;
        log.push("write");
    }
    let mut schedule = insertion_order(|all| {
        let mut n = 0;
        all.add::<changed<Map>>().repeat_while_closure(
            "loop",
            move || {
                n += 1;
                n % 3 != 0
            },
            |body| body.add::<on_changed>().add::<write_inside>(),
        )
    });
    let mut resources = with_map();
    let both = ["changed", "write", "changed", "write"];
    assert_eq!(logged(&mut schedule, &mut resources), both);
    // The writes of the last run come after the look.
    assert_eq!(logged(&mut schedule, &mut resources), both);
}

#[derive(Component)]
struct Height(u32);

/// Members of a sweep that are skipped after their parameters were fetched.
#[test]
fn skipped_member_of_a_sweep_has_seen_nothing() {
    #[system(for_each)]
    fn first(height: &mut Height, #[resource] open: &Open) {
        assert!(open.0, "closed");
        height.0 += 1;
    }
    #[system(for_each, after = first, if = changed<Map>)]
    fn second(height: &mut Height, #[resource] map: Ref<Map>) {
        height.0 += 10 + 100 * u32::from(map.is_changed());
    }
    for &on in On::EACH {
        for n_entities in [1, 40_000] {
            if cfg!(miri) && n_entities > 1 {
                continue;
            }
            let mut schedule = insertion_order(|all| {
                all.add::<changed<Map>>()
                    .before::<first>()
                    .add::<first>()
                    .add::<second>()
            });
            on.set(&mut schedule);
            assert_eq!(
                schedule.graph().sweeps.len(),
                1,
                "{:?}",
                schedule.report().apart
            );
            let mut resources = with_map();
            let mut world = World::new();
            let entity = world.spawn((Height(0),));
            for _ in 1..n_entities {
                world.spawn((Height(0),));
            }
            resources.insert(world);
            // `None`: the value of a failed run, which may be partly written.
            let runs = [
                (false, true, Some(111)),
                (false, true, Some(1)),
                (true, false, None),
                (false, false, None),
                (false, true, Some(111)),
                (false, true, Some(1)),
            ];
            for (nth, (is_written, is_open, expected)) in runs.into_iter().enumerate() {
                if is_written {
                    resources.get_mut::<Map>().unwrap().0 += 1;
                }
                resources.insert(Open(is_open));
                assert_eq!(schedule.run(&mut resources).is_ok(), is_open);
                let world = resources.get_mut::<World>().unwrap();
                let height = &mut world.get_mut::<Height>(entity).unwrap().0;
                let found = core::mem::take(height);
                if let Some(expected) = expected {
                    assert_eq!(found, expected, "run {nth} {on:?} {n_entities}");
                }
            }
        }
    }
}

/// A member of a sweep whose function panics for an entity.
#[test]
fn failed_member_of_a_sweep_has_started_and_looked() {
    #[system(for_each)]
    fn first(height: &mut Height) {
        height.0 += 1;
    }
    #[system(for_each, after = first, if = changed<Map>)]
    fn second(height: &mut Height, #[resource] open: &Open, #[resource] log: &Calls) {
        log.0.fetch_add(1, Ordering::Relaxed);
        assert!(open.0 || height.0 == 0, "closed");
    }
    #[system(for_each, after = first)]
    fn third(height: &mut Height, #[resource] open: &Open, #[resource] map: Ref<Map>) {
        assert!(open.0 || !map.is_changed() || height.0 == 0, "closed");
    }
    #[derive(Resource)]
    struct Calls(AtomicU32);
    for &on in On::EACH {
        for n_entities in [1, 40_000] {
            if cfg!(miri) && n_entities > 1 {
                continue;
            }
            let mut schedule = insertion_order(|all| {
                all.add::<changed<Map>>()
                    .before::<first>()
                    .add::<first>()
                    .add::<second>()
                    .add::<third>()
            });
            on.set(&mut schedule);
            assert_eq!(
                schedule.graph().sweeps[0].len(),
                3,
                "{:?}",
                schedule.report().apart
            );
            let mut resources = with_map();
            resources.insert(Calls(AtomicU32::new(0)));
            let mut world = World::new();
            for _ in 0..n_entities {
                world.spawn((Height(0),));
            }
            resources.insert(world);
            for (nth, is_open) in [true, true, false, false, true].into_iter().enumerate() {
                // Written before the first failure.
                if nth == 2 {
                    resources.get_mut::<Map>().unwrap().0 += 1;
                }
                resources.insert(Open(is_open));
                let n_failures = schedule
                    .run(&mut resources)
                    .map_or_else(|error| error.failures().len(), |()| 0);
                assert_eq!(n_failures, if nth == 2 { 2 } else { 0 }, "run {nth} {on:?}");
                let n_calls = resources.get_mut::<Calls>().unwrap().0.get_mut();
                let is_called = core::mem::take(n_calls) > 0;
                assert_eq!(is_called, nth == 0 || nth == 2, "run {nth} {on:?}");
            }
        }
    }
}
