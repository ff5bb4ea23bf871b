//! Movement: a whole number of steps per tick.

use bevy_ecs::prelude::*;

use crate::fighter::{Mind, Position, Resting, SIDE, Team, Velocity};

/// The largest number of steps per tick, in each direction.
const PACE: i32 = 6;

/// Turns each fighter towards its goal.
pub(crate) fn steer(mut all: Query<(&mut Velocity, &Position, &Mind, &Team), Without<Resting>>) {
    for (mut velocity, position, mind, team) in &mut all {
        let goal = match mind {
            Mind::Roam => continue,
            Mind::Chase(opponent) => *opponent,
            Mind::Flee => home(*team),
        };
        velocity.x = (goal.x - position.x).clamp(-PACE, PACE);
        velocity.y = (goal.y - position.y).clamp(-PACE, PACE);
    }
}

/// Moves each fighter, and turns it around at the border.
pub(crate) fn walk(mut all: Query<(&mut Position, &mut Velocity), Without<Resting>>) {
    for (mut position, mut velocity) in &mut all {
        walk_along(&mut position.x, &mut velocity.x);
        walk_along(&mut position.y, &mut velocity.y);
    }
}

fn walk_along(position: &mut i32, velocity: &mut i32) {
    *position += *velocity;
    if !(0..SIDE).contains(position) {
        *position = (*position).clamp(0, SIDE - 1);
        *velocity = -*velocity;
    }
}

/// The corner of a team.
fn home(team: Team) -> Position {
    let x = match team {
        Team::Red => 0,
        Team::Blue => SIDE - 1,
    };
    Position { x, y: x }
}
