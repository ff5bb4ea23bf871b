//! Positions and movement of the villagers.
//!
//! All numbers are integers, so that the result is the same on every platform.

use std::time::Duration;

use schedule::Rate;
use schedule::entity::{Component, Row};
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::{HOUR, Hour};
use crate::dice::{Dice, Purpose};
use crate::fatigue::Fatigue;
use crate::field::{Cell, Crop, SIDE};
use crate::food::Hunger;
use crate::phase::Phase;
use crate::villager::Villagers;

/// Side of a cell in feet. Positions are in feet, velocities in feet per step.
const CELL: i32 = 256;
/// The largest distance in feet that a villager walks in one step, in each direction.
const STRIDE: i32 = 108;
/// Founders per home.
const FAMILY: usize = 4;

/// Systems that run in steps of a fixed length: as many in a frame as fit into its time.
#[derive(Group)]
pub(crate) struct Physics;

/// Length of a step.
const STEP: Duration = Duration::from_secs(HOUR.as_secs() / STEPS_PER_HOUR as u64);
const STEPS_PER_HOUR: i32 = 3;
/// Maximum number of steps in one frame, including the time that earlier frames left over.
const MAX_STEPS: u32 = 3;

/// The rate of the steps. The first step ends after one step of time.
pub(crate) fn steps() -> Rate<Physics> {
    Rate::every(STEP).starting_at(STEP).catch_up(MAX_STEPS)
}

/// Feet from a corner of the field; both in `0..SIDE * CELL`.
#[derive(Component, Clone, Copy, Debug, Hash)]
pub(crate) struct Position {
    x: i32,
    y: i32,
}

/// Feet per step.
#[derive(Component, Clone, Copy, Hash)]
pub(crate) struct Velocity {
    x: i32,
    y: i32,
}

/// Where a villager sleeps.
#[derive(Component, Clone, Copy, Hash)]
pub(crate) struct Home(pub(crate) Position);

impl Position {
    pub(crate) fn cell(self) -> Cell {
        Cell::at(self.y / CELL, self.x / CELL)
    }

    pub(crate) fn is_in_field(self) -> bool {
        let side = 0..SIDE * CELL;
        side.contains(&self.x) && side.contains(&self.y)
    }

    /// Returns the nearest position in the field.
    fn in_field(self) -> Self {
        Self {
            x: self.x.clamp(0, SIDE * CELL - 1),
            y: self.y.clamp(0, SIDE * CELL - 1),
        }
    }

    fn after_a_step(self, velocity: Velocity) -> Self {
        Self {
            x: self.x + velocity.x,
            y: self.y + velocity.y,
        }
    }

    /// Returns the velocity that reaches `goal` in an hour, limited to [`STRIDE`].
    fn toward(self, goal: Position) -> Velocity {
        let speed = |distance: i32| (distance / STEPS_PER_HOUR).clamp(-STRIDE, STRIDE);
        Velocity {
            x: speed(goal.x - self.x),
            y: speed(goal.y - self.y),
        }
    }
}

impl Velocity {
    pub(crate) const STILL: Self = Self { x: 0, y: 0 };

    /// Returns the velocity of a stroll in one of nine directions, of which 4 is to stand still.
    fn of_stroll(direction: i32) -> Self {
        Self {
            x: (direction % 3 - 1) * STRIDE / 2,
            y: (direction / 3 - 1) * STRIDE / 2,
        }
    }

    pub(crate) fn is_moving(self) -> bool {
        self.x != 0 || self.y != 0
    }
}

impl Home {
    pub(crate) fn of_founder(idx: usize) -> Self {
        let house = 2 * (idx / FAMILY);
        let along = |idx| Dice::default().below((SIDE * CELL) as u32, Purpose::Home, idx) as i32;
        Self(Position {
            x: along(house),
            y: along(house + 1),
        })
    }
}

/// Sets the velocity by day. The hungry go to food, the tired stand still, and others sometimes change their direction.
#[system(for_each = Villagers, in = Hour, before = Physics, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn roam(
    velocity: &mut Velocity,
    position: &Position,
    hunger: &Hunger,
    fatigue: &Fatigue,
    row: Row,
    #[resource] crop: &Crop,
    #[resource] dice: &Dice,
) {
    if hunger.is_hungry() {
        *velocity = position.toward(best_meal(*position, crop));
    } else if fatigue.is_tired() {
        *velocity = Velocity::STILL;
    } else if dice.is_one_in(8, Purpose::Stroll, row.0) {
        *velocity = Velocity::of_stroll(dice.below(9, Purpose::Direction, row.0) as i32);
    }
}

/// Returns the position of the neighbouring cell with the most food, or the position itself if no neighbour has more.
fn best_meal(position: Position, crop: &Crop) -> Position {
    let Position { x, y } = position;
    let mut best = position;
    for (dx, dy) in [(CELL, 0), (0, CELL), (-CELL, 0), (0, -CELL)] {
        let next = Position {
            x: x + dx,
            y: y + dy,
        };
        let next = next.in_field();
        if crop[next.cell().idx()] > crop[best.cell().idx()] {
            best = next;
        }
    }
    best
}

/// Sends a villager home at night.
///
/// It needs no order against `roam`, because at most one of the two runs.
#[system(for_each = Villagers, in = Hour, before = Physics, if = is(current::<Phase>, Phase::Night))]
pub(crate) fn go_home(velocity: &mut Velocity, position: &Position, home: &Home) {
    *velocity = position.toward(home.0);
}

/// Moves a villager by one step.
#[system(for_each = Villagers)]
pub(crate) fn walk(position: &mut Position, velocity: &Velocity) {
    *position = position.after_a_step(*velocity).in_field();
}

/// Computes the cell of a villager, for the systems that read it.
#[system(for_each = Villagers, in = Hour, after = Physics)]
pub(crate) fn locate(cell: &mut Cell, position: &Position) {
    *cell = position.cell();
}
