//! Random numbers that do not depend on threads, on the order of calls, or on other random numbers.
//!
//! A shared generator gives each caller the next number, so the numbers depend on the order of the callers. [`Philox`] computes its numbers
//! from a seed and a place instead, for example from an entity and the time. So systems that run in parallel get the same numbers as in a
//! serial run:
//!
//! ```
//! use schedule::columns::{Columns, EntityId};
//! use schedule::entity::Component;
//! use schedule::prelude::*;
//! use schedule::random::Philox;
//!
//! #[derive(Component, Clone, Copy, Debug, PartialEq)]
//! struct Position(f32);
//!
//! #[derive(Columns)]
//! struct Ant {
//!     position: Position,
//! }
//!
//! #[derive(Resource)]
//! struct Tick(u64);
//!
//! const SEED: u64 = 42;
//!
//! /// The purpose of a random number. Systems for the same entities need different purposes.
//! #[derive(Clone, Copy)]
//! enum Purpose {
//!     Walk,
//!     Die,
//! }
//!
//! #[system(for_each = Columns<Ant>)]
//! fn wander(ant: EntityId<Ant>, #[resource] tick: &Tick, position: &mut Position) {
//!     let mut random = Philox::new(SEED, [Purpose::Walk as u64, ant.to_bits(), tick.0]);
//!     position.0 += random.next_f32() - random.next_f32();
//! }
//!
//! #[system(for_each = Columns<Ant>)]
//! fn die(ant: EntityId<Ant>, #[resource] tick: &Tick, mut commands: Commands) {
//!     if Philox::new(SEED, [Purpose::Die as u64, ant.to_bits(), tick.0]).next_below(100) == 0 {
//!         commands.columns().despawn(ant);
//!     }
//! }
//!
//! let mut resources = Resources::new();
//! resources.insert(Columns::from_iter([1.0, 2.0].map(|position| Ant { position: Position(position) })));
//! resources.insert(Tick(7));
//! Schedule::builder().add::<wander>().add::<die>().build()?.run(&mut resources)?;
//!
//! // The test of a system calculates its numbers.
//! let ants = resources.get_mut::<Columns<Ant>>().unwrap();
//! let mut random = Philox::new(SEED, [Purpose::Walk as u64, ants.ids()[0].to_bits(), 7]);
//! let distance = random.next_f32() - random.next_f32();
//! assert_eq!(ants.column::<Position>()[0], Position(1.0 + distance));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// A generator of random numbers that depend only on a seed and a place: Philox 4x64 with 10 rounds.
///
/// The algorithm is that of Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3" (2011). It passes the tests of
/// TestU01. It is not for secrets. Number `n` of a generator is word `n % 4` of the block of the counter `[n / 4, place[0], place[1],
/// place[2]]` under the key `[seed, 0]`. These numbers are the same in all versions of this crate and on all processors.
///
/// A generator is created where it is used, which costs nothing. The first number, and every fourth one after it, costs 20
/// multiplications. The generator has 2^66 numbers for each seed and place. See the [module](self) for an example.
///
/// For other distributions, the program wraps the generator in a type that implements the trait of generators in the crate `rand_core`, by
/// [`next_u64`](Self::next_u64).
#[derive(Clone, Debug)]
pub struct Philox {
    seed: u64,
    /// The counter of the next block.
    counter: [u64; 4],
    block: [u64; 4],
    /// The number of words of `block` that are left. The next one is `block[4 - n_left]`.
    n_left: usize,
}

/// The factors of a round.
const MULTIPLIERS: [u64; 2] = [0xd2e7_470e_e14c_6c93, 0xca5a_8263_9512_1157];

/// The increments of the key after each round: the golden ratio, and the square root of 3 less 1.
const INCREMENTS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbb67_ae85_84ca_a73b];

const N_ROUNDS: usize = 10;

impl Philox {
    /// Creates the generator of a seed and a place.
    ///
    /// A place is three numbers of any meaning, for example the purpose, [the bits of an entity](crate::columns::EntityId::to_bits) and the
    /// number of the run. Generators with different places are independent. Those with the same seed and place give the same numbers.
    #[inline]
    pub const fn new(seed: u64, place: [u64; 3]) -> Self {
        Self {
            seed,
            counter: [0, place[0], place[1], place[2]],
            block: [0; 4],
            n_left: 0,
        }
    }

    /// Returns a uniformly distributed number.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        if self.n_left == 0 {
            self.block = block(self.counter, [self.seed, 0]);
            self.counter[0] = self.counter[0].wrapping_add(1);
            self.n_left = 4;
        }
        self.n_left -= 1;
        self.block[3 - self.n_left]
    }

    /// Returns a multiple of 2^-53 from 0 to less than 1, each with the same probability.
    #[inline]
    pub const fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns a multiple of 2^-24 from 0 to less than 1, each with the same probability.
    #[inline]
    pub const fn next_f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 * (1.0 / (1_u32 << 24) as f32)
    }

    /// Returns a number below `bound`, each with exactly the same probability.
    ///
    /// Lemire 2019: "Fast Random Integer Generation in an Interval". With small bounds it takes one number of the generator, seldom more.
    ///
    /// # Panics
    ///
    /// Panics if `bound` is 0.
    #[inline]
    pub const fn next_below(&mut self, bound: u64) -> u64 {
        assert!(bound != 0, "no number is below 0");
        let mut product = self.next_u64() as u128 * bound as u128;
        if (product as u64) < bound {
            // The number of products with each result differs by 1. The surplus ones are passed over.
            let n_surplus = bound.wrapping_neg() % bound;
            while (product as u64) < n_surplus {
                product = self.next_u64() as u128 * bound as u128;
            }
        }
        (product >> 64) as u64
    }
}

