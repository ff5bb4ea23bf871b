//! Balances that several threads change, one after the other.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::batch::{Batch, Result};
use crate::business::Verdict;
use crate::entry::Cells;

/// Cells and verdicts. The scheduler ensures that no two threads access the same one at the same time. The accesses are
/// relaxed, which cost the same as plain ones.
pub(crate) struct Shared {
    cells: Vec<AtomicI64>,
    /// The verdicts, by position.
    verdicts: Vec<AtomicU64>,
}

impl Shared {
    pub(crate) fn new(batch: &Batch) -> Self {
        let n_events = batch.entries.len();
        Self {
            cells: batch.opening.iter().copied().map(AtomicI64::new).collect(),
            verdicts: (0..n_events).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    pub(crate) fn reset(&self, batch: &Batch) {
        for (cell, opening) in self.cells.iter().zip(&batch.opening) {
            cell.store(*opening, Ordering::Relaxed);
        }
        for verdict in &self.verdicts {
            verdict.store(0, Ordering::Relaxed);
        }
    }

    /// Handles the event of this position.
    pub(crate) fn settle(&self, batch: &Batch, position: usize) {
        let verdict = batch.entries[position].settle(&mut &*self);
        self.verdicts[position].store(encode(verdict), Ordering::Relaxed);
    }

    pub(crate) fn result(&self) -> Result {
        let verdicts = self.verdicts.iter();
        Result {
            cells: self
                .cells
                .iter()
                .map(|cell| cell.load(Ordering::Relaxed))
                .collect(),
            verdicts: verdicts
                .map(|one| decode(one.load(Ordering::Relaxed)))
                .collect(),
        }
    }
}

impl Cells for &Shared {
    #[inline]
    fn get(&self, cell: u32) -> i64 {
        self.cells[cell as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn set(&mut self, cell: u32, balance: i64) {
        self.cells[cell as usize].store(balance, Ordering::Relaxed);
    }
}

/// Zero stands for no verdict.
pub(crate) fn encode(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::Refused => 1,
        Verdict::Settled(change) => 2 | u64::from(change as u32) << 32,
    }
}

pub(crate) fn decode(code: u64) -> Option<Verdict> {
    match code as u32 {
        0 => None,
        1 => Some(Verdict::Refused),
        _ => Some(Verdict::Settled((code >> 32) as i32)),
    }
}
