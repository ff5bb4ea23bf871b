//! Two processors without communication. No contender that respects an order can be faster.

use crate::batch::{Batch, Plain, Result};
use crate::business::Verdict;
use crate::contender::Contender;
use crate::entry::Entry;
use crate::pools::Pools;

/// Its name in tables and results.
pub(crate) const NAME: &str = "two halves";

/// Each worker handles half of the events, with separate balances.
pub(crate) struct Halves<'b> {
    opening: &'b [i64],
    pools: &'b Pools,
    halves: [Half<'b>; 2],
    expected: [Result; 2],
}

struct Half<'b> {
    entries: &'b [Entry],
    cells: Plain,
    verdicts: Vec<Verdict>,
}

impl<'b> Halves<'b> {
    pub(crate) fn new(batch: &'b Batch, pools: &'b Pools) -> Self {
        let (first, second) = batch.entries.split_at(batch.entries.len() / 2);
        let mut halves = [first, second].map(|entries| Half {
            entries,
            cells: Plain(batch.opening.clone()),
            verdicts: Vec::with_capacity(entries.len()),
        });
        halves.iter_mut().for_each(Half::run);
        Self {
            expected: halves.each_ref().map(Half::result),
            opening: &batch.opening,
            pools,
            halves,
        }
    }
}

impl Half<'_> {
    fn run(&mut self) {
        for entry in self.entries {
            self.verdicts.push(entry.settle(&mut self.cells));
        }
    }

    fn result(&self) -> Result {
        Result {
            cells: self.cells.0.clone(),
            verdicts: self.verdicts.iter().copied().map(Some).collect(),
        }
    }
}

impl Contender for Halves<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reset(&mut self) {
        for half in &mut self.halves {
            half.cells.0.copy_from_slice(self.opening);
            half.verdicts.clear();
        }
    }

    fn run(&mut self) {
        let [first, second] = &mut self.halves;
        let both = || rayon::join(|| first.run(), || second.run());
        self.pools.peers.install(both);
    }

    /// The verdicts on the first half.
    fn result(&self) -> Result {
        self.halves[0].result()
    }

    fn is_right(&self, _: &Batch) -> bool {
        self.halves.each_ref().map(Half::result) == self.expected
    }
}
