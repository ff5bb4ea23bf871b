//! Where the village is shown while it runs.

use std::io::{self, Write};

use schedule::Identity;
use schedule::prelude::*;

use crate::census::{Census, HealthBar};
use crate::clock::Clock;
use crate::report::grouped;

/// Standard output, locked for the whole run; or nothing.
///
/// A lock belongs to the thread that took it, as a window does: it is no resource, but a main-thread value.
#[derive(Identity)]
pub(crate) struct Screen(Box<dyn Write>);

impl Screen {
    pub(crate) fn lock() -> Self {
        Self(Box::new(io::stdout().lock()))
    }

    /// One on which nothing is seen.
    pub(crate) fn dark() -> Self {
        Self(Box::new(io::sink()))
    }

    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.0
    }
}

/// Shows the health of the village every few days.
#[system]
pub(crate) fn show(
    clock: &Clock,
    census: &Census,
    bar: &HealthBar,
    mut screen: NonSendMut<Screen>,
) -> io::Result<()> {
    const DAYS: u32 = 5;
    if !clock.is_midnight() || !clock.day().is_multiple_of(DAYS) {
        return Ok(());
    }
    let (day, n_villagers) = (clock.day(), grouped(census.n_villagers));
    writeln!(
        screen.0,
        "  day {day:>3}  {}  {n_villagers:>9} villagers",
        bar.as_str()
    )
}
