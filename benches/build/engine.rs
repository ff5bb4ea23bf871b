//! The graphs of a real engine, which are no part of the project.

use std::path::Path;
use std::time::{Duration, Instant};

use schedule::Policy;

use crate::declaration::Declaration;
use crate::graph::SystemGraph;
use crate::reader;
use crate::table::median;

/// A schedule of the engine.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) name: String,
    pub(crate) n_systems: usize,
    pub(crate) n_races: usize,
    /// Of the call that builds.
    pub(crate) as_added: Duration,
    /// The same, for a refusal with all races.
    pub(crate) reject: Duration,
}

/// Those with many systems; `None` where the file is not there.
pub(crate) fn measure(n_rounds: usize) -> Option<Vec<Engine>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/engine_graphs.json");
    if !file.exists() {
        eprintln!("PASSED OVER: {} is not there", file.display());
        return None;
    }
    let graphs = match reader::read(&file) {
        Ok(graphs) => graphs,
        Err(mistake) => panic!("{mistake}"),
    };
    let large = graphs.iter().filter(|graph| graph.systems.len() >= 100);
    Some(large.map(|graph| Engine::of(graph, 4 * n_rounds)).collect())
}

impl Engine {
    fn of(graph: &SystemGraph, n_rounds: usize) -> Self {
        Self {
            name: graph.name.clone(),
            n_systems: graph.systems.len(),
            n_races: graph.races.len(),
            as_added: median_build(graph, Policy::AsAdded, n_rounds),
            reject: median_build(graph, Policy::Reject, n_rounds),
        }
    }
}

fn median_build(graph: &SystemGraph, policy: Policy, n_rounds: usize) -> Duration {
    let one = |_| {
        let mut declaration = Declaration::of(graph, policy);
        let start = Instant::now();
        let result = declaration.builder.build();
        let elapsed = start.elapsed();
        drop(result);
        elapsed
    };
    median((0..n_rounds).map(one))
}
