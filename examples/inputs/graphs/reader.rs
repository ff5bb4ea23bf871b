//! From a file to graphs.
//!
//! Everything is read and checked before anything is verified; the first mistake is told with its place.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::graphs::graph::{Pair, System, SystemGraph};
use crate::mistake::Mistake;

/// Reads a file of graphs, whose form `graph.rs` describes.
///
/// # Errors
///
/// If the file cannot be read, is no JSON, lacks a field or has one too many, if a pair names a system that is not
/// there, or if the edges of a schedule form a cycle.
pub fn read(file: &Path) -> Result<Vec<SystemGraph>, Mistake> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string());
    text.and_then(|text| parse(&text))
        .map_err(|text| Mistake::new(file, text))
}

/// A whole file. Its parts are read one by one, so that a mistake can be told with the name of its schedule: there
/// need not be line ends.
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

/// The name of a schedule where it has one, else which one it is.
fn place_of(schedule_idx: usize, parts: &Value) -> String {
    match parts.get("name").and_then(Value::as_str) {
        Some(name) => format!("schedule `{name}`"),
        None => format!("schedule {schedule_idx}"),
    }
}

/// The text of an error begins where the name of the schedule ends.
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
            return Err("the same pair a second time".to_string());
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

/// Reads every value, and puts its place before an error.
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
