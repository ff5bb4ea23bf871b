//! Runs a graph as a schedule, and compares the result with a run without the library.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use inputs::graphs::declaration::Declaration;
use inputs::graphs::graph::SystemGraph;
use schedule::dynamic::View;
use schedule::{BoxError, Executor, Policy, Resources};

use crate::access::{Access, Names};
use crate::gate::Gates;
use crate::reference;
use crate::trace::{Trace, seen, written};

/// Number of parallel runs of each graph. Some errors occur only in some runs.
const N_PARALLEL_RUNS: usize = 20;

/// Runs the graph as a schedule and by [`reference::run`]. Races follow insertion order.
///
/// # Errors
///
/// Fails if conflicting systems overlapped, or if a run differs from the reference.
pub(crate) fn run(graph: &SystemGraph, executor: Executor) -> Result<(), String> {
    let n_runs = match executor {
        Executor::Serial => 1,
        _ => N_PARALLEL_RUNS,
    };
    let trial = Arc::new(Trial::of(graph));
    let expected = reference::run(graph, &trial.accesses, trial.names.0.len());
    let traces = trial
        .run(graph, executor, n_runs)
        .map_err(|error| error.to_string())?;
    traces
        .iter()
        .try_for_each(|trace| trial.compare(graph, trace, &expected))
}

fn first_difference(ours: &[u64], theirs: &[u64]) -> Option<usize> {
    ours.iter()
        .zip(theirs)
        .position(|(ours, theirs)| ours != theirs)
}

/// The data that the systems of a run share.
struct Trial {
    names: Names,
    /// `accesses[s]`: access of system s; len = n_systems.
    accesses: Vec<Access>,
    gates: Gates,
    /// `seen[s]`: hash of the values that system s saw; len = n_systems. As a resource, it would order all systems.
    seen: Vec<AtomicU64>,
}

impl Trial {
    fn of(graph: &SystemGraph) -> Self {
        let names = Names::of(graph);
        let systems = graph.systems.iter();
        Self {
            accesses: systems.map(|system| Access::of(system, &names)).collect(),
            gates: Gates::new(names.0.len()),
            seen: graph.systems.iter().map(|_| AtomicU64::new(0)).collect(),
            names,
        }
    }

    /// Runs the schedule several times, and returns the trace of each run.
    fn run(
        self: &Arc<Self>,
        graph: &SystemGraph,
        executor: Executor,
        n_runs: usize,
    ) -> Result<Vec<Trace>, BoxError> {
        let mut declaration =
            Declaration::with_calls(graph, Policy::InsertionOrder, |system_idx| {
                let trial = Arc::clone(self);
                move |view: &mut View<'_>| trial.call(system_idx, view)
            });
        let mut schedule = declaration.builder.build()?;
        schedule.set_executor(executor);
        let run = |_| {
            let mut resources = Resources::new();
            for name in &self.names.0 {
                resources.insert_named(name, 0_u64);
            }
            schedule.run(&mut resources)?;
            let value = |name: &String| *resources.get_named(name).expect("inserted above");
            // Relaxed: the end of the run synchronizes with this thread.
            let seen = self.seen.iter().map(|seen| seen.swap(0, Ordering::Relaxed));
            Ok(Trace {
                seen: seen.collect(),
                values: self.names.0.iter().map(value).collect(),
            })
        };
        (0..n_runs).map(run).collect()
    }

    /// # Errors
    ///
    /// Fails with the first difference.
    fn compare(&self, graph: &SystemGraph, trace: &Trace, expected: &Trace) -> Result<(), String> {
        if let Some(system) = first_difference(&trace.seen, &expected.seen) {
            let name = &graph.systems[system].name;
            return Err(format!(
                "system {system} (`{name}`) saw other values than in the reference run"
            ));
        }
        match first_difference(&trace.values, &expected.values) {
            None => Ok(()),
            Some(resource) => Err(format!(
                "`{}` has another value than after the reference run",
                self.names.0[resource]
            )),
        }
    }

    /// The work of every system.
    fn call(&self, system_idx: usize, view: &mut View<'_>) -> Result<(), BoxError> {
        let access = &self.accesses[system_idx];
        let _inside = self.gates.enter(access)?;
        let mut found = Vec::new();
        for &resource in access.reads.iter().chain(&access.writes) {
            found.push(*view.get_named(&self.names.0[resource])?);
        }
        let seen = seen(system_idx, found);
        // Relaxed: read after the run.
        self.seen[system_idx].store(seen, Ordering::Relaxed);
        for &resource in &access.writes {
            let value: &mut u64 = view.get_named_mut(&self.names.0[resource])?;
            *value = written(seen, resource, *value);
        }
        Ok(())
    }
}
