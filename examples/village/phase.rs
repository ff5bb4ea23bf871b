//! Day and night, and the end.
//!
//! A state of the program: it changes at the transition that `Frame` lists, and nowhere else. A system that runs by night
//! only says so in its attribute; what runs once, at nightfall, is said in `Frame`.

use schedule::prelude::*;
use schedule::state::Transition;
use schedule::{Identity, NextState};

use crate::clock::Calendar;
use crate::life::Age;
use crate::villager::Column;

#[derive(Branch, Identity, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Day,
    Night,
    /// Nobody is left.
    Over,
}

/// Asks for another phase when it is time.
#[system(before = Transition<Phase>)]
pub(crate) fn turn(calendar: Calendar, ages: &Column<Age>, next: &mut NextState<Phase>) {
    // To ask for the phase that it is changes nothing.
    next.set(if ages.is_empty() {
        Phase::Over
    } else if calendar.is_night() {
        Phase::Night
    } else {
        Phase::Day
    });
}
