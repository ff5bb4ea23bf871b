//! Targets for the default executor of this project.

use core::fmt;

use benches::temperature::Temperature;
use benches::workload::{ENGINE, FITTED, MANY, RANDOM, SKEWED};

use crate::ours::AUTO;
use crate::row::{Figure, Row};

/// Targets of speed-ups: workload, cost in ns, and speed-up.
const OF_RANDOM: [(&str, u64, f64); 4] = [
    (RANDOM, 1_000, 1.75),
    (RANDOM, 10_000, 1.95),
    (RANDOM, 100_000, 1.97),
    (MANY, 100, 1.4),
];
/// Targets for the graphs of an engine, as fractions of the best speed-up.
const OF_ENGINE: [(u64, f64); 3] = [(1_000, 0.90), (10_000, 0.97), (100_000, 0.97)];
/// Targets for the speed of these graphs under `optimize`, relative to insertion order. Measured if a workload of that name
/// exists.
const OF_FITTED: ([&str; 2], f64) = (["PostUpdate", "PreUpdate"], 1.06);
/// Targets for workloads in which one system of ten costs much more, as fractions of the best speed-up.
const OF_SKEWED: f64 = 0.94;
/// Targets after idling and without pinning, by nanoseconds per system, as fractions of the best speed-up.
const OF_COLD: (u64, f64) = (10_000, 0.92);
/// Maximum overhead over the serial loop in nanoseconds, per empty system and per run.
const OF_EMPTY: (f64, f64) = (5.0, 100.0);
/// Minimum speed-up of the median if systems are not empty and the serial loop takes longer than this many nanoseconds.
const OF_ANY: (f64, f64) = (5e3, 0.97);

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
        let hot = |row: &&Row| row.is_pinned && row.temperature == Temperature::Hot;
        let hot: Vec<&Row> = rows.iter().filter(hot).collect();
        let find = |workload: &str, cost_ns: u64| {
            let mut rows = hot.iter();
            rows.find(|row| row.workload == workload && row.cost_ns == cost_ns)
        };
        let mut bars = Vec::new();
        bars.extend(Bar::of_empty(rows));
        bars.extend(Bar::of_any(rows));
        for (workload, cost_ns, wanted) in OF_RANDOM {
            bars.extend(find(workload, cost_ns).map(|row| Bar::speedup(row, wanted)));
        }
        for workload in ENGINE {
            for (cost_ns, wanted) in OF_ENGINE {
                bars.extend(find(workload, cost_ns).map(|row| Bar::of_best(row, wanted)));
            }
        }
        for workload in OF_FITTED.0 {
            let fitted = format!("{workload}-{FITTED}");
            for (cost_ns, _) in OF_ENGINE {
                let pair = find(workload, cost_ns).zip(find(&fitted, cost_ns));
                bars.extend(pair.map(|(added, fitted)| Bar::of_fitted(added, fitted)));
            }
        }
        let skewed = hot.iter().filter(|row| is_skewed(row));
        bars.extend(skewed.map(|row| Bar::of_best(row, OF_SKEWED)));
        bars.extend(Bar::of_cold(rows));
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
        let part = part_of_best(row);
        Self {
            name: name(row),
            wanted: format!("{wanted:.2} of {}", row.best),
            measured: format!("{part:.2}: {speedup:.2}"),
            is_kept: part >= wanted,
            is_noisy: row.is_noisy(),
        }
    }

    fn of_fitted(added: &Row, fitted: &Row) -> Self {
        let (_, wanted) = OF_FITTED;
        let gained = ours(added).median_ns / ours(fitted).median_ns;
        Self {
            name: format!("{}, against insertion order", name(fitted)),
            wanted: format!("{wanted:.2}"),
            measured: format!("{gained:.2}"),
            is_kept: gained >= wanted,
            is_noisy: added.is_noisy() || fitted.is_noisy(),
        }
    }

    /// The target of the workload that is closest to its maximum, or exceeds it most.
    fn of_empty(rows: &[Row]) -> Option<Self> {
        let above = |row: &Row| ours(row).median_ns - row.figures[0].median_ns;
        let allowed = |row: &Row| OF_EMPTY.0 * row.n_systems as f64 + OF_EMPTY.1;
        let part = |row: &Row| above(row) / allowed(row);
        let empty = |row: &&Row| row.cost_ns == 0 && row.temperature == Temperature::Hot;
        let empty = rows.iter().filter(empty);
        let worst = empty.max_by(|a, b| part(a).total_cmp(&part(b)))?;
        let (each, run) = OF_EMPTY;
        Some(Self {
            name: format!("empty systems, above the loop; worst: {}", name(worst)),
            wanted: format!("{each} ns each + {run} ns: {:.0} ns", allowed(worst)),
            measured: format!("{:.0} ns", above(worst)),
            is_kept: part(worst) <= 1.0,
            is_noisy: worst.is_noisy(),
        })
    }

    /// For each set of conditions, the workload with the lowest speed-up.
    fn of_any(rows: &[Row]) -> Vec<Self> {
        let (least_ns, wanted) = OF_ANY;
        let is_long = |row: &&Row| row.cost_ns > 0 && row.figures[0].median_ns > least_ns;
        let long = rows.iter().filter(is_long);
        let mut bars: Vec<((Temperature, bool), &Row)> = Vec::new();
        for row in long {
            let under = (row.temperature, row.is_pinned);
            match bars.iter_mut().find(|bar| bar.0 == under) {
                None => bars.push((under, row)),
                Some((_, worst)) if row.speedup(ours(row)) < worst.speedup(ours(worst)) => {
                    *worst = row;
                }
                Some(_) => {}
            }
        }
        let bar = |(_, worst): ((Temperature, bool), &Row)| {
            let speedup = worst.speedup(ours(worst));
            // Compares the 90th percentiles of its runs and of the loop.
            let p90 = worst.figures[0].p90_ns / ours(worst).p90_ns;
            Self {
                name: format!("any run over 5 µs; worst: {}", name(worst)),
                wanted: format!("{wanted:.2}"),
                measured: format!("{speedup:.2}; p90 {p90:.2}"),
                is_kept: speedup >= wanted,
                is_noisy: worst.is_noisy(),
            }
        };
        bars.into_iter().map(bar).collect()
    }

    /// For each duration of idling, the workload that is furthest from its best speed-up.
    fn of_cold(rows: &[Row]) -> Vec<Self> {
        let (cost_ns, wanted) = OF_COLD;
        let idle = |temperature: &Temperature| matches!(temperature, Temperature::Cold { .. });
        let times = Temperature::STEADY.iter().copied().filter(idle);
        let worst = times.filter_map(|temperature| {
            let at = |row: &&Row| row.cost_ns == cost_ns && row.temperature == temperature;
            let rows = rows
                .iter()
                .filter(at)
                .filter(|row| !row.is_pinned && !is_skewed(row));
            rows.min_by(|a, b| part_of_best(a).total_cmp(&part_of_best(b)))
        });
        worst
            .map(|row| {
                let bar = Self::of_best(row, wanted);
                let name = format!("worst: {}", bar.name);
                Self { name, ..bar }
            })
            .collect()
    }
}

fn name(row: &Row) -> String {
    let pinned = if row.is_pinned { "pinned" } else { "unpinned" };
    let cost = row.cost_ns as f64 / 1e3;
    format!(
        "{} at {cost} µs, {}, {pinned}",
        row.workload, row.temperature
    )
}

fn is_skewed(row: &Row) -> bool {
    row.workload.ends_with(SKEWED)
}

/// The fraction of the best speed-up that was found.
fn part_of_best(row: &Row) -> f64 {
    row.speedup(ours(row)) / row.best.found
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
            "| bar: {AUTO} | wanted | measured | |\n|---|---:|---:|---|"
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
