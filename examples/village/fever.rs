//! A disease that spreads between villagers in the same cell.

use schedule::columns::ColumnRef;
use schedule::entity::{Component, Row};
use schedule::prelude::*;

use crate::clock::Hour;
use crate::dice::{Dice, Purpose};
use crate::field::{Cell, SickPerCell};
use crate::health::{Harm, Health};
use crate::movement::locate;
use crate::villager::{Villager, Villagers};

/// Positive: remaining hours of fever. Negative: remaining hours of immunity. Zero: healthy, and not immune.
#[derive(Component, Clone, Copy, Default, Hash)]
pub(crate) struct Fever(i16);

impl Fever {
    const CAUGHT: Self = Self(4 * 24);
    const SURVIVED: Self = Self(-15 * 24);

    pub(crate) fn of_founder(idx: usize) -> Self {
        if Dice::default().is_one_in(500, Purpose::FirstFever, idx) {
            Self::CAUGHT
        } else {
            Self::default()
        }
    }

    pub(crate) fn is_sick(self) -> bool {
        self.0 > 0
    }

    fn is_immune(self) -> bool {
        self.0 < 0
    }

    fn after_an_hour(self) -> Self {
        match self.0 {
            1 => Self::SURVIVED,
            hours => Self(hours - hours.signum()),
        }
    }
}

/// Counts the sick villagers in each cell.
#[system(in = Hour, after = locate)]
pub(crate) fn count_sick(
    cells: ColumnRef<Villager, Cell>,
    fevers: ColumnRef<Villager, Fever>,
    sick: &mut SickPerCell,
) {
    sick.fill(0);
    for (cell, fever) in cells.iter().zip(&fevers) {
        sick[cell.idx()] += u32::from(fever.is_sick());
    }
}

/// Infects a villager, at random. The probability in percent is the number of sick villagers in the same cell.
#[system(for_each = Villagers, in = Hour)]
pub(crate) fn spread(
    fever: &mut Fever,
    cell: &Cell,
    row: Row,
    #[resource] sick: &SickPerCell,
    #[resource] dice: &Dice,
) {
    let n_sick = sick[cell.idx()];
    let is_at_risk = n_sick > 0 && !fever.is_sick() && !fever.is_immune();
    if is_at_risk && dice.below(100, Purpose::Infection, row.0) < n_sick {
        *fever = Fever::CAUGHT;
    }
}

/// Reduces the health of a sick villager, and moves a fever or an immunity on by an hour.
#[system(for_each = Villagers, in = Hour)]
pub(crate) fn progress(fever: &mut Fever, health: &mut Health) {
    if fever.is_sick() {
        health.hurt(6, Harm::Fever);
    }
    *fever = fever.after_an_hour();
}
