//! A loop over a vector: the baseline.

use crate::batch::{Batch, Plain, Result};
use crate::business::Verdict;
use crate::contender::Contender;

/// Its name in tables and results.
pub(crate) const NAME: &str = "serial loop";

pub(crate) struct Serial<'b> {
    batch: &'b Batch,
    cells: Plain,
    verdicts: Vec<Verdict>,
}

impl<'b> Serial<'b> {
    pub(crate) fn new(batch: &'b Batch) -> Self {
        Self {
            batch,
            cells: Plain(batch.opening.clone()),
            verdicts: Vec::with_capacity(batch.entries.len()),
        }
    }
}

impl Contender for Serial<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reset(&mut self) {
        self.cells.0.copy_from_slice(&self.batch.opening);
        self.verdicts.clear();
    }

    fn run(&mut self) {
        for entry in &self.batch.entries {
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
