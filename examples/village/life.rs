//! Births, ageing and deaths.

use schedule::Identity;
use schedule::prelude::*;

use crate::clock::{HOURS_PER_DAY, Hour};
use crate::dice::{Dice, Purpose};
use crate::food::Hunger;
use crate::health::{Harm, Health};
use crate::villager::{Burials, Column, Dead, Parents, Property};

/// In hours. Villagers become about 70 days old.
#[derive(Identity, Clone, Copy)]
pub(crate) struct Age(u32);

impl Age {
    const DAY: u32 = HOURS_PER_DAY;

    pub(crate) fn hours(self) -> u32 {
        self.0
    }

    fn is_fertile(self) -> bool {
        (16 * Self::DAY..45 * Self::DAY).contains(&self.0)
    }

    fn is_old(self) -> bool {
        self.0 >= 60 * Self::DAY
    }
}

impl Property for Age {
    fn of_founder(villager_idx: usize) -> Self {
        Self(Dice::default().below(60 * Self::DAY, Purpose::FirstAge, villager_idx))
    }

    fn of_child(_: Self) -> Self {
        Self(0)
    }

    fn bits(self) -> u64 {
        u64::from(self.0)
    }
}

/// Number of births since the village was founded.
#[derive(Resource, Default)]
pub(crate) struct Births {
    pub(crate) n_births: u64,
}

/// Numbers of deaths since the village was founded, by cause.
#[derive(Resource, Default)]
pub(crate) struct Deaths {
    pub(crate) of_age: u64,
    pub(crate) of_hunger: u64,
    pub(crate) of_fever: u64,
    pub(crate) of_poison: u64,
}

impl Deaths {
    pub(crate) fn n_deaths(&self) -> u64 {
        self.of_age + self.of_hunger + self.of_fever + self.of_poison
    }

    fn count(&mut self, cause: Option<Harm>) {
        match cause {
            None => self.of_age += 1,
            Some(Harm::Hunger) => self.of_hunger += 1,
            Some(Harm::Fever) => self.of_fever += 1,
            Some(Harm::Poison) => self.of_poison += 1,
        }
    }
}

/// Makes all villagers an hour older.
#[system(in = Hour)]
pub(crate) fn age(ages: &mut Column<Age>) {
    for age in ages.iter_mut() {
        age.0 += 1;
    }
}

/// Lists the villagers that die in this hour, and counts the causes.
#[system(in = Hour)]
pub(crate) fn die(
    dice: &Dice,
    ages: &Column<Age>,
    healths: &Column<Health>,
    dead: &mut Dead,
    deaths: &mut Deaths,
) {
    dead.clear();
    for (villager_idx, (age, health)) in ages.iter().zip(healths.iter()).enumerate() {
        let cause = health.cause_of_death();
        let is_too_old =
            age.is_old() && dice.is_one_in(10 * Age::DAY, Purpose::OldAge, villager_idx);
        if cause.is_some() || is_too_old {
            dead.push(villager_idx);
            deaths.count(cause);
        }
    }
}

/// Lists the villagers that have a child: fertile ones, fed and in good health, at random.
///
/// It runs after the burials, so that the dead have no children and the indices of the parents stay valid.
#[system(after = Burials)]
pub(crate) fn conceive(
    dice: &Dice,
    ages: &Column<Age>,
    hungers: &Column<Hunger>,
    healths: &Column<Health>,
    parents: &mut Parents,
    births: &mut Births,
) {
    parents.clear();
    for (villager_idx, age) in ages.iter().enumerate() {
        let is_well = healths[villager_idx].points() > 800 && !hungers[villager_idx].is_hungry();
        if age.is_fertile() && is_well && dice.is_one_in(10, Purpose::Conception, villager_idx) {
            parents.push(villager_idx);
        }
    }
    births.n_births += parents.len() as u64;
}
