//! A module and a system of one name.

use schedule::prelude::*;

use crate::combat::Health;

/// Halves the [`Health`]. What a schedule adds is [`Rot`].
#[system(type = Rot)]
pub fn rot(health: &mut Health) {
    health.0 /= 2;
}
