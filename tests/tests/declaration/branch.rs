//! Enums whose variants are the names of branches.

use schedule::prelude::*;
use schedule::run_one;

#[derive(Branch, Clone, Copy, Debug, PartialEq)]
#[allow(non_camel_case_types, reason = "raw names are what is tried")]
enum Gait {
    Walk,
    Run,
    r#swim,
    r#in,
}

#[derive(Branch, Clone, Copy)]
#[repr(u8)]
#[branch(crate = ::schedule)]
enum Only {
    One,
}

#[derive(Branch, Clone, Copy)]
enum UnderCfg {
    #[cfg(any())]
    Missing,
    First,
    #[cfg(not(any()))]
    Second,
}

/// A state that a selector returns.
#[derive(Branch, Clone, Copy, Resource)]
#[allow(non_camel_case_types, reason = "a raw name is what is tried")]
enum r#type {
    Title,
    Game,
}

#[system]
fn gait() -> Gait {
    Gait::Run
}

#[system]
fn title(state: &r#type) -> Result<r#type, String> {
    Ok(*state)
}

#[test]
fn branch_names_are_those_of_the_variants() {
    assert_eq!(Gait::NAMES, ["Walk", "Run", "swim", "in"]);
    assert_eq!(Only::NAMES, ["One"]);
    assert_eq!(UnderCfg::NAMES, ["First", "Second"]);
    assert_eq!(r#type::NAMES, ["Title", "Game"]);
    assert_eq!(bool::NAMES, ["false", "true"]);
}

#[test]
fn branches_are_numbered_from_0() {
    let gaits = [Gait::Walk, Gait::Run, Gait::swim, Gait::r#in];
    assert_eq!(gaits.map(Gait::index), [0, 1, 2, 3]);
    assert_eq!(Only::One.index(), 0);
    assert_eq!(
        [UnderCfg::First, UnderCfg::Second].map(Branch::index),
        [0, 1]
    );
    assert_eq!([false, true].map(Branch::index), [0, 1]);
}

#[test]
fn selector_is_a_function_that_runs() {
    assert_eq!(gait(), Gait::Run);
    let mut resources = Resources::new();
    run_one::<gait>(&mut resources).unwrap();
    resources.insert(r#type::Title);
    run_one::<title>(&mut resources).unwrap();
    assert_eq!(r#type::Game.index(), 1);
}
