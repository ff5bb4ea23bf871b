//! States: their transitions, and the systems that run in, before and after a state.

use schedule::prelude::*;
use schedule::state::{Overruled, Transition, changes, current, enters, leaves, transition};
use schedule::{Condition, Identity, NextState, State, run_one};

use crate::trace::races;
use crate::{Log, schedule_of, take_log, with_log};
use schedule_tests::on::On;

#[derive(Resource)]
struct Health(i32);

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
    Over,
}

#[test]
fn states_change_between_on_exit_and_on_enter_systems() {
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
        .policy(Policy::InsertionOrder)
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
        .run_if(Condition::state(Phase::Night))
        .add_closure("work", |log: &mut Log| log.push("work"))
        .run_if(Condition::state(Phase::Day));
    let mut schedule = declare.build().unwrap();
    for &on in On::EACH {
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert_entered_state(Phase::Day);
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
fn system_that_sets_a_state_must_be_ordered_against_its_transition() {
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
fn state_without_its_transition_is_never_entered() {
    let mut builder = Schedule::builder();
    builder.add_closure("end", || {}).on_enter(Phase::Over);
    let error = builder.build().unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    let text = error.to_string();
    assert!(
        text.contains("\n  `transition<Phase>` is not in this schedule, but "),
        "{text}"
    );
    assert!(
        text.ends_with("\n      help: add `transition<Phase>` of `schedule::state`"),
        "{text}"
    );
    let mut builder = Schedule::builder();
    builder.add_closure("end", || {}).on_exit(Phase::Over);
    let text = builder.build().unwrap_err().to_string();
    assert!(
        text.ends_with("\n      help: add `transition<Phase>` of `schedule::state`"),
        "{text}"
    );
    // If only an order names the system, the error suggests only systems that were added.
    let mut builder = Schedule::builder();
    builder.add_closure("end", || {}).on_exit(Phase::Over);
    builder.order("Transition<Phase>s", "end");
    let text = builder.build().unwrap_err().to_string();
    assert!(!text.contains("did you mean"), "{text}");
    let mut builder = Schedule::builder();
    builder
        .add_closure("end", || {})
        .run_if(Condition::of::<changes<Phase>>());
    let mut schedule = builder.build().unwrap();
    let missing = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    assert!(
        missing.contains("`NextState<Phase>`, needed by `changes<Phase>`"),
        "{missing}"
    );
}

#[test]
fn on_enter_systems_may_be_in_a_loop() {
    let mut schedule = schedule_of(|builder| {
        builder.add::<transition<Phase>>().repeat_while_closure(
            "twice",
            |mut n: Local<'_, u32>| {
                *n = (*n + 1) % 3;
                *n > 0
            },
            |body| {
                body.add_closure("dusk", |log: &mut Log| log.push("dusk"))
                    .on_enter(Phase::Night)
            },
        )
    });
    let mut resources = with_log();
    resources.insert_state(Phase::Day);
    request(&mut resources, |next| next.set(Phase::Night));
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["dusk", "dusk"]);
    schedule.run(&mut resources).unwrap();
    assert!(take_log(&mut resources).is_empty());
}

#[test]
fn order_against_a_library_system_is_suggested_at_the_user_system() {
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
fn error_for_a_missing_state_suggests_insert_state() {
    let mut schedule = Schedule::builder()
        .add::<transition<Phase>>()
        .build()
        .unwrap();
    let text = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    let helps: Vec<_> = text.lines().filter(|line| line.contains("help")).collect();
    assert_eq!(
        helps,
        [
            "      help: insert it before the run, with `resources.insert_state(…)`",
            "      help: insert it before the run, with `resources.insert_state(…)`",
        ]
    );
}

#[test]
fn missing_resource_suggests_an_option_only_for_user_systems() {
    #[system(before = transition::<Phase>)]
    fn look(_: &mut State<Phase>) {}
    let mut schedule = Schedule::builder()
        .add::<transition<Phase>>()
        .add::<look>()
        .build()
        .unwrap();
    let text = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    assert!(
        text.contains(", or take `Option<&mut State<Phase>>`"),
        "{text}"
    );
    assert!(!text.contains("Option<&mut NextState<Phase>>"), "{text}");
}

#[test]
fn missing_user_type_named_state_has_no_hint_of_insert_state() {
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

fn request(resources: &mut Resources, ask: impl FnOnce(&mut NextState<Phase>)) {
    ask(resources.get_mut::<NextState<Phase>>().unwrap());
}

fn phase(resources: &Resources) -> Phase {
    resources.get::<State<Phase>>().unwrap().get()
}

/// Systems that log the left state, the entered state, and the current state. Built by both front ends.
fn comings_and_goings() -> [Schedule; 2] {
    #[system(after = transition::<Phase>, if = (changes<Phase>, is(enters<Phase>, Phase::Day)))]
    fn dawn(log: &mut Log) {
        log.push("enter day");
    }
    #[system(after = transition::<Phase>, if = is(enters<Phase>, Phase::Night))]
    fn dusk(log: &mut Log) {
        log.push("enter night");
    }
    #[system(before = transition::<Phase>, if = (changes<Phase>, is(leaves<Phase>, Phase::Day)))]
    fn end_of_day(log: &mut Log) {
        log.push("leave day");
    }
    #[system(before = transition::<Phase>, if = is(leaves<Phase>, Phase::Night))]
    fn end_of_night(log: &mut Log) {
        log.push("leave night");
    }
    #[system(after = (dawn, dusk), if = is(current<Phase>, Phase::Day))]
    fn work(log: &mut Log) {
        log.push("day");
    }
    schedule! {
        Listed { transition<Phase>, dawn, dusk, end_of_day, end_of_night, work }
    }
    let by_builder = schedule_of(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("end_of_day", |log: &mut Log| log.push("leave day"))
            .on_exit(Phase::Day)
            .add_closure("end_of_night", |log: &mut Log| log.push("leave night"))
            .on_exit(Phase::Night)
            .add::<transition<Phase>>()
            .add_closure("dawn", |log: &mut Log| log.push("enter day"))
            .on_enter(Phase::Day)
            .add_closure("dusk", |log: &mut Log| log.push("enter night"))
            .on_enter(Phase::Night)
            .add_closure("work", |log: &mut Log| log.push("day"))
            .run_if(Condition::state(Phase::Day))
    });
    [Listed::new(), by_builder]
}

#[test]
fn the_first_transition_enters_the_first_state_and_leaves_none() {
    for mut schedule in comings_and_goings() {
        for &on in On::EACH {
            on.set(&mut schedule);
            let mut resources = with_log();
            resources.insert_state(Phase::Day);
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["enter day", "day"], "{on:?}");
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["day"], "{on:?}");
        }
    }
}

