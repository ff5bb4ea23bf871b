//! Chains, closures and state changes in `schedule!`: each schedule equals the one of a `Builder` with equivalent calls.

use schedule::prelude::*;
use schedule::state::transition;
use schedule::{Builder, Identity, NextState, State, Target};

use crate::{Log, take_log, with_log};

macro_rules! log {
    ($($name:ident)*) => {$(
        #[system]
        fn $name(log: &mut Log) {
            log.push(stringify!($name));
        }
    )*};
}

log!(a b c d e f g h);

#[derive(Group)]
struct One;

#[derive(Group)]
struct Other;

#[derive(Checkpoint)]
struct Noon;

#[derive(Checkpoint)]
struct Stored;

#[derive(Debug, Resource)]
struct Iterations(u32);

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
}

#[system]
fn is_never() -> bool {
    false
}

#[system]
fn has_more(iterations: &mut Iterations) -> bool {
    iterations.0 += 1;
    !iterations.0.is_multiple_of(3)
}

/// Compares the resolved orders, groups, guards, loops and policies.
#[track_caller]
fn assert_same(listed: Builder, built: &mut Builder) -> Schedule {
    let mut listed = listed;
    let listed = listed.name("same").build().unwrap();
    let built = built.name("same").build().unwrap();
    assert_eq!(listed.lock().to_string(), built.lock().to_string());
    let systems =
        |schedule: &Schedule| -> Vec<String> { schedule.systems().map(str::to_string).collect() };
    assert_eq!(systems(&listed), systems(&built));
    listed
}

/// Adds a system after all nodes of `before`.
fn add_after(builder: &mut Builder, before: &[schedule::order::NodeId]) -> schedule::order::NodeId {
    let last = builder.last().unwrap();
    for &first in before {
        builder.order(first, last);
    }
    last
}

fn resources() -> Resources {
    let mut resources = with_log();
    resources.insert(Iterations(0));
    resources.insert_state(Phase::Day);
    resources
}

fn run(mut schedule: Schedule) -> Vec<&'static str> {
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources)
}

schedule! {
    Claused {
        policy insertion order,
        a: on failure carry on -> (b, c: if is_never) -> d: after e -> f: in One,
        e,
    }
}

#[test]
fn a_link_takes_the_clauses_of_its_entry() {
    let mut all = Schedule::builder();
    all.policy(Policy::InsertionOrder);
    let a = all.add::<a>().last().unwrap();
    all.failure_policy_for(a, schedule::FailurePolicy::CarryOn);
    all.add::<b>();
    let b = add_after(&mut all, &[a]);
    all.add::<c>().run_if(schedule::Condition::of::<is_never>());
    let c = add_after(&mut all, &[a]);
    all.add::<d>().after::<e>();
    let d = add_after(&mut all, &[b, c]);
    all.add::<f>().in_group::<One>();
    add_after(&mut all, &[d]);
    all.add::<e>();
    let schedule = assert_same(Claused::builder(), &mut all);
    assert_eq!(run(schedule), ["a", "b", "e", "d", "f"]);
}

schedule! { Taken { f -> g } }

schedule! {
    OfAllKinds {
        policy insertion order for Log,
        a -> group One { b, c: after b } -> checkpoint Noon -> repeat while has_more as more: if not(is_never) { d -> e }
            -> apply_commands Stored -> (include Taken, group Other: in One2 { h })
            -> a as last,
        group One2,
    }
}

#[derive(Group)]
struct One2;

#[test]
fn a_link_may_be_an_entry_of_any_kind() {
    assert_eq!(
        run(OfAllKinds::new()),
        ["a", "b", "c", "d", "e", "d", "e", "f", "g", "h", "a"]
    );
    let mut all = Schedule::builder();
    all.policy_for::<Log>(Policy::InsertionOrder);
    let first = all.add::<a>().last().unwrap();
    all.group::<One>();
    all.order(first, Target::of::<One>());
    all.add::<b>().in_group::<One>();
    all.add::<c>().after::<b>().in_group::<One>();
    all.checkpoint::<Noon>().after::<One>();
    all.repeat_while::<has_more>(|body| body.chain::<(d, e)>());
    all.named("more").after::<Noon>();
    all.run_if(!schedule::Condition::of::<is_never>());
    let more = all.last().unwrap();
    all.apply_commands::<Stored>();
    add_after(&mut all, &[more]);
    all.group::<TakenGroup>().after::<Stored>();
    all.add::<f>().in_group::<TakenGroup>();
    let f = all.last().unwrap();
    all.add::<g>().in_group::<TakenGroup>();
    add_after(&mut all, &[f]);
    all.group::<Other>().in_group::<One2>().after::<Stored>();
    all.add::<h>().in_group::<Other>();
    all.add::<a>()
        .named("last")
        .after::<TakenGroup>()
        .after::<Other>();
    let built = all.name("same").build().unwrap().lock().to_string();
    let listed = OfAllKinds::builder().name("same").build().unwrap();
    assert_eq!(
        listed.lock().to_string(),
        built.replace("TakenGroup", "Taken")
    );
}

/// Replaces the plugin.
#[derive(Group)]
struct TakenGroup;

schedule! {
    Nested {
        policy insertion order,
        a -> ((b -> c, d), (e)) -> (f -> (g, h)),
    }
}

