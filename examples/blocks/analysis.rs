//! All that this example finds out, whichever way.

use crate::row::Table;
use crate::summary::Summary;

pub(crate) struct Analysis {
    pub(crate) table: Table,
    pub(crate) summary: Summary,
}

impl Analysis {
    /// # Panics
    ///
    /// If the two differ in any field, at the first block that does.
    pub(crate) fn assert_same(&self, other: &Self) {
        assert_eq!(self.table.len(), other.table.len(), "number of blocks");
        for (ours, theirs) in self.table.iter().zip(other.table.iter()) {
            assert_eq!(ours, theirs, "block {}", ours.block);
        }
        assert_eq!(self.summary, other.summary, "all blocks");
    }
}
