//! Checks after every frame. A check that fails makes the run fail.

use core::fmt;

use schedule::prelude::*;
use schedule::{Group, Identity, Rate};

use crate::life::{Births, Deaths};
use crate::movement::Position;
use crate::villager::{Column, Newborns, Property};

/// Number of villagers at the start.
#[derive(Resource)]
pub(crate) struct Founders(pub(crate) usize);

/// A check that failed.
#[derive(Debug)]
pub(crate) enum CheckError {
    OutsideField {
        villager_idx: usize,
        position: Position,
    },
    Miscounted {
        n_expected: u64,
        n_found: u64,
    },
    Late {
        n_missed: u64,
    },
}

impl core::error::Error for CheckError {}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::OutsideField {
                villager_idx,
                position,
            } => {
                write!(f, "villager {villager_idx} left the field: {position:?}")
            }
            CheckError::Miscounted {
                n_expected,
                n_found,
            } => {
                write!(
                    f,
                    "a column has {n_found} villagers, but births and deaths give {n_expected}"
                )
            }
            CheckError::Late { n_missed } => {
                write!(f, "a rate missed {n_missed} periods")
            }
        }
    }
}

/// Checks that all villagers are in the field.
#[system(after = Newborns)]
pub(crate) fn check_positions(positions: &Column<Position>) -> Result<(), CheckError> {
    match positions
        .iter()
        .position(|position| !position.is_in_field())
    {
        None => Ok(()),
        Some(villager_idx) => Err(CheckError::OutsideField {
            villager_idx,
            position: positions[villager_idx],
        }),
    }
}

/// Checks that `M` ran once for each period that has passed.
#[system(after = M)]
pub(crate) fn check_rate<M: Group + Identity>(rate: &Rate<M>) -> Result<(), CheckError> {
    match rate.n_missed() {
        0 => Ok(()),
        n_missed => Err(CheckError::Late { n_missed }),
    }
}

/// Checks that the length of a column equals founders plus births minus deaths.
#[system(after = Newborns)]
pub(crate) fn check_count<T: Property>(
    founders: &Founders,
    births: &Births,
    deaths: &Deaths,
    column: &Column<T>,
) -> Result<(), CheckError> {
    let n_expected = founders.0 as u64 + births.n_births - deaths.n_deaths();
    let n_found = column.len() as u64;
    if n_found == n_expected {
        Ok(())
    } else {
        Err(CheckError::Miscounted {
            n_expected,
            n_found,
        })
    }
}
