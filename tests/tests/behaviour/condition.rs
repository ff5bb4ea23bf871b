//! Conditions, selectors, states and rates in schedules: what is asked, what is refused, and what each refusal says.

use core::time::Duration;

use schedule::prelude::*;
use schedule::{
    Builder, Clock, Condition, Executor, Identity, NextState, Rate, State, Transition, changes,
    is_due, tick, transition,
};

use crate::on::On;
use crate::trace::{Trace, races};
use crate::{Log, failures, schedule_of, take_log, with_log};

#[derive(Debug, Default, PartialEq, Resource)]
struct Health(i32);

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
    Over,
}

#[derive(Group)]
struct Meal;

#[system]
fn is_well(health: &Health, log: &mut Log) -> bool {
    log.push("is_well");
    health.0 > 0
}

#[system(if = is_well)]
fn is_hungry(log: &mut Log) -> bool {
    log.push("is_hungry");
    true
}

#[system(after = is_hungry, if = is_hungry)]
fn eat(log: &mut Log) {
    log.push("eat");
}

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

const FILE: &str = file!();

/// What the one problem of a schedule says, without the schedule's name and with `FILE` for this file.
fn problem(declare: impl FnOnce(&mut Builder) -> &mut Builder) -> String {
    let error = declare(&mut Schedule::builder()).build().unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    let text = error.to_string();
    let (_, text) = text.split_once("\n  ").unwrap();
    // Lines change with every test above.
    let mut plain = String::new();
    for (i, part) in text.split(FILE).enumerate() {
        let digits = |c: char| c == ':' || c.is_ascii_digit();
        let part = if i == 0 {
            part
        } else {
            part.trim_start_matches(digits)
        };
        plain += if i == 0 { "" } else { "FILE" };
        plain += part;
    }
    plain
}

#[test]
fn conditions_come_with_their_own() {
    let mut schedule = schedule_of(|builder| builder.add::<eat>());
    schedule.set_executor(Executor::Serial);
    let mut resources = with_log();
    resources.insert(Health(1));
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["is_well", "is_hungry", "eat"]);
    resources.insert(Health(0));
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["is_well"]);
}

#[test]
fn a_condition_that_touches_what_others_write_races_with_them() {
    let mut builder = Schedule::builder();
    builder.add::<poison>().add::<eat>();
    assert_eq!(
        races(&mut builder),
        [("poison".to_string(), "is_well".to_string())]
    );
    let mut builder = Schedule::builder();
    builder.add::<poison>().add::<eat>().after::<poison>();
    assert_eq!(
        races(&mut builder).len(),
        1,
        "the order of `eat` moves no condition"
    );
    let mut builder = Schedule::builder();
    builder.add::<poison>().before::<is_well>().add::<eat>();
    assert!(races(&mut builder).is_empty());
}

#[test]
fn a_condition_without_an_answer_is_refused() {
    assert_eq!(
        problem(|builder| builder
            .policy(Policy::AsAdded)
            .add::<eat>()
            .only_if::<poison>()),
        "`poison` (FILE) answers nothing, and is named as a condition at FILE\n      \
         help: let it return `bool`"
    );
}

#[test]
fn another_answer_than_the_one_that_is_wanted_is_refused() {
    #[system]
    fn phase() -> Phase {
        Phase::Day
    }
    assert_eq!(
        problem(|builder| builder.add::<poison>().only_if::<phase>()),
        "`phase` (FILE) answers `Phase`, and at FILE a `bool` is wanted\n      \
         help: let it return `bool`"
    );
}

#[test]
fn what_guards_itself_is_refused() {
    assert_eq!(
        problem(|builder| builder.add::<is_well>().only_if::<is_well>()),
        "`is_well` (FILE) is guarded by itself, at FILE\n      \
         help: guard it by another condition"
    );
}

