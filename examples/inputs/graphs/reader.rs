//! Reads graphs from a file.
//!
//! The whole file is read and checked first. The first error is reported with its location.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::graphs::graph::{Pair, System, SystemGraph};
use crate::mistake::Mistake;

/// Reads a file of graphs. `graph.rs` describes its format.
///
/// # Errors
///
/// Fails if the file cannot be read or is not JSON, if a field is missing or unknown, if a pair contains a wrong index, or if
/// the edges of a schedule form a cycle.
pub fn read(file: &Path) -> Result<Vec<SystemGraph>, Mistake> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string());
    text.and_then(|text| parse(&text))
        .map_err(|text| Mistake::new(file, text))
}

/// A whole file. Its schedules are read one by one, so that an error contains the name of the schedule. Line numbers do not
/// help, because a file may have only one line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "source")]
    _source: String,
    #[serde(default, rename = "variant")]
    _variant: String,
    schedules: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    name: String,
    systems: Vec<Value>,
    edges: Vec<Value>,
    races: Vec<Value>,
}

fn parse(text: &str) -> Result<Vec<SystemGraph>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let schedules = file.schedules.into_iter().enumerate();
    schedules
        .map(|(schedule_idx, parts)| {
            let place = place_of(schedule_idx, &parts);
            graph(parts).map_err(|text| format!("{place}{text}"))
        })
        .collect()
}

/// Returns the name of a schedule, or its index if it has no name.
fn place_of(schedule_idx: usize, parts: &Value) -> String {
    match parts.get("name").and_then(Value::as_str) {
        Some(name) => format!("schedule `{name}`"),
        None => format!("schedule {schedule_idx}"),
    }
}

/// Reads a schedule. The caller puts the name of the schedule before the text of an error.
fn graph(parts: Value) -> Result<SystemGraph, String> {
    let parts: Parts = from_value(parts).map_err(|text| format!(": {text}"))?;
    let systems = each(parts.systems, "system", system)?;
    let n_systems = systems.len();
    let edges = each(parts.edges, "edge", |edge| pair(&edge, n_systems))?;
    let mut known = HashSet::new();
    let races = each(parts.races, "race", |race| {
        let (a, b) = pair(&race, n_systems)?;
        let race = (a.min(b), a.max(b));
        if !known.insert(race) {
            return Err("duplicate pair".to_string());
        }
        Ok(race)
    })?;
    let graph = SystemGraph {
        name: parts.name,
        systems,
        edges,
        races: BTreeSet::from_iter(races),
    };
    match graph.cycle() {
        None => Ok(graph),
        Some(cycle) => Err(format!(
            ": the edges form a cycle: {}",
            path(&graph, &cycle)
        )),
    }
}

/// Reads each value. Puts the index of the value before the text of an error.
fn each<T>(
    values: Vec<Value>,
    what: &str,
    mut read: impl FnMut(Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let values = values.into_iter().enumerate();
    values
        .map(|(idx, value)| read(value).map_err(|text| format!(", {what} {idx}: {text}")))
        .collect()
}

fn system(value: Value) -> Result<System, String> {
    let system: System = from_value(value)?;
    match system.contradiction() {
        None => Ok(system),
        Some(contradiction) => Err(contradiction.to_string()),
    }
}

fn pair(value: &Value, n_systems: usize) -> Result<Pair, String> {
    let Ok([first, second]) = <[usize; 2]>::deserialize(value) else {
        return Err(format!("`{value}` is not a pair of systems"));
    };
    for system in [first, second] {
        if system >= n_systems {
            return Err(format!(
                "system {system} is out of range, there are {n_systems}"
            ));
        }
    }
    if first == second {
        return Err(format!("system {first} is paired with itself"));
    }
    Ok((first, second))
}

fn from_value<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// `0 (a) -> 1 (b) -> 0 (a)`.
fn path(graph: &SystemGraph, cycle: &[usize]) -> String {
    let systems = cycle.iter().chain(cycle.first());
    let names = systems.map(|&idx| format!("{idx} (`{}`)", graph.systems[idx].name));
    names.collect::<Vec<_>>().join(" -> ")
}

#[cfg(test)]
mod tests;
