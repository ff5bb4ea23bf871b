//! Statistics of the village.

use core::fmt::Write;

use schedule::prelude::*;

use crate::clock::Hour;
use crate::fever::Fever;
use crate::food::Hunger;
use crate::health::Health;
use crate::life::Age;
use crate::villager::{Column, Newborns};

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

/// The columns that the census reads.
#[derive(Params)]
pub(crate) struct Vitals<'r> {
    ages: &'r Column<Age>,
    hungers: &'r Column<Hunger>,
    fevers: &'r Column<Fever>,
    healths: &'r Column<Health>,
}

/// Counts the villagers. Runs after births and burials, when all columns have the same length again.
#[system(in = Hour, after = Newborns)]
pub(crate) fn count(vitals: Vitals, census: &mut Census) {
    let n_villagers = vitals.ages.len() as u64;
    let points = || vitals.healths.iter().map(|health| health.points());
    *census = Census {
        n_villagers,
        n_sick: vitals.fevers.iter().filter(|fever| fever.is_sick()).count() as u64,
        n_starving: vitals
            .hungers
            .iter()
            .filter(|hunger| hunger.is_starving())
            .count() as u64,
        best_health: points().max().unwrap_or(0),
        health_sum: points()
            .map(|points| u64::from(points.cast_unsigned()))
            .sum(),
        age_sum: vitals.ages.iter().map(|age| u64::from(age.hours())).sum(),
    };
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
