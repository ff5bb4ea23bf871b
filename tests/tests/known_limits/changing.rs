//! Changes of what is there.
//!
//! No API exists for these, so they cannot be stated as cases:
//!
//! - In [`Schedule::change`]: a guard for a node that is there, a group for a node that is there, and to take back a guard, a
//!   membership or an order of nodes that stay.
//! - To remove a node and keep the order of its neighbours (`remove_and_bridge`).
//! - To try a guard or a membership, as [`Builder::try_order`](schedule::Builder::try_order) tries an order: a wrong one is
//!   found by `build`, which consumes what was declared.
//!
//! The tests without [`still_fails`] state what is refused or lost today. They are to be replaced when the API exists.

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::report::Relation;
use schedule::{Condition, Target};
use schedule_tests::child::Child;

use super::harness::still_fails;

#[derive(Group)]
struct Physics;

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

#[derive(Resource)]
struct Position(f32);

#[system]
fn first(position: &mut Position) {
    position.0 += 1.0;
}

#[system(after = first)]
fn second(position: &mut Position) {
    position.0 *= 2.0;
}

#[system(after = second)]
fn third(position: &mut Position) {
    position.0 -= 1.0;
}

#[test]
fn node_of_a_chain_is_removed() {
    let case = Child::new(|| {
        let mut builder = Schedule::builder();
        builder.add::<first>().add::<second>().add::<third>();
        let mut schedule = builder.build().unwrap();
        schedule
            .change(|builder| builder.remove(Target::of::<second>()))
            .unwrap();
        let names: Vec<_> = schedule.systems().collect();
        assert_eq!(names, ["first", "third"]);
    });
    still_fails(case, "was removed, but is named at");
}

#[test]
fn order_through_a_removed_node_is_lost() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c"] {
        builder.add_dynamic(system(name));
    }
    builder.order("a", "b").order("b", "c");
    let mut schedule = builder.build().unwrap();
    schedule.change(|builder| builder.remove("b")).unwrap();
    let why = schedule.why("a", "c").unwrap();
    assert!(matches!(why.relation, Relation::AtOnce { .. }), "{why}");
}

#[test]
fn guards_and_groups_in_a_change_reach_only_what_it_adds() {
    let mut builder = Schedule::builder();
    builder.add_closure("is_due", || true);
    builder.add_dynamic(system("draw"));
    let mut schedule = builder.build().unwrap();
    let is_due = || Condition::added("is_due");
    let error = schedule
        .change(|builder| builder.guard(is_due()))
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NothingAdded { .. }]),
        "{error}"
    );
    let error = schedule
        .change(|builder| builder.in_group::<Physics>())
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NothingAdded { .. }]),
        "{error}"
    );
}

#[test]
fn wrong_guard_costs_the_builder() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("draw"));
    builder.guard(Condition::added("is_deu"));
    assert!(builder.build().is_err());
    assert_eq!(builder.build().unwrap().systems().count(), 0);
}
