//! Conditions and selectors in schedules: their effects, rejected uses, and the error messages.

use schedule::prelude::*;
use schedule::{Builder, Condition, Executor};

use crate::trace::{Trace, races};
use crate::{Log, failures, schedule_of, take_log, with_log};
use schedule_tests::on::On;

#[derive(Debug, Default, PartialEq, Resource)]
struct Health(i32);

#[derive(Branch, Clone, Copy, Debug, PartialEq)]
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

/// Returns the only problem of a schedule, without the schedule's name and with `FILE` for locations in this file.
fn problem(declare: impl FnOnce(&mut Builder) -> &mut Builder) -> String {
    let error = declare(&mut Schedule::builder()).build().unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    let text = error.to_string();
    let (_, text) = text.split_once("\n  ").unwrap();
    // Line numbers change with every test above.
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
fn guarded_condition_runs_after_its_own_condition() {
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
fn condition_races_with_writers_of_its_resources() {
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
fn condition_without_a_return_value_is_an_error() {
    assert_eq!(
        problem(|builder| builder
            .policy(Policy::InsertionOrder)
            .add::<eat>()
            .run_if(Condition::of::<poison>())),
        "`poison` (FILE) returns no value, but is used as a condition at FILE\n      \
         help: change its return type to `bool`"
    );
}

#[test]
fn condition_with_another_return_type_is_an_error() {
    #[system]
    fn phase() -> Phase {
        Phase::Day
    }
    assert_eq!(
        problem(|builder| builder.add::<poison>().run_if(Condition::of::<phase>())),
        "`phase` (FILE) returns `Phase`, but the condition declared at FILE must return `bool`\n      \
         help: change its return type to `bool`"
    );
}

/// All tokens of a macro have the same location, so these two systems have the same identity.
#[test]
fn ambiguous_conditions_are_an_error() {
    trait Holder {
        type Condition: schedule::System;
    }
    struct One;
    struct Other;
    macro_rules! conditions {
        () => {
            const _: () = {
                #[system]
                fn holds() -> bool {
                    true
                }
                impl Holder for One {
                    type Condition = holds;
                }
            };
            const _: () = {
                #[system]
                fn holds() -> bool {
                    false
                }
                impl Holder for Other {
                    type Condition = holds;
                }
            };
        };
    }
    conditions!();
    let text = problem(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add::<poison>()
            .run_if(Condition::of::<<One as Holder>::Condition>())
            .add::<eat>()
            .run_if(Condition::of::<<Other as Holder>::Condition>())
    });
    assert!(
        text.starts_with("the types `holds` (FILE) and `holds` (FILE) have the same identity"),
        "{text}"
    );
}

#[test]
fn system_as_its_own_condition_is_an_error() {
    assert_eq!(
        problem(|builder| builder.add::<is_well>().run_if(Condition::of::<is_well>())),
        "`is_well` (FILE) cannot be its own run condition, as declared at FILE\n      \
         help: use another condition"
    );
}

#[test]
fn loop_as_a_condition_is_an_error() {
    assert_eq!(
        problem(|builder| builder
            .policy(Policy::InsertionOrder)
            .repeat_while::<is_well>(|body| body)
            .add::<poison>()
            .run_if(Condition::added("is_well"))),
        "the loop `is_well` (FILE) cannot be a run condition, as declared at FILE\n      \
         help: use a separate condition: the condition of a loop is evaluated before each iteration"
    );
}

#[test]
fn condition_only_inside_an_inner_loop_is_an_error() {
    let text = problem(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .repeat_while_closure("loop", || false, |body| body.add::<is_well>())
            .add::<poison>()
            .run_if(Condition::of::<is_well>())
    });
    assert_eq!(
        text,
        "`poison` (FILE) has the run condition `is_well` (FILE) at FILE, which is in a loop that does not contain `poison` (FILE)\n      \
         help: move the condition out of this loop"
    );
}

#[test]
fn order_between_a_loop_and_its_body_is_an_error() {
    let text = problem(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .repeat_while::<is_well>(|body| body.add::<poison>())
            .named("meals")
            .order("poison", "meals")
    });
    assert_eq!(
        text,
        "`poison` (FILE) cannot run before or after the loop `meals` (FILE), as declared at FILE, because it is in the loop body\n      \
         help: order it before or after other systems of the loop body, order the loop before or after systems outside, or remove this order"
    );
}

#[test]
fn group_across_levels_is_an_error() {
    let text = problem(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("outside", || {})
            .in_group::<Meal>()
            .repeat_while::<is_well>(|body| body.add_closure("inside", || {}).in_group::<Meal>())
    });
    assert_eq!(
        text,
        "the members of the group `Meal` must all be in the same loop, or all outside of loops: `inside` (FILE) and the first member, `outside` (FILE), are not\n      \
         help: add the whole loop to the group, or use a separate group inside the loop"
    );
}

#[test]
fn at_most_on_a_system_is_an_error() {
    assert_eq!(
        problem(|builder| builder.add::<poison>().at_most(3)),
        "`at_most` at FILE does not follow a loop\n      \
         help: call it right after `.repeat_while::<…>(|…| …)`"
    );
}

#[test]
fn a_cycle_through_a_loop_names_it_once() {
    let text = problem(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .repeat_while::<is_well>(|body| body.add_closure("a", || {}).add_closure("b", || {}))
            .add_closure("outside", || {})
            .order("outside", "a")
            .order("b", "outside")
    });
    assert_eq!(
        text,
        "cycle: `is_well` -> `outside` -> `is_well`\n      \
         `is_well` -> `outside`   declared at FILE\n      \
         `outside` -> `is_well`   declared at FILE\n      \
         help: remove one of these orders"
    );
}

