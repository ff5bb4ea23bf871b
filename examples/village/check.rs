//! Checks after every frame. A check that fails makes the run fail.

use core::fmt;

use schedule::prelude::*;
use schedule::{Group, Identity, Rate};

use crate::life::{Births, Deaths};
use crate::movement::Position;
use crate::villager::Villagers;

/// Number of villagers at the start.
#[derive(Resource)]
pub(crate) struct Founders(pub(crate) usize);

/// A check that failed.
#[derive(Debug)]
pub(crate) enum CheckError {
    OutsideField(Position),
    Miscounted { n_expected: u64, n_found: u64 },
    Late { n_missed: u64 },
}

impl core::error::Error for CheckError {}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideField(position) => write!(f, "the villager left the field: {position:?}"),
            Self::Miscounted {
                n_expected,
                n_found,
            } => write!(
                f,
                "there are {n_found} villagers, but births and deaths give {n_expected}"
            ),
            Self::Late { n_missed } => write!(f, "a rate missed {n_missed} periods"),
        }
    }
}

/// Checks that a villager is in the field.
#[system(for_each = Villagers)]
pub(crate) fn check_position(position: &Position) -> Result<(), CheckError> {
    if position.is_in_field() {
        Ok(())
    } else {
        Err(CheckError::OutsideField(*position))
    }
}

/// Checks that `M` ran once for each period that has passed.
#[system]
pub(crate) fn check_rate<M: Group + Identity>(rate: &Rate<M>) -> Result<(), CheckError> {
    match rate.n_missed() {
        0 => Ok(()),
        n_missed => Err(CheckError::Late { n_missed }),
    }
}

/// Checks that the number of villagers equals founders plus births minus deaths.
#[system]
pub(crate) fn check_count(
    founders: &Founders,
    births: &Births,
    deaths: &Deaths,
    villagers: &Villagers,
) -> Result<(), CheckError> {
    let n_expected = founders.0 as u64 + births.n_births - deaths.n_deaths();
    let n_found = villagers.len() as u64;
    if n_found == n_expected {
        Ok(())
    } else {
        Err(CheckError::Miscounted {
            n_expected,
            n_found,
        })
    }
}
