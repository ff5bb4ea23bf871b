//! The time of the village: a frame is an hour.

use schedule::prelude::*;

/// Hours since the village was founded, at midnight.
#[derive(Resource, Default)]
pub(crate) struct Clock {
    hours: u32,
}

impl Clock {
    pub(crate) const HOURS_PER_DAY: u32 = 24;

    pub(crate) fn hours(&self) -> u32 {
        self.hours
    }

    pub(crate) fn day(&self) -> u32 {
        self.hours / Self::HOURS_PER_DAY
    }

    pub(crate) fn is_midnight(&self) -> bool {
        self.hours.is_multiple_of(Self::HOURS_PER_DAY)
    }

    pub(crate) fn is_night(&self) -> bool {
        let hour = self.hours % Self::HOURS_PER_DAY;
        !(6..20).contains(&hour)
    }
}

#[system]
pub(crate) fn tick(clock: &mut Clock) {
    clock.hours += 1;
}
