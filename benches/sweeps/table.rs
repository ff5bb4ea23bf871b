//! The table of figures.

use core::fmt;

use bench_report::{Choice, Filter, Results, Role, Scalar};

use crate::bars;
use crate::contenders::{ALL, Entry};
use crate::row::Row;

/// The figures of all workloads.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [plain, others @ ..] = ALL else {
            return Ok(());
        };
        write!(f, "| workload | pinned | {}, µs |", plain.name)?;
        for entry in others {
            write!(f, " {} |", entry.name)?;
        }
        writeln!(f, " rounds |\n|{}", "---|".repeat(ALL.len() + 3))?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

impl Table {
    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let mut results = Results::here(
            "Per-entity systems",
            "Time of a run of systems that run for each entity, relative to plain loops over vectors on one thread. `light`: eight \
             short systems on five components. `heavy`: three systems on three components, one of which takes about 100 ns per \
             entity, more in the last quarter of the rows, and one of which folds into a sum. All contenders compute the same \
             result on entities of their own, on two threads if not stated otherwise. Each is measured right after other runs of \
             its own. Pinned threads stay on one processor each.",
            "speed-up",
        );
        let sum = |n_of: fn(&Row) -> usize| self.rows.iter().map(n_of).sum::<usize>();
        let n_all = sum(|row| row.n_rounds) + sum(|row| row.n_discarded);
        let n_noisy = sum(|row| row.n_noisy);
        let n_discarded = sum(|row| row.n_discarded);
        let noise = format!(
            "; of {n_all} rounds, {n_discarded} discarded and {n_noisy} kept with load from other programs"
        );
        results.machine = results.machine.map(|machine| machine + &noise);
        if cfg!(feature = "flecs") {
            let with_feature =
                |command: String| command.replacen("benches", "benches --features flecs", 1);
            results.command = results.command.map(with_feature);
        }
        let mut results = results.with(self.rows.iter().flat_map(Row::results).collect(), role);
        for contender in &mut results.contenders {
            let entry = entry(&contender.name);
            contender.version = entry.version.map(str::to_string);
            contender.about = Some(entry.about.to_string());
        }
        results.bars = bars::all();
        results.tables = vec![
            table("Pinned", true, &["light", "heavy"]),
            table("Not pinned", false, &["light"]),
        ];
        results.to_json()
    }
}

fn role(contender: &str) -> Role {
    entry(contender).role
}

fn entry(contender: &str) -> &'static Entry {
    let entry = ALL.iter().find(|entry| entry.name == contender);
    entry.expect("the rows are those of the contenders")
}

fn table(caption: &str, is_pinned: bool, workloads: &[&str]) -> bench_report::Table {
    let workloads = workloads.iter().map(|&one| Scalar::from(one)).collect();
    let choices = [
        ("bench", Choice::from("sweeps")),
        ("unit", Choice::from("speed-up")),
        ("pinned", Choice::One(Scalar::Flag(is_pinned))),
        ("workload", Choice::Any(workloads)),
    ]
    .map(|(key, choice)| (key.to_string(), choice));
    bench_report::Table {
        caption: caption.to_string(),
        filter: Filter(choices.into_iter().collect()),
        lines: ["workload", "entities"].map(str::to_string).into(),
        columns: "contender".to_string(),
    }
}
