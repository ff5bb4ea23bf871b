//! The figures.

use core::fmt;
use std::time::Duration;

use benches::quantile::median;
use benches::random_graph::{Policy, RandomGraph};
use serde_json::json;

use crate::contender::Times;
use crate::engine::Engine;

/// Prints as tables of Markdown.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    pub(crate) engine: Vec<Engine>,
    /// Resources, and MB.
    pub(crate) peaks: Vec<(usize, Option<f64>)>,
}

/// What one contender took for one graph; medians.
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
                Policy::AsAdded => "as added",
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
            "\n| engine | systems | races | as added, ms | reject, ms |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for engine in &self.engine {
            let (as_added, reject) = (milliseconds(engine.as_added), milliseconds(engine.reject));
            let Engine {
                name,
                n_systems,
                n_races,
                ..
            } = engine;
            writeln!(
                f,
                "| {name} | {n_systems} | {n_races} | {as_added:.3} | {reject:.3} |"
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
    pub(crate) fn to_json(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            json!({
                "contender": row.contender,
                "policy": format!("{:?}", row.policy),
                "n_systems": row.n_systems,
                "n_resources": row.n_resources,
                "build_ms": milliseconds(row.build),
                "with_declarations_ms": milliseconds(row.whole),
            })
        });
        let engine = self.engine.iter().map(|engine| {
            json!({
                "name": engine.name,
                "n_systems": engine.n_systems,
                "n_races": engine.n_races,
                "as_added_ms": milliseconds(engine.as_added),
                "reject_ms": milliseconds(engine.reject),
            })
        });
        let peaks = self.peaks.iter();
        let peaks =
            peaks.map(|(n_resources, peak)| json!({"n_resources": n_resources, "mb": peak}));
        let all = json!({
            "growth": rows.collect::<Vec<_>>(),
            "engine": engine.collect::<Vec<_>>(),
            "peaks": peaks.collect::<Vec<_>>(),
        });
        format!("{all:#}\n")
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