#[test]
fn a_loop_as_a_condition_is_refused() {
    assert_eq!(
        problem(|builder| builder
            .policy(Policy::AsAdded)
            .repeat_while::<is_well>(|parts| parts)
            .add::<poison>()
            .guard(Condition::added("is_well"))),
        "the loop `is_well` (FILE) is named as a condition at FILE\n      \
         help: its condition is asked once for each iteration; add one of its own for the guard"
    );
}

#[test]
fn a_condition_that_is_only_deeper_is_refused() {
    let text = problem(|builder| {
        builder
            .policy(Policy::AsAdded)
            .repeat_while_closure("loop", || false, |parts| parts.add::<is_well>())
            .add::<poison>()
            .only_if::<is_well>()
    });
    assert_eq!(
        text,
        "`poison` (FILE) is guarded at FILE by `is_well` (FILE), which is in a loop that `poison` (FILE) is not in\n      \
         help: add the condition at the level of what it guards, or further out"
    );
}

#[test]
fn a_loop_against_its_part_is_refused() {
    let text = problem(|builder| {
        builder
            .policy(Policy::AsAdded)
            .repeat_while::<is_well>(|parts| parts.add::<poison>())
            .named("meals")
            .order("poison", "meals")
    });
    assert_eq!(
        text,
        "`poison` (FILE) is in the loop `meals` (FILE) and is ordered against it at FILE\n      \
         help: order it against the other parts, or the loop against what is outside"
    );
}

#[test]
fn a_group_over_levels_is_refused() {
    let text = problem(|builder| {
        builder
            .policy(Policy::AsAdded)
            .add_closure("outside", || {})
            .in_group::<Meal>()
            .repeat_while::<is_well>(|parts| parts.add_closure("inside", || {}).in_group::<Meal>())
    });
    assert_eq!(
        text,
        "group `Meal` has members of several levels: `outside` (FILE) and `inside` (FILE)\n      \
         help: a loop counts as one: make the whole loop a member, or a group for each level"
    );
}

#[test]
fn a_bound_for_what_is_no_loop_is_refused() {
    assert_eq!(
        problem(|builder| builder.add::<poison>().at_most(3)),
        "what `at_most` is said about at FILE is no loop\n      \
         help: say it behind the parts of the loop: `.repeat_while::<…>(|…| …).at_most(…)`"
    );
}

#[test]
fn a_cycle_through_a_loop_names_it_once() {
    let text = problem(|builder| {
        builder
            .policy(Policy::AsAdded)
            .repeat_while::<is_well>(|parts| parts.add_closure("a", || {}).add_closure("b", || {}))
            .add_closure("outside", || {})
            .order("outside", "a")
            .order("b", "outside")
    });
    assert_eq!(
        text,
        "cycle: `is_well` -> `outside` -> `is_well`\n      \
         `is_well` -> `outside`   declared at FILE\n      \
         `outside` -> `is_well`   declared at FILE"
    );
}

#[test]
fn a_group_that_is_not_let_asks_no_condition_of_its_members() {
    let trace = Trace::default();
    let condition = |name: &'static str, answer: bool| {
        let trace = trace.clone();
        schedule::DynamicSystem::new(name, move |_| {
            trace.push(name);
            answer
        })
    };
    for (answer, expected) in [(true, "gate own shared a b"), (false, "gate shared b")] {
        let mut schedule = schedule_of(|builder| {
            builder
                .add_dynamic(condition("gate", answer))
                .add_dynamic(condition("own", true))
                .add_dynamic(condition("shared", true))
                .add_dynamic(trace.system("a"))
                .in_group::<Meal>()
                .guard(Condition::added("own") & Condition::added("shared"))
                .add_dynamic(trace.system("b"))
                .guard(Condition::added("shared"))
                .group::<Meal>()
                .guard(Condition::added("gate"))
        });
        let ran = trace.of(&mut schedule, &mut Resources::new());
        assert_eq!(ran.join(" "), expected);
    }
}

