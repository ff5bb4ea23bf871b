//! The figures.

use core::fmt;

use benches::best::Best;
use benches::quantile::{median, p90};
use benches::rounds::Rounds;
use serde_json::json;

use crate::bars::Bars;
use crate::temperature::Temperature;
use crate::workload::Workload;

/// Prints as tables of Markdown.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// What all contenders took for one workload, under one set of conditions.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) n_systems: usize,
    pub(crate) cost_ns: u64,
    pub(crate) temperature: Temperature,
    pub(crate) is_pinned: bool,
    /// The speed-up that two workers can have at best.
    pub(crate) best: Best,
    /// The serial loop first.
    pub(crate) figures: Vec<Figure>,
    n_rounds: usize,
    n_discarded: usize,
    n_noisy: usize,
}

/// What one contender took per run.
pub(crate) struct Figure {
    pub(crate) contender: &'static str,
    pub(crate) median_ns: f64,
    pub(crate) p90_ns: f64,
    /// The sum of all, by their number.
    mean_ns: f64,
}

impl Row {
    pub(crate) fn new(
        workload: &Workload,
        cost_ns: u64,
        temperature: Temperature,
        is_pinned: bool,
        rounds: Rounds,
    ) -> Self {
        let contenders = rounds.names.iter().zip(&rounds.samples);
        let figures = contenders.map(|(contender, samples)| Figure {
            contender,
            median_ns: median(samples.iter().copied()),
            p90_ns: p90(samples.iter().copied()),
            mean_ns: samples.iter().sum::<f64>() / samples.len() as f64,
        });
        let weights = workload.weights.iter();
        let weights: Vec<u64> = weights.map(|weight| weight[temperature.scene()]).collect();
        Self {
            workload: workload.name.clone(),
            n_systems: workload.orders.n_systems(),
            cost_ns,
            temperature,
            is_pinned,
            best: Best::of_two(&workload.orders, &weights),
            figures: figures.collect(),
            n_rounds: rounds.n_rounds,
            n_discarded: rounds.n_discarded,
            n_noisy: rounds.n_noisy,
        }
    }

    /// Against the serial loop.
    pub(crate) fn speedup(&self, figure: &Figure) -> f64 {
        self.figures[0].median_ns / figure.median_ns
    }

    /// Of all runs together, against the serial loop.
    fn speedup_in_all(&self, figure: &Figure) -> f64 {
        self.figures[0].mean_ns / figure.mean_ns
    }

    /// What a system costs more than in the serial loop.
    fn overhead_ns(&self, figure: &Figure) -> f64 {
        (figure.median_ns - self.figures[0].median_ns) / self.n_systems as f64
    }

    /// Whether others took too much in some of the rounds that were kept.
    pub(crate) fn is_noisy(&self) -> bool {
        self.n_noisy > 0
    }

    fn is_empty(&self) -> bool {
        self.cost_ns == 0
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pinned = if self.is_pinned { "yes" } else { "no" };
        let serial = &self.figures[0];
        write!(f, "| {} ", self.workload)?;
        if self.is_empty() {
            let each = serial.median_ns / self.n_systems as f64;
            write!(f, "| {} | {pinned} | {each:.1} |", self.temperature)?;
        } else {
            let (cost, all) = (self.cost_ns as f64 / 1e3, serial.median_ns / 1e3);
            let (temperature, best) = (self.temperature, self.best);
            write!(
                f,
                "| {cost} | {temperature} | {pinned} | {all:.1} | {best} |"
            )?;
        }
        for figure in &self.figures[1..] {
            if self.is_empty() {
                write!(f, " {:.1} |", self.overhead_ns(figure))?;
            } else {
                write!(f, " {:.2}", self.speedup(figure))?;
                if let Temperature::Jump { .. } = self.temperature {
                    write!(f, ", {:.2} in all", self.speedup_in_all(figure))?;
                }
                write!(f, " |")?;
            }
        }
        match self.n_noisy {
            0 => write!(f, " {} |", self.n_rounds),
            n_noisy => write!(f, " {}, {n_noisy} noisy |", self.n_rounds),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (empty, costly): (Vec<_>, Vec<_>) = self.rows.iter().partition(|row| row.is_empty());
        let costly_head = "| workload | µs each | | pinned | serial loop, µs | best |";
        let empty_head = "| workload | | pinned | serial loop, ns each |";
        write_rows(f, "Speed-up against the serial loop", costly_head, &costly)?;
        write_rows(
            f,
            "Empty systems: ns each, above the serial loop",
            empty_head,
            &empty,
        )?;
        let sum = |n_of: fn(&Row) -> usize| self.rows.iter().map(n_of).sum::<usize>();
        writeln!(
            f,
            "Rounds in which others took more than a tenth of a processor: {} discarded, {} kept for want of better \
             ones; {} are kept in all.\n",
            sum(|row| row.n_discarded),
            sum(|row| row.n_noisy),
            sum(|row| row.n_rounds),
        )?;
        write!(f, "{}", Bars::of(&self.rows))
    }
}

/// `head`: the columns that stand before the contenders.
fn write_rows(f: &mut fmt::Formatter<'_>, title: &str, head: &str, rows: &[&Row]) -> fmt::Result {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    write!(f, "{title}:\n\n{head}")?;
    for figure in &first.figures[1..] {
        write!(f, " {} |", figure.contender)?;
    }
    let n_columns = head.matches('|').count() + first.figures.len() - 1;
    writeln!(f, " rounds |\n|{}", "---|".repeat(n_columns))?;
    for row in rows {
        writeln!(f, "{row}")?;
    }
    writeln!(f)
}

impl Table {
    pub(crate) fn to_json(&self) -> String {
        let figures = self.rows.iter().flat_map(|row| {
            row.figures.iter().map(|figure| {
                json!({
                    "workload": row.workload,
                    "temperature": row.temperature.to_string(),
                    "pinned": row.is_pinned,
                    "n_systems": row.n_systems,
                    "cost_ns": row.cost_ns,
                    "contender": figure.contender,
                    "median_ns": figure.median_ns,
                    "p90_ns": figure.p90_ns,
                    "mean_ns": figure.mean_ns,
                    "speedup": row.speedup(figure),
                    "best": row.best.found,
                    "best_at_most": row.best.at_most,
                })
            })
        });
        format!("{:#}\n", json!(figures.collect::<Vec<_>>()))
    }
}
