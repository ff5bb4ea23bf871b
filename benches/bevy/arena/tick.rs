//! Time: ticks of a fixed length, and a pause.

use std::time::Duration;

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;

use crate::waves::TICKS_PER_WAVE;

/// The systems of a tick.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ticks;

/// The length of a tick.
pub(crate) const TICK: Duration = Duration::from_millis(20);
/// The maximum number of ticks per frame, including those that earlier frames left over.
const CATCH_UP: u32 = 3;

/// The time of the game.
#[derive(Resource, Default)]
pub(crate) struct Clock {
    /// The length of the frame.
    pub(crate) frame: Duration,
    /// The time for which no ticks have run.
    rest: Duration,
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
pub(crate) fn read_keys(keys: Res<Keys>, mut pause: ResMut<Pause>) {
    pause.0 ^= keys.pause;
}

/// Runs the ticks that are due.
pub(crate) fn run_ticks(world: &mut World) {
    let mut clock = world.resource_mut::<Clock>();
    clock.rest = (clock.rest + clock.frame).min(CATCH_UP * TICK);
    while let Some(rest) = world.resource::<Clock>().rest.checked_sub(TICK) {
        world.resource_mut::<Clock>().rest = rest;
        world.run_schedule(Ticks);
    }
}

pub(crate) fn is_running(pause: Res<Pause>) -> bool {
    !pause.0
}

pub(crate) fn advance(mut tick: ResMut<Tick>) {
    tick.0 += 1;
}

pub(crate) fn is_wave(tick: Res<Tick>) -> bool {
    tick.0.is_multiple_of(TICKS_PER_WAVE)
}
