//! The history of the village.

use schedule::prelude::*;

use crate::census::Census;
use crate::clock::{Calendar, Hour};
use crate::field::Drought;

/// One line per event.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Chronicle(Vec<String>);

/// The situation in the hour before. Only changes are written to the chronicle.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    is_dry: bool,
    is_epidemic: bool,
    is_famine: bool,
}

/// Writes a line for each change.
#[system(in = Hour)]
pub(crate) fn note_changes(
    calendar: Calendar,
    census: &Census,
    drought: Option<&Drought>,
    mut before: Local<News>,
    chronicle: &mut Chronicle,
) {
    let now = News {
        is_dry: drought.is_some(),
        is_epidemic: is_common(census.n_sick, before.is_epidemic, census),
        is_famine: is_common(census.n_starving, before.is_famine, census),
    };
    let mut note = |was, is, begin: &str, end: &str| {
        if was != is {
            chronicle.push(format!(
                "day {:>2}  {}",
                calendar.day(),
                if is { begin } else { end }
            ));
        }
    };
    note(
        before.is_dry,
        now.is_dry,
        "it has stopped raining",
        "rain at last",
    );
    note(
        before.is_epidemic,
        now.is_epidemic,
        "every tenth villager has the fever",
        "the fever has passed",
    );
    note(
        before.is_famine,
        now.is_famine,
        "every tenth villager starves",
        "there is enough to eat",
    );
    *before = now;
}

/// Writes the last line.
#[system]
pub(crate) fn note_end(calendar: Calendar, chronicle: &mut Chronicle) {
    chronicle.push(format!("day {:>2}  the village is empty", calendar.day()));
}

/// Returns whether more than a tenth of the villagers are affected. If it was common before, a twentieth is enough, so that
/// small changes do not cause new lines every hour.
fn is_common(n_affected: u64, was_common: bool, census: &Census) -> bool {
    let one_in = if was_common { 20 } else { 10 };
    n_affected * one_in > census.n_villagers
}
