//! Health and poison.

use schedule::entity::Component;
use schedule::prelude::*;
use schedule::state::current;

use crate::clock::Hour;
use crate::fever::Fever;
use crate::food::{Hunger, eat, eat_toadstools};
use crate::phase::Phase;
use crate::villager::Villagers;

/// The health of a villager, and the cause of the last harm.
#[derive(Component, Clone, Copy, Hash)]
pub(crate) struct Health {
    /// At most [`Health::FULL`]. A villager with 0 points or less dies.
    points: i16,
    harm: Harm,
}

/// Causes of harm.
#[derive(Clone, Copy, Hash)]
pub(crate) enum Harm {
    Hunger,
    Fever,
    Poison,
}

impl Health {
    pub(crate) const FULL: i16 = 1000;

    pub(crate) fn new() -> Self {
        Self {
            points: Self::FULL,
            harm: Harm::Hunger,
        }
    }

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

/// Remaining hours in which the poison works.
#[derive(Component, Clone, Copy, Default, Hash)]
pub(crate) struct Poison(u8);

impl Poison {
    pub(crate) const DOSE: Self = Self(36);
}

/// Harms a poisoned villager.
#[system(for_each = Villagers, in = Hour, after = eat_toadstools)]
pub(crate) fn poison(poison: &mut Poison, health: &mut Health) {
    if poison.0 > 0 {
        poison.0 -= 1;
        health.hurt(12, Harm::Poison);
    }
}

/// Harms a starving villager.
#[system(for_each = Villagers, in = Hour, after = eat)]
pub(crate) fn starve(hunger: &Hunger, health: &mut Health) {
    if hunger.is_starving() {
        health.hurt(10, Harm::Hunger);
    }
}

/// Heals a villager that is alive and neither hungry, sick nor poisoned.
#[system(for_each = Villagers, in = Hour, if = is(current::<Phase>, Phase::Night))]
pub(crate) fn heal(health: &mut Health, hunger: &Hunger, fever: &Fever, poison: &Poison) {
    let is_ill = fever.is_sick() || poison.0 > 0;
    let is_healing = health.points > 0 && !hunger.is_hungry() && !is_ill;
    health.points = Health::FULL.min(health.points + 7 * i16::from(is_healing));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poison_harms_until_it_stops_working() {
        let (mut dose, mut health) = (Poison(1), Health::new());
        for _ in 0..2 {
            poison(&mut dose, &mut health);
        }
        assert_eq!(health.points(), Health::FULL - 12);
    }
}
