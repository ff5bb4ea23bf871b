//! Targets for streams with default settings.

use core::fmt;

use crate::contenders::{AUTO, LANES_ALONE, QUEUES_ALONE};
use crate::table::{Figure, Row};

/// Targets for pinned threads: workload, nanoseconds of a handler, and speed relative to the serial loop.
const OF_WORKLOADS: [(&str, u64, f64); 8] = [
    ("uniform-1k", 1_000, 1.88),
    ("uniform-10k", 1_000, 1.88),
    ("uniform-1M", 1_000, 1.88),
    ("ledger", 1_000, 1.90),
    ("zipf-1k", 1_000, 1.80),
    ("uniform-1k", 100, 1.40),
    ("uniform-10", 10_000, 1.75),
    ("hot-reads", 1_000, 1.88),
];
/// Minimum speed for any workload, pinned or not, with handlers of at least this many nanoseconds.
const OF_ANY: (u64, f64) = (100, 0.95);
/// Maximum overhead over the serial loop with shorter handlers, in nanoseconds.
const OF_SHORT: f64 = 10.0;
/// Maximum overhead of the structures that order events on one thread, with empty handlers and pinned threads, in nanoseconds.
const OF_ORDER: [(&str, f64); 2] = [("uniform-1k", 40.0), ("uniform-1M", 75.0)];

/// The targets with measured figures.
pub(crate) struct Bars(Vec<Bar>);

struct Bar {
    name: String,
    wanted: String,
    measured: String,
    is_kept: bool,
    /// Other processes used too much time, so the result is not significant.
    is_noisy: bool,
}

impl Bars {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut bars = Vec::new();
        let worst = |rows: Vec<&Row>| {
            let speed = |row: &Row| row.speedup(auto(row));
            let worst = rows
                .into_iter()
                .min_by(|a, b| speed(a).total_cmp(&speed(b)));
            worst.map(|row| Bar::speedup(row, "the worst: ", OF_ANY.1))
        };
        let long = rows.iter().filter(|row| row.cost_ns >= OF_ANY.0);
        bars.extend(worst(long.collect()));
        let short = rows.iter().filter(|row| row.cost_ns < OF_ANY.0);
        let overhead = |row: &Row| row.overhead_ns(auto(row));
        let worst = short.max_by(|a, b| overhead(a).total_cmp(&overhead(b)));
        bars.extend(worst.map(|row| Bar::overhead(row, "the worst: ", AUTO, OF_SHORT)));
        for (workload, wanted) in OF_ORDER {
            let is_of = |row: &&Row| row.workload == workload && row.cost_ns == 0;
            for contender in [LANES_ALONE, QUEUES_ALONE] {
                let pinned = rows.iter().filter(|row| row.is_pinned);
                let prefix = format!("{contender}: ");
                let bar = |row| Bar::overhead(row, &prefix, contender, wanted);
                bars.extend(pinned.filter(is_of).map(bar));
            }
        }
        for (workload, cost_ns, wanted) in OF_WORKLOADS {
            let is_of = |row: &&Row| row.workload == workload && row.cost_ns == cost_ns;
            let pinned = rows.iter().filter(|row| row.is_pinned);
            bars.extend(
                pinned
                    .filter(is_of)
                    .map(|row| Bar::speedup(row, "", wanted)),
            );
        }
        Self(bars)
    }
}

impl Bar {
    fn speedup(row: &Row, prefix: &str, wanted: f64) -> Self {
        let speedup = row.speedup(auto(row));
        Self {
            name: format!("{prefix}{}", name(row)),
            wanted: format!("{wanted:.2}"),
            measured: format!("{speedup:.2}"),
            is_kept: speedup >= wanted,
            is_noisy: row.is_noisy(),
        }
    }

    fn overhead(row: &Row, prefix: &str, contender: &str, wanted_ns: f64) -> Self {
        let overhead_ns = row.overhead_ns(of(row, contender));
        Self {
            name: format!("{prefix}{}", name(row)),
            wanted: format!("{wanted_ns:.0} ns above"),
            measured: format!("{overhead_ns:.1} ns above"),
            is_kept: overhead_ns <= wanted_ns,
            is_noisy: row.is_noisy(),
        }
    }
}

fn auto(row: &Row) -> &Figure {
    of(row, AUTO)
}

fn of<'r>(row: &'r Row, contender: &str) -> &'r Figure {
    let mut figures = row.figures.iter();
    let figure = figures.find(|figure| figure.contender == contender);
    figure.expect("it takes part in all")
}

fn name(row: &Row) -> String {
    let pinned = if row.is_pinned { "pinned" } else { "unpinned" };
    format!("{}, {} ns, {pinned}", row.workload, row.cost_ns)
}

impl fmt::Display for Bars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| bar | wanted | measured | |\n|---|---|---|---|")?;
        for bar in &self.0 {
            let verdict = match (bar.is_kept, bar.is_noisy) {
                (true, false) => "kept",
                (true, true) => "kept, noisy",
                (false, false) => "missed",
                (false, true) => "missed, noisy",
            };
            let Bar {
                name,
                wanted,
                measured,
                ..
            } = bar;
            writeln!(f, "| {name} | {wanted} | {measured} | {verdict} |")?;
        }
        Ok(())
    }
}
