//! Run conditions in the attribute of a system.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::System;
use schedule::condition::{Answered, Guard, Token};
use schedule::prelude::*;

use crate::Health;

#[derive(Resource)]
struct Water(i32);

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

const FASTEST: Gait = Gait::Run;

#[system]
fn is_alive(health: &Health) -> bool {
    health.0 > 0
}

#[system(name = "is it near?")]
fn is_near() -> Result<bool, String> {
    Ok(true)
}

#[system]
fn is_full<T: Resource>(_: &T) -> bool {
    true
}

#[system]
fn is_over<T: Resource, const N: i32>(_: &T) -> bool {
    true
}

#[system]
fn gait(water: &Water) -> Gait {
    if water.0 > 0 { Gait::Walk } else { Gait::Run }
}

#[system]
fn gait_in<T: Resource>(_: &T) -> Result<Gait, String> {
    Ok(Gait::Walk)
}

/// A condition with the name of an operator.
#[system]
fn not() -> bool {
    false
}

mod sight {
    use super::*;

    #[system]
    pub(super) fn is_dark() -> bool {
        false
    }
}

/// Returns the guards of a system as debug text.
fn guards<S: System>() -> String {
    format!("{:?}", S::GUARDS)
}

macro_rules! guarded {
    ($($name:ident: $option:tt => $expected:literal;)*) => {$(
        #[test]
        fn $name() {
            #[system(if = $option)]
            fn guarded() {}

            assert_eq!(guards::<guarded>(), $expected);
        }
    )*};
}

guarded! {
    a_condition: is_alive => "[Is(is_alive: true)]";
    a_condition_in_brackets: (is_alive) => "[Is(is_alive: true)]";
    a_list_is_all_of_these: (is_alive, is_near,) => "[Is(is_alive: true), Is(is it near?: true)]";
    an_empty_list: () => "[]";
    not_a_condition: (not(is_alive)) => "[Not(Is(is_alive: true))]";
    not_not: (not(not(is_alive))) => "[Not(Not(Is(is_alive: true)))]";
    and: (and(is_alive, is_near)) => "[All([Is(is_alive: true), Is(is it near?: true)])]";
    or: (or(is_alive, is_near,)) => "[Any([Is(is_alive: true), Is(is it near?: true)])]";
    of_one: (and(or(is_alive))) => "[All([Any([Is(is_alive: true)])])]";
    a_branch: (is(gait, Gait::Run)) => "[Is(gait: Run)]";
    a_branch_by_its_path: (is(self::gait, self::Gait::Walk,)) => "[Is(gait: Walk)]";
    a_branch_by_a_constant: (is(gait, FASTEST)) => "[Is(gait: Run)]";
    a_branch_of_a_generic_system: (is(gait_in::<Water>, Gait::Walk)) => "[Is(gait_in<Water>: Walk)]";
    a_generic_condition: (is_full::<Water>) => "[Is(is_full<Water>: true)]";
    a_generic_condition_without_colons: (is_full<Health>) => "[Is(is_full<Health>: true)]";
    a_condition_of_a_number: (is_over::<Water, 3>) => "[Is(is_over<Water, 3>: true)]";
    a_condition_by_its_path: (sight::is_dark, not(crate::guard::is_alive))
        => "[Is(is_dark: true), Not(Is(is_alive: true))]";
    a_condition_with_the_name_of_an_operator: (not, not(not)) => "[Is(not: true), Not(Is(not: true))]";
    nested: (or(and(is_alive, not(is_near)), not(or(is(gait, Gait::Walk), (is_alive, is_near)))))
        => "[Any([All([Is(is_alive: true), Not(Is(is it near?: true))]), \
            Not(Any([Is(gait: Walk), All([Is(is_alive: true), Is(is it near?: true)])]))])]";
}

/// Combined with other options, and without parentheses.
#[system(after = gait, if = or(is_alive, is(gait, Gait::Run)), in = (), name = "drinks")]
fn drink(water: &mut Water) {
    water.0 -= 1;
}

/// A condition with a type parameter of the system.
#[system(
    if = (
        is_full::<T>,
        not(is(gait_in::<T>, Gait::Run)),
        and(is_alive, is_over::<T, N>),
    ),
)]
fn pour<T: Resource, const N: i32>(_: &mut T) {}

/// A condition that has a condition itself.
#[system(if = is_alive)]
fn is_thirsty(water: &Water) -> bool {
    water.0 < 3
}

#[system]
fn unguarded() {}

#[test]
fn guard_combines_with_other_options() {
    assert_eq!(
        guards::<drink>(),
        "[Any([Is(is_alive: true), Is(gait: Run)])]"
    );
    assert_eq!(drink::ORDERS.len(), 1);
    assert_eq!(guards::<is_thirsty>(), "[Is(is_alive: true)]");
    assert_eq!(guards::<unguarded>(), "[]");
}

#[test]
fn guard_may_use_generic_parameters_of_its_system() {
    assert_eq!(
        guards::<pour<Water, 7>>(),
        "[Is(is_full<Water>: true), Not(Is(gait_in<Water>: Run)), \
         All([Is(is_alive: true), Is(is_over<Water, 7>: true)])]"
    );
}

#[test]
fn guard_stores_the_location_of_its_name() {
    #[rustfmt::skip]
    #[system(if = (is_alive,
        not(sight::is_dark), is(gait, Gait::Run)))]
    fn guarded() {}
    let line = line!() - 3;

    let tokens = guarded::GUARDS.iter().flat_map(Guard::tokens);
    let leaves = tokens.filter_map(|token| match token {
        Token::Is(answered) => Some(answered.location()),
        _ => None,
    });
    let at: Vec<_> = leaves.map(|at| (at.line(), at.column())).collect();
    assert_eq!(at, [(line, 20), (line + 1, 13), (line + 1, 33)]);
}

#[test]
fn guard_consists_of_tokens_in_postfix_order() {
    const TOKENS: &[Token<Answered>] = &[
        Token::Is(Answered::of::<is_alive>()),
        Token::Is(Answered::is::<gait, _>(Gait::Run, Gait::Run as u32)),
        Token::Not,
        Token::Any(2),
    ];
    let guard = Guard::new(TOKENS);
    assert_eq!(
        format!("{guard:?}"),
        "Any([Is(is_alive: true), Not(Is(gait: Run))])"
    );
    // An operator before its operands, and two results.
    for wrong in [&TOKENS[2..], &TOKENS[..2]] {
        let made = catch_unwind(AssertUnwindSafe(|| Guard::new(wrong)));
        assert!(made.is_err(), "{wrong:?}");
    }
}