/// Returns the block of a counter.
#[inline]
const fn block(mut counter: [u64; 4], mut key: [u64; 2]) -> [u64; 4] {
    let mut round = 0;
    while round < N_ROUNDS {
        let first = counter[0] as u128 * MULTIPLIERS[0] as u128;
        let second = counter[2] as u128 * MULTIPLIERS[1] as u128;
        counter = [
            (second >> 64) as u64 ^ counter[1] ^ key[0],
            second as u64,
            (first >> 64) as u64 ^ counter[3] ^ key[1],
            first as u64,
        ];
        key = [
            key[0].wrapping_add(INCREMENTS[0]),
            key[1].wrapping_add(INCREMENTS[1]),
        ];
        round += 1;
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of the library Random123 of the authors.
    #[test]
    fn blocks_equal_those_of_the_authors() {
        assert_eq!(
            block([0; 4], [0; 2]),
            [
                0x1655_4d9e_ca36_314c,
                0xdb20_fe9d_672d_0fdc,
                0xd7e7_72ce_e186_176b,
                0x7e68_b68a_ec7b_a23b,
            ]
        );
        assert_eq!(
            block([u64::MAX; 4], [u64::MAX; 2]),
            [
                0x87b0_92c3_013f_e90b,
                0x438c_3c67_be8d_0224,
                0x9cc7_d7c6_9cd7_77b6,
                0xa09c_aebf_594f_0ba0,
            ]
        );
        // Digits of pi.
        let counter = [
            0x243f_6a88_85a3_08d3,
            0x1319_8a2e_0370_7344,
            0xa409_3822_299f_31d0,
            0x082e_fa98_ec4e_6c89,
        ];
        assert_eq!(
            block(counter, [0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c]),
            [
                0xa528_f454_03e6_1d95,
                0x38c7_2dbd_566e_9788,
                0xa5a1_610e_72fd_18b5,
                0x57bd_43b5_e52b_7fe6,
            ]
        );
    }

    #[test]
    fn numbers_are_the_words_of_the_blocks_of_a_place() {
        let mut random = Philox::new(5, [6, 7, 8]);
        let blocks = [0, 1, 2].map(|nth| block([nth, 6, 7, 8], [5, 0]));
        let numbers: Vec<_> = (0..12).map(|_| random.next_u64()).collect();
        assert_eq!(numbers, blocks.concat());
    }

    #[test]
    fn each_number_of_the_seed_and_the_place_counts() {
        let others = [
            Philox::new(1, [0; 3]),
            Philox::new(0, [1, 0, 0]),
            Philox::new(0, [0, 1, 0]),
            Philox::new(0, [0, 0, 1]),
        ];
        let mut firsts = vec![Philox::new(0, [0; 3]).next_u64()];
        firsts.extend(others.map(|mut random| random.next_u64()));
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
    }

    #[test]
    fn fractions_are_in_their_interval_and_near_its_ends() {
        let mut random = Philox::new(0, [0; 3]);
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&random.next_f64()));
            assert!((0.0..1.0).contains(&random.next_f32()));
        }
        let of_word = |word| Philox {
            block: [word; 4],
            n_left: 4,
            ..Philox::new(0, [0; 3])
        };
        assert_eq!(of_word(0).next_f64(), 0.0);
        assert_eq!(of_word(u64::MAX).next_f64(), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(of_word(0).next_f32(), 0.0);
        assert_eq!(of_word(u64::MAX).next_f32(), 1.0 - f32::EPSILON / 2.0);
    }

    #[test]
    fn numbers_below_a_bound_are_equally_frequent() {
        let mut random = Philox::new(3, [0; 3]);
        let mut counts = [0_u32; 6];
        (0..60_000).for_each(|_| counts[random.next_below(6) as usize] += 1);
        assert!(
            counts.iter().all(|n| n.abs_diff(10_000) < 500),
            "{counts:?}"
        );
        assert_eq!(random.next_below(1), 0);
        // Of a bound above a half of all numbers, a third of the products are surplus.
        let bound = 3 << 62;
        let n_low = (0..60_000)
            .filter(|_| random.next_below(bound) < 1 << 62)
            .count();
        assert!(n_low.abs_diff(20_000) < 700, "{n_low}");
    }

    #[test]
    fn a_surplus_product_is_passed_over() {
        // For the bound 3, only the word 0 is surplus: 2^64 = 1 modulo 3.
        let mut random = Philox {
            block: [0, 0, 0, u64::MAX],
            n_left: 4,
            ..Philox::new(0, [0; 3])
        };
        assert_eq!(random.next_below(3), 2);
        assert_eq!(random.n_left, 0);
    }

    #[test]
    #[should_panic(expected = "no number is below 0")]
    fn a_bound_of_zero_is_refused() {
        Philox::new(0, [0; 3]).next_below(0);
    }
}
