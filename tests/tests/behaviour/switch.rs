//! Nodes that are switched off and on. For random ones, see `random` and `levels`.

use schedule::prelude::*;
use schedule::{Builder, Condition, RunError, Target};

use crate::trace::{Trace, named};
use crate::{Log, insertion_order, schedule_of, take_log, with_log};
use schedule_tests::on::On;

#[derive(Group)]
struct Weather;

#[derive(Group)]
struct Storm;

#[derive(Checkpoint)]
struct Noon;

#[derive(Debug, PartialEq, Resource)]
struct Level(u32);

#[system]
fn is_wet(log: &mut Log) -> bool {
    log.push("is_wet");
    true
}

#[system(if = is_wet)]
fn rain(log: &mut Log, mut n_runs: Local<u32>) {
    *n_runs += 1;
    log.push(["", "first", "second", "third"][*n_runs as usize]);
}

#[system]
fn play(level: &mut Level, log: &mut Log) {
    level.0 += 1;
    log.push("play");
}

#[system]
fn load(mut commands: Commands<Inserts<Level>>) {
    commands.insert(Level(0));
}

/// Adds three systems in a chain.
fn chain<'b>(builder: &'b mut Builder, trace: &Trace) -> &'b mut Builder {
    builder
        .add_dynamic(trace.failing("p"))
        .add_dynamic(trace.system("x"))
        .add_dynamic(trace.system("q"))
        .order("p", "x")
        .order("x", "q")
}

#[test]
fn disabled_system_does_not_run_and_keeps_its_state() {
    let mut schedule = schedule_of(|builder| builder.add::<rain>());
    let mut resources = with_log();
    for (is_enabled, ran) in [
        (true, &["is_wet", "first"][..]),
        (false, &["is_wet"]),
        (false, &["is_wet"]),
        (true, &["is_wet", "second"]),
    ] {
        schedule
            .set_enabled(Target::of::<rain>(), is_enabled)
            .unwrap();
        assert_eq!(schedule.is_enabled("rain").unwrap(), is_enabled);
        schedule.run(&mut resources).unwrap();
        assert_eq!(take_log(&mut resources), ran);
    }
}

#[test]
fn disabled_condition_is_not_evaluated_and_its_systems_do_not_run() {
    // The condition is implied.
    let mut schedule = schedule_of(|builder| builder.add::<rain>());
    let mut resources = with_log();
    schedule.set_enabled(Target::of::<is_wet>(), false).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), Vec::<&str>::new());
    schedule.set_enabled(Target::of::<is_wet>(), true).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["is_wet", "first"]);
}

#[test]
fn disabled_condition_makes_its_negation_false() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_closure("is_dry", || true)
        .add_dynamic(trace.system("if dry"))
        .run_if(Condition::added("is_dry"))
        .add_dynamic(trace.system("if not dry"))
        .run_if(!Condition::added("is_dry"));
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled("is_dry", false).unwrap();
    let none: [&str; 0] = [];
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), none);
}

#[test]
fn failure_skips_dependents_through_a_disabled_node() {
    let trace = Trace::default();
    for &on in On::ALL {
        let mut builder = Schedule::builder();
        let mut schedule = chain(&mut builder, &trace).build().unwrap();
        on.set(&mut schedule);
        schedule.set_enabled("x", false).unwrap();
        for _ in 0..2 {
            let error = schedule.run(&mut named(&[])).unwrap_err();
            let skipped: Vec<_> = error.skipped().iter().map(|one| &one.name).collect();
            assert_eq!(skipped, ["q"], "{on:?}");
            assert_eq!(trace.take(), ["p"], "{on:?}");
        }
        schedule.set_enabled("x", true).unwrap();
        schedule.set_enabled("p", false).unwrap();
        schedule.run(&mut named(&[])).unwrap();
        assert_eq!(trace.take(), ["x", "q"], "{on:?}");
    }
}

#[test]
fn disabling_a_group_disables_its_members() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a"))
        .in_group::<Weather>()
        .add_dynamic(trace.system("b"))
        .in_group::<Storm>()
        .add_dynamic(trace.system("c"))
        .group::<Storm>()
        .in_group::<Weather>();
    let mut schedule = builder.build().unwrap();
    schedule
        .set_enabled(Target::of::<Weather>(), false)
        .unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), ["c"]);
    schedule.set_enabled(Target::of::<Storm>(), true).unwrap();
    assert!(!schedule.is_enabled(Target::of::<Weather>()).unwrap());
    assert!(schedule.is_enabled(Target::of::<Storm>()).unwrap());
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), ["b", "c"]);
}

