//! Targets of figures.

use core::fmt::Write;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::results::{Results, is_speedup};
use crate::row::{Row, number};

/// A limit for rows. It has `at_least` or `at_most`.
///
/// Bars of the same name are one line of the page, with their worst figure for each run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bar {
    /// A short description of the figures that should reach it.
    pub name: String,
    /// The rows to which it applies.
    #[serde(rename = "where")]
    pub filter: Filter,
    /// The minimum figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The maximum figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// If present, the limit is a fraction of the figure of this contender under the same conditions. The lowest figure of a range
    /// counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// For each run of this name, whether the bench found that the bar is reached. Used if the rounded figures of the rows give
    /// a different result.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, bool>,
}

/// A row and its target.
struct Verdict<'r> {
    row: &'r Row,
    /// The figure, or its fraction of that of another contender, as the page shows it.
    measured: String,
    /// Below 1 if the figures of the rows do not reach the bar. The lowest is the worst.
    part: f64,
    is_kept: bool,
}

impl Bar {
    /// Reports bars without rows, without a limit or with two limits, and those that differ in kind from an earlier bar of their
    /// name.
    pub(crate) fn mistake(&self, results: &Results) -> Option<String> {
        let of_self = self.mistake_of_self(results);
        let name = &self.name;
        of_self.map(|mistake| format!("bar `{name}`: {mistake}"))
    }

    fn mistake_of_self(&self, results: &Results) -> Option<String> {
        if self.at_least.is_some() == self.at_most.is_some() {
            return Some("it must have `at_least` or `at_most`".to_string());
        }
        let rows: Vec<&Row> = self.rows(results).collect();
        if rows.is_empty() {
            return Some("no row matches".to_string());
        }
        let unit = self.unit(results);
        if let Some(other) = rows.iter().find(|row| results.unit(row) != unit) {
            let other = results.unit(other);
            return Some(format!("it mixes the units `{unit}` and `{other}`"));
        }
        let is_run = |name: &String| results.runs.iter().any(|run| run.name == *name);
        if let Some(run) = self.kept.keys().find(|name| !is_run(name)) {
            return Some(format!("run `{run}` is not one of `runs`"));
        }
        let mut bars = results.bars.iter();
        let first = bars.find(|bar| bar.name == self.name)?;
        if first.kind(results) != self.kind(results) {
            return Some(
                "it differs from an earlier bar of this name in more than its limit".to_string(),
            );
        }
        let verdicts = rows.iter().map(|row| self.verdict(results, row));
        verdicts.filter_map(Result::err).next()
    }

    /// The fields that bars of one name have in common.
    fn kind<'r>(&'r self, results: &'r Results) -> (&'r str, bool, Option<&'r str>) {
        let is_least = self.at_least.is_some();
        (self.unit(results), is_least, self.part_of.as_deref())
    }

    fn rows<'r>(&'r self, results: &'r Results) -> impl Iterator<Item = &'r Row> {
        let rows = results.rows.iter();
        rows.filter(|row| self.filter.is_match(results, row))
    }

    /// The unit of its first row.
    fn unit<'r>(&'r self, results: &'r Results) -> &'r str {
        let row = self.rows(results).next();
        row.map_or("", |row| results.unit(row))
    }

    fn verdict<'r>(&self, results: &'r Results, row: &'r Row) -> Result<Verdict<'r>, String> {
        let range = row.range();
        let worst = match self.at_least {
            Some(_) => range.map(|[lowest, _]| lowest),
            None => range.map(|[_, highest]| highest),
        };
        let figure = row.median().or(worst).ok_or("a row has no figure")?;
        let whole = match &self.part_of {
            None => 1.0,
            Some(contender) => {
                let mut rows = results.rows.iter();
                let is_like = |other: &&Row| {
                    other.contender == *contender
                        && (&other.bench, &other.run) == (&row.bench, &row.run)
                        && other.parameters == row.parameters
                        && results.unit(other) == results.unit(row)
                };
                let other = rows.find(is_like).ok_or_else(|| {
                    let parameters = &row.parameters;
                    format!("`{contender}` has no row with {parameters:?}")
                })?;
                let lowest = other.range().map(|[lowest, _]| lowest);
                lowest.or(other.median()).ok_or("no figure")?
            }
        };
        let part = match (self.at_least, self.at_most) {
            (Some(least), _) => figure / (least * whole),
            // The figure may be negative, if it is relative to a baseline and better than it.
            (None, Some(most)) => 1.0 + (most * whole - figure) / (most * whole),
            (None, None) => return Err("no limit".to_string()),
        };
        let run = row.run.as_deref().unwrap_or_default();
        let is_kept = self.kept.get(run).copied().unwrap_or(part >= 1.0 - 1e-9);
        let unit = results.unit(row);
        let measured = match &self.part_of {
            None => row.shown(unit),
            Some(_) => format!("{:.2}", figure / whole),
        };
        Ok(Verdict {
            row,
            measured,
            part,
            is_kept,
        })
    }
}

