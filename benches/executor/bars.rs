//! What this project's default executor should reach.

use core::fmt;

use benches::temperature::Temperature;
use benches::workload::{ENGINE, FITTED, MANY, RANDOM, SKEWED};

use crate::ours::AUTO;
use crate::row::{Figure, Row};

/// Speed-ups: workload, cost in ns, and bar.
const OF_RANDOM: [(&str, u64, f64); 4] = [
    (RANDOM, 1_000, 1.75),
    (RANDOM, 10_000, 1.95),
    (RANDOM, 100_000, 1.97),
    (MANY, 100, 1.4),
];
/// Parts of the best speed-up, for the graphs of an engine.
const OF_ENGINE: [(u64, f64); 3] = [(1_000, 0.90), (10_000, 0.97), (100_000, 0.97)];
/// How many times as fast these are if their races run under `optimize`, against insertion order. Measured where there is a workload of
/// that name.
const OF_FITTED: ([&str; 2], f64) = (["PostUpdate", "PreUpdate"], 1.06);
/// Parts of the best, where one system in ten costs much more.
const OF_SKEWED: f64 = 0.94;
/// Parts of the best after idling, for systems of so many nanoseconds, wherever the system puts the threads.
const OF_COLD: (u64, f64) = (10_000, 0.92);
/// Nanoseconds above the serial loop, for each empty system and for the run.
const OF_EMPTY: (f64, f64) = (5.0, 100.0);
/// Speed-up of the median, wherever systems do something and the serial loop takes longer than so many nanoseconds.
const OF_ANY: (f64, f64) = (5e3, 0.97);

/// The bars for which something was measured.
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

    /// Of the workload that takes the most of what it may.
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

    /// Of each set of conditions, the workload that loses most.
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
            // Of the slowest tenth of its runs, against the slowest tenth of the loop's.
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

    /// Of each time of idling, the workload that is the furthest from its best.
    fn of_cold(rows: &[Row]) -> Vec<Self> {
        let (cost_ns, wanted) = OF_COLD;
        let idle = |temperature: &Temperature| matches!(temperature, Temperature::Cold { .. });
        let times = Temperature::STEADY.iter().copied().filter(idle);
        let worst = times.filter_map(|temperature| {
            let at = |row: &&Row| row.cost_ns == cost_ns && row.temperature == temperature;
            let rows = rows.iter().filter(at);
            let rows = rows.filter(|row| !row.is_pinned && !is_skewed(row));
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

/// Of the best that was found.
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
