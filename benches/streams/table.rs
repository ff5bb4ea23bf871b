//! The figures.

use core::fmt;

use benches::quantile::{median, p90};
use benches::rounds::Rounds;
use serde_json::json;

/// Prints as tables of Markdown.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// What all contenders took for one workload, under one set of conditions.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) n_events: usize,
    pub(crate) cost_ns: u64,
    pub(crate) is_pinned: bool,
    /// The serial loop first.
    pub(crate) figures: Vec<Figure>,
    n_rounds: usize,
    n_discarded: usize,
    n_noisy: usize,
}

/// What one contender took per event.
pub(crate) struct Figure {
    pub(crate) contender: &'static str,
    pub(crate) median_ns: f64,
    pub(crate) p90_ns: f64,
    mean_ns: f64,
}

impl Row {
    pub(crate) fn new(
        workload: &str,
        n_events: usize,
        cost_ns: u64,
        is_pinned: bool,
        rounds: &Rounds,
    ) -> Self {
        let contenders = rounds.names.iter().zip(&rounds.samples);
        let figures = contenders.map(|(contender, samples)| Figure {
            contender,
            median_ns: median(samples.iter().copied()),
            p90_ns: p90(samples.iter().copied()),
            mean_ns: samples.iter().sum::<f64>() / samples.len() as f64,
        });
        Self {
            workload: workload.to_string(),
            n_events,
            cost_ns,
            is_pinned,
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

    /// Nanoseconds that an event costs more than in the serial loop.
    pub(crate) fn overhead_ns(&self, figure: &Figure) -> f64 {
        figure.median_ns - self.figures[0].median_ns
    }

    /// Whether others took too much in some of the rounds that were kept.
    pub(crate) fn is_noisy(&self) -> bool {
        self.n_noisy > 0
    }

    fn is_empty(&self) -> bool {
        self.cost_ns == 0
    }

    /// What stands in the row of these contenders.
    fn write(&self, f: &mut fmt::Formatter<'_>, contenders: &[&'static str]) -> fmt::Result {
        let pinned = if self.is_pinned { "yes" } else { "no" };
        let serial = &self.figures[0];
        write!(f, "| {} |", self.workload)?;
        if !self.is_empty() {
            write!(f, " {} |", self.cost_ns as f64 / 1e3)?;
        }
        let millions = 1e3 / serial.median_ns;
        write!(f, " {pinned} | {:.1} | {millions:.2} |", serial.median_ns)?;
        for name in contenders {
            let figure = self.figures.iter().find(|figure| figure.contender == *name);
            match figure {
                None => write!(f, " – |")?,
                Some(figure) if self.is_empty() => write!(f, " {:.1} |", self.overhead_ns(figure))?,
                Some(figure) => write!(f, " {:.2} |", self.speedup(figure))?,
            }
        }
        match self.n_noisy {
            0 => write!(f, " {} |", self.n_rounds),
            n_noisy => write!(f, " {}, {n_noisy} noisy |", self.n_rounds),
        }
    }

    fn contenders(&self) -> Vec<&'static str> {
        let others = self.figures[1..].iter();
        others.map(|figure| figure.contender).collect()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &self.contenders())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (empty, costly): (Vec<_>, Vec<_>) = self.rows.iter().partition(|row| row.is_empty());
        let serial = "pinned | serial loop, ns an event | million events/s |";
        let costly_head = format!("| workload | handler, µs | {serial}");
        let empty_head = format!("| workload | {serial}");
        write_rows(f, "Speed against the serial loop", &costly_head, &costly)?;
        write_rows(
            f,
            "Empty handlers: ns an event, above the serial loop",
            &empty_head,
            &empty,
        )?;
        let sum = |n_of: fn(&Row) -> usize| self.rows.iter().map(n_of).sum::<usize>();
        writeln!(
            f,
            "Rounds in which others took more than a tenth of a processor: {} discarded, {} kept for want of better \
             ones; {} are kept in all.",
            sum(|row| row.n_discarded),
            sum(|row| row.n_noisy),
            sum(|row| row.n_rounds),
        )
    }
}

/// `head`: the columns that stand before the contenders.
fn write_rows(f: &mut fmt::Formatter<'_>, title: &str, head: &str, rows: &[&Row]) -> fmt::Result {
    // Some are not there in each row.
    let Some(most) = rows.iter().max_by_key(|row| row.figures.len()) else {
        return Ok(());
    };
    let contenders = most.contenders();
    write!(f, "{title}:\n\n{head}")?;
    for contender in &contenders {
        write!(f, " {contender} |")?;
    }
    let n_columns = head.matches('|').count() + contenders.len();
    writeln!(f, " rounds |\n|{}", "---|".repeat(n_columns))?;
    for row in rows {
        row.write(f, &contenders)?;
        writeln!(f)?;
    }
    writeln!(f)
}

impl Table {
    pub(crate) fn to_json(&self) -> String {
        let figures = self.rows.iter().flat_map(|row| {
            row.figures.iter().map(|figure| {
                json!({
                    "workload": row.workload,
                    "pinned": row.is_pinned,
                    "n_events": row.n_events,
                    "cost_ns": row.cost_ns,
                    "contender": figure.contender,
                    "median_ns": figure.median_ns,
                    "p90_ns": figure.p90_ns,
                    "mean_ns": figure.mean_ns,
                    "events_per_s": 1e9 / figure.median_ns,
                    "speedup": row.speedup(figure),
                    "overhead_ns": row.overhead_ns(figure),
                })
            })
        });
        format!("{:#}\n", json!(figures.collect::<Vec<_>>()))
    }
}
