//! Scores, and the number of fighters.

use core::fmt;

use schedule::prelude::*;
use schedule_hecs::prelude::*;

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
#[system]
pub(crate) fn award(deaths: MessageReader<Death>, score: &mut Score) {
    for Death(team) in &deaths {
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

#[system]
pub(crate) fn count(all: Query<&Health>, resting: Query<(), With<Resting>>, census: &mut Census) {
    let sum: i64 = all.iter().map(|health| i64::from(health.0)).sum();
    *census = Census {
        n_fighters: all.len(),
        n_resting: resting.len(),
        mean_health: sum / all.len().max(1) as i64,
    };
}
