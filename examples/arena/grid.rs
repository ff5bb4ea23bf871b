//! A grid of cells, to find fighters nearby.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::fighter::{Number, Position, Resting, SIDE, Team, Velocity};

/// Side of a cell in steps.
const CELL: i32 = 64;
/// Cells in a row of the grid.
const N_CELLS: usize = (SIDE / CELL) as usize;

/// Fighters closer than this in both directions touch each other, in steps.
const TOUCH: i32 = 4;
/// The largest number of steps per tick after a collision, in each direction.
const BOUNCE: i32 = 8;

/// A fighter as others see it.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) entity: Entity,
    pub(crate) number: Number,
    pub(crate) position: Position,
    pub(crate) team: Team,
}

/// The fighters in each cell that do not rest, by a counting sort.
#[derive(Resource, Default)]
pub(crate) struct Grid {
    /// `starts[c]..starts[c + 1]`: the fighters of cell c; len = number of cells + 1.
    starts: Vec<u32>,
    fighters: Vec<Seen>,
}

impl Grid {
    /// Returns the fighters in the cell of a position.
    pub(crate) fn near(&self, position: Position) -> &[Seen] {
        let cell = cell_of(position);
        &self.fighters[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

fn cell_of(position: Position) -> usize {
    (position.y / CELL) as usize * N_CELLS + (position.x / CELL) as usize
}

/// Sorts the fighters into cells.
#[system]
pub(crate) fn sort(
    all: Query<(Entity, &Number, &Position, &Team), Without<Resting>>,
    grid: &mut Grid,
) {
    grid.starts.clear();
    grid.starts.resize(N_CELLS * N_CELLS + 1, 0);
    for (_, _, position, _) in &all {
        grid.starts[cell_of(*position)] += 1;
    }
    let mut end = 0;
    for start in &mut grid.starts {
        end += *start;
        *start = end;
    }
    let none = Seen {
        entity: Entity::DANGLING,
        number: Number(0),
        position: Position { x: 0, y: 0 },
        team: Team::Red,
    };
    grid.fighters.clear();
    grid.fighters.resize(all.len(), none);
    // Each start is now the end of its cell, and becomes its start.
    for (entity, number, position, team) in &all {
        let start = &mut grid.starts[cell_of(*position)];
        *start -= 1;
        grid.fighters[*start as usize] = Seen {
            entity,
            number: *number,
            position: *position,
            team: *team,
        };
    }
}

/// Pushes a fighter away from another one that it touches. Those in different cells do not touch.
#[system(for_each, without = Resting)]
pub(crate) fn collide(
    velocity: &mut Velocity,
    number: &Number,
    position: &Position,
    #[resource] grid: &Grid,
) {
    let touches = |other: &&Seen| {
        let (dx, dy) = (other.position.x - position.x, other.position.y - position.y);
        other.number != *number && dx.abs() < TOUCH && dy.abs() < TOUCH
    };
    if let Some(other) = grid.near(*position).iter().find(touches) {
        let (dx, dy) = (position.x - other.position.x, position.y - other.position.y);
        velocity.x = (velocity.x + 2 * dx.signum()).clamp(-BOUNCE, BOUNCE);
        velocity.y = (velocity.y + 2 * dy.signum()).clamp(-BOUNCE, BOUNCE);
    }
}
