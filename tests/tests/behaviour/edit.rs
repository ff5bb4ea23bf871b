//! Changes of existing nodes and removal of declarations, in a builder and in a built schedule.

mod bridge;
mod random;
mod trial;

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::report::Relation;
use schedule::{Builder, Condition, FailurePolicy, Target};

use crate::trace::{Trace, named};

const FILE: &str = file!();

#[derive(Group)]
struct Physics;

#[derive(Group)]
struct Everything;

#[system]
fn never() -> bool {
    false
}

#[system]
fn always() -> bool {
    true
}

#[system(in = Physics, if = never, before = second)]
fn first() {}

#[system(after = third)]
fn second() {}

#[system]
fn third() {}

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

fn of(names: &[&str]) -> Builder {
    let mut builder = Schedule::builder();
    for name in names {
        builder.add_dynamic(system(name));
    }
    builder
}

fn names(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

fn is_ordered(schedule: &Schedule, first: &str, then: &str) -> bool {
    let why = schedule.why(first, then).unwrap();
    matches!(why.relation, Relation::Before(_))
}

fn refused(builder: &mut Builder) -> String {
    builder.build().unwrap_err().to_string()
}

/// Returns the text of the only problem of a schedule without a name.
fn problem(text: &str) -> String {
    format!("1 problem in schedule `schedule`\n  {text}")
}

#[test]
fn guard_is_added_to_an_existing_node_and_removed() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add_dynamic(trace.system("draw"));
    let mut schedule = builder.build().unwrap();
    let runs = |schedule: &mut Schedule| trace.of(schedule, &mut Resources::new());
    schedule
        .change(|builder| builder.at("draw").run_if(Condition::of::<never>()))
        .unwrap();
    assert!(runs(&mut schedule).is_empty());
    schedule
        .change(|builder| {
            builder
                .at("draw")
                .clear_run_if()
                .run_if(Condition::of::<always>())
        })
        .unwrap();
    assert_eq!(runs(&mut schedule), ["draw"]);
    assert_eq!(names(&schedule), ["always", "draw"]);
    schedule
        .change(|builder| builder.at("draw").remove_run_if(Condition::of::<always>()))
        .unwrap();
    assert_eq!(names(&schedule), ["draw"]);
}

#[test]
fn existing_node_joins_a_group_and_is_ordered_with_it() {
    let mut schedule = of(&["draw", "integrate"]).build().unwrap();
    schedule
        .change(|builder| {
            builder.at("integrate").in_group::<Physics>();
            builder.order(Target::of::<Physics>(), "draw")
        })
        .unwrap();
    assert_eq!(names(&schedule), ["integrate", "draw"]);
    schedule
        .change(|builder| {
            builder
                .at("integrate")
                .leave_group::<Physics>()
                .group::<Physics>()
        })
        .unwrap();
    assert!(!is_ordered(&schedule, "integrate", "draw"));
}

#[test]
fn existing_group_is_guarded_and_joins_another_group() {
    let mut builder = of(&["draw"]);
    builder
        .add_dynamic(system("integrate"))
        .in_group_named("physics");
    let mut schedule = builder.build().unwrap();
    schedule
        .change(|builder| {
            builder.at("physics").run_if(Condition::of::<never>());
            builder.at("physics").in_group::<Everything>();
            builder.order(Target::of::<Everything>(), "draw")
        })
        .unwrap();
    assert_eq!(names(&schedule), ["never", "integrate", "draw"]);
    schedule
        .change(|builder| {
            builder.at("physics").clear_run_if();
            builder.at("physics").leave_group::<Everything>();
            builder.group::<Everything>()
        })
        .unwrap();
    assert!(!is_ordered(&schedule, "integrate", "draw"));
    assert_eq!(names(&schedule).len(), 2);
}

#[test]
fn existing_node_is_renamed_and_ordered() {
    let mut schedule = of(&["b", "a"]).build().unwrap();
    schedule
        .change(|builder| builder.at("b").named("draw"))
        .unwrap();
    assert_eq!(names(&schedule), ["draw", "a"]);
    schedule
        .change(|builder| {
            builder.add::<third>();
            builder
                .at("draw")
                .after::<third>()
                .before_if_present::<second>()
        })
        .unwrap();
    assert_eq!(names(&schedule), ["a", "third", "draw"]);
}

