//! Turns: the driver and the loop by hand run for a while each, in the same run of the program.

use std::time::Duration;

use schedule::StopToken;
use schedule::prelude::*;

use crate::rates::Planning;

/// The end of the current turn.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Turn {
    pub(crate) end: Duration,
    pub(crate) stop: StopToken,
}

impl Turn {
    pub(crate) fn until(end: Duration) -> Self {
        Self {
            end,
            stop: StopToken::new(),
        }
    }
}

/// Stops the driver at the end of the turn.
#[system(in = Planning, always)]
pub(crate) fn end_turn(clock: &Clock, turn: &Turn) {
    if clock.now() >= turn.end {
        turn.stop.stop();
    }
}
