//! Time: ticks of a fixed length, which a pause stops.

use std::time::Duration;

use schedule::prelude::*;
use schedule::{Identity, Rate};

use crate::waves::TICKS_PER_WAVE;

/// The systems of a tick.
#[derive(Identity)]
pub(crate) struct Ticks;

/// The length of a tick.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// At most three ticks per frame, including those that earlier frames left over.
pub(crate) fn ticks() -> Rate<Ticks> {
    Rate::every(TICK).starting_at(TICK).catch_up(3)
}

/// The number of ticks so far.
#[derive(Resource, Default, Clone, Debug, PartialEq)]
pub(crate) struct Tick(pub(crate) u64);

/// The input of a frame: whether the player presses the key for a pause, which also ends a pause.
#[derive(Resource, Default)]
pub(crate) struct Keys {
    pub(crate) pause: bool,
}

/// Whether the game is paused.
#[derive(Resource, Default)]
pub(crate) struct Pause(pub(crate) bool);

/// Begins or ends a pause.
#[system]
pub(crate) fn read_keys(keys: &Keys, pause: &mut Pause) {
    pause.0 ^= keys.pause;
}

#[system]
pub(crate) fn is_running(pause: &Pause) -> bool {
    !pause.0
}

#[system]
pub(crate) fn advance(tick: &mut Tick) {
    tick.0 += 1;
}

#[system]
pub(crate) fn is_wave(tick: &Tick) -> bool {
    tick.0.is_multiple_of(TICKS_PER_WAVE)
}
