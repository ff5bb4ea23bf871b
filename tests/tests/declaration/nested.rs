//! Systems inside functions, and functions inside systems.

use schedule::prelude::*;
use schedule::{Identity, System, run_one};

use crate::{Health, after_one};

fn hurt_by_one() -> u128 {
    #[system]
    fn hurt(health: &mut Health) {
        health.0 -= 1;
    }
    assert_eq!(after_one::<hurt>(), 9);
    hurt::ID
}

fn hurt_by_two() -> u128 {
    #[derive(Default, Resource)]
    struct Amount(i32);

    #[derive(Params)]
    struct Body<'r> {
        health: &'r mut Health,
        amount: &'r Amount,
    }

    #[system]
    fn hurt(body: Body) {
        body.health.0 -= body.amount.0;
    }

    let mut resources = Resources::new();
    resources.insert(Health(10));
    resources.insert(Amount(2));
    run_one::<hurt>(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Health(8)));
    hurt::ID
}

#[test]
fn systems_of_one_name_in_two_functions_are_different() {
    assert_ne!(hurt_by_one(), hurt_by_two());
}

#[test]
fn system_may_be_declared_in_a_block_of_a_generic_function() {
    #[allow(clippy::extra_unused_type_parameters, reason = "it must not get in")]
    fn run_inside<T>() -> i32 {
        #[system]
        fn hurt(health: &mut Health) {
            health.0 -= 1;
        }
        after_one::<hurt>()
    }
    assert_eq!(run_inside::<u8>(), 9);
    let in_a_closure = || {
        #[system]
        fn hurt(health: &mut Health) {
            health.0 -= 1;
        }
        after_one::<hurt>()
    };
    assert_eq!(in_a_closure(), 9);
}

#[system]
fn with_another_inside(health: &mut Health) {
    #[system]
    fn inside(health: &mut Health) {
        health.0 -= 1;
    }
    inside(health);
    health.0 -= 10 - after_one::<inside>();
}

#[test]
fn a_system_may_be_reached_through_a_type_parameter_and_an_alias() {
    trait Game {
        type Move: System;
    }
    struct Chess;
    impl Game for Chess {
        type Move = with_another_inside;
    }
    fn play<G: Game>() -> i32 {
        after_one::<G::Move>()
    }
    type Step = with_another_inside;
    assert_eq!(play::<Chess>(), 8);
    assert_eq!(after_one::<Step>(), 8);
}
