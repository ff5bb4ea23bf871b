//! Systems that are skipped because another system failed.

use schedule::Builder;
use schedule::prelude::*;

use crate::trace::{Trace, named};

#[derive(Checkpoint)]
struct Join;

#[derive(Checkpoint)]
struct Later;

#[derive(Group)]
struct Outer;

#[derive(Group)]
struct Inner;

#[derive(Group)]
struct Empty;

#[derive(Debug, PartialEq, Resource)]
struct Gold(u32);

/// Returns the systems that ran, and the systems that were skipped.
fn outcome(trace: &Trace, builder: &mut Builder) -> (Vec<String>, Vec<String>) {
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut named(&["R", "S"]));
    let skipped = error.skipped().iter().map(|system| system.name.clone());
    (ran, skipped.collect())
}

#[track_caller]
fn check(trace: &Trace, builder: &mut Builder, ran: &[&str], skipped: &[&str]) {
    let (found_ran, found_skipped) = outcome(trace, builder);
    assert_eq!(found_ran, ran);
    assert_eq!(found_skipped, skipped);
}

#[test]
fn systems_ordered_after_a_failed_system_are_skipped() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("before"))
        .add_dynamic(trace.failing("fails"))
        .add_dynamic(trace.system("next"))
        .add_dynamic(trace.system("last"))
        .add_dynamic(trace.system("free"))
        .order("before", "fails")
        .order("fails", "next")
        .order("next", "last");
    check(
        &trace,
        &mut builder,
        &["before", "fails", "free"],
        &["next", "last"],
    );
}

#[test]
fn a_system_with_one_failed_predecessor_of_two_is_skipped() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .add_dynamic(trace.system("works"))
        .add_dynamic(trace.system("both"))
        .order("fails", "both")
        .order("works", "both");
    check(&trace, &mut builder, &["fails", "works"], &["both"]);
}

#[test]
fn a_skipped_system_does_not_fail() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("first"))
        .add_dynamic(trace.failing("second"))
        .add_dynamic(trace.failing("third"))
        .order("first", "second");
    let mut schedule = builder.build().unwrap();
    let (ran, error) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["first", "third"]);
    assert_eq!(error.failures().len(), 2);
    assert_eq!(error.skipped().len(), 1);
}

#[test]
fn skipping_passes_through_checkpoints_without_reporting_them() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .before::<Join>()
        .checkpoint::<Join>()
        .before::<Later>()
        .checkpoint::<Later>()
        .add_dynamic(trace.system("after"))
        .after::<Later>();
    check(&trace, &mut builder, &["fails"], &["after"]);
}

#[test]
fn skipping_passes_through_groups_but_not_to_other_members() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .in_group::<Inner>()
        .group::<Inner>()
        .in_group::<Outer>()
        .add_dynamic(trace.system("beside"))
        .in_group::<Inner>()
        .group::<Outer>()
        .before::<Empty>()
        .group::<Empty>()
        .add_dynamic(trace.system("after"))
        .after::<Empty>();
    check(&trace, &mut builder, &["fails", "beside"], &["after"]);
}

#[test]
fn group_after_a_failed_system_is_skipped_entirely() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .before::<Outer>()
        .add_dynamic(trace.system("a"))
        .in_group::<Outer>()
        .add_dynamic(trace.system("b"))
        .in_group::<Inner>()
        .group::<Inner>()
        .in_group::<Outer>();
    check(&trace, &mut builder, &["fails"], &["a", "b"]);
}

#[test]
fn weak_order_skips_only_systems_that_it_orders() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails").writes("R"))
        .add_dynamic(trace.system("conflicts").reads("R"))
        .add_dynamic(trace.system("does not").reads("S"))
        .order_if_conflicting("fails", "conflicts")
        .order_if_conflicting("fails", "does not");
    check(&trace, &mut builder, &["fails", "does not"], &["conflicts"]);
}

