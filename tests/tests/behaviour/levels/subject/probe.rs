//! The log of the systems of a schedule, and the detection of overlaps.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::thread;

use schedule::prelude::*;

use super::super::case::{Asked, N_RESOURCES};
use super::super::digest::digest;
use crate::gates::Gates;

/// Data that the systems of a schedule share, apart from resources.
pub(super) struct Probe {
    /// The executed systems, each with the value that it computed.
    pub(super) log: Mutex<Vec<(String, u64)>>,
    /// For each node, the number of executions in this run, or `u64::MAX` if nothing may fail.
    pub(super) n_runs: Vec<AtomicU64>,
    /// For each resource. The last element represents exclusive access.
    pub(super) gates: Gates<{ N_RESOURCES + 1 }>,
}

/// The same data as a resource that no system writes.
#[derive(Resource)]
pub(super) struct Shared(pub(super) Arc<Probe>);

impl Probe {
    pub(super) fn log(&self, asked: Asked, found: impl IntoIterator<Item = u64>) -> u64 {
        let digest = digest(asked.seed(), found);
        self.log.lock().unwrap().push((asked.label(), digest));
        // Sometimes lets other threads run in between.
        if digest.is_multiple_of(8) {
            thread::yield_now();
        }
        digest
    }

    /// Returns the value that a condition computes from the resource that it reads, if it reads one.
    pub(super) fn read(&self, asked: Asked, found: Option<(usize, u64)>) -> u64 {
        let alone = (N_RESOURCES, false);
        let accesses: Vec<_> = found
            .iter()
            .map(|one| (one.0, false))
            .chain([alone])
            .collect();
        let _inside = self.gates.enter(&accesses);
        self.log(asked, found.map(|one| one.1))
    }
}
