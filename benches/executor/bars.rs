//! What this project's executor should reach.

use core::fmt;

use crate::ours::AUTO;
use crate::table::{Figure, Row};
use crate::temperature::Temperature;
use crate::workload::{ENGINE, RANDOM};

/// Speed-ups of 100 systems on 20 resources: cost in ns, and bar.
const OF_RANDOM: [(u64, f64); 3] = [(1_000, 1.70), (10_000, 1.90), (100_000, 1.94)];
/// Parts of the best speed-up, for the graphs of an engine.
const OF_ENGINE: [(u64, f64); 3] = [(1_000, 0.85), (10_000, 0.95), (100_000, 0.95)];
/// Nanoseconds for an empty system.
const OF_EMPTY: f64 = 60.0;

/// The bars for which something was measured: pinned, and hot.
pub(crate) struct Bars(Vec<Bar>);

struct Bar {
    name: String,
    wanted: String,
    measured: String,
    is_kept: bool,
    /// Others took too much meanwhile: the verdict says little.
    is_noisy: bool,
}

impl Bars {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let rows = rows.iter();
        let rows = rows.filter(|row| row.is_pinned && row.temperature == Temperature::Hot);
        let rows: Vec<&Row> = rows.collect();
        let find = |workload: &str, cost_ns: u64| {
            let mut rows = rows.iter();
            rows.find(|row| row.workload == workload && row.cost_ns == cost_ns)
        };
        let mut bars = Vec::new();
        for (cost_ns, wanted) in OF_RANDOM {
            bars.extend(find(RANDOM, cost_ns).map(|row| Bar::speedup(row, wanted)));
        }
        for workload in ENGINE {
            for (cost_ns, wanted) in OF_ENGINE {
                bars.extend(find(workload, cost_ns).map(|row| Bar::of_best(row, wanted)));
            }
        }
        let empty = rows.iter().filter(|row| row.cost_ns == 0);
        let slowest = empty.max_by(|a, b| each_ns(a).total_cmp(&each_ns(b)));
        bars.extend(slowest.map(|row| Bar::of_empty(row)));
        Self(bars)
    }
}

impl Bar {
    fn speedup(row: &Row, wanted: f64) -> Self {
        let speedup = row.speedup(ours(row));
        Self {
            name: name(row),
            wanted: format!("{wanted:.2}"),
            measured: format!("{speedup:.2}"),
            is_kept: speedup >= wanted,
            is_noisy: row.is_noisy(),
        }
    }

    fn of_best(row: &Row, wanted: f64) -> Self {
        let speedup = row.speedup(ours(row));
        let part = speedup / row.best.found;
        Self {
            name: name(row),
            wanted: format!("{wanted:.2} of {:.2}", row.best.found),
            measured: format!("{part:.2}: {speedup:.2}"),
            is_kept: part >= wanted,
            is_noisy: row.is_noisy(),
        }
    }

    /// Of the workload in which they take longest.
    fn of_empty(row: &Row) -> Self {
        let each_ns = each_ns(row);
        Self {
            name: format!("empty systems, each; longest in {}", row.workload),
            wanted: format!("{OF_EMPTY} ns"),
            measured: format!("{each_ns:.1} ns"),
            is_kept: each_ns <= OF_EMPTY,
            is_noisy: row.is_noisy(),
        }
    }
}

fn name(row: &Row) -> String {
    format!("{} at {} µs", row.workload, row.cost_ns / 1_000)
}

fn each_ns(row: &Row) -> f64 {
    ours(row).median_ns / row.n_systems as f64
}

fn ours(row: &Row) -> &Figure {
    let mut figures = row.figures.iter();
    let ours = figures.find(|figure| figure.contender == AUTO);
    ours.expect("it runs every workload")
}

impl fmt::Display for Bars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return writeln!(f, "No bar was measured.");
        }
        writeln!(
            f,
            "| bar: {AUTO}, hot, pinned | wanted | measured | |\n|---|---:|---:|---|"
        )?;
        for bar in &self.0 {
            let Bar {
                name,
                wanted,
                measured,
                ..
            } = bar;
            let verdict = if bar.is_kept { "kept" } else { "**missed**" };
            let noisy = if bar.is_noisy { ", but noisy" } else { "" };
            writeln!(f, "| {name} | {wanted} | {measured} | {verdict}{noisy} |")?;
        }
        Ok(())
    }
}
