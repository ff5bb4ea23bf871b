//! A hash of the whole arena, to compare two runs.

use core::fmt;

use schedule::prelude::*;

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

/// Adds the hashes of fighters, in any order.
impl Foldable for Digest {
    type Partial = u64;

    fn join(&mut self, sum: u64) {
        self.0 = self.0.wrapping_add(sum);
    }
}

#[system]
pub(crate) fn hash_score(tick: &Tick, score: &Score, digest: &mut Digest) {
    let [red, blue] = score.points();
    digest.0 = hash_of(&[digest.0, tick.0, red, blue]);
}

#[expect(clippy::too_many_arguments, reason = "all components of a fighter")]
#[system(for_each)]
pub(crate) fn hash(
    number: &Number,
    position: &Position,
    velocity: &Velocity,
    health: &Health,
    team: &Team,
    mind: &Mind,
    age: &Age,
    resting: Option<&Resting>,
    mut sum: Fold<Digest>,
) {
    *sum = sum.wrapping_add(hash_of(&[
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
    ]));
}

fn hash_of(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |hash, number| mix(hash ^ number))
}

fn pair(one: i32, other: i32) -> u64 {
    u64::from(one as u32) << 32 | u64::from(other as u32)
}