#[test]
fn a_state_that_is_requested_before_the_first_transition_is_entered_instead() {
    for mut schedule in comings_and_goings() {
        for (requested, expected) in [
            (Phase::Night, &["enter night"][..]),
            (Phase::Day, &["enter day", "day"]),
        ] {
            let mut resources = with_log();
            resources.insert_state(Phase::Day);
            request(&mut resources, |next| next.set(requested));
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), expected);
            schedule.run(&mut resources).unwrap();
            assert_eq!(phase(&resources), requested);
        }
    }
}

#[test]
fn withdrawn_request_still_enters_the_first_state() {
    for mut schedule in comings_and_goings() {
        for requested in [None, Some(Phase::Night), Some(Phase::Day)] {
            let mut resources = with_log();
            resources.insert_state(Phase::Day);
            request(&mut resources, |next| {
                if let Some(requested) = requested {
                    next.set(requested);
                }
                next.clear();
                assert_eq!(next.get(), None);
            });
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["enter day", "day"]);
            request(&mut resources, |next| {
                next.reenter(Phase::Day);
                next.clear();
            });
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["day"], "entered only once");
        }
    }
}

#[test]
fn state_inserted_as_entered_is_left_but_not_entered() {
    for mut schedule in comings_and_goings() {
        let mut resources = with_log();
        resources.insert_entered_state(Phase::Day);
        schedule.run(&mut resources).unwrap();
        assert_eq!(take_log(&mut resources), ["day"]);
        request(&mut resources, |next| next.set(Phase::Night));
        schedule.run(&mut resources).unwrap();
        assert_eq!(take_log(&mut resources), ["leave day", "enter night"]);
    }
}

