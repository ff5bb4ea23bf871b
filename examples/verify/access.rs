//! What systems touch, by number, with everything written out.

use std::collections::BTreeSet;

use inputs::graphs::graph::{System, SystemGraph};

/// The names of all resources of a graph; a resource is its place here.
pub(crate) struct Names(pub(crate) Vec<String>);

/// What one system touches. Nothing is in both lists.
pub(crate) struct Access {
    pub(crate) reads: Vec<usize>,
    pub(crate) writes: Vec<usize>,
    /// How it touches the rest: what no system names.
    pub(crate) rest: Touch,
    pub(crate) is_exclusive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    No,
    Read,
    Write,
}

impl Names {
    pub(crate) fn of(graph: &SystemGraph) -> Self {
        let names: BTreeSet<&String> = graph
            .systems
            .iter()
            .flat_map(|system| {
                let named = system.reads.iter().chain(&system.writes);
                named
                    .chain(&system.reads_except)
                    .chain(&system.writes_except)
            })
            .collect();
        Self(names.into_iter().cloned().collect())
    }
}

impl Access {
    pub(crate) fn of(system: &System, names: &Names) -> Self {
        let all_of = |touch| {
            let resources = names.0.iter().enumerate();
            resources
                .filter(|(_, name)| touch_of(system, name) == touch)
                .map(|(resource, _)| resource)
                .collect()
        };
        Self {
            reads: all_of(Touch::Read),
            writes: all_of(Touch::Write),
            rest: stronger(system.writes_all, system.reads_all),
            is_exclusive: system.is_exclusive,
        }
    }
}

fn touch_of(system: &System, name: &String) -> Touch {
    let is_written = system.writes_all && !system.writes_except.contains(name);
    let is_read = system.reads_all && !system.reads_except.contains(name);
    stronger(
        is_written || system.writes.contains(name),
        is_read || system.reads.contains(name),
    )
}

fn stronger(is_written: bool, is_read: bool) -> Touch {
    match (is_written, is_read) {
        (true, _) => Touch::Write,
        (false, true) => Touch::Read,
        (false, false) => Touch::No,
    }
}
