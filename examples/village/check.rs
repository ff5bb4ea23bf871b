//! What must hold after every frame.

use core::fmt;

use schedule::prelude::*;
use schedule::{Group, Identity, Rate};

use crate::life::{Births, Deaths};
use crate::movement::Position;
use crate::villager::{Arrivals, Column, Property};

/// Villagers at the start.
#[derive(Resource)]
pub(crate) struct Founders(pub(crate) usize);

/// What did not hold.
#[derive(Debug)]
pub(crate) enum Broken {
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

impl core::error::Error for Broken {}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::OutsideField {
                villager_idx,
                position,
            } => {
                write!(f, "villager {villager_idx} left the field: {position:?}")
            }
            Broken::Miscounted {
                n_expected,
                n_found,
            } => {
                write!(
                    f,
                    "by births and deaths there are {n_expected} villagers, in a column {n_found}"
                )
            }
            Broken::Late { n_missed } => {
                write!(f, "periods of a rate that were left out: {n_missed}")
            }
        }
    }
}

/// Nobody leaves the field.
#[system(after = Arrivals)]
pub(crate) fn stay_in_field(positions: &Column<Position>) -> Result<(), Broken> {
    match positions
        .iter()
        .position(|position| !position.is_in_field())
    {
        None => Ok(()),
        Some(villager_idx) => Err(Broken::OutsideField {
            villager_idx,
            position: positions[villager_idx],
        }),
    }
}

/// No time is lost: `M` runs once for each period that has passed.
#[system(after = M)]
pub(crate) fn keep_up<M: Group + Identity>(rate: &Rate<M>) -> Result<(), Broken> {
    match rate.n_missed() {
        0 => Ok(()),
        n_missed => Err(Broken::Late { n_missed }),
    }
}

/// Nobody comes or goes but by birth and death, in no column.
#[system(after = Arrivals)]
pub(crate) fn add_up<T: Property>(
    founders: &Founders,
    births: &Births,
    deaths: &Deaths,
    column: &Column<T>,
) -> Result<(), Broken> {
    let n_expected = founders.0 as u64 + births.n_births - deaths.n_deaths();
    let n_found = column.len() as u64;
    if n_found == n_expected {
        Ok(())
    } else {
        Err(Broken::Miscounted {
            n_expected,
            n_found,
        })
    }
}
