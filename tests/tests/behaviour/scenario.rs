//! The scenarios of the specification. Each runs three times on each executor.

use schedule::access::AccessKind;
use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Builder, Condition};

use crate::pattern::Pattern;
use crate::trace::{Trace, named};
use schedule_tests::on::On;

#[derive(Checkpoint)]
struct Join1;

#[derive(Checkpoint)]
struct Join2;

#[derive(Checkpoint)]
struct Join3;

/// Returns the condition of this number. 5 and 6 are true, and 7 is false. 9, 10 and 11 are true once, twice and three times, then false,
/// and then start again.
#[track_caller]
fn condition(trace: &Trace, name: &str) -> DynamicSystem {
    let (trace, text) = (trace.clone(), name.to_string());
    let n_true = match name {
        "5" | "6" => u32::MAX,
        "7" => 0,
        "9" => 1,
        "10" => 2,
        "11" => 3,
        other => panic!("there is no condition {other}"),
    };
    let mut n_asked = 0;
    DynamicSystem::new(name, move |_| {
        trace.push(&text);
        let is_true = n_asked < n_true;
        n_asked = if is_true { n_asked + 1 } else { 0 };
        is_true
    })
}

/// Adds systems and conditions of these names in reverse order, so that no test depends on the order of addition. `run_if`: pairs of a
/// system and its condition.
#[track_caller]
fn add<'b>(
    builder: &'b mut Builder,
    trace: &Trace,
    names: &[&str],
    run_if: &[(&str, &str)],
) -> &'b mut Builder {
    for name in names.iter().rev() {
        match name.parse() {
            Ok(5..) => builder.add_dynamic(condition(trace, name)),
            _ => builder.add_dynamic(trace.system(name)),
        };
        for (_, condition) in run_if.iter().filter(|one| one.0 == *name) {
            builder.run_if(Condition::added(*condition));
        }
    }
    builder
}

#[track_caller]
fn systems(trace: &Trace, names: &[&str]) -> Builder {
    let mut builder = Schedule::builder();
    add(&mut builder, trace, names, &[]);
    builder
}

/// Runs three times on each executor.
#[track_caller]
fn check(declare: impl Fn(&Trace) -> Builder, expected: &str) {
    let expected = Pattern::of(expected);
    for &on in On::ALL {
        let trace = Trace::default();
        let mut schedule = declare(&trace).build().unwrap();
        on.set(&mut schedule);
        let mut resources = named(&["R1", "R2"]);
        let mut first = None;
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
            let found = trace.take();
            expected.check(&found);
            if on == On::Serial {
                assert_eq!(*first.get_or_insert(found.clone()), found);
            }
        }
    }
}

/// Checks that the text of a build error contains these lines of this file.
#[track_caller]
fn check_places(text: &str, lines: &[u32]) {
    for line in lines {
        let place = format!("{}:{line}", file!());
        assert!(text.contains(&place), "not {place}: {text}");
    }
}

#[test]
fn repeated_and_redundant_orders_of_three_systems() {
    let declare = |trace: &Trace| {
        let mut builder = systems(trace, &["1", "2", "3"]);
        builder
            .order("1", "2")
            .order("2", "3")
            .order("1", "2")
            .order("2", "3")
            .order("1", "3");
        builder
    };
    check(declare, "1 2 3");
}

#[test]
fn contradicting_order_is_rejected_and_others_are_kept() {
    let declare = |trace: &Trace| {
        let mut builder = systems(trace, &["1", "2", "3"]);
        builder.order("1", "2").order("2", "3").order("1", "3");
        let known = line!() - 1;
        let error = builder.try_order("3", "1").unwrap_err();
        assert!(matches!(error.problem(), Problem::Cycle(_)), "{error}");
        check_places(&error.to_string(), &[known, known + 2]);
        builder
    };
    check(declare, "1 2 3");
}

#[test]
fn two_systems_share_a_condition_that_is_true() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        let run_if = [("2", "5"), ("3", "5")];
        add(&mut builder, trace, &["1", "2", "3", "5"], &run_if);
        builder
    };
    check(declare, "{1, 5 {2, 3}}");
}

#[test]
fn a_system_whose_condition_is_false_does_not_run() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        add(&mut builder, trace, &["1", "2", "3", "7"], &[("2", "7")]);
        builder
    };
    check(declare, "{7, 1, 3}");
}

