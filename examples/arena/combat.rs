//! Combat: fighters chase, hit, flee, rest and die.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

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

/// Changes the mind of a fighter: it flees with little health, and else chases the nearest opponent in its cell.
#[system(for_each, without = Resting)]
pub(crate) fn think(
    mind: &mut Mind,
    position: &Position,
    health: &Health,
    team: &Team,
    #[resource] grid: &Grid,
) {
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
}

/// Hits an opponent within reach.
#[system(for_each, without = Resting)]
pub(crate) fn fight(
    number: &Number,
    position: &Position,
    team: &Team,
    mind: &Mind,
    #[resource] grid: &Grid,
    mut damages: MessageWriter<Damage>,
) {
    if *mind == Mind::Flee {
        return;
    }
    let is_near = |other: &Position| {
        (other.x - position.x).abs() <= REACH && (other.y - position.y).abs() <= REACH
    };
    let mut near = grid.near(*position).iter();
    if let Some(victim) = near.find(|other| other.team != *team && is_near(&other.position)) {
        let luck = mix(number.0 ^ mix(victim.number.0)) % 3;
        damages.write(Damage {
            victim: victim.entity,
            amount: DAMAGE + luck as i32,
        });
    }
}

/// Heals a fighter that rests, also one that has just died.
#[system(for_each, with = Resting, after_without_commands = (bury, lie_down))]
pub(crate) fn heal(health: &mut Health) {
    health.0 = Health::FULL.0.min(health.0 + 2);
}

/// Removes the dead, and reports them.
#[system]
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

/// Lets a fighter rest that fled and is alive.
#[system(for_each, without = Resting)]
pub(crate) fn lie_down(entity: Entity, mind: &Mind, health: &Health, mut commands: Commands) {
    if *mind == Mind::Flee && health.0 > 0 {
        commands.entity(entity).insert((Resting { ticks: REST },));
    }
}

/// Ends the rest of a fighter that rested long enough.
#[system(for_each)]
pub(crate) fn get_up(entity: Entity, resting: &mut Resting, mut commands: Commands) {
    resting.ticks = resting.ticks.saturating_sub(1);
    if resting.ticks == 0 {
        commands.entity(entity).remove::<(Resting,)>();
    }
}
