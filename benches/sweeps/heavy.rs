//! The workload `heavy`: three systems on three components. The second takes about 100 ns per entity on average, and the third
//! adds a number for each entity to a sum.
//!
//! The costs of the rows are unequal: every other row costs three times as much as its neighbours, on average, and the rows of
//! the last quarter four times as much as the others.

use schedule::columns::Columns;

use crate::digest::Digest;
use crate::light::components;

components! {
    State(u64);
    /// The number of steps of `think`.
    Depth(u32);
    Turn(u32);
}

/// The components of an entity.
#[derive(Clone, Copy, Columns)]
pub(crate) struct Agent {
    pub(crate) state: State,
    pub(crate) depth: Depth,
    pub(crate) turn: Turn,
}

impl Agent {
    /// `mean_depth`: the average number of steps.
    pub(crate) fn all(n_entities: usize, mean_depth: u32) -> impl Iterator<Item = Self> {
        (0..n_entities).map(move |idx| {
            let state = step(idx as u64 + 1);
            // The average of 1, 1, 1 and 4 is 7 / 4, and that of 1 / 2 and 3 / 2 is 1.
            let of_quarter = if idx >= n_entities / 4 * 3 { 4 } else { 1 };
            let of_row = if state >> 63 == 0 { 1 } else { 3 };
            Self {
                state: State(state),
                depth: Depth(mean_depth * of_quarter * of_row * 4 / (7 * 2)),
                turn: Turn(0),
            }
        })
    }

    pub(crate) fn into_tuple(self) -> (State, Depth, Turn) {
        (self.state, self.depth, self.turn)
    }
}

impl Digest {
    /// Adds an entity.
    pub(crate) fn add_agent(&mut self, state: &State, depth: &Depth, turn: &Turn) {
        self.add([state.0, depth.0.into(), turn.0.into()]);
    }
}

/// A step takes about as long as a step of [`benches::work`].
#[inline(always)]
fn step(x: u64) -> u64 {
    (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[inline(always)]
pub(crate) fn begin(turn: &mut Turn, state: &mut State) {
    turn.0 = turn.0.wrapping_add(1);
    state.0 ^= u64::from(turn.0);
}

#[inline(always)]
pub(crate) fn think(depth: &Depth, state: &mut State) {
    for _ in 0..depth.0 {
        state.0 = step(state.0);
    }
}

/// Returns the number for the sum. Sums of integers do not depend on the order.
#[inline(always)]
pub(crate) fn vote(state: &State) -> u64 {
    state.0 >> 40
}
