//! `try_order`: a rejected order leaves everything unchanged.

use schedule::error::{Cycle, OrderError, Problem, StepOrigin};
use schedule::prelude::*;
use schedule::{Builder, Target};

use crate::trace::{Trace, named};

#[derive(Group)]
struct Outer;

#[derive(Group)]
struct Inner;

#[system]
fn twin() {}

#[system]
fn absent() {}

/// `a` -> `b` -> `c`, all of which write one resource. They are added in a different order.
fn chain(trace: &Trace) -> Builder {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("c").writes("R"))
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b").writes("R"))
        .order("a", "b")
        .order("b", "c");
    builder
}

fn cycle(error: &OrderError) -> &Cycle {
    match error.problem() {
        Problem::Cycle(cycle) => cycle,
        other => panic!("{other}"),
    }
}

#[test]
fn possible_order_is_accepted() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("b").writes("R"))
        .add_dynamic(trace.system("a").writes("R"));
    builder
        .try_order("a", "b")
        .unwrap()
        .try_order("a", "b")
        .unwrap();
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&["R"])), ["a", "b"]);
}

#[test]
fn order_that_closes_a_cycle_is_rejected_with_the_cycle() {
    let trace = Trace::default();
    let mut builder = chain(&trace);
    let error = builder.try_order("c", "a").unwrap_err();
    let cycle = cycle(&error);
    let names: Vec<_> = cycle
        .steps
        .iter()
        .map(|step| (step.from.name.as_str(), step.to.name.as_str()))
        .collect();
    assert_eq!(names.len(), 3);
    for step in [("a", "b"), ("b", "c"), ("c", "a")] {
        assert!(names.contains(&step), "{names:?}");
    }
    for (one, next) in cycle.steps.iter().zip(cycle.steps.iter().cycle().skip(1)) {
        assert_eq!(one.to, next.from);
        assert!(matches!(one.origin, StepOrigin::Declared(_)));
    }
    assert!(
        error
            .to_string()
            .starts_with("the order was rejected\n  cycle: `"),
        "{error}"
    );
}

#[test]
fn rejected_order_does_not_change_the_graph() {
    let trace = Trace::default();
    let mut builder = chain(&trace);
    assert!(builder.try_order("c", "a").is_err());
    assert!(builder.try_order("c", "b").is_err());
    assert!(builder.try_order("missing", "b").is_err());
    assert!(builder.try_order("a", "a").is_err());
    builder.try_order("a", "c").unwrap();
    let mut schedule = builder.build().unwrap();
    let mut plain = chain(&trace).build().unwrap();
    assert!(schedule.systems().eq(plain.systems()));
    assert_eq!(schedule.n_policy_orders(), plain.n_policy_orders());
    let resources = &mut named(&["R"]);
    assert_eq!(trace.of(&mut schedule, resources), ["a", "b", "c"]);
    assert_eq!(trace.of(&mut plain, resources), ["a", "b", "c"]);
}

#[test]
fn opposite_of_a_rejected_order_is_still_possible() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .add_dynamic(trace.system("b").writes("R"))
        .add_dynamic(trace.system("c").writes("R"))
        .order("c", "b");
    assert!(builder.try_order("b", "c").is_err());
    builder.try_order("b", "a").unwrap();
    assert!(builder.try_order("a", "c").is_err());
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&["R"])), ["c", "b", "a"]);
}

#[test]
fn rejected_order_does_not_resolve_a_race() {
    let trace = Trace::default();
    let mut builder = chain(&trace);
    builder.add_dynamic(trace.system("free").writes("R"));
    assert!(builder.try_order("c", "a").is_err());
    assert_eq!(builder.build().unwrap_err().races().count(), 3);
}

#[test]
fn an_order_of_a_system_against_itself_is_a_cycle_of_one() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add_dynamic(trace.system("a"));
    let error = builder.try_order("a", "a").unwrap_err();
    assert_eq!(cycle(&error).steps.len(), 1);
    assert!(builder.build().is_ok());
}

#[test]
fn order_of_a_missing_node_is_rejected() {
    let trace = Trace::default();
    let mut builder = chain(&trace);
    let error = builder.try_order(Target::of::<absent>(), "a").unwrap_err();
    let Problem::Dangling { name, nearest, .. } = error.problem() else {
        panic!("{error}");
    };
    assert_eq!((name.as_str(), nearest), ("absent", &None));
    assert!(builder.try_order("a", Target::of::<Outer>()).is_err());
    assert!(builder.build().is_ok());
}

#[test]
fn ambiguous_order_is_rejected_and_each_match_can_be_named() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add::<twin>();
    let first = builder.last().unwrap();
    builder.add::<twin>().add_dynamic(trace.system("a"));
    let error = builder.try_order("a", Target::of::<twin>()).unwrap_err();
    let Problem::Ambiguous { candidates, .. } = error.problem() else {
        panic!("{error}");
    };
    assert_eq!(candidates.len(), 2);
    assert!(builder.try_order("a", "twin").is_err());
    builder.try_order("a", first).unwrap();
    let schedule = builder.build().unwrap();
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["twin", "a", "twin"]
    );
}

#[test]
fn order_of_a_group_against_its_member_is_rejected() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a"))
        .in_group::<Inner>()
        .group::<Inner>()
        .in_group::<Outer>();
    for (first, then) in [
        (Target::of::<Outer>(), Target::from("a")),
        (Target::from("a"), Target::of::<Inner>()),
        (Target::of::<Inner>(), Target::of::<Outer>()),
    ] {
        let error = builder.try_order(first, then).unwrap_err();
        assert!(
            matches!(error.problem(), Problem::GroupAgainstMember { .. }),
            "{error}"
        );
    }
    assert!(builder.build().is_ok());
}

#[test]
fn order_that_closes_a_cycle_through_groups_is_rejected() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("inner"))
        .in_group::<Inner>()
        .group::<Inner>()
        .in_group::<Outer>()
        .add_dynamic(trace.system("after"))
        .after::<Outer>();
    let error = builder.try_order("after", "inner").unwrap_err();
    let names: Vec<_> = cycle(&error)
        .steps
        .iter()
        .map(|step| step.from.name.as_str())
        .collect();
    assert_eq!(names.len(), 4);
    for name in ["inner", "Inner", "Outer", "after"] {
        assert!(names.contains(&name), "{names:?}");
    }
    builder.try_order("inner", "after").unwrap();
    assert!(builder.build().is_ok());
}

#[test]
fn other_problems_are_reported_by_the_build() {
    let trace = Trace::default();
    let mut builder = chain(&trace);
    builder.order("missing", "a").order("a", "a");
    builder.try_order("a", "c").unwrap();
    assert_eq!(builder.build().unwrap_err().problems().len(), 2);
}

/// All tokens of a macro have the same location.
#[test]
fn order_is_not_rejected_for_another_at_the_same_location() {
    macro_rules! declare {
        ($builder:ident) => {{
            $builder.order("missing", "a");
            $builder.try_order("a", "c").is_ok()
        }};
    }
    let trace = Trace::default();
    let mut builder = chain(&trace);
    assert!(declare!(builder));
}

#[test]
fn order_against_a_weak_one_is_rejected() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a"))
        .add_dynamic(trace.system("b"))
        .order_if_conflicting("a", "b");
    let error = builder.try_order("b", "a").unwrap_err();
    assert!(matches!(error.problem(), Problem::Cycle(_)), "{error}");
    assert!(builder.build().is_ok());
}
