//! A disease that spreads between villagers in the same cell.

use schedule::Identity;
use schedule::prelude::*;

use crate::clock::Hour;
use crate::dice::{Dice, Purpose};
use crate::field::{Cell, SickPerCell};
use crate::health::{Harm, Health};
use crate::villager::{Column, Property};

/// Positive: remaining hours of fever. Negative: remaining hours of immunity. Zero: healthy, and not immune.
#[derive(Identity, Clone, Copy)]
pub(crate) struct Fever(i16);

impl Fever {
    const CAUGHT: Self = Self(4 * 24);
    const SURVIVED: Self = Self(-15 * 24);

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

impl Property for Fever {
    fn of_founder(villager_idx: usize) -> Self {
        if Dice::default().is_one_in(500, Purpose::FirstFever, villager_idx) {
            Self::CAUGHT
        } else {
            Self(0)
        }
    }

    fn of_child(_: Self) -> Self {
        Self(0)
    }

    fn bits(self) -> u64 {
        u64::from(self.0.cast_unsigned())
    }
}

/// The systems that spread the fever.
#[derive(Group)]
pub(crate) struct Infection;

/// Counts the sick villagers in each cell.
#[system(in = Hour)]
pub(crate) fn count_sick(cells: &Column<Cell>, fevers: &Column<Fever>, sick: &mut SickPerCell) {
    sick.fill(0);
    for (cell, fever) in cells.iter().zip(fevers.iter()) {
        sick[cell.idx()] += u32::from(fever.is_sick());
    }
}

/// Infects villagers. The probability in percent is the number of sick villagers in the same cell.
#[system(in = Hour)]
pub(crate) fn spread(
    cells: &Column<Cell>,
    sick: &SickPerCell,
    dice: &Dice,
    fevers: &mut Column<Fever>,
) {
    for (villager_idx, fever) in fevers.iter_mut().enumerate() {
        let n_sick = sick[cells[villager_idx].idx()];
        let is_at_risk = n_sick > 0 && !fever.is_sick() && !fever.is_immune();
        if is_at_risk && dice.below(100, Purpose::Infection, villager_idx) < n_sick {
            *fever = Fever::CAUGHT;
        }
    }
}

/// Reduces the health of the sick, and moves every fever and immunity on by an hour.
#[system(in = Hour)]
pub(crate) fn progress(fevers: &mut Column<Fever>, healths: &mut Column<Health>) {
    for (fever, health) in fevers.iter_mut().zip(healths.iter_mut()) {
        if fever.is_sick() {
            health.hurt(6, Harm::Fever);
        }
        *fever = fever.after_an_hour();
    }
}
