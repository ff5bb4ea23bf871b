//! Tables of rows.

use core::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::results::{Results, Role, is_better};
use crate::row::{Row, Scalar};

/// A table with a line for each combination of values under `lines`, and a column for each value under `columns`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The title, which is part of the heading of the first column.
    pub caption: String,
    /// The rows of the table.
    #[serde(default, rename = "where")]
    pub filter: Filter,
    /// The keys of the first columns, at least one.
    pub lines: Vec<String>,
    /// The key whose values are the other columns. `contender` by default.
    #[serde(default = "contender")]
    pub columns: String,
}

fn contender() -> String {
    "contender".to_string()
}

/// The cells of a table.
struct Grid<'r> {
    unit: &'r str,
    columns: Vec<Scalar>,
    /// The values under `lines`, and a figure for each column.
    lines: Vec<(Vec<String>, Vec<Option<&'r Row>>)>,
}

impl Table {
    /// The table of all rows of one bench and unit, with all parameters.
    pub(crate) fn of_all(results: &Results, bench: &str, unit: &str) -> Self {
        let rows = results
            .rows
            .iter()
            .filter(|row| row.bench == bench && results.unit(row) == unit);
        let mut lines: Vec<String> = Vec::new();
        if !results.runs.is_empty() {
            lines.push("run".to_string());
        }
        for key in rows.flat_map(|row| row.parameters.keys()) {
            if !lines.contains(key) {
                lines.push(key.clone());
            }
        }
        if lines.is_empty() {
            lines.push("bench".to_string());
        }
        let mut filter = Filter::default();
        let choices = &mut filter.0;
        for (key, value) in [("bench", bench), ("unit", unit)] {
            choices.insert(key.to_string(), value.into());
        }
        Self {
            caption: bench.to_string(),
            filter,
            lines,
            columns: contender(),
        }
    }

    /// Reports tables without rows, with several units, or with several rows for one cell.
    pub(crate) fn mistake(&self, results: &Results) -> Option<String> {
        let grid = self.grid(results);
        grid.err()
            .map(|mistake| format!("table `{}`: {mistake}", self.caption))
    }