/// All bars, as a Markdown table.
pub(crate) fn write(results: &Results, page: &mut String) {
    if results.bars.is_empty() {
        return;
    }
    let runs = measured_runs(results);
    page.push_str("| bar | wanted |");
    for run in &runs {
        let _ = write!(page, " {} |", run.as_deref().unwrap_or("measured"));
    }
    page.push_str("\n|---|---|");
    page.push_str(&"---|".repeat(runs.len()));
    page.push('\n');
    for (name, bars) in by_name(results) {
        let _ = write!(page, "| {name} | {} |", wanted(results, &bars));
        for run in &runs {
            let _ = write!(page, " {} |", cell(results, &bars, run.as_deref()));
        }
        page.push('\n');
    }
    page.push('\n');
}

/// All bars, with a sentence for each.
pub(crate) fn sentences(results: &Results) -> Vec<String> {
    let runs = measured_runs(results);
    let sentence = |(name, bars): (&str, Vec<&Bar>)| {
        let cells: Vec<String> = runs
            .iter()
            .map(|run| cell(results, &bars, run.as_deref()))
            .filter(|cell| !cell.is_empty())
            .collect();
        let wanted = wanted(results, &bars);
        format!("Bar `{name}`: {wanted}; measured: {}", cells.join(", "))
    };
    by_name(results).into_iter().map(sentence).collect()
}

/// The runs with figures that should reach a bar.
fn measured_runs(results: &Results) -> Vec<Option<String>> {
    let runs = results.complete_runs().into_iter();
    let names = runs.map(|run| (!run.name.is_empty()).then_some(run.name));
    let is_measured = |run: &Option<String>| {
        let mut rows = results.bars.iter().flat_map(|bar| bar.rows(results));
        rows.any(|row| row.run == *run)
    };
    names.filter(is_measured).collect()
}

/// The bars by name, in the order of the file.
fn by_name(results: &Results) -> Vec<(&str, Vec<&Bar>)> {
    let mut groups: Vec<(&str, Vec<&Bar>)> = Vec::new();
    for bar in &results.bars {
        match groups.iter_mut().find(|(name, _)| *name == bar.name) {
            Some((_, bars)) => bars.push(bar),
            None => groups.push((&bar.name, vec![bar])),
        }
    }
    groups
}

/// The limit of bars that have the same name, or the range of their limits.
fn wanted(results: &Results, bars: &[&Bar]) -> String {
    let unit = bars[0].unit(results);
    let is_least = bars[0].at_least.is_some();
    let mut limits: Vec<f64> = bars
        .iter()
        .filter_map(|bar| bar.at_least.or(bar.at_most))
        .collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    let number = |limit: f64| number(if is_least { unit } else { "" }, limit);
    let mut text = String::from(if is_least { "≥ " } else { "≤ " });
    text.push_str(&number(limits[0]));
    if let [_, .., highest] = limits[..] {
        let _ = write!(text, " to {}", number(highest));
    }
    match &bars[0].part_of {
        Some(contender) => {
            let _ = write!(text, " × {contender}");
        }
        None if !is_speedup(unit) => {
            let _ = write!(text, " {unit}");
        }
        None => {}
    }
    text
}

/// The worst figure of a run. If the bar applies to several figures: with its workload, and the number of figures that
/// reach the bar.
fn cell(results: &Results, bars: &[&Bar], run: Option<&str>) -> String {
    let mut verdicts: Vec<Verdict<'_>> = Vec::new();
    for bar in bars {
        let rows = bar.rows(results).filter(|row| row.run.as_deref() == run);
        let of_bar = rows.map(|row| bar.verdict(results, row).expect("the results are valid"));
        verdicts.extend(of_bar);
    }
    let worst = verdicts.iter().min_by(|a, b| a.part.total_cmp(&b.part));
    let Some(worst) = worst else {
        return String::new();
    };
    let measured = &worst.measured;
    let n_kept = verdicts.iter().filter(|verdict| verdict.is_kept).count();
    let n_all = verdicts.len();
    let missed = if n_kept == n_all { "" } else { ", **missed**" };
    if n_all == 1 {
        return format!("{measured}{missed}");
    }
    let workload = worst.row.parameters.get("workload");
    let workload = workload.map_or(String::new(), |workload| format!(" {workload}"));
    format!("{measured}{workload}{missed} ({n_kept} of {n_all})")
}
