//! The field of the village: a grid of cells in which food grows.

use schedule::entity::Component;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::{Calendar, Hour};
use crate::dice::{Dice, Purpose};
use crate::phase::Phase;

/// Number of cells along each side of the field.
pub(crate) const SIDE: i32 = 256;
const N_CELLS: usize = (SIDE * SIDE) as usize;

const FULL_GROWN: u16 = 80;
const GROWTH_PER_HOUR: u16 = 4;

/// The cell of a villager: row times [`SIDE`] plus column.
#[derive(Component, Clone, Copy, Hash)]
pub(crate) struct Cell(u32);

impl Cell {
    pub(crate) fn at(row: i32, column: i32) -> Self {
        Self((row * SIDE + column) as u32)
    }

    pub(crate) fn idx(self) -> usize {
        self.0 as usize
    }
}

/// `crop[cell]`: number of meals in the cell; len = `N_CELLS`.
#[derive(Resource)]
#[resource(transparent)]
pub(crate) struct Crop(Vec<u16>);

impl Default for Crop {
    fn default() -> Self {
        Self(vec![FULL_GROWN; N_CELLS])
    }
}

/// `toadstools[cell]`: whether toadstools grow in the cell; len = `N_CELLS`.
#[derive(Resource)]
#[resource(transparent)]
pub(crate) struct Toadstools(Vec<bool>);

impl Default for Toadstools {
    fn default() -> Self {
        let dice = Dice::default();
        let grow = |cell| dice.is_one_in(150, Purpose::Toadstools, cell);
        Self((0..N_CELLS).map(grow).collect())
    }
}

/// `sick[cell]`: number of villagers with fever in the cell; len = `N_CELLS`.
#[derive(Resource)]
#[resource(transparent)]
pub(crate) struct SickPerCell(Vec<u32>);

impl Default for SickPerCell {
    fn default() -> Self {
        Self(vec![0; N_CELLS])
    }
}

/// A drought, in which no food grows. The resource exists only during a drought.
#[derive(Resource)]
pub(crate) struct Drought {
    last_day: u32,
}

/// Starts and ends droughts.
///
/// Commands are applied after the simulation of the hour. So food grows or stops growing from the next hour on.
#[system]
pub(crate) fn change_weather(
    calendar: Calendar,
    dice: &Dice,
    drought: Option<&Drought>,
    mut commands: Commands<Inserts<Drought>>,
) {
    match drought {
        Some(drought) if calendar.day() > drought.last_day => {
            commands.remove::<Drought>();
        }
        None if dice.is_one_in(15, Purpose::Weather, 0) => {
            let last_day = calendar.day() + 2;
            commands.insert(Drought { last_day });
        }
        _ => {}
    }
}

/// Adds meals to all cells.
#[system(in = Hour, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn grow(crop: &mut Crop) {
    for meals in crop.iter_mut() {
        *meals = FULL_GROWN.min(*meals + GROWTH_PER_HOUR);
    }
}
