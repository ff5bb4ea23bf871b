//! The choice of a failure policy, the precedence of choices, and rejected choices.

use core::panic::Location;

use schedule::FailurePolicy::{CarryOn, SkipDependents, Stop};
use schedule::prelude::*;
use schedule::{Builder, FailurePolicy, Target};

use super::{chain, check, mint, names_of_failed};
use crate::trace::Trace;

#[test]
fn policy_of_a_system_overrides_that_of_the_schedule() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .failure_policy(Stop)
                .failure_policy_for("fails", CarryOn);
        },
        vec!["fails", "next", "last", "free"],
        &["fails"],
        &[],
    );
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .failure_policy_for("fails", SkipDependents)
                .failure_policy(CarryOn);
        },
        vec!["fails", "free"],
        &["fails"],
        &["next", "last"],
    );
}

#[test]
fn policy_is_set_by_type_name_or_node() {
    type Choose = fn(&mut Builder);
    let ways: [Choose; 3] = [
        |builder| {
            builder.failure_policy_for(Target::of::<mint>(), CarryOn);
        },
        |builder| {
            builder.failure_policy_for("mint", CarryOn);
        },
        |builder| {
            let mint = builder.last().unwrap();
            builder.failure_policy_for(mint, CarryOn);
        },
    ];
    for choose in ways {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        builder.add::<mint>();
        choose(&mut builder);
        builder.add_dynamic(trace.system("after")).after::<mint>();
        let mut schedule = builder.build().unwrap();
        for _ in 0..2 {
            let error = schedule.run(&mut Resources::new()).unwrap_err();
            assert_eq!(names_of_failed(&error), ["mint"]);
            assert_eq!(trace.take(), ["after"]);
        }
    }
}

#[test]
fn two_nodes_of_one_function_have_separate_policies() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add::<mint>();
    let first = builder.last().unwrap();
    builder.add::<mint>();
    let second = builder.last().unwrap();
    builder.add_dynamic(trace.system("after first"));
    builder.order(first, "after first");
    builder.add_dynamic(trace.system("after second"));
    builder.order(second, "after second");
    builder.failure_policy_for(second, CarryOn);
    let mut schedule = builder.build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert_eq!(names_of_failed(&error), ["mint", "mint"]);
    assert_eq!(trace.take(), ["after second"]);
}

const FILE: &str = file!();

/// Adds a system that does nothing. Returns the line of the caller.
#[track_caller]
fn add(builder: &mut Builder, name: &str) -> u32 {
    builder.add_dynamic(Trace::default().system(name));
    Location::caller().line()
}

#[track_caller]
fn choose(builder: &mut Builder, target: impl Into<Target>, policy: FailurePolicy) -> u32 {
    builder.failure_policy_for(target, policy);
    Location::caller().line()
}

fn text(builder: &mut Builder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn contradicting_policies_are_reported_with_both_locations() {
    let builder = &mut Schedule::builder();
    let a = add(builder, "a");
    let first = choose(builder, "a", Stop);
    let second = choose(builder, builder.last().unwrap(), CarryOn);
    assert_eq!(
        text(builder),
        format!(
            "1 problem in schedule `schedule`\n  \
             the failure of `a` ({FILE}:{a}) has two policies: `stop` at {FILE}:{first} and \
             `carry on` at {FILE}:{second}\n      \
             help: remove one of these policies"
        )
    );
}

#[test]
fn repeated_policy_is_accepted() {
    check(
        |trace, builder| {
            chain(trace, builder);
            builder
                .failure_policy_for("fails", CarryOn)
                .failure_policy_for("fails", CarryOn);
        },
        vec!["fails", "next", "last", "free"],
        &["fails"],
        &[],
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn policy_of_a_missing_system_is_reported_with_the_nearest_name() {
    let builder = &mut Schedule::builder();
    add(builder, "integrate");
    let near = choose(builder, "integrat", Stop);
    let far = choose(builder, Target::of::<mint>(), CarryOn);
    let text = text(builder);
    assert!(
        text.starts_with(&format!(
            "2 problems in schedule `schedule`\n  \
             `integrat` is not in this schedule, but {FILE}:{near} refers to it\n      \
             help: add it; or did you mean `integrate`?\n  \
             `mint` is not in this schedule, but {FILE}:{far} refers to it\n"
        )),
        "{text}"
    );
}

#[test]
#[cfg_attr(miri, ignore = "runs nothing")]
fn policy_of_an_ambiguous_name_is_reported_with_all_matches() {
    let builder = &mut Schedule::builder();
    let (first, second) = (add(builder, "a"), add(builder, "a"));
    let line = choose(builder, "a", Stop);
    let text = text(builder);
    assert!(
        text.starts_with(&format!(
            "1 problem in schedule `schedule`\n  \
             `a`, used at {FILE}:{line}, matches several nodes of this schedule:\n      \
             `a` ({FILE}:{first})\n      `a` ({FILE}:{second})\n"
        )),
        "{text}"
    );
}