#[test]
fn what_was_not_asked_makes_all_false_that_names_it() {
    let trace = Trace::default();
    let no = Condition::closure("no", || false);
    let mut schedule = Schedule::builder();
    schedule.add_closure("unasked", || true).guard(no.clone());
    let unasked = Condition::added("unasked");
    for (name, guard) in [
        ("plain", unasked.clone()),
        ("not", !unasked.clone()),
        ("or", unasked.clone() | !no.clone()),
        ("not no", !no.clone()),
    ] {
        schedule.add_dynamic(trace.system(name)).guard(guard);
    }
    let ran = trace.of(&mut schedule.build().unwrap(), &mut Resources::new());
    assert_eq!(ran, ["not no"]);
}

#[test]
fn branches_that_never_run_both_need_no_order() {
    #[system]
    fn phase(health: &Health) -> Phase {
        [Phase::Over, Phase::Night, Phase::Day][health.0.clamp(0, 2) as usize]
    }
    let writes = |name: &'static str| move |log: &mut Log| log.push(name);
    let is = |phase: Phase| Condition::chosen::<phase, _>(phase);
    let declare = |first: Condition, second: Condition| {
        let mut builder = Schedule::builder();
        builder
            .add_closure("first", writes("first"))
            .guard(first)
            .add_closure("second", writes("second"))
            .guard(second);
        builder
    };
    let well = Condition::closure("well", |health: &Health| health.0 > 1);
    for (first, second) in [
        (is(Phase::Day), is(Phase::Night)),
        (is(Phase::Day), !is(Phase::Day)),
        (is(Phase::Day), is(Phase::Night) | is(Phase::Over)),
        (
            well.clone() & is(Phase::Day),
            is(Phase::Over) & well.clone(),
        ),
        (!(is(Phase::Day) | is(Phase::Night)), is(Phase::Day)),
        (well.clone(), !well.clone()),
    ] {
        let mut schedule = declare(first, second).build().unwrap();
        for on in On::ALL {
            on.set(&mut schedule);
            let mut resources = with_log();
            for health in 0..3 {
                resources.insert(Health(health));
                schedule.run(&mut resources).unwrap();
                assert!(take_log(&mut resources).len() <= 1);
            }
        }
    }
    for (first, second) in [
        (is(Phase::Day), is(Phase::Day)),
        (is(Phase::Day) | well.clone(), is(Phase::Night)),
        (is(Phase::Day) | is(Phase::Night), is(Phase::Night)),
        (well.clone(), is(Phase::Day)),
        // Two that are made alike are not the same.
        (
            Condition::closure("twin", || true),
            !Condition::closure("twin", || true),
        ),
    ] {
        assert_eq!(races(&mut declare(first, second)).len(), 1);
    }
}

#[test]
fn guards_of_groups_and_of_loops_exclude_too() {
    let well = Condition::closure("well", |health: &Health| health.0 > 1);
    let mut builder = Schedule::builder();
    builder
        .add_closure("in a group", |log: &mut Log| log.push("in a group"))
        .in_group::<Meal>()
        .group::<Meal>()
        .guard(well.clone())
        .repeat_while_closure(
            "never",
            || false,
            |parts| parts.add_closure("in a loop", |log: &mut Log| log.push("in a loop")),
        )
        .guard(!well.clone());
    assert!(builder.build().is_ok());
}

#[test]
fn conditions_that_carry_values() {
    let mut schedule = schedule_of(|builder| {
        builder
            .policy(Policy::AsAdded)
            .add_closure("once", |log: &mut Log| log.push("once"))
            .guard(Condition::once())
            .add_closure("third", |log: &mut Log| log.push("third"))
            .guard(Condition::every(3))
            .add_closure("exists", |log: &mut Log| log.push("exists"))
            .guard(Condition::exists::<Health>())
            .add_closure("equals", |log: &mut Log| log.push("equals"))
            .guard(
                Condition::exists::<Health>()
                    & Condition::closure("two", |health: Option<&Health>| {
                        health == Some(&Health(2))
                    }),
            )
    });
    let mut resources = with_log();
    let mut run = |resources: &mut Resources| {
        schedule.run(resources).unwrap();
        take_log(resources)
    };
    assert_eq!(run(&mut resources), ["once"]);
    resources.insert(Health(2));
    assert_eq!(run(&mut resources), ["exists", "equals"]);
    resources.insert(Health(1));
    assert_eq!(run(&mut resources), ["third", "exists"]);
    resources.remove::<Health>();
    assert!(run(&mut resources).is_empty());
    assert!(run(&mut resources).is_empty());
    assert_eq!(run(&mut resources), ["third"]);
}

