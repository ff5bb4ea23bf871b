//! What the systems of a schedule tell, and whether they overlap.

use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use schedule::prelude::*;

use super::super::case::{Asked, N_RESOURCES};
use super::super::digest::digest;

/// What the systems of a schedule share, beside resources.
pub(super) struct Probe {
    /// Who ran, and what it made of what it found.
    pub(super) log: Mutex<Vec<(String, u64)>>,
    /// By node: how often it ran in this run, or `u64::MAX` if nothing may fail.
    pub(super) n_runs: Vec<AtomicU64>,
    /// By resource: how many read it now; −1 if one writes it. The last is the right to run alone.
    pub(super) gates: [AtomicIsize; N_RESOURCES + 1],
}

/// The same as a resource, which nobody writes.
#[derive(Resource)]
pub(super) struct Shared(pub(super) Arc<Probe>);

/// A function that is in its gates, until this is dropped.
pub(super) struct Inside<'a> {
    probe: &'a Probe,
    accesses: &'a [(usize, bool)],
}

impl Probe {
    pub(super) fn enter<'a>(&'a self, accesses: &'a [(usize, bool)]) -> Inside<'a> {
        for &(resource, is_write) in accesses {
            let gate = &self.gates[resource];
            let is_free = if is_write {
                gate.swap(-1, Ordering::SeqCst) == 0
            } else {
                gate.fetch_add(1, Ordering::SeqCst) >= 0
            };
            assert!(is_free, "overlaps with another one on {resource}");
        }
        Inside {
            probe: self,
            accesses,
        }
    }

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
        let _inside = self.enter(&accesses);
        self.log(asked, found.map(|one| one.1))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        for &(resource, is_write) in self.accesses {
            let gate = &self.probe.gates[resource];
            if is_write {
                gate.store(0, Ordering::SeqCst);
            } else {
                gate.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}
