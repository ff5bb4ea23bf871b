//! Births, ageing and deaths.

use schedule::columns::EntityId;
use schedule::entity::{Component, Row};
use schedule::prelude::*;

use crate::clock::{HOURS_PER_DAY, Hour};
use crate::dice::{Dice, Purpose};
use crate::food::Hunger;
use crate::health::{Harm, Health};
use crate::movement::{Home, Position};
use crate::villager::{Villager, Villagers};

/// In hours. Villagers become about 70 days old.
#[derive(Component, Clone, Copy, Default, Hash)]
pub(crate) struct Age(u32);

impl Age {
    const DAY: u32 = HOURS_PER_DAY;

    pub(crate) fn of_founder(idx: usize) -> Self {
        Self(Dice::default().below(60 * Self::DAY, Purpose::FirstAge, idx))
    }

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

/// Number of births since the village was founded.
#[derive(Resource, Default)]
pub(crate) struct Births {
    pub(crate) n_births: u64,
}

impl Foldable for Births {
    type Partial = u64;

    fn join(&mut self, n_births: u64) {
        self.n_births += n_births;
    }
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

impl Foldable for Deaths {
    type Partial = Self;

    fn join(&mut self, more: Self) {
        self.of_age += more.of_age;
        self.of_hunger += more.of_hunger;
        self.of_fever += more.of_fever;
        self.of_poison += more.of_poison;
    }
}

/// Makes a villager an hour older.
#[system(for_each = Villagers, in = Hour)]
pub(crate) fn age(age: &mut Age) {
    age.0 += 1;
}

/// Lets a villager die who has no health, or who is old, at random.
#[system(for_each = Villagers, in = Hour)]
pub(crate) fn die(
    age: &Age,
    health: &Health,
    villager: EntityId<Villager>,
    row: Row,
    #[resource] dice: &Dice,
    mut deaths: Fold<Deaths>,
    mut commands: Commands,
) {
    let cause = health.cause_of_death();
    let is_too_old = age.is_old() && dice.is_one_in(10 * Age::DAY, Purpose::OldAge, row.0);
    if cause.is_some() || is_too_old {
        deaths.count(cause);
        commands.columns().despawn(villager);
    }
}

/// Gives a child to a villager who is fertile, fed and in good health, at random. Such a villager does not die in this hour.
#[system(for_each = Villagers)]
pub(crate) fn conceive(
    age: &Age,
    hunger: &Hunger,
    health: &Health,
    position: &Position,
    home: &Home,
    row: Row,
    #[resource] dice: &Dice,
    mut births: Fold<Births>,
    mut commands: Commands,
) {
    let is_well = health.points() > 800 && !hunger.is_hungry();
    if age.is_fertile() && is_well && dice.is_one_in(10, Purpose::Conception, row.0) {
        *births += 1;
        commands
            .columns()
            .spawn(Villager::newborn(*position, *home));
    }
}
