//! Changes of what is there.
//!
//! No API exists for these, so they cannot be stated as cases:
//!
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

#[test]
fn wrong_guard_costs_the_builder() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("draw"));
    builder.guard(Condition::added("is_deu"));
    assert!(builder.build().is_err());
    assert_eq!(builder.build().unwrap().systems().count(), 0);
}