#[test]
fn a_shared_condition_is_asked_once() {
    let once = Condition::once();
    let mut schedule = schedule_of(|builder| {
        builder
            .policy(Policy::AsAdded)
            .add_closure("a", |log: &mut Log| log.push("a"))
            .guard(once.clone())
            .add_closure("b", |log: &mut Log| log.push("b"))
            .guard(once.clone())
    });
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["a", "b"]);
    schedule.run(&mut resources).unwrap();
    assert!(take_log(&mut resources).is_empty());
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
    for on in On::ALL.iter().chain(On::PARALLEL) {
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
    let text = problem(|builder| builder.add_closure("end", || {}).on_enter(Phase::Over));
    assert!(
        text.starts_with("`transition<Phase>` was never added"),
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
fn two_rates_and_a_fixed_step_go_by_one_clock() {
    #[derive(Group)]
    struct Fast;
    #[derive(Group)]
    struct Slow;
    #[derive(Group)]
    struct Physics;
    let mut declare = Schedule::builder();
    declare
        .policy(Policy::AsAdded)
        .add_closure("fast", |log: &mut Log| log.push("fast"))
        .in_group::<Fast>()
        .group::<Fast>()
        .only_if::<is_due<Fast>>()
        .add_closure("slow", |log: &mut Log| log.push("slow"))
        .in_group::<Slow>()
        .group::<Slow>()
        .only_if::<is_due<Slow>>()
        .repeat_while::<is_due<Physics>>(|step| {
            step.add_closure("step", |log: &mut Log| log.push("step"))
        });
    let mut schedule = declare.build().unwrap();
    for on in On::ALL.iter().chain(On::PARALLEL) {
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert(Clock::new());
        resources.insert(Rate::<Fast>::hertz(100.0));
        resources.insert(Rate::<Slow>::hertz(10.0));
        resources.insert(Rate::<Physics>::every(Duration::from_millis(4)).catch_up(100));
        let mut counts = [0; 3];
        for _ in 0..100 {
            let clock = resources.get_mut::<Clock>().unwrap();
            clock.advance(Duration::from_millis(10));
            schedule.run(&mut resources).unwrap();
            for name in take_log(&mut resources) {
                let idx = ["fast", "slow", "step"].iter().position(|one| *one == name);
                counts[idx.unwrap()] += 1;
            }
        }
        assert_eq!(counts, [100, 10, 250], "{on:?}");
        let rate = resources.get::<Rate<Physics>>().unwrap();
        assert_eq!((rate.n_missed(), rate.leftover()), (0, Duration::ZERO));
    }
}

#[test]
fn a_tick_comes_before_who_asks_for_the_time() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("due", || {})
            .only_if::<is_due<u8>>()
            .add::<tick>()
    });
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["tick", "is_due<u8>", "due"]
    );
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<u8>::every(Duration::from_nanos(1)));
    schedule.run(&mut resources).unwrap();
}

#[test]
fn a_condition_that_fails_skips_what_it_guards() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("guarded", |log: &mut Log| log.push("guarded"))
            .guard(!Condition::closure("fails", || Err::<bool, _>("no")))
    });
    let mut resources = with_log();
    let result = schedule.run(&mut resources);
    assert!(take_log(&mut resources).is_empty());
    let error = result.unwrap_err();
    assert_eq!(error.skipped()[0].name, "guarded");
    assert_eq!(failures(Err(error)), ["fails: no"]);
}

