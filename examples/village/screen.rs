//! Output while the village runs.

use std::io::{self, StdoutLock, Write};

use schedule::Identity;
use schedule::prelude::*;

use crate::census::{Census, HealthBar};
use crate::clock::{Calendar, FRAMES_PER_DAY};
use crate::report::grouped;

/// Standard output, locked for the whole run.
///
/// A lock belongs to the thread that took it. So it is a main-thread value, as a window would be.
#[derive(Identity)]
pub(crate) struct Screen(StdoutLock<'static>);

impl Screen {
    pub(crate) fn lock() -> Self {
        Self(io::stdout().lock())
    }

    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.0
    }
}

/// The picture is drawn only if this resource exists.
#[derive(Resource)]
pub(crate) struct Viewer;

/// The systems that draw.
#[derive(Group)]
pub(crate) struct Picture;

/// A picture is drawn every five days.
pub(crate) const FRAMES_PER_PICTURE: u64 = 5 * FRAMES_PER_DAY as u64;

/// Prints the average health of the village.
#[system]
pub(crate) fn show(
    calendar: Calendar,
    census: &Census,
    bar: &HealthBar,
    mut screen: NonSendMut<Screen>,
) -> io::Result<()> {
    let (day, n_villagers) = (calendar.day(), grouped(census.n_villagers));
    writeln!(
        screen.0,
        "  day {day:>3}  {}  {n_villagers:>9} villagers",
        bar.as_str()
    )
}
