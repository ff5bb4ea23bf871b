//! A simple solution with rayon: a lock for each account. It is not deterministic.

use std::sync::{Mutex, MutexGuard};

use rayon::prelude::*;

use crate::batch::{Batch, Result};
use crate::business::Verdict;
use crate::cells::{decode, encode};
use crate::contender::Contender;
use crate::entry::{Cells, Entry};
use crate::pools::Pools;

pub(crate) struct Mutexes<'b> {
    batch: &'b Batch,
    pools: &'b Pools,
    cells: Vec<Mutex<i64>>,
    verdicts: Vec<u64>,
}

impl<'b> Mutexes<'b> {
    pub(crate) fn new(batch: &'b Batch, pools: &'b Pools) -> Self {
        Self {
            batch,
            pools,
            cells: batch.opening.iter().copied().map(Mutex::new).collect(),
            verdicts: vec![0; batch.entries.len()],
        }
    }
}

impl Contender for Mutexes<'_> {
    fn name(&self) -> &'static str {
        "rayon + mutex"
    }

    fn reset(&mut self) {
        for (cell, opening) in self.cells.iter_mut().zip(&self.batch.opening) {
            *cell.get_mut().expect("no thread panicked") = *opening;
        }
        self.verdicts.fill(0);
    }

    fn run(&mut self) {
        let (entries, cells) = (&self.batch.entries, &self.cells);
        let verdicts = &mut self.verdicts;
        self.pools.peers.install(|| {
            let all = entries.par_iter().zip(verdicts.par_iter_mut());
            all.for_each(|(entry, verdict)| *verdict = encode(settle(entry, cells)));
        });
    }

    fn result(&self) -> Result {
        let cells = self.cells.iter();
        Result {
            cells: cells
                .map(|cell| *cell.lock().expect("no thread panicked"))
                .collect(),
            verdicts: self.verdicts.iter().copied().map(decode).collect(),
        }
    }

    fn is_right(&self, batch: &Batch) -> bool {
        batch.is_kept(&self.result())
    }
}

/// The locks that an event needs, by cell.
struct Locked<'c>([Option<(u32, MutexGuard<'c, i64>)>; 3]);

fn settle(entry: &Entry, cells: &[Mutex<i64>]) -> Verdict {
    let keys = entry.keys();
    let mut numbers = [u32::MAX; 3];
    for (number, key) in numbers.iter_mut().zip(keys.iter()) {
        *number = key.cell();
    }
    // Always in this order, to avoid deadlocks.
    numbers.sort_unstable();
    let lock = |cell: u32| Some((cell, cells.get(cell as usize)?.lock().ok()?));
    entry.settle(&mut Locked(numbers.map(lock)))
}

impl Locked<'_> {
    fn place(&self, cell: u32) -> usize {
        let is_it = |one: &Option<(u32, MutexGuard<'_, i64>)>| {
            one.as_ref().is_some_and(|(number, _)| *number == cell)
        };
        self.0
            .iter()
            .position(is_it)
            .expect("an event lists all cells that it accesses")
    }
}

impl Cells for Locked<'_> {
    #[inline]
    fn get(&self, cell: u32) -> i64 {
        self.0[self.place(cell)]
            .as_ref()
            .map_or(0, |(_, balance)| **balance)
    }

    #[inline]
    fn set(&mut self, cell: u32, balance: i64) {
        let place = self.place(cell);
        if let Some((_, locked)) = &mut self.0[place] {
            **locked = balance;
        }
    }
}
