//! The table of figures.

use core::fmt;
use std::collections::BTreeMap;

use bench_report::{Bar, Choice, Filter, Results, Scalar};
use benches::quantile::median;
use benches::rounds::Rounds;

use crate::contender::{ALL, HECS, N_ENTITIES, PLAIN, SERIAL, SIDE};

/// The highest wanted time of a fold on one thread, relative to the plain loop.
const AT_MOST: f64 = 3.0;

/// The figures of all contenders.
pub(crate) struct Table {
    figures: Vec<Figure>,
    n_rounds: usize,
    n_noisy: usize,
}

struct Figure {
    contender: &'static str,
    /// The median time of a run.
    microseconds: f64,
    /// The peak memory of a process.
    megabytes: f64,
}

impl Table {
    /// `peak(name)`: the peak memory of a contender, in MB.
    pub(crate) fn new(rounds: &Rounds, peak: impl Fn(&str) -> f64) -> Self {
        let contenders = rounds.names.iter().zip(&rounds.samples);
        let figures = contenders.map(|(contender, samples)| Figure {
            contender,
            microseconds: median(samples.iter().copied()) / 1e3,
            megabytes: peak(contender),
        });
        Self {
            figures: figures.collect(),
            n_rounds: rounds.n_rounds,
            n_noisy: rounds.n_noisy,
        }
    }

    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let measured = format!(
            "Time of a run in which each of {N_ENTITIES} entities adds 1 to a random cell of a field of {SIDE} × {SIDE} cells, and peak \
             memory of a process after 8 runs. Medians."
        );
        let mut results = Results::here("Folds into a field", &measured, "µs");
        let noise = format!(
            "; {} of {} rounds with load from other programs",
            self.n_noisy, self.n_rounds
        );
        results.machine = results.machine.map(|machine| machine + &noise);
        results.is_brief = true;
        let rows = self.figures.iter().flat_map(|figure| {
            let row = || bench_report::Row::new("folds", figure.contender);
            let peak = row().unit("MB").median_of(figure.megabytes);
            let peak = figure.megabytes.is_finite().then_some(peak);
            [row().median_of(figure.microseconds)]
                .into_iter()
                .chain(peak)
        });
        let entry = |name: &str| {
            let entry = ALL.iter().find(|one| one.name == name);
            entry.expect("the rows are those of the contenders")
        };
        let mut results = results.with(rows.collect(), |name| entry(name).role);
        for contender in &mut results.contenders {
            contender.about = Some(entry(&contender.name).about.to_string());
        }
        results.bars = vec![bar()];
        results.to_json()
    }
}

fn bar() -> Bar {
    let folds = [SERIAL, HECS].map(Scalar::from);
    let choices = [
        ("unit", Choice::from("µs")),
        ("contender", Choice::Any(folds.to_vec())),
    ]
    .map(|(key, choice)| (key.to_string(), choice));
    Bar {
        name: "one accumulator per thread, one thread".to_string(),
        filter: Filter(choices.into_iter().collect()),
        at_least: None,
        at_most: Some(AT_MOST),
        part_of: Some(PLAIN.to_string()),
        kept: BTreeMap::new(),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| contender | µs | of the loop | MB |\n|---|---:|---:|---:|"
        )?;
        let plain = &self.figures[0];
        for figure in &self.figures {
            let Figure {
                contender,
                microseconds,
                megabytes,
            } = figure;
            let ratio = microseconds / plain.microseconds;
            writeln!(
                f,
                "| {contender} | {microseconds:.1} | {ratio:.2} | {megabytes:.1} |"
            )?;
        }
        let Self {
            n_rounds, n_noisy, ..
        } = self;
        write!(f, "{n_rounds} rounds, {n_noisy} noisy")
    }
}
