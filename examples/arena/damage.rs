//! Damage as messages: each system that does damage fills its own list, and one system takes the health.
//!
//! The systems that do damage can run at the same time. The damage of a tick does not depend on their order.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::fighter::{Age, Health, Position, SIDE};

/// The message that an entity loses health.
pub(crate) struct Damage {
    pub(crate) victim: Entity,
    pub(crate) amount: i32,
}

/// The hits of a tick, in the order of the attackers.
#[derive(Resource, Default)]
pub(crate) struct Hits(pub(crate) Vec<Damage>);

/// The burns of a tick.
#[derive(Resource, Default)]
pub(crate) struct Burns(Vec<Damage>);

/// The losses of a tick by age.
#[derive(Resource, Default)]
pub(crate) struct Ailments(Vec<Damage>);

/// The distance from the middle of the arena in which there is fire.
const FIRE: i32 = SIDE / 32;
/// The age at which fighters begin to lose health, in ticks.
const OLD: u32 = 400;

/// Burns the fighters in the fire.
#[system]
pub(crate) fn burn(all: Query<(Entity, &Position)>, burns: &mut Burns) {
    burns.0.clear();
    for (victim, position) in &all {
        let (dx, dy) = (position.x - SIDE / 2, position.y - SIDE / 2);
        if dx.abs() < FIRE && dy.abs() < FIRE {
            burns.0.push(Damage { victim, amount: 3 });
        }
    }
}

/// Weakens old fighters.
#[system]
pub(crate) fn weaken(all: Query<(Entity, &Age)>, ailments: &mut Ailments) {
    ailments.0.clear();
    for (victim, age) in &all {
        if age.0 >= OLD && age.0.is_multiple_of(8) {
            ailments.0.push(Damage { victim, amount: 1 });
        }
    }
}

/// Takes the health of all victims.
#[system(after = (burn, weaken))]
pub(crate) fn take_damage(
    mut all: Query<&mut Health>,
    hits: &Hits,
    burns: &Burns,
    ailments: &Ailments,
) {
    for damage in [&hits.0, &burns.0, &ailments.0].into_iter().flatten() {
        if let Some(health) = all.get_mut(damage.victim) {
            health.0 -= damage.amount;
        }
    }
}
