//! Scores, and the number of fighters.

use core::fmt;

use bevy_ecs::prelude::*;

use crate::fighter::{Health, Resting, Team};

/// The points of each team: one for each dead opponent.
#[derive(Resource, Default, Clone, Debug, PartialEq)]
pub(crate) struct Score {
    red: u64,
    blue: u64,
}

/// The message that a fighter of a team died.
#[derive(Message)]
pub(crate) struct Death(pub(crate) Team);

/// Counts the dead for the other team.
pub(crate) fn award(mut deaths: MessageReader<Death>, mut score: ResMut<Score>) {
    for Death(team) in deaths.read() {
        match team {
            Team::Red => score.blue += 1,
            Team::Blue => score.red += 1,
        }
    }
}

impl Score {
    pub(crate) fn points(&self) -> [u64; 2] {
        [self.red, self.blue]
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "red {}, blue {}", self.red, self.blue)
    }
}

/// Numbers about all fighters.
#[derive(Resource, Default, Clone, Debug, PartialEq)]
pub(crate) struct Census {
    pub(crate) n_fighters: usize,
    pub(crate) n_resting: usize,
    pub(crate) mean_health: i64,
}

pub(crate) fn count(
    all: Query<&Health>,
    resting: Query<(), With<Resting>>,
    mut census: ResMut<Census>,
) {
    let sum: i64 = all.iter().map(|health| i64::from(health.0)).sum();
    *census = Census {
        n_fighters: all.iter().len(),
        n_resting: resting.iter().len(),
        mean_health: sum / all.iter().len().max(1) as i64,
    };
}
