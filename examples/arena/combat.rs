//! Combat: fighters chase, hit, flee, rest and die.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::fighter::{Health, Mind, Position, Resting, Team, mix};
use crate::grid::Grid;
use crate::score::Score;

/// Steps within which a fighter hits an opponent.
const REACH: i32 = 16;
/// Health below which a fighter flees.
const FEAR: i32 = 30;
/// The least health that a hit takes. A hit takes up to 2 more.
const DAMAGE: i32 = 7;
/// Ticks of rest of a fighter that fled.
const REST: u32 = 40;

/// The hits of a tick, in the order of the attackers. Read by `take_damage`.
#[derive(Resource, Default)]
pub(crate) struct Hits(Vec<Hit>);

struct Hit {
    victim: Entity,
    damage: i32,
}

/// Changes the minds of fighters: they flee with little health, and else chase the nearest opponent in their cell.
#[system]
pub(crate) fn think(
    mut all: Query<(&mut Mind, &Position, &Health, &Team), Without<Resting>>,
    grid: &Grid,
) {
    all.par_for_each(|(mind, position, health, team)| {
        let opponents = grid.near(*position).iter();
        let opponent = opponents
            .filter(|other| other.2 != *team)
            .min_by_key(|other| {
                let (dx, dy) = (other.1.x - position.x, other.1.y - position.y);
                (dx * dx + dy * dy, other.0.to_bits())
            });
        *mind = match (health.0 < FEAR, opponent) {
            (true, _) => Mind::Flee,
            (false, Some((_, position, _))) => Mind::Chase(*position),
            (false, None) => Mind::Roam,
        };
    });
}

/// Hits opponents within reach.
#[system]
pub(crate) fn fight(
    all: Query<(Entity, &Position, &Team, &Mind), Without<Resting>>,
    grid: &Grid,
    hits: &mut Hits,
) {
    hits.0.clear();
    for (entity, position, team, mind) in &all {
        if *mind == Mind::Flee {
            continue;
        }
        let is_near = |other: &Position| {
            (other.x - position.x).abs() <= REACH && (other.y - position.y).abs() <= REACH
        };
        let mut near = grid.near(*position).iter();
        if let Some((victim, ..)) = near.find(|other| other.2 != *team && is_near(&other.1)) {
            let luck = mix(entity.to_bits().get() ^ victim.to_bits().get());
            hits.0.push(Hit {
                victim: *victim,
                damage: DAMAGE + (luck % 3) as i32,
            });
        }
    }
}

/// Takes health from the victims.
#[system(after = fight)]
pub(crate) fn take_damage(mut all: Query<&mut Health>, hits: &Hits) {
    for hit in &hits.0 {
        if let Some(health) = all.get_mut(hit.victim) {
            health.0 -= hit.damage;
        }
    }
}

/// Heals a fighter that rests.
#[system(for_each, with = Resting, after = take_damage)]
pub(crate) fn heal(health: &mut Health) {
    health.0 = Health::FULL.0.min(health.0 + 2);
}

/// Removes the dead, and counts them for the other team.
#[system(after = take_damage)]
pub(crate) fn bury(
    dying: Query<(Entity, &Health, &Team)>,
    mut commands: Commands,
    score: &mut Score,
) {
    for (entity, health, team) in &dying {
        if health.0 <= 0 {
            commands.entity(entity).despawn();
            score.count_death(*team);
        }
    }
}

/// Lets fighters rest that fled and are alive.
#[system(after = take_damage)]
pub(crate) fn lie_down(
    fleeing: Query<(Entity, &Mind, &Health), Without<Resting>>,
    mut commands: Commands,
) {
    for (entity, mind, health) in &fleeing {
        if *mind == Mind::Flee && health.0 > 0 {
            commands.entity(entity).insert((Resting { ticks: REST },));
        }
    }
}

/// Ends the rest of fighters that rested long enough.
#[system]
pub(crate) fn get_up(mut resting: Query<(Entity, &mut Resting)>, mut commands: Commands) {
    for (entity, resting) in &mut resting {
        resting.ticks = resting.ticks.saturating_sub(1);
        if resting.ticks == 0 {
            commands.entity(entity).remove::<(Resting,)>();
        }
    }
}
