//! The result of the analysis.

use crate::row::Table;
use crate::summary::Summary;

pub(crate) struct Analysis {
    pub(crate) table: Table,
    pub(crate) summary: Summary,
}

impl Analysis {
    /// # Panics
    ///
    /// Panics if the two differ, with the first block that differs.
    pub(crate) fn assert_same(&self, other: &Self) {
        assert_eq!(self.table.len(), other.table.len(), "number of blocks");
        for (ours, theirs) in self.table.iter().zip(other.table.iter()) {
            assert_eq!(ours, theirs, "block {}", ours.block);
        }
        assert_eq!(self.summary, other.summary, "all blocks");
    }
}
