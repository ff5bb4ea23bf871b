//! The report at the end.

use core::ops::Add;
use std::io::{self, Write};
use std::time::Duration;

use schedule::prelude::*;

use crate::census::{Census, Score};
use crate::chronicle::Chronicle;
use crate::clock::{Calendar, HOURS_PER_DAY};
use crate::digest::VillageDigest;
use crate::field::Crop;
use crate::life::{Births, Deaths};
use crate::screen::Screen;

/// The duration of a number of frames.
#[derive(Clone, Copy, Default)]
pub(crate) struct Timing {
    pub(crate) n_frames: u32,
    pub(crate) elapsed: Duration,
}

impl Add for Timing {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            n_frames: self.n_frames + other.n_frames,
            elapsed: self.elapsed + other.elapsed,
        }
    }
}

/// The measured durations, each with a label.
#[derive(Resource)]
#[resource(transparent)]
pub(crate) struct Timings(Vec<(&'static str, Timing)>);

/// The resources that the report shows.
#[derive(Params)]
pub(crate) struct Village<'r> {
    calendar: Calendar<'r>,
    census: &'r Census,
    births: &'r Births,
    deaths: &'r Deaths,
    crop: &'r Crop,
    score: &'r Score,
    chronicle: &'r Chronicle,
    digest: &'r VillageDigest,
}

#[system]
pub(crate) fn report(
    village: Village,
    timings: &Timings,
    mut screen: NonSendMut<Screen>,
) -> io::Result<()> {
    let out = screen.out();
    write_chronicle(out, &village)?;
    write_figures(out, &village)?;
    writeln!(out)?;
    timings
        .iter()
        .try_for_each(|&(how, timing)| write_timing(out, how, timing))
}

fn write_timing(out: &mut impl Write, how: &str, timing: Timing) -> io::Result<()> {
    let Timing { n_frames, elapsed } = timing;
    let seconds = elapsed.as_secs_f64();
    writeln!(
        out,
        "  {:>5} frames {how} in {seconds:.2} s: {:.0} frames/s, {} µs per frame",
        grouped(u64::from(n_frames)),
        f64::from(n_frames) / seconds,
        grouped((elapsed / n_frames).as_micros() as u64),
    )
}

fn write_chronicle(out: &mut impl Write, village: &Village) -> io::Result<()> {
    writeln!(out)?;
    for line in village.chronicle.iter() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

fn write_figures(out: &mut impl Write, village: &Village) -> io::Result<()> {
    let Village { census, deaths, .. } = village;
    let meals: u64 = village.crop.iter().map(|&meals| u64::from(meals)).sum();
    let mut line = |label: &str, value: String| writeln!(out, "  {label:<18}{value:>12}");

    line("villagers", grouped(census.n_villagers))?;
    line("births", grouped(village.births.n_births))?;
    line("deaths", grouped(deaths.n_deaths()))?;
    line("  of old age", grouped(deaths.of_age))?;
    line("  of hunger", grouped(deaths.of_hunger))?;
    line("  of the fever", grouped(deaths.of_fever))?;
    line("  of toadstools", grouped(deaths.of_poison))?;
    line("meals in the field", grouped(meals))?;
    line("average health", per_cent(census.average_health()))?;
    line(
        "best health",
        per_cent(u64::from(census.best_health.unsigned_abs())),
    )?;
    line("average age", days(census.average_age()))?;
    line("time", days(u64::from(village.calendar.hours())))?;
    line("score", grouped(village.score.healthy_hours))?;
    line("digest", format!("{:016x}", village.digest.0))
}

fn per_cent(per_mille: u64) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}

fn days(hours: u64) -> String {
    let day = u64::from(HOURS_PER_DAY);
    format!("{} d {:>2} h", hours / day, hours % day)
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
