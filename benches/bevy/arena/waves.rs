//! New fighters come in waves.

use bevy_ecs::prelude::*;

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
pub(crate) fn arrive(all: Query<&Number>, mut roster: ResMut<Roster>, mut commands: Commands) {
    let n_missing = roster.capacity.saturating_sub(all.iter().len()) as u64;
    let numbers = roster.n_fighters..roster.n_fighters + n_missing;
    commands.spawn_batch(numbers.map(fighter));
    roster.n_fighters += n_missing;
}

/// Counts the ticks of each fighter.
pub(crate) fn grow_older(mut all: Query<&mut Age>) {
    for mut age in &mut all {
        age.0 += 1;
    }
}
