//! The scenarios of the law that need no conditions and no loops; each is run three times.

use schedule::prelude::*;
use schedule::{Builder, DynamicSystem, Problem};

use crate::trace::{Trace, named};

#[derive(Checkpoint)]
struct Join1;

#[derive(Checkpoint)]
struct Join2;

#[derive(Checkpoint)]
struct Join3;

/// Systems of these names, last one first, so that the order of addition helps nobody.
fn systems(trace: &Trace, names: &[&str]) -> Builder {
    let mut builder = Schedule::builder();
    for name in names.iter().rev() {
        builder.add_dynamic(trace.system(name));
    }
    builder
}

fn run(trace: &Trace, builder: &mut Builder) -> Vec<String> {
    trace.of(&mut builder.build().unwrap(), &mut named(&["R1", "R2"]))
}

#[test]
fn one_before_two_before_three_twice_over() {
    let trace = Trace::default();
    let mut builder = systems(&trace, &["1", "2", "3"]);
    builder
        .order("1", "2")
        .order("2", "3")
        .order("1", "2")
        .order("2", "3")
        .order("1", "3");
    assert_eq!(run(&trace, &mut builder), ["1", "2", "3"]);
}

#[test]
fn three_before_one_is_refused_and_the_rest_stands() {
    let trace = Trace::default();
    let mut builder = systems(&trace, &["1", "2", "3"]);
    builder.order("1", "2").order("2", "3").order("1", "3");
    let error = builder.try_order("3", "1").unwrap_err();
    assert!(matches!(error.problem(), Problem::Cycle(_)), "{error}");
    assert_eq!(run(&trace, &mut builder), ["1", "2", "3"]);
}

#[test]
fn both_before_the_checkpoint_run_before_both_after_it() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    for name in ["b1", "b2"] {
        builder.add_dynamic(trace.system(name)).after::<Join1>();
    }
    builder.checkpoint::<Join1>();
    for name in ["a1", "a2"] {
        builder.add_dynamic(trace.system(name)).before::<Join1>();
    }
    assert_eq!(run(&trace, &mut builder), ["a1", "a2", "b1", "b2"]);
}

#[test]
fn three_checkpoints_in_a_row_order_what_is_around_them() {
    let trace = Trace::default();
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
    assert_eq!(run(&trace, &mut builder), ["a", "b"]);
}

/// `a` reads R1 and writes R2, `b` reads R2 and writes R1.
fn crossed(trace: &Trace, policy: Policy) -> Builder {
    let mut builder = Schedule::builder();
    builder
        .policy(policy)
        .add_dynamic(trace.system("a").reads("R1").writes("R2"))
        .add_dynamic(trace.system("b").reads("R2").writes("R1"));
    builder
}

#[test]
fn each_writes_what_the_other_reads_is_one_race_on_both() {
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
            (name, on.first_writes, on.second_writes)
        })
        .collect();
    assert_eq!(
        resources,
        [
            ("`R1`".to_string(), false, true),
            ("`R2`".to_string(), true, false)
        ]
    );
}

#[test]
fn each_writes_what_the_other_reads_is_a_cycle_under_writers_first() {
    let error = crossed(&Trace::default(), Policy::WritersFirst)
        .build()
        .unwrap_err();
    let [Problem::WritersFirst(cycle)] = error.problems() else {
        panic!("{error}");
    };
    assert_eq!(cycle.steps.len(), 2);
}

#[test]
fn each_writes_what_the_other_reads_runs_as_added() {
    let trace = Trace::default();
    let mut builder = crossed(&trace, Policy::AsAdded);
    assert_eq!(run(&trace, &mut builder), ["a", "b"]);
}

#[test]
fn as_added_closes_no_cycle_with_what_is_declared() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::AsAdded)
        .add_dynamic(trace.system("A").writes("R1"))
        .add_dynamic(trace.system("B").writes("R2"))
        .add_dynamic(trace.system("C").writes("R1"))
        .add_dynamic(trace.system("D").writes("R2"))
        .order("C", "B")
        .order("D", "A");
    // The smallest that is ready comes first: C, then B, which waits for C alone; D, then A.
    let trace = run(&trace, &mut builder);
    let rank = |name: &str| trace.iter().position(|one| one == name).unwrap();
    assert!(rank("C") < rank("B") && rank("D") < rank("A"), "{trace:?}");
    assert_eq!(trace, ["C", "B", "D", "A"]);
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
        .policy(Policy::AsAdded)
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
