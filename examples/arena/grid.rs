//! A grid of cells, to find opponents nearby.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::fighter::{Position, Resting, SIDE, Team};

/// Side of a cell in steps.
const CELL: i32 = 64;
/// Cells in a row of the grid.
const N_CELLS: usize = (SIDE / CELL) as usize;

/// The fighters in each cell that do not rest, by a counting sort.
#[derive(Resource, Default)]
pub(crate) struct Grid {
    /// `starts[c]..starts[c + 1]`: the fighters of cell c; len = number of cells + 1.
    starts: Vec<u32>,
    fighters: Vec<(Entity, Position, Team)>,
}

impl Grid {
    /// Returns the fighters in the cell of a position.
    pub(crate) fn near(&self, position: Position) -> &[(Entity, Position, Team)] {
        let cell = cell_of(position);
        &self.fighters[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

fn cell_of(position: Position) -> usize {
    (position.y / CELL) as usize * N_CELLS + (position.x / CELL) as usize
}

/// Sorts the fighters into cells.
#[system]
pub(crate) fn sort(all: Query<(Entity, &Position, &Team), Without<Resting>>, grid: &mut Grid) {
    grid.starts.clear();
    grid.starts.resize(N_CELLS * N_CELLS + 1, 0);
    for (_, position, _) in &all {
        grid.starts[cell_of(*position)] += 1;
    }
    let mut end = 0;
    for start in &mut grid.starts {
        end += *start;
        *start = end;
    }
    let none = (Entity::DANGLING, Position { x: 0, y: 0 }, Team::Red);
    grid.fighters.clear();
    grid.fighters.resize(all.len(), none);
    // Each start is now the end of its cell, and becomes its start.
    for (entity, position, team) in &all {
        let start = &mut grid.starts[cell_of(*position)];
        *start -= 1;
        grid.fighters[*start as usize] = (entity, *position, *team);
    }
}
