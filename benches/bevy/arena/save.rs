//! Saving and loading: all fighters in their order. They get new ids when they are loaded.

use bevy_ecs::error::BevyError;
use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use crate::fighter::{Age, Fighter, Health, Mind, Number, Position, Resting, Team, Velocity};

/// A fighter that is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    number: Number,
    position: Position,
    velocity: Velocity,
    health: Health,
    team: Team,
    mind: Mind,
    age: Age,
    resting: Option<Resting>,
}

type Everything = (
    &'static Number,
    &'static Position,
    &'static Velocity,
    &'static Health,
    &'static Team,
    &'static Mind,
    &'static Age,
    Option<&'static Resting>,
);

/// Saves all fighters as JSON.
pub(crate) fn save(world: &mut World) -> Result<String, BevyError> {
    let mut all = world.query::<Everything>();
    let all = all.iter(world).map(
        |(number, position, velocity, health, team, mind, age, resting)| Saved {
            number: *number,
            position: *position,
            velocity: *velocity,
            health: *health,
            team: *team,
            mind: *mind,
            age: *age,
            resting: resting.copied(),
        },
    );
    Ok(serde_json::to_string(&all.collect::<Vec<_>>())?)
}

/// Replaces all fighters by those that were saved.
pub(crate) fn load(world: &mut World, saved: &str) -> Result<(), BevyError> {
    let saved: Vec<Saved> = serde_json::from_str(saved)?;
    let mut all = world.query_filtered::<Entity, With<Number>>();
    let all: Vec<Entity> = all.iter(world).collect();
    for entity in all {
        world.despawn(entity);
    }
    for one in saved {
        let fighter: Fighter = (
            one.number,
            one.position,
            one.velocity,
            one.health,
            one.team,
            one.mind,
            one.age,
        );
        let mut fighter = world.spawn(fighter);
        if let Some(resting) = one.resting {
            fighter.insert(resting);
        }
    }
    Ok(())
}
