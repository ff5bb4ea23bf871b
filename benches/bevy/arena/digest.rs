//! A hash of the whole arena, to compare two runs.

use core::fmt;

use bevy_ecs::prelude::*;

use crate::fighter::{Age, Health, Mind, Number, Position, Resting, Team, Velocity, mix};
use crate::score::Score;
use crate::tick::Tick;

/// A hash of all fighters and of the scores, after each frame.
#[derive(Resource, Default, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digest(pub(crate) u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

type Everything<'q> = (
    &'q Number,
    (&'q Position, &'q Velocity),
    &'q Health,
    &'q Team,
    &'q Mind,
    &'q Age,
    Option<&'q Resting>,
);

pub(crate) fn hash(
    all: Query<Everything>,
    tick: Res<Tick>,
    score: Res<Score>,
    mut digest: ResMut<Digest>,
) {
    let [red, blue] = score.points();
    digest.0 = hash_of(&[digest.0, tick.0, red, blue]);
    for (number, (position, velocity), health, team, mind, age, resting) in &all {
        let of_fighter = hash_of(&[
            number.0,
            pair(position.x, position.y),
            pair(velocity.x, velocity.y),
            pair(health.0, *team as i32),
            match mind {
                Mind::Roam => 0,
                Mind::Flee => 1,
                Mind::Chase(goal) => mix(pair(goal.x, goal.y)),
            },
            u64::from(age.0) << 32 | u64::from(resting.map_or(u32::MAX, |one| one.ticks)),
        ]);
        digest.0 = digest.0.wrapping_add(of_fighter);
    }
}

fn hash_of(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |hash, number| mix(hash ^ number))
}

fn pair(one: i32, other: i32) -> u64 {
    u64::from(one as u32) << 32 | u64::from(other as u32)
}