    fn grid<'r>(&self, results: &'r Results) -> Result<Grid<'r>, String> {
        let rows = results
            .rows
            .iter()
            .filter(|row| self.filter.is_match(results, row));
        let rows: Vec<&Row> = rows.collect();
        if self.lines.is_empty() {
            return Err("`lines` is empty".to_string());
        }
        let first = rows.first().ok_or("no row matches")?;
        let unit = results.unit(first);
        if let Some(other) = rows.iter().find(|row| results.unit(row) != unit) {
            let other = results.unit(other);
            return Err(format!("it mixes the units `{unit}` and `{other}`"));
        }
        let mut grid = Grid {
            unit,
            columns: self.column_values(results, &rows)?,
            lines: Vec::new(),
        };
        for row in rows {
            let values = self
                .lines
                .iter()
                .map(|key| results.value(row, key))
                .map(|value| value.map_or(String::new(), |value| value.to_string()));
            let values: Vec<String> = values.collect();
            let line = match grid.lines.iter().position(|(other, _)| *other == values) {
                Some(line) => line,
                None => {
                    grid.lines.push((values, vec![None; grid.columns.len()]));
                    grid.lines.len() - 1
                }
            };
            let value = results.value(row, &self.columns);
            let column = grid
                .columns
                .iter()
                .position(|one| Some(one) == value.as_ref())
                .expect("the columns are those of the rows");
            let (values, cells) = &mut grid.lines[line];
            if cells[column].replace(row).is_some() {
                return Err(format!(
                    "several rows for column `{}` of line `{}`",
                    grid.columns[column],
                    values.join(", ")
                ));
            }
        }
        Ok(grid)
    }

    /// Contenders in the order of the file, other values as they appear.
    fn column_values(&self, results: &Results, rows: &[&Row]) -> Result<Vec<Scalar>, String> {
        let mut columns: Vec<Scalar> = Vec::new();
        for row in rows {
            let value = results
                .value(row, &self.columns)
                .ok_or_else(|| format!("a row has no `{}`", self.columns))?;
            if !columns.contains(&value) {
                columns.push(value);
            }
        }
        if self.columns == "contender" {
            let all = &results.contenders;
            columns.sort_by_key(|column| {
                let name = column.to_string();
                all.iter().position(|contender| contender.name == name)
            });
        }
        Ok(columns)
    }

    /// Formats the table as Markdown.
    ///
    /// # Panics
    ///
    /// If [`mistake`](Self::mistake) reports something.
    pub(crate) fn write(&self, results: &Results, page: &mut String) {
        let grid = self.grid(results).expect("the results are valid");
        let n_shown = grid
            .lines
            .iter()
            .flat_map(|(_, cells)| cells)
            .flatten()
            .count();
        let bench = grid.lines[0].1.iter().flatten().next();
        let bench = bench.expect("a line has a cell").bench.as_str();
        let all = results
            .rows
            .iter()
            .filter(|row| row.bench == bench && results.unit(row) == grid.unit);
        let all: Vec<&Row> = all.collect();
        let _ = write!(page, "| {} ({}", self.caption, grid.unit);
        if n_shown < all.len() {
            let _ = write!(page, "; {n_shown} of {} figures", all.len());
        }
        let _ = write!(page, "): {} |", heading(&self.lines[0]));
        for key in &self.lines[1..] {
            let _ = write!(page, " {} |", heading(key));
        }
        for column in &grid.columns {
            let _ = write!(page, " {column} |");
        }
        page.push_str("\n|");
        page.push_str(&"---|".repeat(self.lines.len()));
        page.push_str(&"---:|".repeat(grid.columns.len()));
        page.push('\n');
        for (values, cells) in &grid.lines {
            page.push('|');
            for value in values {
                let _ = write!(page, " {value} |");
            }
            for cell in cells {
                let cell = cell.map_or("–".to_string(), |row| row.shown(grid.unit));
                let _ = write!(page, " {cell} |");
            }
            page.push('\n');
        }
        page.push('\n');
    }
}

/// `cost_ns` is shown as `cost, ns`.
fn heading(key: &str) -> String {
    match name_and_unit(key) {
        (name, Some(unit)) => format!("{name}, {unit}"),
        (name, None) => name,
    }
}

/// Splits `cost_ns` into `cost` and `ns`.
pub(crate) fn name_and_unit(key: &str) -> (String, Option<&'static str>) {
    for (suffix, unit) in [("_ns", "ns"), ("_us", "µs"), ("_ms", "ms")] {
        if let Some(name) = key.strip_suffix(suffix) {
            return (name.replace('_', " "), Some(unit));
        }
    }
    (key.replace('_', " "), None)
}

/// The number of conditions of a bench under which a peer is better than the default of this project, and the number of
/// conditions under which both were measured.
pub(crate) fn n_peer_is_better(results: &Results, bench: &str, unit: &str) -> (usize, usize) {
    let rows = results
        .rows
        .iter()
        .filter(|row| row.bench == bench && results.unit(row) == unit);
    let rows: Vec<&Row> = rows.collect();
    let mut n_better = 0;
    let mut n_all = 0;
    let is = |row: &Row, role: Role| results.role(&row.contender) == Some(role);
    for ours in rows.iter().filter(|row| is(row, Role::Ours)) {
        let Some(figure) = ours.median() else {
            continue;
        };
        let peers = rows
            .iter()
            .filter(|row| is(row, Role::Peer))
            .filter(|row| row.run == ours.run && row.parameters == ours.parameters);
        let peers: Vec<f64> = peers.filter_map(|row| row.median()).collect();
        if peers.is_empty() {
            continue;
        }
        n_all += 1;
        n_better += usize::from(peers.iter().any(|peer| is_better(unit, *peer, figure)));
    }
    (n_better, n_all)
}
