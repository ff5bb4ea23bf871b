//! States: where they change, and what runs in them, before and after.

use schedule::prelude::*;
use schedule::{Condition, Identity, NextState, State, Transition, changes, run_one, transition};

use crate::on::On;
use crate::trace::races;
use crate::{Log, schedule_of, take_log, with_log};

#[derive(Resource)]
struct Health(i32);

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
    Over,
}

#[test]
fn states_change_at_one_place_between_exit_and_enter() {
    #[system(before = Transition<Phase>)]
    fn decide(health: &Health, next: &mut NextState<Phase>) {
        match health.0 {
            1 => next.set(Phase::Night),
            2 => next.set(Phase::Over),
            _ => {}
        }
    }
    let mut declare = Schedule::builder();
    declare
        .policy(Policy::AsAdded)
        .add::<decide>()
        .add::<transition<Phase>>()
        .add_closure("dawn", |log: &mut Log, state: &State<Phase>| {
            assert_eq!(state.get(), Phase::Day);
            log.push("day ends");
        })
        .on_exit(Phase::Day)
        .add_closure("dusk", |log: &mut Log, state: &State<Phase>| {
            assert_eq!(state.get(), Phase::Night);
            log.push("night begins");
        })
        .on_enter(Phase::Night)
        .add_closure("sleep", |log: &mut Log| log.push("sleep"))
        .guard(Condition::state(Phase::Night))
        .add_closure("work", |log: &mut Log| log.push("work"))
        .guard(Condition::state(Phase::Day));
    let mut schedule = declare.build().unwrap();
    for &on in On::EACH {
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert_state(Phase::Day);
        let mut logs = Vec::new();
        for health in [0, 1, 0, 2, 0] {
            resources.insert(Health(health));
            schedule.run(&mut resources).unwrap();
            logs.push(take_log(&mut resources).join(", "));
        }
        assert_eq!(
            logs,
            ["work", "day ends, night begins, sleep", "sleep", "", ""],
            "{on:?}"
        );
    }
}

#[test]
fn who_sets_a_state_has_to_say_when() {
    #[system]
    fn set(next: &mut NextState<Phase>) {
        next.set(Phase::Over);
    }
    let mut builder = Schedule::builder();
    builder
        .add::<set>()
        .add::<transition<Phase>>()
        .add_closure("end", || {})
        .on_enter(Phase::Over);
    let mut races = races(&mut builder);
    races.sort();
    let names: Vec<&str> = races.iter().map(|race| race.1.as_str()).collect();
    assert_eq!(
        names,
        ["changes<Phase>", "enters<Phase>", "transition<Phase>"]
    );
}

#[test]
fn without_its_transition_a_state_is_never_entered() {
    let mut builder = Schedule::builder();
    builder.add_closure("end", || {}).on_enter(Phase::Over);
    let error = builder.build().unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    let text = error.to_string();
    assert!(
        text.contains("\n  `transition<Phase>` was never added"),
        "{text}"
    );
    let mut builder = Schedule::builder();
    builder
        .add_closure("end", || {})
        .only_if::<changes<Phase>>();
    let mut schedule = builder.build().unwrap();
    let missing = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    assert!(
        missing.contains("`NextState<Phase>`, needed by `changes<Phase>`"),
        "{missing}"
    );
}

#[test]
fn what_a_state_is_entered_by_may_be_in_a_loop() {
    let mut schedule = schedule_of(|builder| {
        builder.add::<transition<Phase>>().repeat_while_closure(
            "twice",
            |mut n: Local<'_, u32>| {
                *n = (*n + 1) % 3;
                *n > 0
            },
            |parts| {
                parts
                    .add_closure("dusk", |log: &mut Log| log.push("dusk"))
                    .on_enter(Phase::Night)
            },
        )
    });
    let mut resources = with_log();
    resources.insert_state(Phase::Day);
    let next = resources.get_mut::<NextState<Phase>>().unwrap();
    next.set(Phase::Night);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["dusk", "dusk"]);
    schedule.run(&mut resources).unwrap();
    assert!(take_log(&mut resources).is_empty());
}

#[test]
fn a_race_with_a_system_of_the_library_is_mended_at_the_other() {
    #[system]
    fn turn(next: &mut NextState<Phase>) {
        next.set(Phase::Over);
    }
    let mut builder = Schedule::builder();
    let error = builder.add::<turn>().add::<transition<Phase>>().build();
    let text = error.unwrap_err().to_string();
    let help =
        "help: this order ends the race\n      `#[system(before = transition<Phase>)]` on `turn` (";
    assert!(text.contains(help), "{text}");
}

#[test]
fn a_missing_state_is_reported_with_what_inserts_it() {
    let mut schedule = Schedule::builder()
        .add::<transition<Phase>>()
        .build()
        .unwrap();
    let text = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    let helps: Vec<_> = text.lines().filter(|line| line.contains("help")).collect();
    assert_eq!(
        helps,
        [
            "      help: insert it before the run, with `resources.insert_state(…)`, or take `Option<&mut State<Phase>>`",
            "      help: insert it before the run, with `resources.insert_state(…)`, or take `Option<&mut NextState<Phase>>`",
        ]
    );
}

#[test]
fn a_missing_resource_named_as_a_state_is_reported_without_it() {
    #[derive(Resource)]
    struct State<T>(T);

    #[system]
    fn look(_: &State<u32>) {}

    let text = run_one::<look>(&mut Resources::new())
        .unwrap_err()
        .to_string();
    assert!(text.contains("`State<u32>`"), "{text}");
    assert!(!text.contains("insert_state"), "{text}");
}