#[test]
fn false_guard_of_a_group_skips_the_conditions_of_its_members() {
    let trace = Trace::default();
    let condition = |name: &'static str, answer: bool| {
        let trace = trace.clone();
        schedule::dynamic::DynamicSystem::new(name, move |_| {
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
                .run_if(Condition::added("own") & Condition::added("shared"))
                .add_dynamic(trace.system("b"))
                .run_if(Condition::added("shared"))
                .group::<Meal>()
                .run_if(Condition::added("gate"))
        });
        let ran = trace.of(&mut schedule, &mut Resources::new());
        assert_eq!(ran.join(" "), expected);
    }
}

#[test]
fn every_guard_with_a_skipped_condition_is_false() {
    let trace = Trace::default();
    let no = Condition::closure("no", || false);
    let mut schedule = Schedule::builder();
    schedule.add_closure("unasked", || true).run_if(no.clone());
    let unasked = Condition::added("unasked");
    for (name, guard) in [
        ("plain", unasked.clone()),
        ("not", !unasked.clone()),
        ("or", unasked.clone() | !no.clone()),
        ("not no", !no.clone()),
    ] {
        schedule.add_dynamic(trace.system(name)).run_if(guard);
    }
    let ran = trace.of(&mut schedule.build().unwrap(), &mut Resources::new());
    assert_eq!(ran, ["not no"]);
}

#[test]
fn branches_that_never_both_run_need_no_order() {
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
            .run_if(first)
            .add_closure("second", writes("second"))
            .run_if(second);
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
        // Two separately created closures are different conditions.
        (
            Condition::closure("twin", || true),
            !Condition::closure("twin", || true),
        ),
    ] {
        assert_eq!(races(&mut declare(first, second)).len(), 1);
    }
}

#[test]
fn guards_of_groups_and_loops_exclude_each_other() {
    let well = Condition::closure("well", |health: &Health| health.0 > 1);
    let mut builder = Schedule::builder();
    builder
        .add_closure("in a group", |log: &mut Log| log.push("in a group"))
        .in_group::<Meal>()
        .group::<Meal>()
        .run_if(well.clone())
        .repeat_while_closure(
            "never",
            || false,
            |body| body.add_closure("in a loop", |log: &mut Log| log.push("in a loop")),
        )
        .run_if(!well.clone());
    assert!(builder.build().is_ok());
}

#[test]
fn conditions_may_carry_values() {
    let mut schedule = schedule_of(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("once", |log: &mut Log| log.push("once"))
            .run_if(Condition::once())
            .add_closure("third", |log: &mut Log| log.push("third"))
            .run_if(Condition::every(3))
            .add_closure("exists", |log: &mut Log| log.push("exists"))
            .run_if(Condition::exists::<Health>())
            .add_closure("equals", |log: &mut Log| log.push("equals"))
            .run_if(
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
fn shared_condition_is_evaluated_once() {
    let once = Condition::once();
    let mut schedule = schedule_of(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("a", |log: &mut Log| log.push("a"))
            .run_if(once.clone())
            .add_closure("b", |log: &mut Log| log.push("b"))
            .run_if(once.clone())
    });
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["a", "b"]);
    schedule.run(&mut resources).unwrap();
    assert!(take_log(&mut resources).is_empty());
}

#[test]
fn failed_condition_skips_its_guarded_systems() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add_closure("guarded", |log: &mut Log| log.push("guarded"))
            .run_if(!Condition::closure("fails", || Err::<bool, _>("no")))
    });
    let mut resources = with_log();
    let result = schedule.run(&mut resources);
    assert!(take_log(&mut resources).is_empty());
    let error = result.unwrap_err();
    assert_eq!(error.skipped()[0].name, "guarded");
    assert_eq!(failures(Err(error)), ["fails: no"]);
}

#[test]
fn answer_outside_of_the_branches_fails_the_system() {
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
            .run_if(Condition::added_chosen("select", Number(1)))
    });
    for _ in 0..2 {
        let mut resources = with_log();
        let failed = failures(schedule.run(&mut resources));
        assert_eq!(failed.len(), 1);
        assert!(
            failed[0].ends_with("has 2 branches, but returned branch 4294967294"),
            "{failed:?}"
        );
    }
    let wanted = std::panic::catch_unwind(|| Condition::added_chosen("select", Number(2)));
    assert!(wanted.is_err());
}

#[test]
fn error_for_a_missing_condition_suggests_the_nearest_name() {
    let text = problem(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add::<is_well>()
            .add::<poison>()
            .run_if(Condition::added("is_wel"))
    });
    assert_eq!(
        text,
        "`is_wel` is not in this schedule, but FILE refers to it\n      help: add it; or did you mean `is_well`?"
    );
}

#[test]
fn resource_whose_existence_is_guarded_is_not_required() {
    #[system]
    fn heal(health: &mut Health, log: &mut Log) {
        health.0 += 1;
        log.push("heal");
    }
    let exists = Condition::exists::<Health>;
    let guarded = |guard: Condition| schedule_of(|builder| builder.add::<heal>().run_if(guard));
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
    // These guards can be true without the resource.
    for guard in [!exists(), exists() | Condition::every(2)] {
        let error = guarded(guard).run(&mut with_log()).unwrap_err();
        assert!(matches!(error, schedule::RunError::Missing(_)), "{error}");
    }
    // The body of a loop runs only with the loop.
    let mut schedule = schedule_of(|builder| {
        builder
            .repeat_while_closure("once", || false, |body| body.add::<heal>())
            .run_if(exists())
    });
    schedule.run(&mut with_log()).unwrap();
}
