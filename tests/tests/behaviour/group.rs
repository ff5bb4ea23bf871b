//! Groups: sets of systems that are ordered together.

use schedule::Target;
use schedule::prelude::*;

use crate::trace::{Trace, named, races};

#[derive(Group)]
struct Outer;

#[derive(Group)]
struct Inner;

#[derive(Group)]
struct Other;

#[derive(Group)]
struct Empty;

#[system(in = (Outer, Other))]
fn of_two_groups() {}

#[system(in = Inner)]
fn of_inner() {}

#[system(before = Other)]
fn first() {}

#[system(after = (Outer, Inner))]
fn last() {}

#[test]
fn order_against_a_group_applies_to_each_member() {
    let mut builder = Schedule::builder();
    builder
        .add::<last>()
        .add::<of_two_groups>()
        .add::<of_inner>()
        .add::<first>();
    let schedule = builder.build().unwrap();
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["of_inner", "first", "of_two_groups", "last"]
    );
}

#[test]
fn order_against_a_group_applies_to_inner_groups() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("after"))
        .after::<Outer>()
        .add_dynamic(trace.system("inner"))
        .in_group::<Inner>()
        .group::<Inner>()
        .in_group::<Other>()
        .group::<Other>()
        .in_group::<Outer>()
        .add_dynamic(trace.system("before"))
        .before::<Outer>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut Resources::new()),
        ["before", "inner", "after"]
    );
}

#[test]
fn an_empty_group_still_orders() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("b").reads("R"))
        .after::<Empty>()
        .add_dynamic(trace.system("a").writes("R"))
        .before::<Empty>()
        .group::<Empty>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&["R"])), ["a", "b"]);
}

#[test]
fn nested_empty_groups_still_order() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("b"))
        .after::<Outer>()
        .group::<Empty>()
        .in_group::<Outer>()
        .add_dynamic(trace.system("a"))
        .before::<Empty>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut Resources::new()), ["a", "b"]);
}

#[test]
fn members_of_a_group_are_not_ordered_among_themselves() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .in_group::<Outer>()
        .add_dynamic(trace.system("b").writes("R"))
        .in_group::<Outer>()
        .add_dynamic(trace.system("c").writes("R"))
        .after::<Outer>();
    assert_eq!(races(&mut builder), [("a".to_string(), "b".to_string())]);
}

#[test]
fn a_member_of_two_groups_keeps_the_orders_of_both() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("after inner"))
        .after::<Inner>()
        .add_dynamic(trace.system("member"))
        .in_group::<Inner>()
        .in_group::<Outer>()
        .in_group::<Outer>()
        .add_dynamic(trace.system("before outer"))
        .before::<Outer>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut Resources::new()),
        ["before outer", "member", "after inner"]
    );
}

#[test]
fn a_group_is_ordered_against_a_group() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .group::<Outer>()
        .after::<Inner>()
        .before::<Other>()
        .add_dynamic(trace.system("other").writes("R"))
        .in_group::<Other>()
        .add_dynamic(trace.system("outer").writes("R"))
        .in_group::<Outer>()
        .add_dynamic(trace.system("inner").writes("R"))
        .in_group::<Inner>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&["R"])),
        ["inner", "outer", "other"]
    );
}

#[test]
fn weak_order_against_a_group_applies_to_each_member() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("free").writes("S"))
        .in_group::<Inner>()
        .add_dynamic(trace.system("deep").reads("R"))
        .in_group::<Inner>()
        .group::<Inner>()
        .in_group::<Outer>()
        .add_dynamic(trace.system("writer").writes("R"))
        .before_if_conflicting::<Outer>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&["R", "S"])),
        ["free", "writer", "deep"]
    );
}

#[test]
fn undeclared_group_is_absent() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a"))
        .after_if_present::<Empty>()
        .before_if_present::<Outer>();
    assert!(builder.build().is_ok());
    builder.add_dynamic(trace.system("a"));
    let a = builder.last().unwrap();
    assert!(builder.try_order(a, Target::of::<Empty>()).is_err());
}

#[test]
fn an_empty_group_is_a_warning() {
    let mut builder = Schedule::builder();
    builder.group::<Empty>();
    let line = line!() - 1;
    let schedule = builder.add::<of_inner>().build().unwrap();
    let warnings: Vec<_> = schedule
        .warnings()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        warnings,
        [format!(
            "the group `Empty` ({}:{line}) has no members: add one, or remove the group",
            file!()
        )]
    );
}

#[test]
fn a_group_is_found_by_its_name() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("after"))
        .add_dynamic(trace.system("inner"))
        .in_group::<Inner>()
        .order("Inner", "after");
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut Resources::new()),
        ["inner", "after"]
    );
}
