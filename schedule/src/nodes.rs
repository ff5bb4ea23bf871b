//! The nodes of a schedule, and what concerns them all: looking resources up, commands, failures.

use core::panic::AssertUnwindSafe;
use std::collections::{HashMap, HashSet};
use std::panic::catch_unwind;

use crate::access::ResourceId;
use crate::failure::{Cause, MissingResource, Panic, RunError};
use crate::node::{Node, Outcome, Work};
use crate::resource::{Resources, Status, Version};

/// Nodes by rank.
pub(crate) struct Nodes {
    pub(crate) by_rank: Vec<Node>,
    /// Those that record commands, ascending.
    with_commands: Vec<u32>,
    /// Whether any node uses a main-thread value.
    has_main_thread: bool,
    /// What all nodes are prepared for, and miss nothing in.
    prepared: Option<Version>,
    /// Whether any node has failed in this run.
    pub(crate) has_failed: bool,
}

impl Nodes {
    pub(crate) fn new(by_rank: Vec<Node>) -> Self {
        let ranked = (0..).zip(&by_rank);
        let with_commands = ranked.filter(|(_, node)| node.about.access.has_commands);
        Self {
            with_commands: with_commands.map(|(rank, _)| rank).collect(),
            has_main_thread: by_rank.iter().any(Node::uses_main_thread),
            by_rank,
            prepared: None,
            has_failed: false,
        }
    }

    /// Looks all resources up, unless that was done for these resources already.
    ///
    /// # Errors
    ///
    /// If resources are missing. What commands are declared to insert is not: it may come during the run.
    pub(crate) fn prepare(&mut self, resources: &Resources) -> Result<(), RunError> {
        // The storage of a main-thread value may be gone while its thread ends, and nothing else changes then: such
        // values are looked up for every run.
        if !self.has_main_thread && self.prepared == Some(resources.version()) {
            return Ok(());
        }
        self.prepared = None;
        let missing = self.missing(resources);
        if !missing.is_empty() {
            return Err(RunError::Missing(missing));
        }
        self.look_up(resources);
        Ok(())
    }

    /// Looks all resources up again, if any was inserted or removed; whoever misses one will fail.
    pub(crate) fn refresh(&mut self, resources: &Resources) {
        if self.prepared != Some(resources.version()) {
            self.look_up(resources);
        }
    }

    fn look_up(&mut self, resources: &Resources) {
        for node in &mut self.by_rank {
            node.prepare(resources);
        }
        let misses_any = self.by_rank.iter().any(|node| node.is_missing);
        self.prepared = (!misses_any).then(|| resources.version());
    }

    /// Every resource that is needed, missing and not declared to be inserted by commands; in the order of the nodes.
    fn missing(&self, resources: &Resources) -> Vec<MissingResource> {
        let nodes = self.by_rank.iter();
        let inserted: HashSet<&ResourceId> =
            nodes.flat_map(|node| &node.about.access.inserts).collect();
        let mut missing: Vec<MissingResource> = Vec::new();
        let mut known: HashMap<&ResourceId, usize> = HashMap::new();
        for about in self.by_rank.iter().map(|node| &node.about) {
            for one in about.access.uses.iter().filter(|one| !one.is_optional) {
                let status = resources.status(&one.resource);
                if status == Status::Present || inserted.contains(&one.resource) {
                    continue;
                }
                let idx = *known.entry(&one.resource).or_insert_with(|| {
                    missing.push(MissingResource {
                        resource: one.resource.to_string(),
                        is_named: one.resource.text().is_some(),
                        is_main_thread: one.resource.is_main_thread(),
                        is_on_another_thread: status == Status::OnAnotherThread,
                        is_written: false,
                        needed_by: Vec::new(),
                    });
                    missing.len() - 1
                });
                let missing = &mut missing[idx];
                missing.is_written |= one.is_write;
                if !missing.needed_by.contains(&about.place) {
                    missing.needed_by.push(about.place.clone());
                }
            }
        }
        missing
    }

    /// Carries out what the first nodes recorded, in their order; drops what those recorded that failed.
    pub(crate) fn settle(&mut self, n_nodes: usize, resources: &mut Resources) {
        for &rank in &self.with_commands {
            if rank as usize >= n_nodes {
                break;
            }
            let node = &mut self.by_rank[rank as usize];
            let Work::System(system) = &mut node.work else {
                continue;
            };
            let is_done = node.outcome.get() == Outcome::Finished;
            let result = catch_unwind(AssertUnwindSafe(|| {
                system.settle(is_done.then_some(&mut *resources));
            }));
            if let Err(payload) = result {
                // What another parameter of the system recorded goes too; dropping it may panic once more.
                let dropped = catch_unwind(AssertUnwindSafe(|| system.settle(None)));
                if let Err(payload) = dropped {
                    core::mem::forget(payload);
                }
                if node.about.cause.is_none() {
                    node.about.cause = Some(Cause::CommandPanic(Panic::new(payload)));
                    self.has_failed = true;
                } else {
                    // A failure of the system itself came first. Dropping this one may panic.
                    core::mem::forget(payload);
                }
            }
        }
    }

    /// What failed in this run, and what did not run for it; then all is as before the run.
    ///
    /// O(1) if nothing failed.
    pub(crate) fn conclude(&mut self) -> Result<(), RunError> {
        if !core::mem::take(&mut self.has_failed) {
            return Ok(());
        }
        let mut failures = Vec::new();
        let mut skipped = Vec::new();
        for node in &mut self.by_rank {
            failures.extend(node.take_failure());
            if node.is_system() && node.outcome.get() == Outcome::Skipped {
                skipped.push(node.about.place.clone());
            }
            node.outcome.set(Outcome::Finished);
        }
        Err(RunError::Failed { failures, skipped })
    }
}
