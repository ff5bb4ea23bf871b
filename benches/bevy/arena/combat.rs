//! Combat: fighters chase, hit, flee, rest and die.

use bevy_ecs::prelude::*;

use crate::damage::Damage;
use crate::fighter::{Health, Mind, Number, Position, Resting, Team, mix};
use crate::grid::Grid;
use crate::score::Death;

/// Steps within which a fighter hits an opponent.
const REACH: i32 = 16;
/// Health below which a fighter flees.
const FEAR: i32 = 30;
/// The least health that a hit takes. A hit takes up to 2 more.
const DAMAGE: i32 = 7;
/// Ticks of rest of a fighter that fled.
const REST: u32 = 40;

/// Changes the minds of fighters: they flee with little health, and else chase the nearest opponent in their cell.
pub(crate) fn think(
    mut all: Query<(&mut Mind, &Position, &Health, &Team), Without<Resting>>,
    grid: Res<Grid>,
) {
    all.par_iter_mut()
        .for_each(|(mut mind, position, health, team)| {
            let near = grid.near(*position).iter();
            let opponents = near.filter(|other| other.team != *team);
            let nearest = opponents.min_by_key(|other| {
                let (dx, dy) = (other.position.x - position.x, other.position.y - position.y);
                (dx * dx + dy * dy, other.number)
            });
            *mind = match (health.0 < FEAR, nearest) {
                (true, _) => Mind::Flee,
                (false, Some(other)) => Mind::Chase(other.position),
                (false, None) => Mind::Roam,
            };
        });
}

/// Hits opponents within reach.
pub(crate) fn fight(
    all: Query<(&Number, &Position, &Team, &Mind), Without<Resting>>,
    grid: Res<Grid>,
    mut damage: MessageWriter<Damage>,
) {
    for (number, position, team, mind) in &all {
        if *mind == Mind::Flee {
            continue;
        }
        let is_near = |other: &Position| {
            (other.x - position.x).abs() <= REACH && (other.y - position.y).abs() <= REACH
        };
        let mut near = grid.near(*position).iter();
        if let Some(victim) = near.find(|other| other.team != *team && is_near(&other.position)) {
            let luck = mix(number.0 ^ mix(victim.number.0)) % 3;
            damage.write(Damage {
                victim: victim.entity,
                amount: DAMAGE + luck as i32,
            });
        }
    }
}

/// Heals the fighters that rest.
pub(crate) fn heal(mut all: Query<&mut Health, With<Resting>>) {
    for mut health in &mut all {
        health.0 = Health::FULL.0.min(health.0 + 2);
    }
}

/// Removes the dead, and reports them.
pub(crate) fn bury(
    dying: Query<(Entity, &Health, &Team)>,
    mut commands: Commands,
    mut deaths: MessageWriter<Death>,
) {
    for (entity, health, team) in &dying {
        if health.0 <= 0 {
            commands.entity(entity).despawn();
            deaths.write(Death(*team));
        }
    }
}

/// Lets fighters rest that fled and are alive.
pub(crate) fn lie_down(
    fleeing: Query<(Entity, &Mind, &Health), Without<Resting>>,
    mut commands: Commands,
) {
    for (entity, mind, health) in &fleeing {
        if *mind == Mind::Flee && health.0 > 0 {
            commands.entity(entity).insert(Resting { ticks: REST });
        }
    }
}

/// Ends the rest of fighters that rested long enough.
pub(crate) fn get_up(mut resting: Query<(Entity, &mut Resting)>, mut commands: Commands) {
    for (entity, mut resting) in &mut resting {
        resting.ticks = resting.ticks.saturating_sub(1);
        if resting.ticks == 0 {
            commands.entity(entity).remove::<Resting>();
        }
    }
}
