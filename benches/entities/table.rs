//! The table of figures.

use core::fmt;

use bench_report::{Results, Role};
use benches::quantile::median;
use benches::rounds::Rounds;

use crate::contender::{HECS, OURS, OURS_BY_COMMANDS};

/// The figures of all workloads.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// The figures of a workload.
pub(crate) struct Row {
    workload: String,
    /// The name of each contender, and its median in microseconds.
    figures: Vec<(&'static str, f64)>,
    n_rounds: usize,
    n_noisy: usize,
}

impl Row {
    pub(crate) fn new(workload: String, rounds: &Rounds) -> Self {
        let medians = rounds
            .samples
            .iter()
            .map(|samples| median(samples.iter().copied()) / 1e3);
        Self {
            workload,
            figures: rounds.names.iter().copied().zip(medians).collect(),
            n_rounds: rounds.n_rounds,
            n_noisy: rounds.n_noisy,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.workload)?;
        let baseline = self.figures[0].1;
        for (name, figure) in &self.figures {
            write!(f, " {name} {figure:.2} µs ({:.2}) |", figure / baseline)?;
        }
        write!(f, " {} rounds, {} noisy", self.n_rounds, self.n_noisy)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl Table {
    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let results = Results::here(
            "Entities",
            "Time of one run of a workload of the public `ecs_bench_suite`, on entities with components. Medians. \
             `schedule-hecs` runs each workload as a schedule with default settings; `hecs` runs it by its own queries on a \
             world that is borrowed exclusively. `schedule-hecs, commands` changes entities through commands, where the others \
             change the world directly. `systems` is not in the suite: 100 systems (for `hecs` prepared queries), \
             each of which reads the only entity.",
            "µs",
        );
        let rows = self.rows.iter().flat_map(|row| {
            row.figures.iter().map(|&(name, figure)| {
                let new = bench_report::Row::new("entities", name);
                new.with("workload", row.workload.as_str())
                    .median_of(figure)
            })
        });
        let role = |contender: &str| match contender {
            OURS => Role::Ours,
            OURS_BY_COMMANDS => Role::Variant,
            HECS => Role::Baseline,
            _ => Role::Peer,
        };
        results.with(rows.collect(), role).to_json()
    }
}
