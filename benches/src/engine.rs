//! The graphs of a real engine, which are not part of the project.

use std::collections::BTreeSet;
use std::mem::replace;
use std::path::Path;

use inputs::graphs::declaration::Declaration;
use inputs::graphs::graph::SystemGraph;
use inputs::graphs::reader;
use schedule::dynamic::View;
use schedule::system::Output;
use schedule::{Builder, Policy};

use crate::orders::Orders;

/// A schedule of the engine: its systems, their accesses, and the orders between them.
#[derive(Debug)]
pub struct EngineGraph(SystemGraph);

/// The schedules with many systems. `None` if the file does not exist.
///
/// # Panics
///
/// If the file exists but is not valid.
pub fn large() -> Option<Vec<EngineGraph>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/engine_graphs.json");
    if !file.exists() {
        eprintln!("skipped: {} does not exist", file.display());
        return None;
    }
    let graphs = match reader::read(&file) {
        Ok(graphs) => graphs,
        Err(mistake) => panic!("{mistake}"),
    };
    let large = graphs
        .into_iter()
        .filter(|graph| graph.systems.len() >= 100);
    Some(large.map(EngineGraph).collect())
}

impl EngineGraph {
    /// The name of the schedule in the engine.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The number of systems.
    pub fn n_systems(&self) -> usize {
        self.0.systems.len()
    }

    /// The number of conflicting pairs without an order.
    pub fn n_races(&self) -> usize {
        self.0.races.len()
    }

    /// The names of all resources that are read or written.
    pub fn resources(&self) -> BTreeSet<&str> {
        let systems = self.0.systems.iter();
        let names = systems.flat_map(|system| {
            let reads = system.reads.iter().chain(system.reads_of_unwritten());
            reads.chain(&system.writes)
        });
        names.map(String::as_str).collect()
    }

    /// A builder with the graph. The systems do nothing.
    pub fn declare(&self, policy: Policy) -> Builder {
        Declaration::of(&self.0, policy).builder
    }

    /// The same, with systems that call the function that `call_of` returns for each.
    pub fn declare_calls<O: Output, C>(
        &self,
        policy: Policy,
        call_of: impl FnMut(usize) -> C,
    ) -> Builder
    where
        C: FnMut(&mut View<'_>) -> O + Send + 'static,
    {
        Declaration::with_calls(&self.0, policy, call_of).builder
    }

    /// The orders of the engine, and one for each race by insertion order.
    pub fn orders(&self) -> Orders {
        let orders = self.0.edges.iter().chain(&self.0.races);
        Orders::new(self.n_systems(), orders.copied())
    }

    /// The orders of the engine, without races.
    pub fn declared_orders(&self) -> Orders {
        Orders::new(self.n_systems(), self.0.edges.iter().copied())
    }

    /// The same graph, with its systems in the order that a build under `optimize` selects. With the policy `insertion
    /// order`, they then run as under `optimize`.
    ///
    /// # Panics
    ///
    /// If the graph is rejected, because its orders have a cycle.
    pub fn fitted(mut self) -> Self {
        // Names are not unique, but numbers are.
        let numbers = (0..self.n_systems()).map(|idx| idx.to_string());
        let names = self
            .0
            .systems
            .iter_mut()
            .zip(numbers)
            .map(|(system, number)| replace(&mut system.name, number));
        let names: Vec<String> = names.collect();
        let schedule = self
            .declare(Policy::Optimize)
            .build()
            .expect("the orders have no cycle");
        let chosen: Result<Vec<usize>, _> =
            schedule.systems().map(|number| number.parse()).collect();
        let chosen = chosen.expect("the names of systems are numbers");
        let mut places = vec![0; chosen.len()];
        for (place, &idx) in chosen.iter().enumerate() {
            places[idx] = place;
        }
        for (system, name) in self.0.systems.iter_mut().zip(names) {
            system.name = name;
        }
        let mut systems: Vec<_> = self.0.systems.into_iter().zip(&places).collect();
        systems.sort_by_key(|&(_, place)| place);
        self.0.systems = systems.into_iter().map(|(system, _)| system).collect();
        let moved = |&(a, b): &(usize, usize)| {
            let (a, b) = (places[a], places[b]);
            (a.min(b), a.max(b))
        };
        self.0.edges = self.0.edges.iter().map(moved).collect();
        self.0.races = self.0.races.iter().map(moved).collect();
        self
    }

    /// The conflicting pairs without an order.
    pub fn races(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.races.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use schedule::Schedule;
    use schedule::report::Machine;

    use super::*;
    use crate::free::most_speedup_of_two;

    fn speedup(schedule: &Schedule, n_workers: usize) -> f64 {
        let cost = Duration::from_micros(10);
        schedule
            .simulate(Machine::new(n_workers), |_| cost)
            .speedup()
    }

    fn build(graph: &EngineGraph, policy: Policy) -> Schedule {
        graph.declare(policy).build().expect("no race is rejected")
    }

    #[test]
    fn optimize_is_optimal_on_two_workers_and_beats_insertion_order_on_four() {
        for graph in large().into_iter().flatten() {
            if graph.n_races() == 0 {
                continue;
            }
            let fits = build(&graph, Policy::Optimize);
            let insertion_order = build(&graph, Policy::InsertionOrder);
            let most = most_speedup_of_two(&graph.declared_orders(), graph.races());
            let (on_two, name) = (speedup(&fits, 2), graph.name());
            eprintln!(
                "{name}: {on_two:.3} of {most:.3}, insertion order {:.3}; on four {:.3} and {:.3}",
                speedup(&insertion_order, 2),
                speedup(&fits, 4),
                speedup(&insertion_order, 4)
            );
            assert!(on_two >= 0.99 * most, "{name}: {on_two} of {most}");
            assert!(on_two >= speedup(&insertion_order, 2), "{name}");
            if ["PostUpdate", "PreUpdate", "Render"].contains(&name) {
                assert!(
                    speedup(&fits, 4) >= 1.06 * speedup(&insertion_order, 4),
                    "{name}"
                );
            }
        }
    }
}
