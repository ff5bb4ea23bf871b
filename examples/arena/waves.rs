//! New fighters come in waves.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

use crate::fighter::{Age, Number, fighter};

/// Ticks between two waves.
pub(crate) const TICKS_PER_WAVE: u64 = 10;

/// The number of fighters that came so far.
#[derive(Resource)]
pub(crate) struct Roster {
    pub(crate) n_fighters: u64,
    /// The number of fighters that the arena holds.
    pub(crate) capacity: usize,
}

/// Fills the arena.
#[system]
pub(crate) fn arrive(all: Query<&Number>, roster: &mut Roster, mut commands: Commands) {
    let n_missing = roster.capacity.saturating_sub(all.len()) as u64;
    let numbers = roster.n_fighters..roster.n_fighters + n_missing;
    commands.spawn_batch(numbers.map(fighter));
    roster.n_fighters += n_missing;
}

/// Counts the ticks of a fighter.
#[system(for_each)]
pub(crate) fn grow_older(age: &mut Age) {
    age.0 += 1;
}