#[test]
fn existing_node_is_bound_to_the_main_thread() {
    let caller = std::thread::current().id();
    let is_caller = move || std::thread::current().id() == caller;
    let trace = Trace::default();
    let system = {
        let trace = trace.clone();
        DynamicSystem::new("draw", move |_| {
            if !is_caller() {
                trace.push("elsewhere");
            }
        })
    };
    let mut builder = Schedule::builder();
    builder.add_dynamic(system);
    let mut schedule = builder.build().unwrap();
    schedule
        .change(|builder| builder.at("draw").on_main_thread())
        .unwrap();
    schedule.set_executor(schedule::Executor::Parallel);
    for _ in 0..20 {
        schedule.run(&mut Resources::new()).unwrap();
    }
    assert!(trace.take().is_empty());
    assert!(schedule.graph().nodes[0].touched.is_main_thread);
}

#[test]
fn orders_of_every_kind_are_removed() {
    let mut builder = of(&["a", "b"]);
    builder.order("a", "b").order_if_conflicting("a", "b");
    builder.remove_order("a", "b");
    assert!(!is_ordered(&builder.build().unwrap(), "a", "b"));
    // Declarations in attributes.
    let mut builder = Schedule::builder();
    builder
        .add::<second>()
        .add::<third>()
        .remove_order("third", "second");
    assert_eq!(names(&builder.build().unwrap()), ["second", "third"]);
    // Declarations of a chain.
    let mut builder = Schedule::builder();
    builder
        .chain::<(always, never)>()
        .remove_order(Target::of::<always>(), Target::of::<never>());
    assert!(!is_ordered(&builder.build().unwrap(), "always", "never"));
}

#[test]
fn order_of_a_group_is_removed_by_naming_the_group() {
    let mut builder = of(&["draw"]);
    builder
        .add_dynamic(system("integrate"))
        .in_group::<Physics>();
    builder.order(Target::of::<Physics>(), "draw");
    let mut schedule = builder.build().unwrap();
    let error = schedule
        .change(|builder| builder.remove_order("integrate", "draw"))
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NotDeclared { .. }]),
        "{error}"
    );
    schedule
        .change(|builder| builder.remove_order(Target::of::<Physics>(), "draw"))
        .unwrap();
    assert_eq!(names(&schedule), ["draw", "integrate"]);
}

#[test]
fn declarations_of_an_attribute_are_removed() {
    let mut builder = Schedule::builder();
    builder.add::<second>().add::<third>().add::<first>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(names(&schedule), ["third", "never", "first", "second"]);
    schedule
        .change(|builder| {
            builder
                .at(Target::of::<first>())
                .remove_run_if(Condition::of::<never>())
                .leave_group::<Physics>();
            builder.remove_order("first", "second")
        })
        .unwrap();
    assert_eq!(names(&schedule), ["third", "second", "first"]);
}

#[test]
fn guards_are_equal_regardless_of_how_the_condition_is_named() {
    let mut builder = Schedule::builder();
    builder.add::<never>().named("no");
    let id = builder.last().unwrap();
    builder.add_dynamic(system("draw"));
    for condition in [
        Condition::of::<never>(),
        Condition::added("no"),
        Condition::added(id),
    ] {
        builder.run_if(!Condition::of::<never>() & condition.clone());
        builder.remove_run_if(!Condition::added(id) & Condition::of::<never>());
    }
    let schedule = builder.build().unwrap();
    assert!(
        schedule
            .graph()
            .nodes
            .iter()
            .all(|node| node.guard.is_none())
    );
}

#[test]
fn only_equal_guards_are_removed() {
    let closure = Condition::closure("own", || true);
    let other = Condition::closure("own", || true);
    let mut builder = of(&["draw"]);
    builder.run_if(closure.clone()).run_if(other);
    builder.remove_run_if(closure);
    assert_eq!(names(&builder.build().unwrap()), ["own", "draw"]);
    let mut builder = of(&["draw"]);
    builder.run_if(Condition::of::<never>());
    builder.remove_run_if(!Condition::of::<never>());
    let line = line!() - 1;
    assert_eq!(
        refused(&mut builder),
        problem(&format!(
            "cannot remove the run condition of `draw` at {FILE}:{line}: `draw` does not have it\n      \
             help: if a group or a loop around it has the run condition, pass this group or loop"
        ))
    );
}

#[test]
fn policies_are_removed() {
    let mut builder = Schedule::builder();
    for name in ["a", "b"] {
        builder.add_dynamic(system(name).writes("R"));
    }
    builder.accept("a", "b", "either way");
    let mut schedule = builder.build().unwrap();
    let error = schedule
        .change(|builder| builder.remove_policy_between("b", "a"))
        .unwrap_err();
    assert_eq!(error.races().count(), 1);
    schedule
        .change(|builder| {
            builder
                .remove_policy_between("b", "a")
                .policy_between("a", "b", Policy::InsertionOrder)
        })
        .unwrap();
    assert!(schedule.accepted().is_empty());
}

