//! Health and poison.

use schedule::Identity;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::Hour;
use crate::fever::Fever;
use crate::food::Hunger;
use crate::phase::Phase;
use crate::villager::{Column, Property};

/// The health of a villager, and the cause of the last harm.
#[derive(Identity, Clone, Copy)]
pub(crate) struct Health {
    /// At most [`Health::FULL`]. A villager with 0 points or less dies.
    points: i16,
    harm: Harm,
}

/// Causes of harm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Harm {
    Hunger,
    Fever,
    Poison,
}

impl Health {
    pub(crate) const FULL: i16 = 1000;

    pub(crate) fn points(self) -> i16 {
        self.points
    }

    pub(crate) fn hurt(&mut self, points: i16, harm: Harm) {
        self.points -= points;
        self.harm = harm;
    }

    pub(crate) fn cause_of_death(self) -> Option<Harm> {
        (self.points <= 0).then_some(self.harm)
    }
}

impl Property for Health {
    fn of_founder(_: usize) -> Self {
        Self {
            points: Self::FULL,
            harm: Harm::Hunger,
        }
    }

    fn of_child(_: Self) -> Self {
        Self::of_founder(0)
    }

    fn bits(self) -> u64 {
        u64::from(self.points.cast_unsigned()) << 8 | self.harm as u64
    }
}

/// Remaining hours in which the poison works.
#[derive(Identity, Clone, Copy)]
pub(crate) struct Poison(u8);

impl Poison {
    pub(crate) const DOSE: Self = Self(36);
}

impl Property for Poison {
    fn of_founder(_: usize) -> Self {
        Self(0)
    }

    fn of_child(_: Self) -> Self {
        Self(0)
    }

    fn bits(self) -> u64 {
        u64::from(self.0)
    }
}

/// The systems that change health.
#[derive(Group)]
pub(crate) struct HealthChanges;

/// Harms poisoned villagers.
#[system(in = Hour)]
pub(crate) fn poison(poisons: &mut Column<Poison>, healths: &mut Column<Health>) {
    for (poison, health) in poisons.iter_mut().zip(healths.iter_mut()) {
        if poison.0 > 0 {
            poison.0 -= 1;
            health.hurt(12, Harm::Poison);
        }
    }
}

/// Harms starving villagers.
#[system(in = Hour)]
pub(crate) fn starve(hungers: &Column<Hunger>, healths: &mut Column<Health>) {
    for (health, hunger) in healths.iter_mut().zip(hungers.iter()) {
        if hunger.is_starving() {
            health.hurt(10, Harm::Hunger);
        }
    }
}

/// Heals villagers that are alive and neither hungry, sick nor poisoned.
#[system(in = Hour, if = is(current::<Phase>, Phase::Night))]
pub(crate) fn heal(
    hungers: &Column<Hunger>,
    fevers: &Column<Fever>,
    poisons: &Column<Poison>,
    healths: &mut Column<Health>,
) {
    for (villager_idx, health) in healths.iter_mut().enumerate() {
        let is_hungry = hungers[villager_idx].is_hungry();
        let is_ill = fevers[villager_idx].is_sick() || poisons[villager_idx].0 > 0;
        if health.points > 0 && !is_hungry && !is_ill {
            health.points = Health::FULL.min(health.points + 7);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poison_harms_until_it_stops_working() {
        let mut poisons = Column::from(vec![Poison(1), Poison(0)]);
        let mut healths = Column::<Health>::of_founders(2);
        for _ in 0..2 {
            poison(&mut poisons, &mut healths);
        }
        assert_eq!(healths[0].points(), Health::FULL - 12);
        assert_eq!(healths[1].points(), Health::FULL);
    }
}
