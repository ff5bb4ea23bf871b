//! An open schedule, and systems of this crate that it collects.

use schedule::prelude::*;

use crate::combat::{Health, heal, poison};

schedule! {
    /// Collects the systems of a village.
    pub open Village {
        poison,
        heal,
    }
}

/// Doubles the [`Health`]. Collected by [`Village`].
#[system(schedule = Village, after = heal)]
pub fn feast(health: &mut Health) {
    health.0 *= 2;
}

mod night {
    use super::Health;
    use schedule::prelude::*;

    /// Subtracts 1. It is private, but it is collected.
    #[system(schedule = super::Village, after = super::feast)]
    fn shiver(health: &mut Health) {
        health.0 -= 1;
    }
}