/// Checks 1 -> 2 -> 3, where 1 has a condition that itself has a condition.
#[track_caller]
fn check_condition_of_condition(condition: &str, of_condition: &str, expected: &str) {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        let run_if = [("1", condition), (condition, of_condition)];
        let names = ["1", "2", "3", condition, of_condition];
        add(&mut builder, trace, &names, &run_if)
            .order("1", "2")
            .order("2", "3");
        builder
    };
    check(declare, expected);
}

#[test]
fn condition_is_evaluated_if_its_own_condition_is_true() {
    check_condition_of_condition("5", "6", "6 5 1 2 3");
}

#[test]
fn condition_is_not_evaluated_if_its_own_condition_is_false() {
    check_condition_of_condition("5", "7", "7 2 3");
}

#[test]
fn condition_is_evaluated_and_false() {
    check_condition_of_condition("7", "5", "5 7 2 3");
}

#[test]
fn system_after_a_skipped_one_runs() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        add(&mut builder, trace, &["1", "2", "3", "7"], &[("2", "7")])
            .order("1", "7")
            .order("2", "3");
        builder
    };
    check(declare, "1 7 3");
}

#[test]
fn system_without_a_return_value_cannot_be_a_condition() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("2"))
        .add_dynamic(trace.system("1"))
        .run_if(Condition::added("2"));
    let guard = line!() - 1;
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::WrongAnswer { .. }]),
        "{error}"
    );
    check_places(&error.to_string(), &[guard, guard - 2]);
    check(|trace| systems(trace, &["1", "2"]), "{1, 2}");
}

/// Adds a loop with systems of these names.
#[track_caller]
fn repeat<'b>(
    builder: &'b mut Builder,
    trace: &Trace,
    condition_name: &str,
    names: &[&str],
) -> &'b mut Builder {
    let condition = condition(trace, condition_name);
    builder.repeat_while_dynamic(condition, |body| add(body, trace, names, &[]))
}

#[test]
fn empty_loop_evaluates_its_condition_until_false() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        repeat(&mut builder, trace, "10", &[]);
        builder
    };
    check(declare, "10 10 10");
}

#[test]
fn loop_runs_its_body_in_order_in_each_iteration() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        repeat(&mut builder, trace, "10", &["1", "2"]).order("1", "2");
        builder
    };
    check(declare, "10 1 2 10 1 2 10");
}

#[test]
fn inner_loop_restarts_in_each_iteration() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        builder.repeat_while_dynamic(condition(trace, "10"), |body| {
            repeat(body, trace, "11", &["1", "2"])
        });
        builder
    };
    let inner = "11 {1, 2} ".repeat(3);
    check(declare, &format!("10 {inner} 11 10 {inner} 11 10"));
}

#[test]
fn order_against_a_body_system_applies_to_the_loop() {
    let declare = |trace: &Trace| {
        let mut builder = systems(trace, &["3"]);
        repeat(&mut builder, trace, "10", &["1", "2"]).order("3", "1");
        let known = line!() - 1;
        let error = builder.try_order("2", "3").unwrap_err();
        assert!(matches!(error.problem(), Problem::Cycle(_)), "{error}");
        check_places(&error.to_string(), &[known, known + 2]);
        builder
    };
    check(declare, "3 10 {1, 2} 10 {1, 2} 10");
}

#[test]
fn condition_in_a_loop_is_evaluated_in_each_iteration() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        builder.repeat_while_dynamic(condition(trace, "10"), |body| {
            add(body, trace, &["9", "1"], &[("1", "9")])
        });
        builder
    };
    check(declare, "10 9 1 10 9 10");
}

#[test]
fn a_condition_in_a_loop_guards_nothing_outside() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .repeat_while_dynamic(condition(&trace, "10"), |body| {
            body.add_dynamic(condition(&trace, "7"))
        })
        .add_dynamic(trace.system("1"))
        .run_if(Condition::added("7"));
    let guard = line!() - 1;
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::ConditionDeeper { .. }]),
        "{error}"
    );
    check_places(&error.to_string(), &[guard, guard - 1, guard - 3]);
    let declare = |trace: &Trace| {
        let mut builder = systems(trace, &["1"]);
        repeat(&mut builder, trace, "10", &["7"]);
        builder
    };
    check(declare, "{1, 10 7 10 7 10}");
}

