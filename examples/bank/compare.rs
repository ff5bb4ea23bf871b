//! The comparison of the newest snapshot with a replay.

use std::path::Path;

use schedule_stream::durable::DurableError;

use crate::ledger::{bank, first_state};

/// Prints the result, and returns whether no difference was found. The folder may be in use, and nothing is changed.
///
/// # Errors
///
/// Fails if an outcome differs from the one before, or if the files cannot be read.
pub(crate) fn run(folder: &Path) -> Result<bool, DurableError> {
    let Some(comparison) = bank().compare(folder, first_state())? else {
        println!("nothing to compare: the folder has fewer than two whole snapshots");
        return Ok(true);
    };
    println!("{comparison}");
    Ok(comparison.is_equal())
}
