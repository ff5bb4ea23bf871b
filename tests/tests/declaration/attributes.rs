//! The attribute itself, combined with other attributes and qualifiers.

use schedule::prelude::*;

use crate::{Health, after_one};

#[system()]
fn empty_brackets(health: &mut Health) {
    health.0 -= 1;
}

#[system {}]
fn other_brackets(health: &mut Health) {
    health.0 -= 1;
}

#[system(
    after = (
        empty_brackets,
        self::other_brackets,
        schedule_tests::poison,
        schedule_tests::combat::cure::<3>,
        schedule_tests::combat::cure<4>,
    ),
    before = (),
    name = "every option",
    type = EveryOption,
    crate = ::schedule,
)]
fn every_option(health: &mut Health) {
    health.0 -= 1;
}

#[schedule::system]
fn by_path(health: &mut Health) {
    health.0 -= 1;
}

#[cfg_attr(all(), system)]
fn under_cfg_attr(health: &mut Health) {
    health.0 -= 1;
}

#[cfg_attr(all(), cfg_attr(all(), system(after = by_path)))]
fn under_two(health: &mut Health) {
    health.0 -= 1;
}

#[system]
#[cfg_attr(all(), inline, must_use)]
#[allow(clippy::needless_return, reason = "the attribute is what is tried")]
#[doc = concat!("of ", "two")]
fn over_others(health: &mut Health) -> bool {
    health.0 -= 1;
    return true;
}

#[system]
const fn constant(health: &mut Health) {
    health.0 -= 1;
}

#[system]
extern "C" fn of_another_abi(health: &mut Health) {
    health.0 -= 1;
}

#[system]
#[track_caller]
fn that_tracks_its_caller(health: &mut Health) {
    health.0 -= 1;
}

#[deprecated]
#[system]
fn the_old_way(health: &mut Health) {
    health.0 -= 1;
}

#[system]
pub(super) fn of_a_visibility(health: &mut Health) {
    health.0 -= 1;
}

#[system]
pub(in crate::attributes) fn of_a_long_visibility(health: &mut Health) {
    health.0 -= 1;
}

#[test]
fn a_system_may_have_any_attributes_and_qualifiers() {
    assert_eq!(after_one::<empty_brackets>(), 9);
    assert_eq!(after_one::<other_brackets>(), 9);
    assert_eq!(after_one::<EveryOption>(), 9);
    assert_eq!(after_one::<by_path>(), 9);
    assert_eq!(after_one::<under_cfg_attr>(), 9);
    assert_eq!(after_one::<under_two>(), 9);
    assert_eq!(after_one::<over_others>(), 9);
    assert_eq!(after_one::<constant>(), 9);
    assert_eq!(after_one::<of_another_abi>(), 9);
    assert_eq!(after_one::<that_tracks_its_caller>(), 9);
    assert_eq!(after_one::<of_a_visibility>(), 9);
    assert_eq!(after_one::<of_a_long_visibility>(), 9);
}

#[test]
#[expect(deprecated, reason = "it is what is tried")]
fn a_deprecated_system_runs() {
    the_old_way(&mut Health(0));
    assert_eq!(after_one::<the_old_way>(), 9);
}

#[test]
fn const_function_stays_const() {
    const HEALTH: Health = {
        let mut health = Health(10);
        constant(&mut health);
        health
    };
    assert_eq!(HEALTH.0, 9);
}
