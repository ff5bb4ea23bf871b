//! The graphs of a real engine, which are not part of the project.

use std::time::{Duration, Instant};

use benches::engine::{self, EngineGraph};
use benches::quantile::median;
use schedule::Policy;

/// A schedule of the engine.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) name: String,
    pub(crate) n_systems: usize,
    pub(crate) n_races: usize,
    /// The duration of the call that builds.
    pub(crate) insertion_order: Duration,
    /// The same, if the graph is rejected with all races.
    pub(crate) reject: Duration,
}

/// The schedules with many systems. `None` if the graphs do not exist.
pub(crate) fn measure(n_rounds: usize) -> Option<Vec<Engine>> {
    let graphs = engine::large()?;
    let measured = graphs.iter().map(|graph| Engine::of(graph, 4 * n_rounds));
    Some(measured.collect())
}

impl Engine {
    fn of(graph: &EngineGraph, n_rounds: usize) -> Self {
        Self {
            name: graph.name().to_string(),
            n_systems: graph.n_systems(),
            n_races: graph.n_races(),
            insertion_order: median_build(graph, Policy::InsertionOrder, n_rounds),
            reject: median_build(graph, Policy::Reject, n_rounds),
        }
    }
}

fn median_build(graph: &EngineGraph, policy: Policy, n_rounds: usize) -> Duration {
    let one = |_| {
        let mut builder = graph.declare(policy);
        let start = Instant::now();
        let result = builder.build();
        let elapsed = start.elapsed();
        drop(result);
        elapsed
    };
    median((0..n_rounds).map(one))
}
