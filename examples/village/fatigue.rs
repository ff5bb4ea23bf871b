//! Fatigue: walking increases it, and sleep decreases it.

use schedule::entity::Component;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::Hour;
use crate::movement::{Physics, Velocity};
use crate::phase::Phase;
use crate::villager::Villagers;

/// From 0 (rested) to [`Fatigue::MAX`].
#[derive(Component, Clone, Copy, Default, Hash)]
pub(crate) struct Fatigue(u16);

impl Fatigue {
    const MAX: u16 = 1000;
    const PER_STEP: u16 = 10;
    const PER_HOUR_OF_SLEEP: u16 = 60;

    pub(crate) fn is_tired(self) -> bool {
        self.0 >= 300
    }
}

/// Increases the fatigue of a walking villager by one step.
#[system(for_each = Villagers)]
pub(crate) fn tire(fatigue: &mut Fatigue, velocity: &Velocity) {
    let more = Fatigue::PER_STEP * u16::from(velocity.is_moving());
    fatigue.0 = Fatigue::MAX.min(fatigue.0 + more);
}

/// Decreases the fatigue of a villager by one hour of sleep.
#[system(for_each = Villagers, in = Hour, after = Physics, if = is(current::<Phase>, Phase::Night))]
pub(crate) fn sleep(fatigue: &mut Fatigue) {
    fatigue.0 = fatigue.0.saturating_sub(Fatigue::PER_HOUR_OF_SLEEP);
}
