//! Recovery of a state that is only read.

use std::path::Path;

use super::error::DurableError;
use super::stream::DurableStream;
use super::{Durable, DurableEvent};
use crate::persist::journal;
use schedule::Resources;

impl<E: DurableEvent> Durable<E> {
    /// Recovers the state as [`recover`](Self::recover), to read it only, for example on a full disk. The directory must exist. Nothing in
    /// it is locked, repaired or changed, so another program may have it open.
    ///
    /// The stream accepts no events and takes no snapshots: such calls fail with [`DurableError::ReadOnly`]. Its resources can be
    /// read. A [service](crate::service) of this stream answers queries. It also answers a repeated event whose idempotency key is known.
    ///
    /// ```
    /// # use schedule::prelude::*;
    /// # use schedule::snapshot::Snapshot;
    /// # use schedule_stream::durable::{Durable, DurableError};
    /// # use schedule_stream::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
    /// # #[snapshot(name = "sum")]
    /// # struct Sum(u64);
    /// # #[derive(Event, Snapshot, Serialize, Deserialize)]
    /// # #[event(add, answer = u64)]
    /// # #[snapshot(name = "add")]
    /// # struct Add(u64);
    /// # #[handler]
    /// # fn add(event: &Add, sum: &mut Sum) -> u64 {
    /// #     sum.0 += event.0;
    /// #     sum.0
    /// # }
    /// # fn counter() -> Durable<Add> {
    /// #     Durable::new("counter", 1).state::<Sum>()
    /// # }
    /// # fn resources() -> Resources {
    /// #     let mut resources = Resources::new();
    /// #     resources.insert_default::<Sum>();
    /// #     resources
    /// # }
    /// # let directory = std::env::temp_dir().join(format!("schedule-stream-read-only-{}", std::process::id()));
    /// let mut stream = counter().recover(&directory, resources())?;
    /// stream.process_batch([Add(2)], drop)?;
    ///
    /// let mut read = counter().recover_read_only(&directory, resources())?;
    /// assert_eq!(read.resources().get::<Sum>().unwrap().0, 2);
    /// let refused = read.process_batch([Add(3)], drop);
    /// assert!(matches!(refused, Err(DurableError::ReadOnly)));
    /// # drop(stream);
    /// # std::fs::remove_dir_all(&directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// If another program has the directory open, the last batches of the state may not be synced yet. If the other
    /// program removes files during the call, the call fails with [`DurableError::Journal`]. Then call it again. An event that
    /// [ends the process](super#events-that-end-the-process) also ends the reading process. This does not count towards a dead letter.
    ///
    /// # Errors
    ///
    /// Fails if the journal is damaged, or belongs to another program or version, and otherwise as `recover`. Fails with
    /// [`DurableError::NoSnapshot`] for a directory that no stream has used, and with [`DurableError::OtherProcesses`] for that of a
    /// cluster. Fails with [`DurableError::Journal`] of a [`JournalError::ReadOnly`](crate::journal::JournalError::ReadOnly) if
    /// [`skip`](Self::skip) or [`accept_new_outcomes_from`](Self::accept_new_outcomes_from) would write to the journal.
    ///
    /// # Panics
    ///
    /// As `recover`.
    pub fn recover_read_only(
        self,
        directory: impl AsRef<Path>,
        resources: Resources,
    ) -> Result<DurableStream<E>, DurableError> {
        let opened = journal::open_read_only(directory)?;
        let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
        let mut stream = self.recover_from(journal, snapshots, resources)?;
        stream.recovery_mut().files = opened.recovered;
        Ok(stream)
    }
}
