//! Tables of the figures.

use core::fmt;
use std::time::Duration;

use bench_report::{Results, Role};
use schedule::Policy;
use schedule::report::{Discipline, Simulation};

use crate::options::Options;

/// The numbers of workers.
pub(crate) const N_WORKERS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Formats the figures as Markdown tables.
pub(crate) struct Table {
    options: Options,
    pub(crate) rows: Vec<Row>,
    pub(crate) fitted: Vec<Fitted>,
    pub(crate) checked: Vec<Checked>,
}

/// One graph, and one discipline.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) discipline: Discipline,
    /// `cells[i]`: the run on `N_WORKERS[i]` workers.
    pub(crate) cells: [Cell; N_WORKERS.len()],
}

/// One graph, and the policy for its races.
pub(crate) struct Fitted {
    pub(crate) workload: String,
    pub(crate) policy: Policy,
    pub(crate) build_time: Duration,
    /// See [`Row`].
    pub(crate) cells: [Cell; N_WORKERS.len()],
}

pub(crate) struct Cell {
    speedup: f64,
    /// The excess over the lower bound; 0.01 is one percent.
    excess: f64,
}

/// A simulated run and a real one.
pub(crate) struct Checked {
    pub(crate) workload: String,
    pub(crate) n_workers: usize,
    pub(crate) simulated: Duration,
    /// The median.
    pub(crate) real: Duration,
}

impl Cell {
    pub(crate) fn new(simulation: &Simulation) -> Self {
        Self {
            speedup: simulation.speedup(),
            excess: simulation.makespan().as_secs_f64() / simulation.bound().as_secs_f64() - 1.0,
        }
    }
}

impl Table {
    pub(crate) fn new(options: Options) -> Self {
        Self {
            options,
            rows: Vec::new(),
            fitted: Vec::new(),
            checked: Vec::new(),
        }
    }
}

impl Table {
    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let results = Results::here(
            "Simulated runs on more workers",
            "Speed-up over a sequential loop, by a simulation that assigns nodes as the executor does.",
            "speed-up",
        );
        let disciplines = self.rows.iter().flat_map(|row| {
            let next = match row.discipline {
                Discipline::Keep => "most urgent that the worker released",
                _ => "most urgent of all",
            };
            results_of(&row.cells, move || {
                let new = bench_report::Row::new("next node", SIMULATION);
                new.with("workload", row.workload.as_str())
                    .with("next", next)
            })
        });
        let policies = self.fitted.iter().flat_map(|fitted| {
            let row = move |contender: &str| {
                let policy = match fitted.policy {
                    Policy::Optimize => "optimize",
                    _ => "insertion order",
                };
                let new = bench_report::Row::new("policy", contender);
                new.with("workload", fitted.workload.as_str())
                    .with("policy", policy)
            };
            let milliseconds = fitted.build_time.as_secs_f64() * 1e3;
            let build = row("build").unit("ms").median_of(milliseconds);
            results_of(&fitted.cells, move || row(SIMULATION)).chain([build])
        });
        let checked = self.checked.iter().flat_map(|checked| {
            let row = |contender: &str, time: Duration| {
                let new = bench_report::Row::new("checked", contender)
                    .unit("µs")
                    .with("workload", checked.workload.as_str())
                    .with("workers", checked.n_workers);
                new.median_of(microseconds(time))
            };
            [
                row(SIMULATION, checked.simulated),
                row("real run", checked.real),
            ]
        });
        let rows = disciplines.chain(policies).chain(checked).collect();
        let role = |contender: &str| match contender {
            SIMULATION => Role::Ours,
            _ => Role::Variant,
        };
        results.with(rows, role).to_json()
    }
}

const SIMULATION: &str = "simulation";

/// Rows for the speed-up and the excess of each number of workers. `row`: a row without figures.
fn results_of(
    cells: &[Cell],
    row: impl Fn() -> bench_report::Row,
) -> impl Iterator<Item = bench_report::Row> {
    let cells = N_WORKERS.into_iter().zip(cells);
    cells.flat_map(move |(n_workers, cell)| {
        let row = || row().with("workers", n_workers);
        [
            row().median_of(cell.speedup),
            row()
                .unit("% longer than the limit")
                .median_of(100.0 * cell.excess),
        ]
    })
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options {
            cost,
            hand_over,
            per_node,
        } = self.options;
        writeln!(
            f,
            "Systems of {cost:?}; with several workers {per_node:?} more for each node, and {hand_over:?} for one that \
             another worker released. Speed-up, and distance to the bound.\n"
        )?;
        write_head(f, &["", "next is"])?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        writeln!(f)?;
        write_head(f, &["", "races go", "build, ms"])?;
        for fitted in &self.fitted {
            writeln!(f, "{fitted}")?;
        }
        writeln!(
            f,
            "\n| | workers | simulated, µs | real, µs | real / simulated |\n|---|---:|---:|---:|---:|"
        )?;
        for checked in &self.checked {
            writeln!(f, "{checked}")?;
        }
        Ok(())
    }
}

/// With a column for each number of workers.
fn write_head(f: &mut fmt::Formatter<'_>, columns: &[&str]) -> fmt::Result {
    for column in columns {
        write!(f, "| {column} ")?;
    }
    for n_workers in N_WORKERS {
        write!(f, "| {n_workers} ")?;
    }
    writeln!(f, "|")?;
    for _ in columns {
        write!(f, "|---")?;
    }
    for _ in N_WORKERS {
        write!(f, "|---:")?;
    }
    writeln!(f, "|")
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { speedup, excess } = self;
        write!(f, "{speedup:.2}x, {:.1} %", 100.0 * excess)
    }
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.build_time.as_secs_f64() * 1e3;
        write!(
            f,
            "| {} | {} | {milliseconds:.2} |",
            self.workload, self.policy
        )?;
        for cell in &self.cells {
            write!(f, " {cell} |")?;
        }
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let discipline = match self.discipline {
            Discipline::Keep => "kept",
            _ => "the most urgent",
        };
        write!(f, "| {} | {discipline} |", self.workload)?;
        for cell in &self.cells {
            write!(f, " {cell} |")?;
        }
        Ok(())
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            workload,
            n_workers,
            simulated,
            real,
        } = self;
        let ratio = real.as_secs_f64() / simulated.as_secs_f64();
        write!(
            f,
            "| {workload} | {n_workers} | {:.1} | {:.1} | {ratio:.3} |",
            microseconds(*simulated),
            microseconds(*real)
        )
    }
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
