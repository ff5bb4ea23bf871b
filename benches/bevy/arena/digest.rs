//! A hash of the whole arena, to compare two runs.

use core::fmt;

use bevy_ecs::prelude::*;

use crate::fighter::{Age, Health, Mind, Number, Position, Resting, Team, Velocity, mix};
use crate::score::Score;
use crate::tick::Tick;

/// A hash of all fighters, in the order of iteration, and of the scores, after each frame.
#[derive(Resource, Default, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digest(pub(crate) u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Digest {
    fn add(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
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
    digest.add(tick.0);
    score
        .points()
        .into_iter()
        .for_each(|points| digest.add(points));
    for (number, (position, velocity), health, team, mind, age, resting) in &all {
        digest.add(number.0);
        digest.add(pair(position.x, position.y));
        digest.add(pair(velocity.x, velocity.y));
        digest.add(pair(health.0, *team as i32));
        digest.add(match mind {
            Mind::Roam => 0,
            Mind::Flee => 1,
            Mind::Chase(goal) => mix(pair(goal.x, goal.y)),
        });
        digest.add(u64::from(age.0) << 32 | u64::from(resting.map_or(u32::MAX, |one| one.ticks)));
    }
}

fn pair(one: i32, other: i32) -> u64 {
    u64::from(one as u32) << 32 | u64::from(other as u32)
}
