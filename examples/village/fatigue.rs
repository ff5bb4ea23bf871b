//! Fatigue: walking increases it, and sleep decreases it.

use schedule::Identity;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::Hour;
use crate::movement::Velocity;
use crate::phase::Phase;
use crate::villager::{Column, Property};

/// From 0 (rested) to [`Fatigue::MAX`].
#[derive(Identity, Clone, Copy)]
pub(crate) struct Fatigue(u16);

impl Fatigue {
    const MAX: u16 = 1000;
    const PER_STEP: u16 = 10;
    const PER_HOUR_OF_SLEEP: u16 = 60;

    pub(crate) fn is_tired(self) -> bool {
        self.0 >= 300
    }
}

impl Property for Fatigue {
    fn of_founder(_: usize) -> Self {
        Self(0)
    }

    fn of_child(_: Self) -> Self {
        Self(0)
    }

    fn bits(self) -> u64 {
        u64::from(self.0)
    }
}

/// Increases the fatigue of all walking villagers by one step.
#[system]
pub(crate) fn tire(velocities: &Column<Velocity>, fatigues: &mut Column<Fatigue>) {
    for (fatigue, velocity) in fatigues.iter_mut().zip(velocities.iter()) {
        if velocity.is_moving() {
            fatigue.0 = Fatigue::MAX.min(fatigue.0 + Fatigue::PER_STEP);
        }
    }
}

/// Decreases the fatigue of all villagers by one hour of sleep.
#[system(in = Hour, if = is(current::<Phase>, Phase::Night))]
pub(crate) fn sleep(fatigues: &mut Column<Fatigue>) {
    for fatigue in fatigues.iter_mut() {
        fatigue.0 = fatigue.0.saturating_sub(Fatigue::PER_HOUR_OF_SLEEP);
    }
}
