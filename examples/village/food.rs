//! Hunger and food.

use schedule::Identity;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::Hour;
use crate::field::{Cell, Crop, Toadstools};
use crate::health::Poison;
use crate::phase::Phase;
use crate::villager::{Column, Property};

/// From 0 (full) to [`Hunger::STARVING`].
#[derive(Identity, Clone, Copy)]
pub(crate) struct Hunger(u16);

impl Hunger {
    const STARVING: u16 = 1000;
    const PER_HOUR: u16 = 10;
    const PER_MEAL: u16 = 10;

    pub(crate) fn is_hungry(self) -> bool {
        self.0 >= 300
    }

    pub(crate) fn is_starving(self) -> bool {
        self.0 == Self::STARVING
    }
}

impl Property for Hunger {
    fn of_founder(villager_idx: usize) -> Self {
        Self((villager_idx % 400) as u16)
    }

    fn of_child(parent: Self) -> Self {
        parent
    }

    fn bits(self) -> u64 {
        u64::from(self.0)
    }
}

/// The systems that change hunger.
#[derive(Group)]
pub(crate) struct Feeding;

/// Makes all villagers hungrier.
#[system(in = Hour)]
pub(crate) fn hunger(hungers: &mut Column<Hunger>) {
    for hunger in hungers.iter_mut() {
        hunger.0 = Hunger::STARVING.min(hunger.0 + Hunger::PER_HOUR);
    }
}

/// Poisons hungry villagers in cells with toadstools.
#[system(in = Hour, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn eat_toadstools(
    cells: &Column<Cell>,
    hungers: &Column<Hunger>,
    toadstools: &Toadstools,
    poisons: &mut Column<Poison>,
) {
    let eaters = cells.iter().zip(hungers.iter());
    for (poison, (cell, hunger)) in poisons.iter_mut().zip(eaters) {
        if hunger.is_hungry() && toadstools[cell.idx()] {
            *poison = Poison::DOSE;
        }
    }
}

/// Feeds hungry villagers from their cells. If food is scarce, villagers with smaller indices get it.
#[system(in = Hour, if = is(current::<Phase>, Phase::Day))]
pub(crate) fn eat(cells: &Column<Cell>, crop: &mut Crop, hungers: &mut Column<Hunger>) {
    for (hunger, cell) in hungers.iter_mut().zip(cells.iter()) {
        if hunger.is_hungry() {
            let meals = &mut crop[cell.idx()];
            let eaten = (*meals).min(hunger.0 / Hunger::PER_MEAL);
            *meals -= eaten;
            hunger.0 -= eaten * Hunger::PER_MEAL;
        }
    }
}
