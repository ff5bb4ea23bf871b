//! Random numbers that are the same in every run.
//!
//! A random number is a function of the hour, the purpose and the row of the villager. So systems only read the dice and
//! need no order. A usual generator would change with each number, and all its users would be writers.

use schedule::prelude::*;

use crate::clock::Calendar;

/// The random numbers of this hour.
#[derive(Resource, Default)]
pub(crate) struct Dice {
    hour: u32,
}

/// The use of a random number. Different uses for one villager in one hour get different numbers.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Home,
    FirstAge,
    FirstFever,
    Toadstools,
    Weather,
    Stroll,
    Direction,
    Infection,
    Conception,
    OldAge,
}

impl Dice {
    /// Returns a random number below `n`.
    pub(crate) fn below(&self, n: u32, purpose: Purpose, idx: usize) -> u32 {
        let seed = (u64::from(self.hour) << 40) ^ ((purpose as u64) << 32) ^ idx as u64;
        let high = splitmix(seed) >> 32;
        ((high * u64::from(n)) >> 32) as u32
    }

    /// Returns true with probability `1 / n`.
    pub(crate) fn is_one_in(&self, n: u32, purpose: Purpose, idx: usize) -> bool {
        self.below(n, purpose, idx) == 0
    }
}

#[system]
pub(crate) fn reseed(calendar: Calendar, dice: &mut Dice) {
    dice.hour = calendar.hours();
}

/// SplitMix64: Steele, Lea, Flood 2014.
fn splitmix(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