#[test]
fn brackets_and_chains_nest() {
    let mut all = Schedule::builder();
    all.policy(Policy::InsertionOrder);
    let a = all.add::<a>().last().unwrap();
    all.add::<b>();
    let b = add_after(&mut all, &[a]);
    all.add::<c>();
    let c = add_after(&mut all, &[b]);
    all.add::<d>();
    let d = add_after(&mut all, &[a]);
    all.add::<e>();
    let e = add_after(&mut all, &[a]);
    all.add::<f>();
    let f = add_after(&mut all, &[c, d, e]);
    all.add::<g>();
    add_after(&mut all, &[f]);
    all.add::<h>();
    add_after(&mut all, &[f]);
    let schedule = assert_same(Nested::builder(), &mut all);
    let why = schedule.why("b", "d").unwrap().to_string();
    assert!(
        why.contains("insertion order"),
        "the chain does not order them: {why}"
    );
    assert_eq!(run(schedule), ["a", "b", "c", "d", "e", "f", "g", "h"]);
}

schedule! {
    InBlocks {
        policy insertion order,
        group One { b -> (a: if is_never, c) }
        repeat while has_more: after One { e -> d as inner }
    }
}

#[test]
fn chain_in_a_block_belongs_to_that_block() {
    let mut all = Schedule::builder();
    all.policy(Policy::InsertionOrder).group::<One>();
    let b = all.add::<b>().in_group::<One>().last().unwrap();
    all.add::<a>()
        .run_if(schedule::Condition::of::<is_never>())
        .in_group::<One>();
    add_after(&mut all, &[b]);
    all.add::<c>().in_group::<One>();
    add_after(&mut all, &[b]);
    all.repeat_while::<has_more>(|body| {
        let e = body.add::<e>().last().unwrap();
        body.add::<d>().named("inner");
        add_after(body, &[e]);
        body
    });
    all.after::<One>();
    let schedule = assert_same(InBlocks::builder(), &mut all);
    assert_eq!(run(schedule), ["b", "c", "e", "d", "e", "d"]);
}

schedule! {
    WithClosures {
        a -> |log: &mut Log| { log.push("closure") } as first: main_thread -> b,
        || -> bool { true } as is_ready: before last,
        move |log: &mut Log, _: Option<&Iterations>| -> Result<(), String> {
            let name = "fallible";
            log.push(name);
            Err("closed".to_string())
        } as last: after b if is_ready,
    }
}

#[test]
fn a_closure_is_a_system_of_its_name() {
    let mut schedule = WithClosures::new();
    let systems: Vec<_> = schedule.systems().collect();
    assert_eq!(systems, ["a", "first", "b", "is_ready", "last"]);
    let mut resources = resources();
    let failures = crate::failures(schedule.run(&mut resources));
    assert_eq!(failures, ["last: closed"]);
    assert_eq!(take_log(&mut resources), ["a", "closure", "b", "fallible"]);
    let graph = schedule.graph();
    let first = graph
        .nodes
        .iter()
        .find(|node| node.name == "first")
        .unwrap();
    assert!(first.touched.is_main_thread);
    assert!(
        first.place.file.ends_with("chained.rs"),
        "{:?}",
        first.place
    );
}

#[system(before = schedule::state::Transition<Phase>)]
fn turn(next: &mut NextState<Phase>) {
    next.set(Phase::Night);
}

schedule! {
    Turning {
        policy insertion order for Log,
        turn,
        transition<Phase>,
        a: on enter Phase::Night,
        b -> c: on exit Phase::Day,
        on enter Phase::Night { d -> e, group One { f } }
        on exit self::Phase::Night { g }
    }
}

#[test]
fn listed_state_change_equals_that_of_the_builder() {
    let mut all = Schedule::builder();
    all.policy_for::<Log>(Policy::InsertionOrder);
    all.add::<turn>().add::<transition<Phase>>();
    all.add::<a>().on_enter(Phase::Night);
    all.chain::<(b, c)>().on_exit(Phase::Day);
    let d = all.add::<d>().on_enter(Phase::Night).last().unwrap();
    all.add::<e>().on_enter(Phase::Night);
    add_after(&mut all, &[d]);
    all.group::<One>().on_enter(Phase::Night);
    all.add::<f>().in_group::<One>();
    all.add::<g>().on_exit(Phase::Night);
    let mut schedule = assert_same(Turning::builder(), &mut all);
    let mut resources = resources();
    // The state `Day` was entered before, so it is left.
    resources.insert_entered_state(Phase::Day);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["b", "c", "a", "d", "e", "f"]);
    assert_eq!(resources.get::<State<Phase>>().unwrap().get(), Phase::Night);
    Turning::new().run(&mut resources).unwrap();
}

schedule! {
    TurningInALoop {
        turn,
        transition<Phase>,
        repeat while has_more: after transition<Phase> { a: on enter Phase::Night }
    }
}

/// A state change uses the transition as `beside`, even if the guarded system is in a loop.
#[test]
fn state_change_guards_nodes_in_a_loop() {
    let mut all = Schedule::builder();
    all.add::<turn>().add::<transition<Phase>>();
    all.repeat_while::<has_more>(|body| body.add::<a>().on_enter(Phase::Night));
    all.after::<transition<Phase>>();
    let mut schedule = assert_same(TurningInALoop::builder(), &mut all);
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["a", "a"]);
    TurningInALoop::new().run(&mut resources).unwrap();
}

/// The name of a closure does not hide a function of the same name.
#[test]
fn a_closure_may_call_a_function_of_its_name() {
    fn tick(log: &mut Log) {
        log.push("tick");
    }
    schedule! { Calling { |log: &mut Log| { tick(log) } as tick } }
    assert_eq!(run(Calling::new()), ["tick"]);
}
