//! Removal of snapshots and batches that no recovery needs.

use super::{Journal, JournalError, Snapshots};

/// Removes the snapshots that are older than the two newest whole ones.
///
/// Returns the oldest batch that the journal must keep: the one after the second newest whole snapshot. Pass it to
/// [`Journal::truncate`], which may be on another thread. Returns `None` if there are fewer than two whole snapshots: then the journal
/// must keep all batches.
///
/// Both snapshots are read and checked. Call it when [`Snapshots::write`] has returned.
///
/// # Errors
///
/// If snapshots cannot be listed, read or removed. A damaged snapshot is not an error.
pub fn keep_two(snapshots: &mut dyn Snapshots) -> Result<Option<u64>, JournalError> {
    let mut n_whole = 0;
    for batch in snapshots.list()? {
        match snapshots.check(batch) {
            Ok(_) => n_whole += 1,
            Err(JournalError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
        if n_whole == 2 {
            snapshots.remove_before(batch)?;
            return Ok(Some(batch.saturating_add(1)));
        }
    }
    Ok(None)
}

/// Removes the snapshots and batches that no recovery needs: [`keep_two`] and [`Journal::truncate`] on one thread.
///
/// ```
/// use schedule_stream::journal::{MemoryJournal, MemorySnapshots, Snapshots, retain};
///
/// let mut journal = MemoryJournal::new();
/// let mut snapshots = MemorySnapshots::new();
/// for batch in [0, 1, 2] {
///     snapshots.write(batch, b"state")?;
///     retain(&mut journal, &mut snapshots)?;
/// }
/// assert_eq!(snapshots.list()?, [2, 1]);
/// # Ok::<(), schedule_stream::journal::JournalError>(())
/// ```
///
/// # Errors
///
/// If snapshots cannot be listed, read or removed, or if segments cannot be removed.
pub fn retain(
    journal: &mut dyn Journal,
    snapshots: &mut dyn Snapshots,
) -> Result<(), JournalError> {
    match keep_two(snapshots)? {
        Some(before) => journal.truncate(before),
        None => Ok(()),
    }
}
