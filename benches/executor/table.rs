//! Tables of the figures.

use core::fmt;

use bench_report::{Results, Role};

use crate::bars::Bars;
use crate::ours::AUTO;
use crate::row::{self, Row};
use crate::serial;

/// Formats the figures as Markdown tables.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (empty, costly): (Vec<_>, Vec<_>) = self.rows.iter().partition(|row| row.is_empty());
        let costly_head = "| workload | µs each | | pinned | serial loop, µs | best |";
        let empty_head = "| workload | | pinned | serial loop, ns each |";
        write_rows(f, "Speed-up against the serial loop", costly_head, &costly)?;
        write_rows(
            f,
            "Empty systems: ns each, above the serial loop",
            empty_head,
            &empty,
        )?;
        let sum = |n_of: fn(&Row) -> usize| self.rows.iter().map(n_of).sum::<usize>();
        writeln!(
            f,
            "Rounds in which others took more than a tenth of a processor: {} discarded, {} kept for want of better \
             ones; {} are kept in all.\n",
            sum(|row| row.n_discarded),
            sum(|row| row.n_noisy),
            sum(|row| row.n_rounds),
        )?;
        write!(f, "{}", Bars::of(&self.rows))
    }
}

/// `head`: the columns before those of the contenders.
fn write_rows(f: &mut fmt::Formatter<'_>, title: &str, head: &str, rows: &[&Row]) -> fmt::Result {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    write!(f, "{title}:\n\n{head}")?;
    for figure in &first.figures[1..] {
        write!(f, " {} |", figure.contender)?;
    }
    let n_columns = head.matches('|').count() + first.figures.len() - 1;
    writeln!(f, " rounds |\n|{}", "---|".repeat(n_columns))?;
    for row in rows {
        writeln!(f, "{row}")?;
    }
    writeln!(f)
}

impl Table {
    /// In the format of `benches/results`.
    pub(crate) fn to_json(&self) -> String {
        let results = Results::here(
            "Running a schedule",
            "Time of a run relative to a sequential loop over the same calls, with two workers.",
            "speed-up",
        );
        let rows = self.rows.iter().flat_map(Row::results).collect();
        results.with(rows, role).to_json()
    }
}

fn role(contender: &str) -> Role {
    match contender {
        row::BEST => Role::Limit,
        AUTO => Role::Ours,
        serial::NAME => Role::Baseline,
        _ if contender.starts_with("schedule ") => Role::Variant,
        _ => Role::Peer,
    }
}