#[test]
fn failed_writer_under_writers_first_skips_readers() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::WritersFirst)
        .add_dynamic(trace.system("reader").reads("R"))
        .add_dynamic(trace.failing("fails").writes("R"))
        .add_dynamic(trace.system("other").reads("S"));
    check(&trace, &mut builder, &["fails", "other"], &["reader"]);
}

#[test]
fn system_that_follows_only_in_insertion_order_runs() {
    let trace = Trace::default();
    for policy in [Policy::InsertionOrder, Policy::Accepted, Policy::Optimize] {
        let mut builder = Schedule::builder();
        builder
            .policy(policy)
            .add_dynamic(trace.failing("fails").writes("R"))
            .add_dynamic(trace.system("next").writes("R"))
            .add_dynamic(trace.system("declared"))
            .order("fails", "declared")
            .add_dynamic(trace.system("last").writes("R"));
        check(
            &trace,
            &mut builder,
            &["fails", "next", "last"],
            &["declared"],
        );
    }
}

#[test]
fn declared_order_equal_to_insertion_order_skips() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .add_dynamic(trace.failing("fails").writes("R"))
        .add_dynamic(trace.system("between").writes("R"))
        .add_dynamic(trace.system("declared").writes("R"))
        .order("fails", "declared");
    check(&trace, &mut builder, &["fails", "between"], &["declared"]);
}

#[test]
fn a_skipped_system_records_no_commands() {
    let mut schedule = Schedule::builder()
        .add_closure("fails", || Err::<(), _>("no"))
        .add_closure("skipped", |mut commands: Commands| {
            commands.insert(Gold(1));
        })
        .order("fails", "skipped")
        .add_closure("runs", |mut commands: Commands| {
            commands.insert(Gold(2));
        })
        .build()
        .unwrap();
    let mut resources = Resources::new();
    for _ in 0..3 {
        assert!(schedule.run(&mut resources).is_err());
        assert_eq!(resources.remove(), Some(Gold(2)));
    }
}

#[test]
fn earlier_commands_of_a_skipped_system_are_not_applied_again() {
    let mut schedule = Schedule::builder()
        .add_closure("every other", |mut n_runs: Local<u32>| {
            *n_runs += 1;
            if n_runs.is_multiple_of(2) {
                Err("no")
            } else {
                Ok(())
            }
        })
        .add_closure("after", |mut n_runs: Local<u32>, mut commands: Commands| {
            *n_runs += 1;
            commands.insert(Gold(*n_runs));
        })
        .order("every other", "after")
        .build()
        .unwrap();
    let mut resources = Resources::new();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.remove(), Some(Gold(1)));
    assert!(schedule.run(&mut resources).is_err());
    assert_eq!(resources.remove::<Gold>(), None);
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.remove(), Some(Gold(2)));
}

#[test]
fn removed_resource_skips_dependents_of_its_user() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_closure("melt", |resources: &mut Resources| {
            resources.remove::<Gold>();
        })
        .add_closure("use", |_: &Gold| ())
        .order("melt", "use")
        .add_dynamic(trace.system("after"))
        .order("use", "after")
        .order("melt", "after");
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Gold(1));
    let error = schedule.run(&mut resources).unwrap_err();
    assert_eq!(error.failures()[0].system.name, "use");
    assert_eq!(error.skipped()[0].name, "after");
    assert!(trace.take().is_empty());
}

#[test]
fn the_report_names_the_skipped_after_the_failed() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let line = line!() + 2;
    builder
        .add_dynamic(trace.failing("fails"))
        .add_dynamic(trace.system("b"))
        .add_dynamic(trace.system("c"))
        .order("fails", "b")
        .order("fails", "c");
    let error = builder.build().unwrap().run(&mut Resources::new());
    let file = file!();
    assert_eq!(
        error.unwrap_err().to_string(),
        format!(
            "1 system failed\n  `fails` ({file}:{line}): no\nskipped: `b` ({file}:{}), `c` ({file}:{})",
            line + 1,
            line + 2
        )
    );
}
