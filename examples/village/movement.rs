//! Positions and movement of the villagers.
//!
//! All numbers are integers, so that the result is the same on every platform.

use std::time::Duration;

use schedule::prelude::*;
use schedule::state::current;
use schedule::{Identity, Rate};

use crate::clock::{HOUR, Hour};
use crate::dice::{Dice, Purpose};
use crate::fatigue::Fatigue;
use crate::field::{Cell, Crop, SIDE};
use crate::food::Hunger;
use crate::phase::Phase;
use crate::villager::{Column, Property};

/// Side of a cell in feet. Positions are in feet, velocities in feet per step.
const CELL: i32 = 256;
/// The largest distance in feet that a villager walks in one step, in each direction.
const STRIDE: i32 = 108;
/// Founders per home.
const FAMILY: usize = 4;

/// Systems that move villagers or let them sleep.
#[derive(Group)]
pub(crate) struct Movement;

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
#[derive(Identity, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    x: i32,
    y: i32,
}

/// Feet per step.
#[derive(Identity, Clone, Copy)]
pub(crate) struct Velocity {
    x: i32,
    y: i32,
}

/// Where a villager sleeps.
#[derive(Identity, Clone, Copy)]
pub(crate) struct Home(Position);

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
    const STILL: Self = Self { x: 0, y: 0 };

    pub(crate) fn is_moving(self) -> bool {
        self.x != 0 || self.y != 0
    }
}

impl Property for Position {
    fn of_founder(villager_idx: usize) -> Self {
        Home::of_founder(villager_idx).0
    }

    fn of_child(parent: Self) -> Self {
        parent
    }

    fn bits(self) -> u64 {
        pack(self.x, self.y)
    }
}

impl Property for Velocity {
    fn of_founder(_: usize) -> Self {
        Self::STILL
    }

    fn of_child(parent: Self) -> Self {
        parent
    }

    fn bits(self) -> u64 {
        pack(self.x, self.y)
    }
}

impl Property for Home {
    fn of_founder(villager_idx: usize) -> Self {
        let house = 2 * (villager_idx / FAMILY);
        let along = |idx| Dice::default().below((SIDE * CELL) as u32, Purpose::Home, idx) as i32;
        Self(Position {
            x: along(house),
            y: along(house + 1),
        })
    }

    fn of_child(parent: Self) -> Self {
        parent
    }

    fn bits(self) -> u64 {
        self.0.bits()
    }
}

fn pack(x: i32, y: i32) -> u64 {
    (u64::from(x.cast_unsigned()) << 32) | u64::from(y.cast_unsigned())
}

/// The resources by which a villager decides where to go.
#[derive(Params)]
pub(crate) struct Senses<'r> {
    dice: &'r Dice,
    crop: &'r Crop,
    positions: &'r Column<Position>,
    hungers: &'r Column<Hunger>,
    fatigues: &'r Column<Fatigue>,
}

/// Sets the velocities by day. The hungry go to food, the tired stand still, and others sometimes change their direction.
#[system(in = Hour, before = Physics, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn roam(senses: Senses, velocities: &mut Column<Velocity>) {
    for (villager_idx, velocity) in velocities.iter_mut().enumerate() {
        if senses.hungers[villager_idx].is_hungry() {
            let position = senses.positions[villager_idx];
            *velocity = position.toward(senses.best_meal(position));
        } else if senses.fatigues[villager_idx].is_tired() {
            *velocity = Velocity::STILL;
        } else if senses.dice.is_one_in(8, Purpose::Stroll, villager_idx) {
            *velocity = senses.stroll(villager_idx);
        }
    }
}

impl Senses<'_> {
    /// Returns the position of the neighbouring cell with the most food, or the position itself if no neighbour has more.
    fn best_meal(&self, position: Position) -> Position {
        let Position { x, y } = position;
        let mut best = position;
        for (dx, dy) in [(CELL, 0), (0, CELL), (-CELL, 0), (0, -CELL)] {
            let next = Position {
                x: x + dx,
                y: y + dy,
            };
            let next = next.in_field();
            if self.crop[next.cell().idx()] > self.crop[best.cell().idx()] {
                best = next;
            }
        }
        best
    }

    fn stroll(&self, villager_idx: usize) -> Velocity {
        let direction = self.dice.below(9, Purpose::Stroll, villager_idx) as i32;
        Velocity {
            x: (direction % 3 - 1) * STRIDE / 2,
            y: (direction / 3 - 1) * STRIDE / 2,
        }
    }
}

/// Sends all villagers home at night.
///
/// It needs no order against `roam`, because at most one of the two runs.
#[system(in = Hour, before = Physics, if = is(current::<Phase>, Phase::Night))]
pub(crate) fn go_home(
    positions: &Column<Position>,
    homes: &Column<Home>,
    velocities: &mut Column<Velocity>,
) {
    for (villager_idx, velocity) in velocities.iter_mut().enumerate() {
        *velocity = positions[villager_idx].toward(homes[villager_idx].0);
    }
}

/// Moves all villagers by one step.
#[system]
pub(crate) fn walk(velocities: &Column<Velocity>, positions: &mut Column<Position>) {
    for (position, &velocity) in positions.iter_mut().zip(velocities.iter()) {
        *position = position.after_a_step(velocity).in_field();
    }
}

/// Computes the cells of all villagers, for the systems that read them.
#[system(in = Hour, after = Physics)]
pub(crate) fn locate(positions: &Column<Position>, cells: &mut Column<Cell>) {
    for (cell, position) in cells.iter_mut().zip(positions.iter()) {
        *cell = position.cell();
    }
}
