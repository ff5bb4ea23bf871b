//! Tables of the figures.

use core::fmt;

use bench_report::{Results, Role};
use benches::quantile::{median, p90};
use benches::rounds::Rounds;

use crate::contenders::{AUTO, LANES_ALONE, QUEUES_ALONE};
use crate::{halves, serial};

/// Formats the figures as Markdown tables.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// The times of all contenders for one workload, under one set of conditions.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) n_events: usize,
    pub(crate) cost_ns: u64,
    pub(crate) is_pinned: bool,
    /// The figures of the contenders. The serial loop comes first.
    pub(crate) figures: Vec<Figure>,
    n_rounds: usize,
    n_discarded: usize,
    n_noisy: usize,
}

/// The time per event of one contender.
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

    /// The speed relative to the serial loop.
    pub(crate) fn speedup(&self, figure: &Figure) -> f64 {
        self.figures[0].median_ns / figure.median_ns
    }

    /// The additional cost of an event, compared with the serial loop, in nanoseconds.
    pub(crate) fn overhead_ns(&self, figure: &Figure) -> f64 {
        figure.median_ns - self.figures[0].median_ns
    }

    /// In the format of `benches/results`: the time of each contender, absolute and relative to the serial loop.
    fn results(&self, bench: &str) -> Vec<bench_report::Row> {
        let row = |contender: &str| {
            bench_report::Row::new(bench, contender)
                .with("workload", self.workload.as_str())
                .with("pinned", self.is_pinned)
                .with("events", self.n_events)
                .with("cost_ns", self.cost_ns)
        };
        let times = self.figures.iter().map(|figure| {
            let row = row(figure.contender)
                .unit("ns per event")
                .median_of(figure.median_ns);
            row.p90_and_mean(figure.p90_ns, figure.mean_ns)
        });
        let relative = self.figures[1..].iter().map(|figure| {
            let row = row(figure.contender);
            if self.is_empty() {
                let row = row.unit("ns per event above the loop");
                row.median_of(self.overhead_ns(figure))
            } else {
                row.median_of(self.speedup(figure))
            }
        });
        times.chain(relative).collect()
    }

    /// Whether other processes used too much time in some of the kept rounds.
    pub(crate) fn is_noisy(&self) -> bool {
        self.n_noisy > 0
    }

    fn is_empty(&self) -> bool {
        self.cost_ns == 0
    }

    /// The cells of these contenders in the row.
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

/// `head`: the columns before those of the contenders.
fn write_rows(f: &mut fmt::Formatter<'_>, title: &str, head: &str, rows: &[&Row]) -> fmt::Result {
    // Some contenders are missing in some rows.
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
    /// In the format of `benches/results`, as rows of this bench.
    pub(crate) fn to_json(&self, bench: &str) -> String {
        let results = Results::here(
            "Processing a stream",
            "Time of an event relative to a sequential loop over the same events, with two workers.",
            "speed-up",
        );
        let rows = self.rows.iter().flat_map(|row| row.results(bench));
        results.with(rows.collect(), role).to_json()
    }
}

fn role(contender: &str) -> Role {
    match contender {
        AUTO => Role::Ours,
        serial::NAME => Role::Baseline,
        halves::NAME => Role::Limit,
        LANES_ALONE | QUEUES_ALONE => Role::Variant,
        _ if contender.starts_with("stream ") => Role::Variant,
        _ => Role::Peer,
    }
}