#[test]
fn request_for_the_current_state_is_ignored_unless_reentry_is_requested() {
    for mut schedule in comings_and_goings() {
        for &on in On::EACH {
            on.set(&mut schedule);
            let mut resources = with_log();
            resources.insert_state(Phase::Day);
            schedule.run(&mut resources).unwrap();
            take_log(&mut resources);
            for _ in 0..10 {
                request(&mut resources, |next| next.set(Phase::Day));
                schedule.run(&mut resources).unwrap();
                assert_eq!(take_log(&mut resources), ["day"], "{on:?}");
            }
            request(&mut resources, |next| next.reenter(Phase::Day));
            schedule.run(&mut resources).unwrap();
            let log = take_log(&mut resources);
            assert_eq!(log, ["leave day", "enter day", "day"], "{on:?}");
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["day"], "{on:?}");
        }
    }
}

#[test]
fn request_with_the_highest_priority_then_the_last_one_applies() {
    type Ask = fn(&mut NextState<Phase>);
    const NIGHT: Ask = |next| next.set(Phase::Night);
    const OVER: Ask = |next| next.set(Phase::Over);
    const DAY: Ask = |next| next.set(Phase::Day);
    const URGENTLY_OVER: Ask = |next| next.set_with_priority(Phase::Over, 1);
    const MAYBE_OVER: Ask = |next| next.set_with_priority(Phase::Over, -1);
    let overruled = |state, by| Some(Overruled { state, by });
    for (asked, expected, last_overruled, n_overruled) in [
        (
            [NIGHT, OVER],
            Phase::Over,
            overruled(Phase::Night, Phase::Over),
            1,
        ),
        (
            [OVER, NIGHT],
            Phase::Night,
            overruled(Phase::Over, Phase::Night),
            1,
        ),
        (
            [URGENTLY_OVER, NIGHT],
            Phase::Over,
            overruled(Phase::Night, Phase::Over),
            1,
        ),
        (
            [NIGHT, URGENTLY_OVER],
            Phase::Over,
            overruled(Phase::Night, Phase::Over),
            1,
        ),
        (
            [NIGHT, MAYBE_OVER],
            Phase::Night,
            overruled(Phase::Over, Phase::Night),
            1,
        ),
        ([NIGHT, NIGHT], Phase::Night, None, 0),
        // The last value requests no transition.
        (
            [NIGHT, DAY],
            Phase::Day,
            overruled(Phase::Night, Phase::Day),
            1,
        ),
    ] {
        let [first, second] = asked;
        let mut schedule = schedule_of(|builder| {
            builder
                .add_closure("second", move |next: &mut NextState<Phase>| second(next))
                .before::<Transition<Phase>>()
                .add_closure("first", move |next: &mut NextState<Phase>| first(next))
                .before::<Transition<Phase>>()
                .order("first", "second")
                .add::<transition<Phase>>()
        });
        for &on in On::EACH {
            on.set(&mut schedule);
            let mut resources = Resources::new();
            resources.insert_state(Phase::Day);
            on.run(&mut schedule, &mut resources).unwrap();
            assert_eq!(phase(&resources), expected, "{on:?}");
            let next = resources.get::<NextState<Phase>>().unwrap();
            assert_eq!(next.overruled(), last_overruled, "{on:?}");
            assert_eq!(next.n_overruled(), n_overruled, "{on:?}");
        }
    }
}

#[test]
fn two_systems_whose_guards_exclude_all_branches_race() {
    // Without a transition, `enters` gives none of its answers, so both systems run, and race.
    let mut builder = Schedule::builder();
    for name in ["a", "b"] {
        let is = |phase| Condition::chosen::<enters<Phase>, _>(phase);
        builder
            .add_closure(name, |log: &mut Log| log.push("quiet"))
            .after::<transition<Phase>>()
            .run_if(!is(Phase::Day) & !is(Phase::Night))
            .run_if(!is(Phase::Over));
    }
    builder.add::<transition<Phase>>();
    assert_eq!(races(&mut builder).len(), 1);
}

