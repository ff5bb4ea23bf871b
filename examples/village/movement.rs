//! Where villagers are, and where they go.
//!
//! Fixed-point numbers, so that every platform walks the same way.

use std::time::Duration;

use schedule::prelude::*;
use schedule::state::current;
use schedule::{Identity, Rate};

use crate::clock::{HOUR, Hour};
use crate::dice::{Dice, Throw};
use crate::fatigue::Fatigue;
use crate::field::{Cell, Crop, SIDE};
use crate::food::Hunger;
use crate::phase::Phase;
use crate::villager::{Column, Property};

/// Feet along the side of a cell: the unit of positions and, per step of time, of velocities.
const CELL: i32 = 256;
/// What a villager can walk in a step.
const STRIDE: i32 = 108;
const FAMILY: usize = 4;

/// Everybody goes where they are going, or sleeps.
#[derive(Group)]
pub(crate) struct Movement;

/// What goes on in steps of the same length, as many in a frame as its time has room for.
#[derive(Group)]
pub(crate) struct Physics;

/// How long a step is.
const STEP: Duration = Duration::from_secs(HOUR.as_secs() / STEPS_PER_HOUR as u64);
const STEPS_PER_HOUR: i32 = 3;
/// The most steps that one frame has to make, with what the frames before it left over.
const MOST_STEPS: u32 = 3;

/// A step goes on when its time is over.
pub(crate) fn steps() -> Rate<Physics> {
    Rate::every(STEP).starting_at(STEP).catch_up(MOST_STEPS)
}

/// Feet from the corner of the field; both less than `SIDE * CELL`, neither negative.
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

    /// The nearest one in the field.
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

    /// As fast as to be at `goal` in an hour, to within a foot for each step, or else as one can.
    fn toward(self, goal: Position) -> Velocity {
        let pace = |way: i32| (way / STEPS_PER_HOUR).clamp(-STRIDE, STRIDE);
        Velocity {
            x: pace(goal.x - self.x),
            y: pace(goal.y - self.y),
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
        let along = |idx| Dice::default().below((SIDE * CELL) as u32, Throw::Home, idx) as i32;
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

/// All that a villager goes by.
#[derive(Params)]
pub(crate) struct Senses<'r> {
    dice: &'r Dice,
    crop: &'r Crop,
    positions: &'r Column<Position>,
    hungers: &'r Column<Hunger>,
    fatigues: &'r Column<Fatigue>,
}

/// Turns everybody: to food when hungry, else nowhere when tired, else anywhere.
#[system(in = Hour, before = Physics, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn roam(senses: Senses, velocities: &mut Column<Velocity>) {
    for (villager_idx, velocity) in velocities.iter_mut().enumerate() {
        if senses.hungers[villager_idx].is_hungry() {
            let position = senses.positions[villager_idx];
            *velocity = position.toward(senses.best_meal(position));
        } else if senses.fatigues[villager_idx].is_tired() {
            *velocity = Velocity::STILL;
        } else if senses.dice.is_one_in(8, Throw::Stroll, villager_idx) {
            *velocity = senses.stroll(villager_idx);
        }
    }
}

impl Senses<'_> {
    /// The richest of the cells around, the own one if none is richer.
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
        let direction = self.dice.below(9, Throw::Stroll, villager_idx) as i32;
        Velocity {
            x: (direction % 3 - 1) * STRIDE / 2,
            y: (direction / 3 - 1) * STRIDE / 2,
        }
    }
}

/// Turns everybody home.
///
/// Nothing orders it against `roam`: of the two, none or one runs.
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

/// One step of the physics.
#[system]
pub(crate) fn walk(velocities: &Column<Velocity>, positions: &mut Column<Position>) {
    for (position, &velocity) in positions.iter_mut().zip(velocities.iter()) {
        *position = position.after_a_step(velocity).in_field();
    }
}

/// Finds everybody's cell once for all who ask.
#[system(in = Hour, after = Physics)]
pub(crate) fn locate(positions: &Column<Position>, cells: &mut Column<Cell>) {
    for (cell, position) in cells.iter_mut().zip(positions.iter()) {
        *cell = position.cell();
    }
}
