//! A journal in a redb database: one entry for each batch, one transaction for each group.

use std::ops::ControlFlow;
use std::path::Path;

use redb::{Database, TableDefinition};
use schedule_stream::journal::{
    EntryKind, Journal, JournalError, JournalHead, JournalRecord, StoredRecord,
};

pub(crate) const RECORDS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("records");

/// Stores records, and never reads them.
pub(crate) struct RedbJournal {
    database: Database,
    head: Option<JournalHead>,
    group: Vec<JournalRecord>,
    next: u64,
}

impl RedbJournal {
    pub(crate) fn create(file: &Path) -> Self {
        Self {
            database: Database::create(file).expect("the database can be created"),
            head: None,
            group: Vec::new(),
            next: 1,
        }
    }
}

/// Commits one transaction with these entries. It is durable when this returns.
pub(crate) fn commit<'e>(database: &Database, entries: impl Iterator<Item = (u64, &'e [u8])>) {
    let transaction = database.begin_write().expect("a transaction begins");
    {
        let table = transaction.open_table(RECORDS);
        let mut table = table.expect("the table opens");
        for (number, bytes) in entries {
            table.insert(number, bytes).expect("an entry is inserted");
        }
    }
    transaction.commit().expect("the transaction is committed");
}

impl Journal for RedbJournal {
    fn start(&mut self, head: &JournalHead) -> Result<u64, JournalError> {
        self.head = Some(head.clone());
        Ok(1)
    }

    fn append(&mut self, records: &[JournalRecord]) -> Result<(), JournalError> {
        self.group.extend_from_slice(records);
        let batches = records.iter().filter(|one| one.kind == EntryKind::BATCH);
        self.next += batches.count() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        let entries = self
            .group
            .iter()
            .filter(|record| record.kind == EntryKind::BATCH)
            .map(|record| (record.batch, &*record.body));
        commit(&self.database, entries);
        self.group.clear();
        Ok(())
    }

    fn truncate(&mut self, _: u64) -> Result<(), JournalError> {
        Ok(())
    }

    fn read(
        &mut self,
        _: u64,
        _: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        Ok(())
    }

    fn first_batch(&self) -> Option<u64> {
        None
    }

    fn last_batch(&self) -> Option<u64> {
        None
    }

    fn next_batch(&self) -> u64 {
        self.next
    }

    fn head(&self) -> Option<&JournalHead> {
        self.head.as_ref()
    }
}
