//! Damage as messages: several systems write them, and one system takes the health.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::fighter::{Age, Health, Position, SIDE};

/// The message that an entity loses health.
#[derive(Message)]
pub(crate) struct Damage {
    pub(crate) victim: Entity,
    pub(crate) amount: i32,
}

/// The distance from the middle of the arena in which there is fire.
const FIRE: i32 = SIDE / 32;
/// The age at which fighters begin to lose health, in ticks.
const OLD: u32 = 400;

/// Burns a fighter in the fire.
#[system(for_each)]
pub(crate) fn burn(victim: Entity, position: &Position, mut damages: MessageWriter<Damage>) {
    let (dx, dy) = (position.x - SIDE / 2, position.y - SIDE / 2);
    if dx.abs() < FIRE && dy.abs() < FIRE {
        damages.write(Damage { victim, amount: 3 });
    }
}

/// Weakens an old fighter.
#[system(for_each)]
pub(crate) fn weaken(victim: Entity, age: &Age, mut damages: MessageWriter<Damage>) {
    if age.0 >= OLD && age.0.is_multiple_of(8) {
        damages.write(Damage { victim, amount: 1 });
    }
}

/// Takes the health of all victims.
#[system]
pub(crate) fn take_damage(mut all: Query<&mut Health>, damages: MessageReader<Damage>) {
    for damage in &damages {
        if let Some(health) = all.get_mut(damage.victim) {
            health.0 -= damage.amount;
        }
    }
}