#[test]
fn disabled_loop_runs_neither_condition_nor_body() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let mut is_first = false;
    let asked = trace.clone();
    let condition = move || {
        asked.push("again?");
        is_first = !is_first;
        is_first
    };
    builder.repeat_while_closure("loop", condition, |body| {
        body.add_dynamic(trace.system("part"))
    });
    builder.add_dynamic(trace.system("behind"));
    builder.order("loop", "behind");
    let mut schedule = builder.build().unwrap();
    let on = ["again?", "part", "again?", "behind"];
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), on);
    schedule.set_enabled("loop", false).unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), ["behind"]);
    schedule.set_enabled("loop", true).unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), on);
}

#[test]
fn resources_used_only_by_disabled_systems_are_not_required() {
    let mut schedule = schedule_of(|builder| builder.add::<play>());
    let mut resources = with_log();
    assert!(schedule.run(&mut resources).is_err());
    schedule.set_enabled("play", false).unwrap();
    for _ in 0..2 {
        schedule.run(&mut resources).unwrap();
    }
    schedule.set_enabled("play", true).unwrap();
    let error = schedule.run(&mut resources).unwrap_err();
    assert!(matches!(error, RunError::Missing(_)), "{error}");
    resources.insert(Level(4));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Level>(), Some(&Level(5)));
}

#[test]
fn resources_of_a_disabled_loop_body_are_not_required() {
    let mut builder = Schedule::builder();
    builder.repeat_while_closure("loop", || false, |body| body.add::<play>());
    let mut schedule = builder.build().unwrap();
    let mut resources = with_log();
    schedule.set_enabled("loop", false).unwrap();
    schedule.run(&mut resources).unwrap();
    schedule.set_enabled("loop", true).unwrap();
    assert!(schedule.run(&mut resources).is_err());
}

#[test]
fn resource_inserted_by_commands_of_a_disabled_system_is_required() {
    let mut builder = Schedule::builder();
    builder
        .add::<load>()
        .apply_commands::<Noon>()
        .after::<load>()
        .add::<play>()
        .after::<Noon>();
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled("load", false).unwrap();
    let error = schedule.run(&mut with_log()).unwrap_err();
    assert!(matches!(error, RunError::Missing(_)), "{error}");
    schedule.set_enabled("load", true).unwrap();
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Level>(), Some(&Level(1)));
}

#[test]
fn disabled_sync_point_leaves_commands_to_the_end_of_the_run() {
    let mut builder = Schedule::builder();
    builder
        .add::<load>()
        .apply_commands::<Noon>()
        .after::<load>()
        .add_closure("look", |level: Option<&Level>, log: &mut Log| {
            log.push(if level.is_some() {
                "there"
            } else {
                "not there"
            });
        })
        .after::<Noon>();
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled(Target::of::<Noon>(), false).unwrap();
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["not there", "there"]);
}

#[test]
fn disabling_a_missing_or_ambiguous_name_is_an_error_and_changes_nothing() {
    let mut schedule =
        insertion_order(|builder| builder.add::<rain>().add::<rain>().named("second"));
    let error = schedule.set_enabled("secnod", false).unwrap_err();
    let line = line!() - 1;
    let text = format!(
        "`secnod` is not in this schedule, but {}:{line} refers to it\n      help: add it; or did you mean `second`?",
        file!()
    );
    assert_eq!(error.to_string(), text);
    let error = schedule
        .set_enabled(Target::of::<rain>(), false)
        .unwrap_err();
    assert!(error.to_string().contains("matches several"), "{error}");
    assert!(schedule.is_enabled(Target::of::<Weather>()).is_err());
    assert!(schedule.is_enabled("rain").unwrap() && schedule.is_enabled("second").unwrap());
}

#[test]
fn debug_text_of_a_schedule_shows_disabled_nodes() {
    let mut schedule = schedule_of(|builder| builder.add::<rain>());
    schedule.set_enabled("rain", false).unwrap();
    let text = "schedule `schedule`\n  is_wet\n  rain, if is_wet, disabled";
    assert_eq!(format!("{schedule:?}"), text);
}

#[test]
fn commands_of_a_system_enabled_again_are_applied() {
    for &on in On::ALL {
        let mut schedule = schedule_of(|builder| {
            builder.add_closure("raise", |mut commands: Commands| {
                commands.push(|resources| resources.get_mut::<Level>().unwrap().0 += 1);
            })
        });
        on.set(&mut schedule);
        let mut resources = Resources::new();
        resources.insert(Level(0));
        for (is_enabled, level) in [(true, 1), (false, 1), (true, 2), (true, 3)] {
            schedule.set_enabled("raise", is_enabled).unwrap();
            schedule.run(&mut resources).unwrap();
            assert_eq!(resources.get::<Level>().unwrap().0, level, "{on:?}");
        }
    }
}
