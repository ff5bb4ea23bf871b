//! The panel of one workload.

use core::fmt;

use benches::spread::spread;

use super::style;
use crate::row::Row;

pub(super) const WIDTH: f64 = 820.0;
pub(super) const HEIGHT: f64 = 430.0;

// The axes.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 380.0;

/// The position of labels, and their distance.
const LABELS: f64 = RIGHT + 34.0;
const GAP: f64 = 16.0;
/// The distance from the baseline of a text to its middle.
const HALF_LINE: f64 = 4.0;

/// At least two rows of one workload with different costs, the least cost first.
pub(super) struct Panel<'a> {
    rows: Vec<&'a Row>,
    /// The speed-up at the top.
    highest: f64,
}

/// The lines with a label at the right: class, name, and points.
struct Line<'a> {
    class: String,
    name: &'a str,
    points: Vec<(f64, f64)>,
}

impl<'a> Panel<'a> {
    pub(super) fn new(mut rows: Vec<&'a Row>) -> Self {
        rows.sort_by_key(|row| row.cost_ns);
        let speedups = rows.iter().flat_map(|row| {
            let figures = row.figures.iter().map(|figure| row.speedup(figure));
            figures.chain([row.best.found])
        });
        let highest = speedups.fold(0.0, f64::max);
        Self {
            rows,
            highest: (highest * 4.0).ceil() / 4.0,
        }
    }

    fn x(&self, cost_ns: f64) -> f64 {
        let first = (self.rows[0].cost_ns as f64).log10();
        let last = (self.rows[self.rows.len() - 1].cost_ns as f64).log10();
        LEFT + (cost_ns.log10() - first) / (last - first) * (RIGHT - LEFT)
    }

    fn y(&self, speedup: f64) -> f64 {
        BOTTOM - speedup / self.highest * (BOTTOM - TOP)
    }

    /// All contenders except the loop, which is the line at 1.
    fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        let names = self.rows[0].figures[1..].iter();
        names.enumerate().map(|(before, first)| {
            let point = |row: &&Row| {
                let speedup = row.speedup(&row.figures[1 + before]);
                (self.x(row.cost_ns as f64), self.y(speedup))
            };
            Line {
                class: style::class(first.contender),
                name: first.contender,
                points: self.rows.iter().map(point).collect(),
            }
        })
    }

    fn write_axes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.rows[0];
        let (workload, n_systems) = (&first.workload, first.n_systems);
        let pinned = if first.is_pinned { ", pinned" } else { "" };
        writeln!(
            f,
            r#"<text class="title" x="{LEFT}" y="24">{workload}, {n_systems} systems: speed-up over a plain loop, hot{pinned}</text>"#,
        )?;
        for quarter in 0..=(self.highest * 4.0) as u32 {
            let speedup = f64::from(quarter) / 4.0;
            let y = self.y(speedup);
            let class = if quarter == 4 { "loop" } else { "grid" };
            writeln!(f, r#"<path class="{class}" d="M{LEFT} {y:.1}H{RIGHT}"/>"#)?;
            let (x, y) = (LEFT - 8.0, y + HALF_LINE);
            writeln!(
                f,
                r#"<text x="{x}" y="{y:.1}" text-anchor="end">{speedup}</text>"#
            )?;
        }
        // Powers of ten.
        let (first_ns, last_ns) = (first.cost_ns, self.rows[self.rows.len() - 1].cost_ns);
        let powers = (0..)
            .map(|power| 10_u64.pow(power))
            .skip_while(|&ns| ns < first_ns);
        for cost_ns in powers.take_while(|&ns| ns <= last_ns) {
            let x = self.x(cost_ns as f64);
            writeln!(f, r#"<path class="grid" d="M{x:.1} {TOP}V{BOTTOM}"/>"#)?;
            let cost = match cost_ns {
                0..1_000 => format!("{cost_ns} ns"),
                1_000..1_000_000 => format!("{} µs", cost_ns / 1_000),
                _ => format!("{} ms", cost_ns / 1_000_000),
            };
            let y = BOTTOM + 18.0;
            writeln!(
                f,
                r#"<text x="{x:.1}" y="{y}" text-anchor="middle">{cost}</text>"#
            )?;
        }
        let (x, y) = (f64::midpoint(LEFT, RIGHT), BOTTOM + 38.0);
        writeln!(
            f,
            r#"<text x="{x}" y="{y}" text-anchor="middle">cost per system</text>"#
        )
    }
}

impl fmt::Display for Panel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_axes(f)?;
        let best = |row: &&Row| (self.x(row.cost_ns as f64), self.y(row.best.found));
        let best = Line {
            class: "best".to_string(),
            name: "best of two workers",
            points: self.rows.iter().map(best).collect(),
        };
        let mut lines: Vec<Line<'_>> = core::iter::once(best).chain(self.lines()).collect();
        for line in &lines {
            write!(f, "{line}")?;
        }
        let end = |line: &Line<'_>| line.points[line.points.len() - 1].1;
        lines.sort_by(|a, b| end(a).total_cmp(&end(b)));
        let ends: Vec<f64> = lines.iter().map(end).collect();
        for (line, y) in lines.iter().zip(spread(&ends, GAP, TOP, BOTTOM)) {
            let Line { class, name, .. } = line;
            let (from_x, to_x, from_y) = (RIGHT + 5.0, LABELS - 4.0, end(line));
            writeln!(
                f,
                r#"<path class="leader {class}" d="M{from_x} {from_y:.1}L{to_x} {y:.1}"/>"#
            )?;
            let y = y + HALF_LINE;
            writeln!(
                f,
                r#"<text class="{class}" x="{LABELS}" y="{y:.1}">{name}</text>"#
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, points, .. } = self;
        write!(f, r#"<path class="line {class}" d=""#)?;
        for (idx, (x, y)) in points.iter().enumerate() {
            let step = if idx == 0 { 'M' } else { 'L' };
            write!(f, "{step}{x:.1} {y:.1}")?;
        }
        writeln!(f, r#""/>"#)?;
        for (x, y) in points {
            writeln!(
                f,
                r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="2.5"/>"#
            )?;
        }
        Ok(())
    }
}
