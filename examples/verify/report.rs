//! The report: a line for each graph.

use core::fmt;
use core::time::Duration;

use inputs::graphs::graph::{Pair, SystemGraph};
use schedule::Executor;

use crate::verdict::Verdict;

/// Prints the report with `Display`.
pub(crate) struct Report<'g> {
    pub(crate) verdicts: Vec<Verdict<'g>>,
}

/// Maximum number of pairs that are shown if the races differ.
const N_SHOWN: usize = 5;

impl Report<'_> {
    pub(crate) fn is_good(&self) -> bool {
        self.verdicts.iter().all(Verdict::is_good)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for verdict in &self.verdicts {
            verdict.fmt(f)?;
        }
        let n_schedules = self.verdicts.len();
        let n_systems: usize = self
            .verdicts
            .iter()
            .map(|one| one.graph.systems.len())
            .sum();
        let n_good = self.verdicts.iter().filter(|one| one.is_good()).count();
        let elapsed: Duration = self.verdicts.iter().map(|one| one.build_time).sum();
        writeln!(
            f,
            "{n_good} of {n_schedules} schedules ok, {n_systems} systems, built in {:.3} ms",
            milliseconds(elapsed)
        )
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SystemGraph {
            name,
            systems,
            edges,
            races,
        } = self.graph;
        let n_found = self.races.as_ref().map_or(0, |found| found.len());
        write!(
            f,
            "{name} systems={} edges={} races={n_found} expected={} {} build_ms={:.3}",
            systems.len(),
            edges.len(),
            races.len(),
            if self.is_same() { "ok" } else { "differs" },
            milliseconds(self.build_time)
        )?;
        match &self.added {
            None => {}
            Some(Ok(n_added)) => write!(f, " added={n_added}")?,
            Some(Err(reason)) => write!(f, " rejected: {reason}")?,
        }
        for (executor, run) in &self.runs {
            let how = if *executor == Executor::Serial {
                "serial"
            } else {
                "parallel"
            };
            write!(f, " {how}={}", if run.is_ok() { "ok" } else { "differs" })?;
        }
        writeln!(f)?;
        for reason in self.runs.iter().filter_map(|(_, run)| run.as_ref().err()) {
            writeln!(f, "  {reason}")?;
        }
        match &self.races {
            Err(reason) => writeln!(f, "  {reason}"),
            Ok(found) => {
                write_pairs(f, self.graph, "not found", races.difference(found))?;
                write_pairs(f, self.graph, "not expected", found.difference(races))
            }
        }
    }
}

fn write_pairs<'a>(
    f: &mut fmt::Formatter<'_>,
    graph: &SystemGraph,
    kind: &str,
    pairs: impl Iterator<Item = &'a Pair>,
) -> fmt::Result {
    let pairs: Vec<_> = pairs.collect();
    for &&(a, b) in pairs.iter().take(N_SHOWN) {
        let (a_name, b_name) = (&graph.systems[a].name, &graph.systems[b].name);
        writeln!(f, "  {kind}: {a} (`{a_name}`) and {b} (`{b_name}`)")?;
    }
    if pairs.len() > N_SHOWN {
        writeln!(f, "  {kind}: {} in total", pairs.len())?;
    }
    Ok(())
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