/// A command requests a state.
mod by_commands {
    use super::*;

    #[derive(Checkpoint)]
    struct Decided;

    #[derive(Checkpoint)]
    struct Spawned;

    #[system(before = Decided)]
    fn decide(mut commands: Commands) {
        commands.push(|resources| request(resources, |next| next.set(Phase::Night)));
    }

    #[system(after = transition::<Phase>, before = Spawned, if = (changes<Phase>, is(enters<Phase>, Phase::Night)))]
    fn spawn(log: &mut Log, mut commands: Commands<Inserts<Health>>) {
        log.push("spawn");
        commands.insert(Health(3));
    }

    #[system(before = transition::<Phase>, after = Decided, if = (changes<Phase>, is(leaves<Phase>, Phase::Day)))]
    fn clean(log: &mut Log) {
        log.push("clean");
    }

    #[system(after = Spawned, if = is(current<Phase>, Phase::Night))]
    fn sleep(health: &Health, log: &mut Log) {
        assert_eq!(health.0, 3);
        log.push("sleep");
    }

    #[system(before = Decided, if = is(state, Phase::Day))]
    fn work(log: &mut Log) {
        log.push("work");
    }

    #[system]
    fn state(state: &State<Phase>) -> Phase {
        state.get()
    }

    schedule! {
        Listed {
            decide,
            work,
            apply_commands Decided,
            clean,
            transition<Phase>: after Decided before Spawned,
            spawn,
            apply_commands Spawned,
            sleep,
        }
    }

    fn by_builder() -> Schedule {
        schedule_of(|builder| {
            builder
                .add::<sleep>()
                .apply_commands::<Spawned>()
                .add::<spawn>()
                .add::<transition<Phase>>()
                .after::<Decided>()
                .before::<Spawned>()
                .add::<clean>()
                .apply_commands::<Decided>()
                .add::<decide>()
                .add::<work>()
        })
    }

    #[test]
    fn implied_conditions_run_between_each_sync_point_and_their_guarded_systems() {
        for mut schedule in [Listed::new(), by_builder()] {
            for &on in On::EACH {
                on.set(&mut schedule);
                let mut resources = with_log();
                resources.insert_entered_state(Phase::Day);
                schedule.run(&mut resources).unwrap();
                let log = take_log(&mut resources);
                assert_eq!(log, ["work", "clean", "spawn", "sleep"], "{on:?}");
                schedule.run(&mut resources).unwrap();
                assert_eq!(take_log(&mut resources), ["sleep"], "{on:?}");
            }
            let names: Vec<&str> = schedule.systems().collect();
            let place = |name: &str| names.iter().position(|one| *one == name).unwrap();
            assert!(place("decide") < place("changes<Phase>"));
            assert!(place("spawn") < place("current<Phase>"));
        }
    }

    #[test]
    fn implied_condition_adds_no_other_order_against_a_sync_point() {
        // The system under `enters` runs after the sync point and after `transition`, but these two have no order.
        let mut builder = Schedule::builder();
        builder
            .apply_commands::<Decided>()
            .add::<transition<Phase>>()
            .add_closure("late", || {})
            .after::<Decided>()
            .on_enter(Phase::Night);
        let races = races(&mut builder);
        let pair = ("Decided".to_string(), "transition<Phase>".to_string());
        assert!(races.contains(&pair), "{races:?}");
    }

    #[test]
    fn why_explains_a_sync_point_before_an_implied_condition() {
        let schedule = by_builder();
        let text = schedule
            .why("Decided", "changes<Phase>")
            .unwrap()
            .to_string();
        let expected =
            "because every system with the run condition `changes<Phase>` comes after `Decided`";
        assert!(text.contains(expected), "{text}");
        let lock = schedule.lock().to_string();
        assert!(
            lock.contains("Decided -> changes<Phase>, before systems with this run condition"),
            "{lock}"
        );
    }
}
