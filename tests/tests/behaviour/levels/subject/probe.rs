//! What the systems of a schedule tell, and whether they overlap.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::thread;

use schedule::prelude::*;

use super::super::case::{Asked, N_RESOURCES};
use super::super::digest::digest;
use crate::gates::Gates;

/// What the systems of a schedule share, beside resources.
pub(super) struct Probe {
    /// Who ran, and what it made of what it found.
    pub(super) log: Mutex<Vec<(String, u64)>>,
    /// By node: how often it ran in this run, or `u64::MAX` if nothing may fail.
    pub(super) n_runs: Vec<AtomicU64>,
    /// By resource; the last is the right to run alone.
    pub(super) gates: Gates<{ N_RESOURCES + 1 }>,
}

/// The same as a resource that no system writes.
#[derive(Resource)]
pub(super) struct Shared(pub(super) Arc<Probe>);

impl Probe {
    pub(super) fn log(&self, asked: Asked, found: impl IntoIterator<Item = u64>) -> u64 {
        let digest = digest(asked.seed(), found);
        self.log.lock().unwrap().push((asked.label(), digest));
        // Now and then, others get a chance to come in between.
        if digest.is_multiple_of(8) {
            thread::yield_now();
        }
        digest
    }

    /// What a condition makes of the one resource that it reads, if it does.
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
