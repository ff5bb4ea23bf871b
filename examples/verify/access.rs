//! The access of each system, with numbers for resources.

use std::collections::BTreeSet;

use inputs::graphs::graph::{System, SystemGraph};

/// The names of all resources of a graph. The number of a resource is its index in this list.
pub(crate) struct Names(pub(crate) Vec<String>);

/// The access of one system. The two lists have no resource in common.
pub(crate) struct Access {
    pub(crate) reads: Vec<usize>,
    pub(crate) writes: Vec<usize>,
    /// Access to all resources that no system names.
    pub(crate) rest: Kind,
    pub(crate) is_exclusive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
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
        let all_of = |kind| {
            let resources = names.0.iter().enumerate();
            resources
                .filter(|(_, name)| kind_of(system, name) == kind)
                .map(|(resource, _)| resource)
                .collect()
        };
        Self {
            reads: all_of(Kind::Read),
            writes: all_of(Kind::Write),
            rest: stronger(system.writes_all, system.reads_all),
            is_exclusive: system.is_exclusive,
        }
    }
}

fn kind_of(system: &System, name: &String) -> Kind {
    let is_written = system.writes_all && !system.writes_except.contains(name);
    let is_read = system.reads_all && !system.reads_except.contains(name);
    stronger(
        is_written || system.writes.contains(name),
        is_read || system.reads.contains(name),
    )
}

fn stronger(is_written: bool, is_read: bool) -> Kind {
    match (is_written, is_read) {
        (true, _) => Kind::Write,
        (false, true) => Kind::Read,
        (false, false) => Kind::No,
    }
}
