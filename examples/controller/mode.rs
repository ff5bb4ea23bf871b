//! Modes of the flight.

use std::time::Duration;

use schedule::prelude::*;
use schedule::state::Transition;
use schedule::{Identity, NextState, State};

use crate::altitude::{Altitude, TAKE_OFF};
use crate::ground::Battery;
use crate::motors::{Arming, Guard};
use crate::parameters::Parameters;
use crate::planner::Path;
use crate::rates::AltitudeLoop;

/// The mode of the flight.
#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// On the ground before the flight.
    Ready,
    Climb,
    /// Follows the path of the planner.
    Cruise,
    Land,
    /// On the ground after the flight.
    Landed,
}

/// The values on which the next mode depends.
#[derive(Params)]
pub(crate) struct Situation<'r> {
    pub(crate) clock: &'r Clock,
    pub(crate) altitude: &'r Altitude,
    pub(crate) guard: &'r Guard,
    pub(crate) battery: &'r Battery,
    pub(crate) parameters: &'r Parameters,
    pub(crate) path: &'r Path,
}

impl Situation<'_> {
    /// Returns the mode after this one, if it is time for another.
    pub(crate) fn next_mode(&self, mode: Mode) -> Option<Mode> {
        let must_land =
            self.guard.must_land() || self.battery.charge < self.parameters.lowest_charge;
        match mode {
            Mode::Ready if !must_land && self.clock.now() >= Duration::from_millis(50) => {
                Some(Mode::Climb)
            }
            Mode::Climb | Mode::Cruise if must_land => Some(Mode::Land),
            Mode::Climb
                if self.altitude.altitude >= 0.9 * TAKE_OFF
                    && self.path.at(self.clock.now()).is_some() =>
            {
                Some(Mode::Cruise)
            }
            Mode::Land if self.altitude.altitude < 0.03 => Some(Mode::Landed),
            Mode::Land if !must_land => Some(Mode::Cruise),
            _ => None,
        }
    }
}

/// Requests the next mode. It always runs, so the vehicle also lands without sensors.
#[system(in = AltitudeLoop, before = Transition<Mode>, always)]
pub(crate) fn decide_mode(situation: Situation, mode: &State<Mode>, next: &mut NextState<Mode>) {
    if let Some(mode) = situation.next_mode(mode.get()) {
        next.set(mode);
    }
}

/// Allows the motors to turn.
#[system(always)]
pub(crate) fn arm(arming: &mut Arming) {
    arming.0 = true;
}

/// Stops the motors.
#[system(always)]
pub(crate) fn disarm(arming: &mut Arming) {
    arming.0 = false;
}
