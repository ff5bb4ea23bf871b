//! Changes of what is there.
//!
//! No API exists for these, so they cannot be stated as cases:
//!
//! - To remove a node and keep the order of its neighbours (`remove_and_bridge`).
//! - To try a guard or a membership, as [`Builder::try_order`](schedule::Builder::try_order) tries an order: a wrong one is
//!   found by `build`, which consumes what was declared.
//!
//! The tests without [`still_fails`] state what is refused or lost today. They are to be replaced when the API exists.

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::report::Relation;
use schedule::{Condition, Target};
use schedule_tests::child::Child;

use super::harness::still_fails;

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
fn wrong_guard_costs_the_builder() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("draw"));
    builder.guard(Condition::added("is_deu"));
    assert!(builder.build().is_err());
    assert_eq!(builder.build().unwrap().systems().count(), 0);
}