#[test]
fn failure_policy_is_removed() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add_dynamic(trace.failing("fails"));
    builder.add_dynamic(trace.system("next"));
    builder
        .order("fails", "next")
        .failure_policy_for("fails", FailurePolicy::CarryOn);
    let mut schedule = builder.build().unwrap();
    let ran = |schedule: &mut Schedule| trace.of_failure(schedule, &mut named(&["R"])).0;
    assert_eq!(ran(&mut schedule), ["fails", "next"]);
    schedule
        .change(|builder| builder.remove_failure_policy_for("fails"))
        .unwrap();
    assert_eq!(ran(&mut schedule), ["fails"]);
}

#[test]
fn removing_a_missing_declaration_is_an_error() {
    let mut builder = of(&["a", "b"]);
    builder.remove_order("a", "b");
    let line = line!() - 1;
    assert_eq!(
        refused(&mut builder),
        problem(&format!(
            "cannot remove the order `a` -> `b` at {FILE}:{line}: it is not declared\n      \
             help: `Schedule::why` lists the declared orders that connect these two: remove one of these instead"
        ))
    );
    let mut builder = of(&["a", "b"]);
    builder.at("a").leave_group::<Physics>();
    let line = line!() - 1;
    assert_eq!(
        refused(&mut builder),
        problem(&format!(
            "cannot remove `a` from the group `Physics` at {FILE}:{line}: it is not a direct member\n      \
             help: if `a` is a member through another group, call `leave_group` for that group instead"
        ))
    );
    let mut builder = of(&["a", "b"]);
    builder.at("a").leave_group_named("physics");
    assert!(refused(&mut builder).contains("from the group `physics`"));
    let mut builder = of(&["a", "b"]);
    builder.at("a").clear_run_if();
    assert!(refused(&mut builder).contains("cannot remove the run condition of `a`"));
    let mut builder = of(&["a", "b"]);
    builder.remove_policy_between("a", "b");
    let line = line!() - 1;
    assert_eq!(
        refused(&mut builder),
        problem(&format!(
            "cannot remove the policy of `a` and `b` at {FILE}:{line}: none is set\n      \
             help: if the policy is set for a group, pass the group"
        ))
    );
    let mut builder = of(&["a", "b"]);
    builder.remove_failure_policy_for("b");
    let line = line!() - 1;
    assert_eq!(
        refused(&mut builder),
        problem(&format!(
            "cannot remove the failure policy of `b` at {FILE}:{line}: none is set\n      \
             help: if the policy is set for a group, pass the group"
        ))
    );
}

#[test]
fn clauses_after_a_missing_target_cause_no_further_errors() {
    let mut builder = of(&["draw"]);
    builder
        .at("darw")
        .run_if(Condition::of::<never>())
        .in_group::<Physics>();
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Dangling { name, .. }] if name == "darw"),
        "{error}"
    );
    let mut schedule = of(&["draw"]).build().unwrap();
    let error = schedule
        .change(|builder| builder.remove("draw").at("draw").named("paint"))
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Removed { .. }]),
        "{error}"
    );
    let error = schedule
        .change(|builder| {
            builder.add_dynamic(system("draw"));
            builder.at("draw").run_if(Condition::of::<never>())
        })
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Ambiguous { .. }]),
        "{error}"
    );
}

#[test]
fn clause_of_a_change_without_a_target_is_an_error() {
    let mut schedule = of(&["draw"]).build().unwrap();
    let error = schedule
        .change(|builder| builder.run_if(Condition::of::<never>()))
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NothingAdded { .. }]),
        "{error}"
    );
}

#[test]
fn items_with_an_empty_name_are_rejected_until_they_have_one() {
    let places = |mut builder: Builder| -> Vec<u32> {
        let error = builder.build().unwrap_err();
        let line = |problem: &Problem| match problem {
            Problem::EmptyName { location } => location.line(),
            other => panic!("{other}"),
        };
        error.problems().iter().map(line).collect()
    };
    let mut builder = Schedule::builder();
    let line = line!() + 1;
    builder.add_closure("", || ());
    builder.add_dynamic(DynamicSystem::new(" \t", |_| ()));
    builder.repeat_while_closure("", || false, |step| step);
    builder.add_closure("draw", || ()).named("");
    assert_eq!(places(builder), [line, line + 1, line + 2, line + 3]);

    let mut builder = Schedule::builder();
    builder
        .add_dynamic(DynamicSystem::new("", |_| ()))
        .named("draw");
    let mut schedule = builder.build().unwrap();
    let error = schedule
        .change(|builder| builder.add_closure("", || ()))
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("has an empty name, so messages and orders cannot name it"),
        "{text}"
    );
    assert_eq!(schedule.systems().collect::<Vec<_>>(), ["draw"]);
}
