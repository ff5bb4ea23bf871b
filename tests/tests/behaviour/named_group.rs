//! Groups whose names are defined at run time.

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::report::Relation;
use schedule::{Builder, Condition, Target};

use crate::trace::{Trace, named};

#[derive(Group)]
struct Physics;

const FILE: &str = file!();

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

/// `integrate` and `collide` in the group `physics`, and `draw`.
fn with_group() -> Builder {
    let mut builder = Schedule::builder();
    let physics = String::from("physics");
    builder.add_dynamic(system("draw"));
    for name in ["integrate", "collide"] {
        builder.add_dynamic(system(name)).in_group_named(&physics);
    }
    builder.order("integrate", "collide");
    builder
}

fn names(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

#[test]
fn named_group_is_ordered_by_its_name() {
    let schedule = with_group().order("physics", "draw").build().unwrap();
    assert_eq!(names(&schedule), ["integrate", "collide", "draw"]);
    let schedule = with_group()
        .order(Target::group("physics"), "draw")
        .build()
        .unwrap();
    assert_eq!(names(&schedule), ["integrate", "collide", "draw"]);
    let why = schedule.why("physics", "draw").unwrap();
    assert!(matches!(why.relation, Relation::Before(_)), "{why}");
    assert!(why.to_string().contains("`physics`"), "{why}");
}

#[test]
fn named_group_may_contain_and_join_other_groups() {
    let mut builder = with_group();
    builder.group_named("physics").in_group::<Physics>();
    builder.group::<Physics>().in_group_named("everything");
    builder.add_dynamic(system("first"));
    builder.order("first", "everything");
    builder.order(Target::of::<Physics>(), "draw");
    let schedule = builder.build().unwrap();
    assert_eq!(names(&schedule), ["first", "integrate", "collide", "draw"]);
}

#[test]
fn guard_of_a_named_group_applies_to_each_member() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add_dynamic(trace.system("draw"));
    builder
        .add_dynamic(trace.system("integrate"))
        .in_group_named("physics");
    builder
        .group_named("physics")
        .run_if(Condition::closure("never", || false));
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut Resources::new()), ["draw"]);
    schedule
        .change(|builder| builder.remove("physics"))
        .unwrap();
    assert_eq!(names(&schedule), ["draw"]);
}

#[test]
fn policies_take_named_groups() {
    let mut builder = Schedule::builder();
    for name in ["a", "b"] {
        builder
            .add_dynamic(system(name).writes("R"))
            .in_group_named("writers");
    }
    builder.accept("writers", "writers", "they add up");
    let schedule = builder.build().unwrap();
    assert_eq!(schedule.accepted().len(), 1);
    schedule.graph();
}

#[test]
fn named_group_is_disabled_and_enabled_by_its_name() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a").writes("R"))
        .in_group_named("writers");
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled("writers", false).unwrap();
    assert!(trace.of(&mut schedule, &mut named(&["R"])).is_empty());
}

#[test]
fn named_group_is_in_the_lock_the_graph_data_and_the_picture() {
    let schedule = with_group().order("physics", "draw").build().unwrap();
    assert!(schedule.lock().to_string().contains("physics"));
    let graph = schedule.graph();
    let group = graph.named("physics").next().unwrap();
    let members = graph
        .nodes
        .iter()
        .filter(|node| node.groups.contains(&group));
    assert_eq!(members.count(), 2);
    assert!(graph.picture().to_dot().contains("physics"));
}

#[test]
fn name_of_a_system_and_a_named_group_is_ambiguous() {
    let mut builder = with_group();
    builder.add_dynamic(system("physics"));
    let system = builder.last().unwrap();
    builder.order("physics", "draw");
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Ambiguous { candidates, .. }] if candidates.len() == 2),
        "{error}"
    );
    // The system and the group can be distinguished.
    let mut builder = with_group();
    builder.add_dynamic(self::system("physics"));
    builder.order(system, Target::group("physics"));
    builder.order(Target::group("physics"), "draw");
    let schedule = builder.build().unwrap();
    assert_eq!(
        names(&schedule),
        ["physics", "integrate", "collide", "draw"]
    );
}

#[test]
fn named_group_with_the_name_of_a_group_of_a_type_is_an_error() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("a")).in_group::<Physics>();
    builder.add_dynamic(system("b")).in_group_named("Physics");
    let (of_type, of_name) = (line!() - 2, line!() - 1);
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        format!(
            "1 problem in schedule `schedule`\n  \
             two groups have the name `Physics`: one is given as a type at {FILE}:{of_type}, the other as a text at {FILE}:{of_name}\n      \
             help: give both as this type, with `in_group`, or rename the group that is given as a text"
        )
    );
}

#[test]
fn name_of_no_group_is_an_error_with_the_nearest_name() {
    let mut builder = with_group();
    builder.order("phyics", "draw");
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("`physics`"), "{error}");
    let mut builder = with_group();
    builder.order(Target::group("phyics"), "draw");
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Dangling { name, .. }] if name == "phyics"),
        "{error}"
    );
}

#[test]
fn group_clause_before_the_first_node_is_an_error() {
    let mut builder = Schedule::builder();
    let error = builder.in_group_named("physics").build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NothingAdded { .. }]),
        "{error}"
    );
}

#[test]
fn included_builder_shares_named_groups() {
    let mut other = Schedule::builder();
    other.add_dynamic(system("solve")).in_group_named("physics");
    let mut builder = with_group();
    builder.order("physics", "draw").include(other);
    let schedule = builder.build().unwrap();
    assert_eq!(names(&schedule), ["integrate", "collide", "solve", "draw"]);
}
