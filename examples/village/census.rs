//! Statistics of the village.

use core::fmt::Write;

use schedule::prelude::*;

use crate::clock::Hour;
use crate::fever::Fever;
use crate::food::Hunger;
use crate::health::Health;
use crate::life::Age;
use crate::villager::Villagers;

/// The statistics of this hour.
#[derive(Resource, Default)]
pub(crate) struct Census {
    pub(crate) n_villagers: u64,
    pub(crate) n_sick: u64,
    pub(crate) n_starving: u64,
    pub(crate) best_health: i16,
    health_sum: u64,
    age_sum: u64,
}

impl Census {
    /// In points; 0 if the village is empty.
    pub(crate) fn average_health(&self) -> u64 {
        self.health_sum / self.n_villagers.max(1)
    }

    /// In hours; 0 if the village is empty.
    pub(crate) fn average_age(&self) -> u64 {
        self.age_sum / self.n_villagers.max(1)
    }
}

/// A partial result is the census of some villagers.
impl Foldable for Census {
    type Partial = Self;

    fn join(&mut self, more: Self) {
        self.n_villagers += more.n_villagers;
        self.n_sick += more.n_sick;
        self.n_starving += more.n_starving;
        self.best_health = self.best_health.max(more.best_health);
        self.health_sum += more.health_sum;
        self.age_sum += more.age_sum;
    }
}

/// Starts the statistics of this hour at zero.
#[system(in = Hour)]
pub(crate) fn reset(census: &mut Census) {
    *census = Census::default();
}

/// Counts a villager.
#[system(for_each = Villagers, in = Hour)]
pub(crate) fn count(
    age: &Age,
    hunger: &Hunger,
    fever: &Fever,
    health: &Health,
    mut census: Fold<Census>,
) {
    census.n_villagers += 1;
    census.n_sick += u64::from(fever.is_sick());
    census.n_starving += u64::from(hunger.is_starving());
    census.best_health = census.best_health.max(health.points());
    census.health_sum += u64::from(health.points().cast_unsigned());
    census.age_sum += u64::from(age.hours());
}

/// The average health as a bar of text.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct HealthBar(String);

#[system]
pub(crate) fn draw(census: &Census, bar: &mut HealthBar) -> core::fmt::Result {
    const WIDTH: usize = 20;
    let health = census.average_health();
    let n_full = health as usize * WIDTH / Health::FULL as usize;
    bar.clear();
    write!(
        bar.0,
        "[{:-<WIDTH$}] {:>3} %",
        "#".repeat(n_full),
        health / 10
    )
}

/// Hours that villagers lived, each weighted by the villager's health.
#[derive(Resource, Default)]
pub(crate) struct Score {
    pub(crate) healthy_hours: u64,
}

#[system(in = Hour)]
pub(crate) fn score(census: &Census, score: &mut Score) {
    score.healthy_hours += census.health_sum / Health::FULL as u64;
}
