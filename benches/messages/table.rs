//! The table of figures.

use core::fmt;
use std::collections::BTreeMap;

use bench_report::{Bar, Choice, Filter, Results};
use benches::quantile::median;
use benches::rounds::Rounds;

use crate::contender::{ALL, BEVY, Contender, MESSAGES, VECTOR};
use crate::workload::{N_READERS, Workload};

/// The figures of all workloads.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// The figures of a workload.
pub(crate) struct Row {
    workload: Workload,
    /// The name of each contender, and its median in microseconds.
    figures: Vec<(&'static str, f64)>,
    n_rounds: usize,
    n_discarded: usize,
    n_noisy: usize,
}

impl Row {
    pub(crate) fn new(workload: Workload, rounds: &Rounds) -> Self {
        let medians = rounds
            .samples
            .iter()
            .map(|samples| median(samples.iter().copied()) / 1e3);
        Self {
            workload,
            figures: rounds.names.iter().copied().zip(medians).collect(),
            n_rounds: rounds.n_rounds,
            n_discarded: rounds.n_discarded,
            n_noisy: rounds.n_noisy,
        }
    }
}

impl Table {
    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let measured = format!(
            "Time of a run in which systems write messages of 16 bytes, and {N_READERS} readers see each of them, on two threads if not \
             stated otherwise. `N entities`: each of N entities writes a message, in a `for_each` system or in a loop over a query. All \
             readers of all contenders compute the same sum. `N steps`: a writer does N multiplications for each message, one after the \
             other. Medians."
        );
        let mut results = Results::here("Messages between systems", &measured, "µs");
        let sum = |n_of: fn(&Row) -> usize| self.rows.iter().map(n_of).sum::<usize>();
        let n_discarded = sum(|row| row.n_discarded);
        let n_noisy = sum(|row| row.n_noisy);
        let n_all = sum(|row| row.n_rounds) + n_discarded;
        let noise = format!(
            "; of {n_all} rounds, {n_discarded} discarded and {n_noisy} kept with load from other programs"
        );
        results.machine = results.machine.map(|machine| machine + &noise);
        results.is_brief = true;
        let rows = self.rows.iter().flat_map(|row| {
            row.figures.iter().map(|&(name, figure)| {
                bench_report::Row::new("messages", name)
                    .with("workload", row.workload.to_string())
                    .with("messages", row.workload.n_messages())
                    .median_of(figure)
            })
        });
        let mut results = results.with(rows.collect(), |name| entry(name).role);
        for contender in &mut results.contenders {
            let entry = entry(&contender.name);
            contender.version = entry.version.map(str::to_string);
            contender.about = Some(entry.about.to_string());
        }
        results.bars = [VECTOR, BEVY].map(bar).into();
        results.to_json()
    }
}

fn entry(name: &str) -> &'static Contender {
    let entry = ALL.iter().find(|one| one.name == name);
    entry.expect("the rows are those of the contenders")
}

/// Messages should not be slower than another contender.
fn bar(other: &str) -> Bar {
    let choices = [
        ("unit", Choice::from("µs")),
        ("contender", Choice::from(MESSAGES)),
    ]
    .map(|(key, choice)| (key.to_string(), choice));
    Bar {
        name: format!("messages beside {other}"),
        filter: Filter(choices.into_iter().collect()),
        at_least: None,
        at_most: Some(1.0),
        part_of: Some(other.to_string()),
        kept: BTreeMap::new(),
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.workload)?;
        let ours = self.figures.iter().find(|(name, _)| *name == MESSAGES);
        let ours = ours.expect("it is a contender").1;
        for (_, figure) in &self.figures {
            write!(f, " {figure:.2} ({:.2}) |", figure / ours)?;
        }
        write!(f, " {}, {} noisy |", self.n_rounds, self.n_noisy)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| µs (relative to `{MESSAGES}`) |")?;
        for contender in ALL {
            write!(f, " {} |", contender.name)?;
        }
        writeln!(f, " rounds |\n|{}", "---|".repeat(ALL.len() + 2))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}
