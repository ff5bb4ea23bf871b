//! The results of all contenders for one workload.

use core::fmt;

use benches::quantile::{median, p90};
use benches::rounds::Rounds;

use crate::workload::Workload;

/// The unit of times.
const UNIT: &str = "µs per run";

/// The times of all contenders for one workload, under one set of conditions.
pub(crate) struct Row {
    workload: Workload,
    is_pinned: bool,
    /// The figures of the contenders. The plain loops come first.
    figures: Vec<Figure>,
    pub(crate) n_rounds: usize,
    pub(crate) n_discarded: usize,
    pub(crate) n_noisy: usize,
}

struct Figure {
    contender: &'static str,
    median_ns: f64,
    p90_ns: f64,
    mean_ns: f64,
}

impl Row {
    pub(crate) fn new(workload: Workload, is_pinned: bool, rounds: Rounds) -> Self {
        let contenders = rounds.names.iter().zip(&rounds.samples);
        let figures = contenders.map(|(contender, samples)| Figure {
            contender,
            median_ns: median(samples.iter().copied()),
            p90_ns: p90(samples.iter().copied()),
            mean_ns: samples.iter().sum::<f64>() / samples.len() as f64,
        });
        Self {
            workload,
            is_pinned,
            figures: figures.collect(),
            n_rounds: rounds.n_rounds,
            n_discarded: rounds.n_discarded,
            n_noisy: rounds.n_noisy,
        }
    }

    /// In the format of `benches/results`: the time of each contender, absolute and relative to the plain loops.
    pub(crate) fn results(&self) -> impl Iterator<Item = bench_report::Row> {
        let row = |figure: &Figure| {
            bench_report::Row::new("sweeps", figure.contender)
                .with("workload", self.workload.shape.to_string())
                .with("entities", self.workload.n_entities)
                .with("pinned", self.is_pinned)
        };
        let times = self.figures.iter().map(move |figure| {
            let row = row(figure).unit(UNIT).median_of(figure.median_ns / 1e3);
            row.p90_and_mean(figure.p90_ns / 1e3, figure.mean_ns / 1e3)
        });
        let plain = &self.figures[0];
        let speedups = self.figures[1..].iter().map(move |figure| {
            let row = row(figure).median_of(plain.median_ns / figure.median_ns);
            let p90 = plain.p90_ns / figure.p90_ns;
            row.p90_and_mean(p90, plain.mean_ns / figure.mean_ns)
        });
        times.chain(speedups)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pinned = if self.is_pinned { "yes" } else { "no" };
        let plain = &self.figures[0];
        let plain_us = plain.median_ns / 1e3;
        write!(f, "| {} | {pinned} | {plain_us:.1} |", self.workload)?;
        for figure in &self.figures[1..] {
            write!(f, " {:.2} |", plain.median_ns / figure.median_ns)?;
        }
        write!(f, " {}, {} noisy |", self.n_rounds, self.n_noisy)
    }
}
