//! The components of fighters.
//!
//! All numbers are integers, so that the result is the same on every platform.

use schedule::snapshot::Snapshot;
use schedule_hecs::prelude::*;
use serde::{Deserialize, Serialize};

/// Side of the arena in steps, the unit of length. Positions are in `0..SIDE`.
pub(crate) const SIDE: i32 = 1 << 12;

/// The number of a fighter. Unlike its entity, it is never used again.
#[derive(
    Component,
    SavedComponent,
    Snapshot,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
)]
#[snapshot(name = "number")]
pub(crate) struct Number(pub(crate) u64);

/// Where a fighter is.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Serialize, Deserialize,
)]
#[snapshot(name = "position")]
pub(crate) struct Position {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// Steps per tick.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Serialize, Deserialize,
)]
#[snapshot(name = "velocity")]
pub(crate) struct Velocity {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// A fighter without health dies.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Serialize, Deserialize,
)]
#[snapshot(name = "health")]
pub(crate) struct Health(pub(crate) i32);

impl Health {
    /// The health of a new fighter, and the maximum.
    pub(crate) const FULL: Self = Self(100);
}

/// The side that a fighter is on.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize,
)]
#[snapshot(name = "team")]
pub(crate) enum Team {
    Red,
    Blue,
}

impl Team {
    pub(crate) const ALL: [Self; 2] = [Self::Red, Self::Blue];
}

/// What a fighter does.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Serialize, Deserialize,
)]
#[snapshot(name = "mind")]
pub(crate) enum Mind {
    /// Walks in one direction.
    Roam,
    /// Walks towards an opponent.
    Chase(Position),
    /// Walks home.
    Flee,
}

/// Ticks since a fighter came.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Serialize, Deserialize,
)]
#[snapshot(name = "age")]
pub(crate) struct Age(pub(crate) u32);

/// A fighter that rests: it neither moves nor fights, and heals.
#[derive(
    Component, SavedComponent, Snapshot, Clone, Copy, Debug, PartialEq, Serialize, Deserialize,
)]
#[snapshot(name = "resting")]
pub(crate) struct Resting {
    /// Ticks until it fights again.
    pub(crate) ticks: u32,
}

/// All components of a new fighter.
pub(crate) type Fighter = (Number, Position, Velocity, Health, Team, Mind, Age);

/// The fighter with this number: its place and its team follow from the number.
pub(crate) fn fighter(number: u64) -> Fighter {
    let random = |of: u64, below: i32| (mix(number * 4 + of) % below as u64) as i32;
    let position = Position {
        x: random(0, SIDE),
        y: random(1, SIDE),
    };
    let velocity = Velocity {
        x: random(2, 13) - 6,
        y: random(3, 13) - 6,
    };
    let team = Team::ALL[(number % 2) as usize];
    let health = Health::FULL;
    (
        Number(number),
        position,
        velocity,
        health,
        team,
        Mind::Roam,
        Age(0),
    )
}

/// A number that looks random (splitmix64, Steele, Lea, Flood 2014).
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
