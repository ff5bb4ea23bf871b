//! Regression tests: minimal versions of random graphs that once failed.

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Builder, Condition, Target};

use crate::trace::{Trace, named};

#[derive(Group)]
struct Outer;

#[derive(Group)]
struct Inner;

#[system]
fn is_on() -> bool {
    true
}

/// Returns a condition that appends its name and always gives this answer.
fn condition(trace: &Trace, name: &str, answer: bool) -> DynamicSystem {
    let (trace, text) = (trace.clone(), name.to_string());
    DynamicSystem::new(name, move |_| {
        trace.push(&text);
        answer
    })
}

/// Adds a loop that runs its body once.
fn once(builder: &mut Builder, body: impl FnOnce(&mut Builder) -> &mut Builder) -> &mut Builder {
    let mut is_first = false;
    let condition = move || {
        is_first = !is_first;
        is_first
    };
    builder.repeat_while_closure("once", condition, body)
}

fn run(trace: &Trace, builder: &mut Builder) -> Vec<String> {
    trace.of(&mut builder.build().unwrap(), &mut named(&[]))
}

#[test]
fn implied_condition_exists_at_every_level_that_names_it() {
    let trace = Trace::default();
    let guarded = |builder: &mut Builder, name| {
        builder
            .add_dynamic(trace.system(name))
            .run_if(Condition::of::<is_on>());
    };
    let inner = |body: &mut Builder| guarded(body, "inner");
    for is_inner_first in [true, false] {
        let mut builder = Schedule::builder();
        if !is_inner_first {
            guarded(&mut builder, "outer");
        }
        once(&mut builder, |body| {
            inner(body);
            body
        });
        if is_inner_first {
            guarded(&mut builder, "outer");
        }
        let mut schedule = builder.build().unwrap();
        let n_conditions = schedule.systems().filter(|name| *name == "is_on").count();
        assert_eq!(n_conditions, 2, "{is_inner_first}");
        let mut ran = trace.of(&mut schedule, &mut named(&[]));
        ran.sort_unstable();
        assert_eq!(ran, ["inner", "outer"]);
    }
}

#[test]
fn implied_condition_precedes_its_first_guarded_node() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a"))
        .in_group::<Outer>()
        .add_dynamic(trace.system("b"))
        .add_dynamic(trace.system("c"))
        .run_if(Condition::of::<is_on>())
        .group::<Outer>()
        .run_if(Condition::of::<is_on>());
    let schedule = builder.build().unwrap();
    let names: Vec<_> = schedule.systems().collect();
    assert_eq!(names, ["is_on", "a", "b", "c"]);
}

#[test]
fn false_guard_of_a_group_skips_conditions_in_its_loops() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(condition(&trace, "is_part_due", true))
        .add_dynamic(condition(&trace, "is_group_due", false));
    once(&mut builder, |body| {
        let part = body.add_dynamic(trace.system("part"));
        part.run_if(Condition::added("is_part_due"))
    });
    builder
        .in_group::<Outer>()
        .group::<Outer>()
        .run_if(Condition::added("is_group_due"));
    assert_eq!(run(&trace, &mut builder), ["is_group_due"]);
}

#[test]
fn an_empty_group_in_a_group_of_another_level_does_not_panic() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.group::<Inner>().in_group::<Outer>();
    once(&mut builder, |body| {
        body.add_dynamic(trace.system("part")).in_group::<Outer>()
    });
    // Two results are acceptable: success, or the error that the group is at two levels.
    if let Err(error) = builder.build() {
        let is_level = |one: &Problem| matches!(one, Problem::GroupOverLevels { .. });
        assert!(error.problems().iter().all(is_level), "{error}");
    }
}

#[test]
fn order_of_a_group_against_a_body_in_it_is_not_reported_as_a_cycle() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    once(&mut builder, |body| body.add_dynamic(trace.system("part")));
    builder
        .in_group::<Outer>()
        .order_if_conflicting(Target::of::<Outer>(), "part");
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::GroupAgainstMember { .. }]),
        "{error}"
    );
}

#[test]
fn group_across_levels_with_a_weak_order_is_an_error() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let add = |builder: &mut Builder, name: &str| {
        builder.add_dynamic(trace.system(name)).in_group::<Outer>();
    };
    let reads = DynamicSystem::new("first", |_| false).reads("R1");
    builder.repeat_while_dynamic(reads, |body| {
        add(body, "part");
        body
    });
    once(&mut builder, |body| body);
    builder.in_group::<Outer>();
    builder
        .add_dynamic(trace.system("last").writes("R1"))
        .order_if_conflicting("once", "last");
    let error = builder.build().unwrap_err();
    let is_level = |one: &Problem| matches!(one, Problem::GroupOverLevels { .. });
    assert!(error.problems().iter().any(is_level), "{error}");
}
