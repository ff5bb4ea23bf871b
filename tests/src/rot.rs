//! A module and a system with the same name.

use schedule::prelude::*;

use crate::combat::Health;

/// Halves the [`Health`]. A schedule adds it as [`Rot`].
#[system(type = Rot)]
pub fn rot(health: &mut Health) {
    health.0 /= 2;
}
