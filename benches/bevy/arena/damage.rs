//! Damage as messages: several systems write them, and one system takes the health.

use bevy_ecs::prelude::*;

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

/// Burns the fighters in the fire.
pub(crate) fn burn(all: Query<(Entity, &Position)>, mut damage: MessageWriter<Damage>) {
    for (victim, position) in &all {
        let (dx, dy) = (position.x - SIDE / 2, position.y - SIDE / 2);
        if dx.abs() < FIRE && dy.abs() < FIRE {
            damage.write(Damage { victim, amount: 3 });
        }
    }
}

/// Weakens old fighters.
pub(crate) fn weaken(all: Query<(Entity, &Age)>, mut damage: MessageWriter<Damage>) {
    for (victim, age) in &all {
        if age.0 >= OLD && age.0.is_multiple_of(8) {
            damage.write(Damage { victim, amount: 1 });
        }
    }
}

/// Takes the health of all victims.
pub(crate) fn take_damage(mut all: Query<&mut Health>, mut damage: MessageReader<Damage>) {
    for damage in damage.read() {
        if let Ok(mut health) = all.get_mut(damage.victim) {
            health.0 -= damage.amount;
        }
    }
}
