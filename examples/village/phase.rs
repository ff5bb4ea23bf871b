//! The states of the program: day, night, and the end.
//!
//! The state changes only at `transition`, which `Frame` lists. The attribute of a system says that it runs only at night.
//! `Frame` says which systems run once, when the night begins.

use schedule::prelude::*;
use schedule::state::Transition;
use schedule::{Identity, NextState};

use crate::clock::Calendar;
use crate::villager::Villagers;

#[derive(Branch, Identity, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Day,
    Night,
    /// The village is empty.
    Over,
}

/// Requests the phase that fits the time.
#[system(before = Transition<Phase>)]
pub(crate) fn request_phase(
    calendar: Calendar,
    villagers: &Villagers,
    next: &mut NextState<Phase>,
) {
    // A request for the current phase has no effect.
    next.set(if villagers.is_empty() {
        Phase::Over
    } else if calendar.is_night() {
        Phase::Night
    } else {
        Phase::Day
    });
}