#[test]
fn checkpoint_separates_two_systems_before_from_two_after() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        for name in ["b1", "b2"] {
            builder.add_dynamic(trace.system(name)).after::<Join1>();
        }
        builder.checkpoint::<Join1>();
        for name in ["a1", "a2"] {
            builder.add_dynamic(trace.system(name)).before::<Join1>();
        }
        builder
    };
    check(declare, "{a1, a2} {b1, b2}");
}

#[test]
fn three_consecutive_checkpoints_order_systems_around_them() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        builder
            .add_dynamic(trace.system("b"))
            .after::<Join3>()
            .checkpoint::<Join3>()
            .checkpoint::<Join2>()
            .before::<Join3>()
            .checkpoint::<Join1>()
            .before::<Join2>()
            .add_dynamic(trace.system("a"))
            .before::<Join1>();
        builder
    };
    check(declare, "a b");
}

/// `a` reads R1 and writes R2, and `b` reads R2 and writes R1.
fn crossed(trace: &Trace, policy: Policy) -> Builder {
    let mut builder = Schedule::builder();
    builder
        .policy(policy)
        .add_dynamic(trace.system("a").reads("R1").writes("R2"))
        .add_dynamic(trace.system("b").reads("R2").writes("R1"));
    builder
}

#[test]
fn mutual_read_and_write_is_one_race_on_both_resources() {
    let error = crossed(&Trace::default(), Policy::Reject)
        .build()
        .unwrap_err();
    let [Problem::Race(race)] = error.problems() else {
        panic!("{error}");
    };
    let resources: Vec<_> = race
        .resources()
        .iter()
        .map(|on| {
            let name = on.subject.to_string();
            (name, on.first, on.second)
        })
        .collect();
    assert_eq!(
        resources,
        [
            ("`R1`".to_string(), AccessKind::Read, AccessKind::Write),
            ("`R2`".to_string(), AccessKind::Write, AccessKind::Read)
        ]
    );
}

#[test]
fn mutual_read_and_write_is_a_cycle_under_writers_first() {
    let error = crossed(&Trace::default(), Policy::WritersFirst)
        .build()
        .unwrap_err();
    let [Problem::WritersFirst(cycle)] = error.problems() else {
        panic!("{error}");
    };
    assert_eq!(cycle.steps.len(), 2);
}

#[test]
fn mutual_read_and_write_runs_in_insertion_order() {
    check(|trace| crossed(trace, Policy::InsertionOrder), "a b");
}

#[test]
fn insertion_order_closes_no_cycle_with_declared_orders() {
    let declare = |trace: &Trace| {
        let mut builder = Schedule::builder();
        builder
            .policy(Policy::InsertionOrder)
            .add_dynamic(trace.system("A").writes("R1"))
            .add_dynamic(trace.system("B").writes("R2"))
            .add_dynamic(trace.system("C").writes("R1"))
            .add_dynamic(trace.system("D").writes("R2"))
            .order("C", "B")
            .order("D", "A");
        builder
    };
    // The first added system that is ready runs first: C, then B, which waits only for C, then D, then A. Conflicting systems run in this
    // order: C before A, and B before D.
    check(declare, "C B D A");
    let order = declare(&Trace::default()).build().unwrap();
    assert_eq!(order.systems().collect::<Vec<_>>(), ["C", "B", "D", "A"]);
}

#[test]
fn three_runs_from_the_same_state_end_in_the_same_state() {
    let add = |name: &'static str, amount: i64| {
        DynamicSystem::new(name, move |view| {
            let value = view.get_named_mut::<i64>("R1").unwrap();
            *value = *value * 3 + amount;
        })
        .writes("R1")
    };
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .add_dynamic(add("a", 1))
        .add_dynamic(add("b", 2))
        .add_dynamic(add("c", 5))
        .order("c", "b");
    let mut schedule = builder.build().unwrap();
    for _ in 0..3 {
        let mut resources = named(&["R1"]);
        schedule.run(&mut resources).unwrap();
        assert_eq!(resources.get_named::<i64>("R1"), Some(&((3 + 5) * 3 + 2)));
    }
}
