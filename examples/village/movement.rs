//! Where villagers are, and where they go.
//!
//! Fixed-point numbers, so that every platform walks the same way.

use schedule::Identity;
use schedule::prelude::*;

use crate::clock::Clock;
use crate::dice::{Dice, Throw};
use crate::field::{Cell, Crop, SIDE};
use crate::food::Hunger;
use crate::villager::{Column, Property};

/// Steps along the side of a cell: the unit of positions and, per hour, of velocities.
const CELL: i32 = 256;
/// What a villager can walk in an hour.
const STRIDE: i32 = 320;
const FAMILY: usize = 4;

/// Steps from the corner of the field; both less than `SIDE * CELL`, neither negative.
#[derive(Identity, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    x: i32,
    y: i32,
}

/// Steps per hour.
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

    fn after_an_hour(self, velocity: Velocity) -> Self {
        Self {
            x: self.x + velocity.x,
            y: self.y + velocity.y,
        }
    }

    /// The way to `goal`, as far as an hour goes.
    fn toward(self, goal: Position) -> Velocity {
        Velocity {
            x: (goal.x - self.x).clamp(-STRIDE, STRIDE),
            y: (goal.y - self.y).clamp(-STRIDE, STRIDE),
        }
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
        Self { x: 0, y: 0 }
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
    clock: &'r Clock,
    dice: &'r Dice,
    crop: &'r Crop,
    positions: &'r Column<Position>,
    homes: &'r Column<Home>,
    hungers: &'r Column<Hunger>,
}

/// Turns everybody: home by night, to food when hungry, else wherever.
#[system]
pub(crate) fn steer(senses: Senses, velocities: &mut Column<Velocity>) {
    for (villager_idx, velocity) in velocities.iter_mut().enumerate() {
        if let Some(goal) = senses.goal(villager_idx) {
            *velocity = senses.positions[villager_idx].toward(goal);
        } else if senses.dice.is_one_in(8, Throw::Stroll, villager_idx) {
            *velocity = senses.stroll(villager_idx);
        }
    }
}

impl Senses<'_> {
    fn goal(&self, villager_idx: usize) -> Option<Position> {
        if self.clock.is_night() {
            Some(self.homes[villager_idx].0)
        } else if self.hungers[villager_idx].is_hungry() {
            Some(self.best_meal(self.positions[villager_idx]))
        } else {
            None
        }
    }

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

#[system]
pub(crate) fn walk(velocities: &Column<Velocity>, positions: &mut Column<Position>) {
    for (position, &velocity) in positions.iter_mut().zip(velocities.iter()) {
        *position = position.after_an_hour(velocity).in_field();
    }
}

/// Finds everybody's cell once for all who ask.
#[system]
pub(crate) fn locate(positions: &Column<Position>, cells: &mut Column<Cell>) {
    for (cell, position) in cells.iter_mut().zip(positions.iter()) {
        *cell = position.cell();
    }
}
