//! Hunger and food.

use schedule::columns::{ColumnMut, ColumnRef};
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::Hour;
use crate::field::{Cell, Crop, Toadstools};
use crate::health::Poison;
use crate::movement::{Physics, locate};
use crate::phase::Phase;
use crate::villager::{Villager, Villagers};

/// From 0 (full) to [`Hunger::STARVING`].
#[derive(Component, Clone, Copy, Default, Hash)]
pub(crate) struct Hunger(u16);

impl Hunger {
    const STARVING: u16 = 1000;
    const PER_HOUR: u16 = 10;
    const PER_MEAL: u16 = 10;

    pub(crate) fn of_founder(idx: usize) -> Self {
        Self((idx % 400) as u16)
    }

    pub(crate) fn is_hungry(self) -> bool {
        self.0 >= 300
    }

    pub(crate) fn is_starving(self) -> bool {
        self.0 == Self::STARVING
    }
}

/// Makes a villager hungrier.
#[system(for_each = Villagers, in = Hour, after = Physics)]
pub(crate) fn hunger(hunger: &mut Hunger) {
    hunger.0 = Hunger::STARVING.min(hunger.0 + Hunger::PER_HOUR);
}

/// Poisons a hungry villager in a cell with toadstools.
#[system(for_each = Villagers, in = Hour, after = locate, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn eat_toadstools(
    poison: &mut Poison,
    cell: &Cell,
    hunger: &Hunger,
    #[resource] toadstools: &Toadstools,
) {
    if toadstools[cell.idx()] && hunger.is_hungry() {
        *poison = Poison::DOSE;
    }
}

/// Feeds hungry villagers from their cells. If food is scarce, villagers in lower rows get it.
///
/// Villagers in one cell share its food. So this system runs once, with whole columns, and not for each villager.
#[system(in = Hour, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn eat(
    cells: ColumnRef<Villager, Cell>,
    mut hungers: ColumnMut<Villager, Hunger>,
    crop: &mut Crop,
) {
    for (hunger, cell) in hungers.iter_mut().zip(&cells) {
        if hunger.is_hungry() {
            let meals = &mut crop[cell.idx()];
            let eaten = (*meals).min(hunger.0 / Hunger::PER_MEAL);
            *meals -= eaten;
            hunger.0 -= eaten * Hunger::PER_MEAL;
        }
    }
}
