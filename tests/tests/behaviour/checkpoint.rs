//! Checkpoints: named points without work or access.

use schedule::Target;
use schedule::error::Problem;
use schedule::prelude::*;

use crate::trace::{Trace, named, races};

#[derive(Checkpoint)]
struct Dawn;

#[derive(Checkpoint)]
struct Dusk;

#[derive(Group)]
struct Day;

#[system(before = Dawn)]
fn sleep() {}

#[system(after = (Dawn, Dusk))]
fn wake() {}

#[test]
fn checkpoint_orders_nodes_before_and_after_it() {
    let mut builder = Schedule::builder();
    builder
        .add::<wake>()
        .checkpoint::<Dusk>()
        .checkpoint::<Dawn>()
        .add::<sleep>();
    let schedule = builder.build().unwrap();
    assert_eq!(schedule.systems().collect::<Vec<_>>(), ["sleep", "wake"]);
}

#[test]
fn order_through_a_checkpoint_prevents_a_race() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("late").writes("R"))
        .after::<Dusk>()
        .checkpoint::<Dawn>()
        .before::<Dusk>()
        .checkpoint::<Dusk>()
        .add_dynamic(trace.system("early").writes("R"))
        .before::<Dawn>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&["R"])),
        ["early", "late"]
    );
    assert_eq!(schedule.n_policy_orders(), 0);
}

#[test]
fn nothing_conflicts_with_a_checkpoint() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(Trace::default().system("alone").exclusive())
        .checkpoint::<Dawn>()
        .add_dynamic(Trace::default().system("all").writes_all_except([]))
        .before::<Dawn>();
    assert_eq!(
        races(&mut builder),
        [("alone".to_string(), "all".to_string())]
    );
}

#[test]
fn a_checkpoint_may_be_in_a_group() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("after the day"))
        .after::<Day>()
        .checkpoint::<Dusk>()
        .in_group::<Day>()
        .add_dynamic(trace.system("before dusk"))
        .before::<Dusk>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut Resources::new()),
        ["before dusk", "after the day"]
    );
}

#[test]
fn checkpoint_added_twice_is_ambiguous_by_type() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.checkpoint::<Dawn>().checkpoint::<Dawn>();
    let second = builder.last().unwrap();
    builder.add_dynamic(trace.system("after"));
    let after = builder.last().unwrap();
    builder.add_dynamic(trace.system("before"));
    let before = builder.last().unwrap();
    let error = builder.try_order(Target::of::<Dawn>(), after).unwrap_err();
    assert!(matches!(error.problem(), Problem::Ambiguous { .. }));
    builder.order(before, second).order(second, after);
    let mut schedule = builder.build().unwrap();
    let ran = trace.of(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["before", "after"]);
}

#[test]
fn a_checkpoint_is_found_by_its_name() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("b"))
        .add_dynamic(trace.system("a"))
        .checkpoint::<Dawn>()
        .order("a", "Dawn")
        .checkpoint::<Dusk>()
        .named("evening")
        .order("Dawn", "evening")
        .order("evening", "b");
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut Resources::new()), ["a", "b"]);
    assert_eq!(
        schedule.systems().count(),
        2,
        "a checkpoint is not a system"
    );
}