#[test]
fn a_loop_is_ordered_by_its_condition_and_as_that_says() {
    #[derive(Group)]
    struct Physics;
    #[system(in = schedule::Tick)]
    fn advance(clock: &mut Clock) {
        clock.advance(Duration::from_millis(1));
    }
    #[system(after = is_due::<Physics>)]
    fn draw(rate: &Rate<Physics>, log: &mut Log) {
        assert_eq!(rate.lateness(), Duration::ZERO);
        log.push("draw");
    }
    let mut schedule = schedule_of(|builder| {
        builder
            .add::<draw>()
            .repeat_while::<is_due<Physics>>(|parts| parts.add_closure("step", || {}))
            .add::<advance>()
    });
    let text = format!("{schedule:?}");
    assert_eq!(
        text,
        "schedule `schedule`\n  advance\n  repeat while `is_due<Physics>`\n    step\n  draw"
    );
    let mut resources = with_log();
    resources.insert(Clock::new());
    resources.insert(Rate::<Physics>::every(Duration::from_millis(1)));
    schedule.run(&mut resources).unwrap();
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
    assert!(
        text.ends_with("help: order them, e.g. `#[system(before = transition<Phase>)]` on `turn`"),
        "{text}"
    );
}

#[test]
fn an_answer_that_there_is_no_branch_for_fails_its_system() {
    #[derive(Clone, Copy)]
    struct Number(u32);
    impl Branch for Number {
        const NAMES: &'static [&'static str] = &["zero", "one"];
        fn index(self) -> u32 {
            self.0
        }
    }
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("select", || Number(u32::MAX - 1))
            .add_closure("one", |log: &mut Log| log.push("one"))
            .guard(Condition::added_chosen("select", Number(1)))
    });
    for _ in 0..2 {
        let mut resources = with_log();
        let failed = failures(schedule.run(&mut resources));
        assert_eq!(failed.len(), 1);
        assert!(
            failed[0].ends_with("has 2 branches, and answers number 4294967294"),
            "{failed:?}"
        );
    }
    let wanted = std::panic::catch_unwind(|| Condition::added_chosen("select", Number(2)));
    assert!(wanted.is_err());
}

#[test]
fn the_nearest_condition_is_named() {
    let text = problem(|builder| {
        builder
            .policy(Policy::AsAdded)
            .add::<is_well>()
            .add::<poison>()
            .guard(Condition::added("is_wel"))
    });
    assert_eq!(
        text,
        "`is_wel` was never added, but is named at FILE\n      help: add it; or did you mean `is_well`?"
    );
}

#[test]
fn what_a_guard_proves_to_exist_is_not_missed() {
    #[system]
    fn heal(health: &mut Health, log: &mut Log) {
        health.0 += 1;
        log.push("heal");
    }
    let exists = Condition::exists::<Health>;
    let guarded = |guard: Condition| schedule_of(|builder| builder.add::<heal>().guard(guard));
    for guard in [exists(), exists() & exists(), !!exists()] {
        let mut schedule = guarded(guard);
        for on in On::ALL {
            on.set(&mut schedule);
            let mut resources = with_log();
            schedule.run(&mut resources).unwrap();
            assert!(take_log(&mut resources).is_empty());
            resources.insert(Health(1));
            schedule.run(&mut resources).unwrap();
            assert_eq!(take_log(&mut resources), ["heal"]);
            resources.remove::<Health>();
            schedule.run(&mut resources).unwrap();
            assert!(take_log(&mut resources).is_empty());
        }
    }
    // It might run without.
    for guard in [!exists(), exists() | Condition::every(2)] {
        let error = guarded(guard).run(&mut with_log()).unwrap_err();
        assert!(matches!(error, schedule::RunError::Missing(_)), "{error}");
    }
    // What is in a loop does not run without the loop.
    let mut schedule = schedule_of(|builder| {
        builder
            .repeat_while_closure("once", || false, |parts| parts.add::<heal>())
            .guard(exists())
    });
    schedule.run(&mut with_log()).unwrap();
}
