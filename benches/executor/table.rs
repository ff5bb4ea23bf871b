//! The figures.

use core::fmt;

use serde_json::json;

use crate::bars::Bars;
use crate::row::Row;

/// Prints as tables of Markdown.
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

/// `head`: the columns that stand before the contenders.
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
    pub(crate) fn to_json(&self) -> String {
        let figures = self.rows.iter().flat_map(|row| {
            row.figures.iter().map(|figure| {
                json!({
                    "workload": row.workload,
                    "temperature": row.temperature.to_string(),
                    "pinned": row.is_pinned,
                    "n_systems": row.n_systems,
                    "cost_ns": row.cost_ns,
                    "contender": figure.contender,
                    "median_ns": figure.median_ns,
                    "p90_ns": figure.p90_ns,
                    "mean_ns": figure.mean_ns,
                    "speedup": row.speedup(figure),
                    "best": row.best.found,
                    "best_at_most": row.best.at_most,
                })
            })
        });
        format!("{:#}\n", json!(figures.collect::<Vec<_>>()))
    }
}
