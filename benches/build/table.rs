//! Tables of the figures.

use core::fmt;
use std::time::Duration;

use bench_report::{Results, Role};
use benches::quantile::median;
use benches::random_graph::{Policy, RandomGraph};

use crate::LARGEST;
use crate::contender::Times;
use crate::engine::Engine;

/// Formats the figures as Markdown tables.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    pub(crate) engine: Vec<Engine>,
    /// The number of resources, and the memory in MB.
    pub(crate) peaks: Vec<(usize, Option<f64>)>,
}

/// The times of one contender for one graph, as medians.
pub(crate) struct Row {
    contender: String,
    policy: Policy,
    n_systems: usize,
    n_resources: usize,
    build: Duration,
    whole: Duration,
}

impl Row {
    pub(crate) fn new(contender: &str, graph: &RandomGraph, times: &[Times]) -> Self {
        Self {
            contender: contender.to_string(),
            policy: graph.policy,
            n_systems: graph.systems.len(),
            n_resources: graph.resources.len(),
            build: median(times.iter().map(|times| times.build)),
            whole: median(times.iter().map(|times| times.whole)),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "| {} | {} | {} | {} | {:.3} | {:.3} |",
            match self.policy {
                Policy::InsertionOrder => "insertion order",
                Policy::Reject => "reject",
            },
            self.n_resources,
            self.n_systems,
            self.contender,
            milliseconds(self.build),
            milliseconds(self.whole)
        )
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| policy | resources | systems | | build, ms | with declarations, ms |"
        )?;
        writeln!(f, "|---|---:|---:|---|---:|---:|")?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        writeln!(
            f,
            "\n| engine | systems | races | in insertion order, ms | reject, ms |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for engine in &self.engine {
            let (insertion_order, reject) = (
                milliseconds(engine.insertion_order),
                milliseconds(engine.reject),
            );
            let Engine {
                name,
                n_systems,
                n_races,
                ..
            } = engine;
            writeln!(
                f,
                "| {name} | {n_systems} | {n_races} | {insertion_order:.3} | {reject:.3} |"
            )?;
        }
        writeln!(
            f,
            "\n| resources | peak of 100,000 systems, MB |\n|---:|---:|"
        )?;
        for (n_resources, peak) in &self.peaks {
            match peak {
                Some(peak) => writeln!(f, "| {n_resources} | {peak:.0} |")?,
                None => writeln!(f, "| {n_resources} | unknown |")?,
            }
        }
        Ok(())
    }
}

impl Table {
    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let results = Results::here(
            "Building a schedule",
            "Time to verify a schedule and to make its plan.",
            "ms",
        );
        let random = self.rows.iter().flat_map(Row::results);
        let engine = self.engine.iter().flat_map(|engine| {
            let row = |policy: &str, time: Duration| {
                bench_report::Row::new("engine", OURS)
                    .with("graph", engine.name.as_str())
                    .with("systems", engine.n_systems)
                    .with("races", engine.n_races)
                    .with("policy", policy)
                    .median_of(milliseconds(time))
            };
            [
                row(INSERTION_ORDER, engine.insertion_order),
                row(REJECT, engine.reject),
            ]
        });
        let peaks = self.peaks.iter().filter_map(|(n_resources, peak)| {
            let row = bench_report::Row::new("memory", OURS)
                .unit("MB")
                .with("policy", INSERTION_ORDER)
                .with("systems", LARGEST);
            let peak = peak.filter(|peak| peak.is_finite())?;
            Some(row.with("resources", *n_resources).median_of(peak))
        });
        let rows = random.chain(engine).chain(peaks).collect();
        results.with(rows, role).to_json()
    }
}

impl Row {
    fn results(&self) -> [bench_report::Row; 2] {
        let policy = match self.policy {
            Policy::InsertionOrder => INSERTION_ORDER,
            Policy::Reject => REJECT,
        };
        let row = |contender: &str, time: Duration| {
            bench_report::Row::new("build", contender)
                .with("policy", policy)
                .with("resources", self.n_resources)
                .with("systems", self.n_systems)
                .median_of(milliseconds(time))
        };
        let whole = format!("{}, with declarations", self.contender);
        [row(&self.contender, self.build), row(&whole, self.whole)]
    }
}

const OURS: &str = "schedule";
const INSERTION_ORDER: &str = "insertion order";
const REJECT: &str = "reject";

/// Only builds are compared, not the declarations before them.
fn role(contender: &str) -> Role {
    match contender {
        OURS => Role::Ours,
        _ if contender.contains(", ") => Role::Variant,
        _ => Role::Peer,
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
