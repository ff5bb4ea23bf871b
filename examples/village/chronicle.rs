//! What the village tells its grandchildren.

use schedule::prelude::*;

use crate::census::Census;
use crate::clock::{Calendar, Hour};
use crate::field::Drought;

/// One line per event.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Chronicle(Vec<String>);

/// How things stood in the hour before: news is what differs.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Situation {
    is_dry: bool,
    is_epidemic: bool,
    is_famine: bool,
}

#[system(in = Hour)]
pub(crate) fn chronicle(
    calendar: Calendar,
    census: &Census,
    drought: Option<&Drought>,
    mut before: Local<Situation>,
    chronicle: &mut Chronicle,
) {
    let now = Situation {
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

/// Adds the last line.
#[system]
pub(crate) fn close(calendar: Calendar, chronicle: &mut Chronicle) {
    chronicle.push(format!("day {:>2}  nobody is left", calendar.day()));
}

/// Whether it befalls every tenth villager; once it does, until fewer than every twentieth, so that news is not
/// repeated from hour to hour.
fn is_common(n_befallen: u64, was_common: bool, census: &Census) -> bool {
    let one_in = if was_common { 20 } else { 10 };
    n_befallen * one_in > census.n_villagers
}
