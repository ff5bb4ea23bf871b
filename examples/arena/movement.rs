//! Movement: a whole number of steps per tick.

use schedule::prelude::*;

use crate::fighter::{Mind, Position, Resting, SIDE, Team, Velocity};

/// The largest number of steps per tick, in each direction.
const PACE: i32 = 6;

/// Turns a fighter towards its goal.
#[system(for_each, without = Resting)]
pub(crate) fn steer(velocity: &mut Velocity, position: &Position, mind: &Mind, team: &Team) {
    let goal = match mind {
        Mind::Roam => return,
        Mind::Chase(opponent) => *opponent,
        Mind::Flee => home(*team),
    };
    velocity.x = (goal.x - position.x).clamp(-PACE, PACE);
    velocity.y = (goal.y - position.y).clamp(-PACE, PACE);
}

/// Moves a fighter, and turns it around at the border.
#[system(for_each, without = Resting)]
pub(crate) fn walk(position: &mut Position, velocity: &mut Velocity) {
    walk_along(&mut position.x, &mut velocity.x);
    walk_along(&mut position.y, &mut velocity.y);
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
