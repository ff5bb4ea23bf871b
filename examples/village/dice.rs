//! Chance that is the same on every run.
//!
//! A generator that hands out one number after the other would make every system that throws dice a writer of it, and
//! what a villager gets would depend on who threw before. Here a throw is a function of the hour, of what is thrown
//! for, and of the villager: systems only read the dice.

use schedule::prelude::*;

use crate::clock::Calendar;

/// The dice of this hour.
#[derive(Resource, Default)]
pub(crate) struct Dice {
    hour: u32,
}

/// What is thrown for: two throws for one villager in one hour must not be the same.
#[derive(Clone, Copy)]
pub(crate) enum Throw {
    Home,
    FirstAge,
    FirstFever,
    Toadstools,
    Weather,
    Stroll,
    Infection,
    Conception,
    OldAge,
}

impl Dice {
    /// A number below `n`.
    pub(crate) fn below(&self, n: u32, throw: Throw, idx: usize) -> u32 {
        let seed = (u64::from(self.hour) << 40) ^ ((throw as u64) << 32) ^ idx as u64;
        let high = splitmix(seed) >> 32;
        ((high * u64::from(n)) >> 32) as u32
    }

    pub(crate) fn is_one_in(&self, n: u32, throw: Throw, idx: usize) -> bool {
        self.below(n, throw, idx) == 0
    }
}

#[system]
pub(crate) fn shake(calendar: Calendar, dice: &mut Dice) {
    dice.hour = calendar.hours();
}

/// SplitMix64: Steele, Lea, Flood 2014.
fn splitmix(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
