//! A hash of everything that happened, to compare two runs.

use core::fmt;
use core::marker::PhantomData;

use schedule::prelude::*;

use crate::census::Score;
use crate::chronicle::Chronicle;
use crate::clock::Hour;
use crate::fatigue::Fatigue;
use crate::fever::Fever;
use crate::field::{Cell, Crop};
use crate::food::Hunger;
use crate::health::{Health, Poison};
use crate::life::Age;
use crate::movement::{Home, Position, Velocity};
use crate::villager::{Column, Newborns, Property};

/// A hash of one column in all hours so far.
///
/// Each column has its own, so the columns can be hashed at the same time.
#[derive(Resource)]
pub(crate) struct Digest<T> {
    hash: u64,
    of: PhantomData<T>,
}

impl<T> Default for Digest<T> {
    fn default() -> Self {
        Self {
            hash: FNV_OFFSET,
            of: PhantomData,
        }
    }
}

/// The systems that hash one column each.
#[derive(Group)]
pub(crate) struct ColumnDigests;

#[system(in = Hour, after = Newborns)]
pub(crate) fn digest_column<T: Property>(column: &Column<T>, digest: &mut Digest<T>) {
    let bits = column.iter().map(|property| property.bits());
    digest.hash = bits.fold(digest.hash, mix);
}

/// The hashes of all columns.
#[derive(Params)]
pub(crate) struct Digests<'r> {
    positions: &'r Digest<Position>,
    velocities: &'r Digest<Velocity>,
    homes: &'r Digest<Home>,
    cells: &'r Digest<Cell>,
    fatigues: &'r Digest<Fatigue>,
    hungers: &'r Digest<Hunger>,
    healths: &'r Digest<Health>,
    poisons: &'r Digest<Poison>,
    fevers: &'r Digest<Fever>,
    ages: &'r Digest<Age>,
}

/// A hash of the whole history of the village.
#[derive(Resource, Clone, Default, PartialEq)]
pub(crate) struct VillageDigest(pub(crate) u64);

impl fmt::Debug for VillageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VillageDigest({:#018x})", self.0)
    }
}

#[system(in = Hour, after = ColumnDigests)]
pub(crate) fn digest_village(
    columns: Digests,
    crop: &Crop,
    chronicle: &Chronicle,
    score: &Score,
    village: &mut VillageDigest,
) {
    let columns = [
        columns.positions.hash,
        columns.velocities.hash,
        columns.homes.hash,
        columns.cells.hash,
        columns.fatigues.hash,
        columns.hungers.hash,
        columns.healths.hash,
        columns.poisons.hash,
        columns.fevers.hash,
        columns.ages.hash,
    ];
    let columns = columns.into_iter().fold(village.0, mix);
    let crop = crop
        .iter()
        .fold(columns, |hash, &meals| mix(hash, u64::from(meals)));
    village.0 = mix(mix(crop, chronicle.len() as u64), score.healthy_hours);
}

/// FNV-1a (Fowler, Noll, Vo 1991), a word at a time, with a rotation so that high bits reach low ones.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FNV_PRIME).rotate_left(29)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
