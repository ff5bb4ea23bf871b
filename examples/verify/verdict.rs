//! Compares the result of the library for a graph with the result that the file expects.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use inputs::graphs::declaration::Declaration;
use inputs::graphs::graph::{Pair, SystemGraph};
use schedule::error::Problem;
use schedule::{BuildError, Executor, Policy};

use crate::options::Options;
use crate::trial;

pub(crate) struct Verdict<'g> {
    pub(crate) graph: &'g SystemGraph,
    /// The races that the builder found, or another error of the graph, which the reader should have rejected.
    pub(crate) races: Result<BTreeSet<Pair>, String>,
    /// Duration of `build` with the policy of the options.
    pub(crate) build_time: Duration,
    /// For a policy other than `reject`: the number of orders that it added, or the error.
    pub(crate) added: Option<Result<usize, String>>,
    /// Runs with each executor, and whether they agree with the reference; empty without `--run`.
    pub(crate) runs: Vec<(Executor, Result<(), String>)>,
}

impl<'g> Verdict<'g> {
    pub(crate) fn on(graph: &'g SystemGraph, options: &Options) -> Self {
        let (races, reject_time) = races(graph);
        let mut verdict = Self {
            graph,
            races,
            build_time: reject_time,
            added: None,
            runs: Vec::new(),
        };
        if options.is_run {
            let executors = [Executor::Serial, Executor::Parallel];
            verdict.runs = executors.map(|one| (one, trial::run(graph, one))).into();
        }
        if options.policy != Policy::Reject {
            let (added, build_time) = orders_added(graph, options.policy);
            verdict.added = Some(added);
            verdict.build_time = build_time;
        }
        verdict
    }

    /// Returns whether the races are those that the file expects.
    pub(crate) fn is_same(&self) -> bool {
        self.races.as_ref() == Ok(&self.graph.races)
    }

    /// Returns whether there is no error. A policy may reject a graph, which is not an error.
    pub(crate) fn is_good(&self) -> bool {
        self.is_same() && self.runs.iter().all(|(_, run)| run.is_ok())
    }
}

/// Returns the races of a graph, and the duration of the build with `Policy::Reject`.
///
/// If the error does not list all races, they come from a build with `Policy::Accepted`.
fn races(graph: &SystemGraph) -> (Result<BTreeSet<Pair>, String>, Duration) {
    let mut declaration = Declaration::of(graph, Policy::Reject);
    let start = Instant::now();
    let result = declaration.builder.build();
    let elapsed = start.elapsed();
    let races = match result {
        Ok(_) => Ok(BTreeSet::new()),
        Err(error) if error.races().count() < error.problems().len() => Err(error.to_string()),
        Err(error) if error.races().count() < error.n_races() => {
            let mut declaration = Declaration::of(graph, Policy::Accepted);
            let schedule = declaration
                .builder
                .build()
                .map_err(|error| error.to_string());
            schedule.map(|schedule| {
                let accepted = schedule.accepted().iter().map(|accepted| &accepted.race);
                let pairs =
                    accepted.map(|race| declaration.pair(race.first_node, race.second_node));
                pairs.collect()
            })
        }
        Err(error) => Ok(error
            .races()
            .map(|race| declaration.pair(race.first_node, race.second_node))
            .collect()),
    };
    (races, elapsed)
}

/// Returns the number of orders that the policy adds, or the error, and the duration of the build.
fn orders_added(graph: &SystemGraph, policy: Policy) -> (Result<usize, String>, Duration) {
    let mut declaration = Declaration::of(graph, policy);
    let start = Instant::now();
    let result = declaration.builder.build();
    let elapsed = start.elapsed();
    let added = result.map(|schedule| schedule.n_policy_orders());
    (added.map_err(|error| in_short(&error)), elapsed)
}

/// Returns a short text, such as `2 cycles, of 3, 4 systems`.
fn in_short(error: &BuildError) -> String {
    let lens = error.problems().iter().filter_map(|problem| match problem {
        Problem::WritersFirst(cycle) => Some(cycle.steps.len().to_string()),
        _ => None,
    });
    let lens: Vec<_> = lens.collect();
    if lens.len() < error.problems().len() {
        return error.to_string();
    }
    let noun = if lens.len() == 1 { "cycle" } else { "cycles" };
    format!("{} {noun}, of {} systems", lens.len(), lens.join(", "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inputs::graphs::reader;

    use super::*;

    fn options(file: &str, policy: Policy) -> Options {
        Options {
            file: Path::new(env!("CARGO_MANIFEST_DIR")).join(file),
            policy,
            is_run: true,
            pictures: None,
            around: None,
        }
    }

    #[track_caller]
    fn assert_good(graphs: &[SystemGraph], options: &Options) {
        for graph in graphs {
            let verdict = Verdict::on(graph, options);
            assert!(verdict.is_good(), "{verdict}");
        }
    }

    #[test]
    fn the_sample_has_the_races_that_it_expects() {
        for policy in [
            Policy::Reject,
            Policy::WritersFirst,
            Policy::InsertionOrder,
            Policy::Optimize,
        ] {
            let options = options("verify/sample.json", policy);
            assert_good(&reader::read(&options.file).unwrap(), &options);
        }
    }

    #[test]
    fn policy_adds_orders_for_races_or_fails() {
        let options = options("verify/sample.json", Policy::WritersFirst);
        let graphs = reader::read(&options.file).unwrap();
        let added = |graph, policy| orders_added(graph, policy).0;
        // There are three races. The order of `walk` and `hear` follows from those of `walk`, `collide` and `hear`.
        assert_eq!(added(&graphs[0], Policy::InsertionOrder), Ok(2));
        assert!(added(&graphs[0], Policy::Optimize).is_ok_and(|added| (2..=3).contains(&added)));
        assert_eq!(
            added(&graphs[0], Policy::WritersFirst),
            Err("1 cycle, of 2 systems".to_string())
        );
    }

    #[test]
    fn missing_and_unexpected_races_are_shown() {
        let options = options("verify/sample.json", Policy::Reject);
        let mut graphs = reader::read(&options.file).unwrap();
        graphs[0].races.remove(&(1, 2));
        graphs[0].races.insert((0, 7));
        let verdict = Verdict::on(&graphs[0], &options);
        assert!(!verdict.is_good());
        let text = verdict.to_string();
        assert!(text.contains("races=3 expected=3 differs "), "{text}");
        assert!(
            text.contains("not found: 0 (`input`) and 7 (`tick`)"),
            "{text}"
        );
        assert!(
            text.contains("not expected: 1 (`steer`) and 2 (`wind`)"),
            "{text}"
        );
    }

    /// The graphs of a real engine. The file is not part of the project.
    #[test]
    fn engine_graphs_have_the_races_that_two_other_programs_found() {
        let options = options(
            "../../shared/data/engine_graphs.json",
            Policy::InsertionOrder,
        );
        if !options.file.exists() {
            eprintln!("PASSED OVER: {} does not exist", options.file.display());
            return;
        }
        let graphs = reader::read(&options.file).unwrap();
        assert_eq!(graphs.len(), 18);
        assert_good(&graphs, &options);
    }
}
