//! A hash of everything that happened, to compare two runs.

use core::fmt;
use core::hash::{Hash, Hasher};

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
use crate::villager::Villagers;

/// A hash of the whole history of the village.
#[derive(Resource, Clone, Default, PartialEq)]
pub(crate) struct VillageDigest(pub(crate) u64);

impl fmt::Debug for VillageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VillageDigest({:#018x})", self.0)
    }
}

/// A partial result is a hash of some villagers. They are joined in the order of the rows, for any number of threads.
impl Foldable for VillageDigest {
    type Partial = u64;

    fn join(&mut self, hash: u64) {
        self.0 = mix(self.0, hash);
    }
}

/// All components of a villager.
type All<'v> = (
    &'v Position,
    &'v Velocity,
    &'v Home,
    &'v Cell,
    &'v Fatigue,
    &'v Hunger,
    &'v Health,
    &'v Poison,
    &'v Fever,
    &'v Age,
);

/// Hashes a villager.
#[system(for_each = Villagers, in = Hour)]
pub(crate) fn digest_villager(villager: All, mut digest: Fold<VillageDigest>) {
    let mut hasher = WordHasher(FNV_OFFSET);
    villager.hash(&mut hasher);
    *digest = mix(*digest, hasher.finish());
}

/// Hashes the meals in all cells. It can run at the same time as the systems around it, because all of them only fold.
#[system(in = Hour)]
pub(crate) fn digest_crop(crop: &Crop, mut digest: Fold<VillageDigest>) {
    *digest = crop.chunks_exact(4).fold(FNV_OFFSET, |hash, cells| {
        let meals = cells.iter().map(|&meals| u64::from(meals));
        mix(hash, meals.fold(0, |word, meals| word << 16 | meals))
    });
}

/// Hashes the results of this hour.
#[system(in = Hour)]
pub(crate) fn digest_results(
    chronicle: &Chronicle,
    score: &Score,
    mut digest: Fold<VillageDigest>,
) {
    *digest = mix(chronicle.len() as u64, score.healthy_hours);
}

/// Hashes integers of any width as words, so the result is the same on every platform.
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u8(byte));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }

    /// The number of the variant of an enum.
    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// FNV-1a (Fowler, Noll, Vo 1991), a word at a time, with a rotation so that high bits reach low ones.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FNV_PRIME).rotate_left(29)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
