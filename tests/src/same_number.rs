//! Two components of a [`World`] with which two different filters get the same number.

use schedule::__private::mix;
use schedule::Identity;
use schedule::entity::{Component, ComponentType};
use schedule::identity::Name;
use schedule_hecs::World;

/// The number of the filter `With<Wet>` equals that of `(Without<Wet>, With<Salty>)`.
#[derive(Debug, Component)]
pub struct Wet;

/// See [`Wet`].
#[derive(Debug)]
pub struct Salty;

impl Identity for Salty {
    // The number of a filter is a hash of the sum of its literals, and `mix` can be inverted.
    const ID: u128 = {
        let wet = mix(mix(Wet::ID, WORLD), 2);
        let salty = unmix(mix(wet, 1).wrapping_sub(mix(wet, 2)), 1);
        unmix(unmix(salty, 2), WORLD)
    };
    const NAME: Name = Name::new("Salty");
}

impl ComponentType for Salty {
    type Itself = Self;
}

impl Component for Salty {}

const WORLD: u128 = <World as Identity>::ID;

/// Returns the number of which `mix(number, more)` is `mixed`.
const fn unmix(mixed: u128, more: u128) -> u128 {
    let id = mixed ^ (mixed >> 61) ^ (mixed >> 122);
    let id = id.wrapping_mul(INVERSE_OF_PRIME) ^ (more & u64::MAX as u128);
    id.wrapping_mul(INVERSE_OF_PRIME) ^ (more >> 64)
}

/// The prime of FNV-1a with 128 bits.
const PRIME: u128 = 0x0000000001000000000000000000013b;

/// The inverse of the prime modulo 2¹²⁸, by Newton's method.
const INVERSE_OF_PRIME: u128 = {
    let mut inverse = PRIME;
    let mut n_steps = 0;
    while n_steps < 7 {
        inverse = inverse.wrapping_mul(2_u128.wrapping_sub(PRIME.wrapping_mul(inverse)));
        n_steps += 1;
    }
    inverse
};

const _: () = assert!(
    mix(unmix(77, 5), 5) == 77,
    "`unmix` is the inverse of `mix`"
);
