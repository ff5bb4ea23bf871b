//! Failed calls of the disk: nothing is repeated, and the journal is closed.

use schedule_stream::journal::{Journal, JournalError, Snapshots, open_on};

use super::disk::{Fault, SimulatedDisk};
use super::{append_synced, batches, head, record};

const FIRST_SEGMENT: &str = "journal-00000000000000000001-0000000001.log";

/// A disk with a journal whose batches 1 and 2 are synced.
fn disk() -> SimulatedDisk {
    disk_of(0)
}

/// The same, with the random decisions of a seed.
fn disk_of(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 1..=2, 20);
    drop(opened);
    disk
}

#[test]
fn failed_sync_is_not_repeated() {
    let disk = disk();
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(2)).unwrap();
    append_synced(&mut opened.journal, 3..=3, 20);
    let name = "journal-00000000000000000003-0000000002.log";
    let n_synced = disk.content(name).len();
    opened.journal.append(&[record(4, 20)]).unwrap();
    disk.fail_once(1, Fault::Device);
    let error = opened.journal.sync().unwrap_err();
    let text = error.to_string();
    assert_eq!(
        text,
        format!("cannot sync `disk/{name}` at byte {n_synced}, batch 4: the device failed")
    );
    let n_calls = disk.n_calls();
    let closed = format!(
        "the journal is closed, because an earlier operation failed: {text}; open the journal again"
    );
    assert_eq!(opened.journal.sync().unwrap_err().to_string(), closed);
    let appended = opened.journal.append(&[record(5, 20)]);
    assert_eq!(appended.unwrap_err().to_string(), closed);
    let started = opened.journal.start(&head(3));
    assert_eq!(started.unwrap_err().to_string(), closed);
    let truncated = opened.journal.truncate(3);
    assert_eq!(truncated.unwrap_err().to_string(), closed);
    let written = opened.snapshots.write(2, b"state");
    assert_eq!(written.unwrap_err().to_string(), closed);
    assert_eq!(disk.n_calls(), n_calls);
    // The records can still be read.
    assert_eq!(batches(&mut opened.journal), [1, 2, 3, 4]);
}

#[test]
fn full_disk_closes_the_journal_until_it_is_opened_again() {
    let disk = disk();
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(2)).unwrap();
    disk.fail_once(1, Fault::Full);
    let error = opened.journal.append(&[record(3, 2_000)]).unwrap_err();
    let JournalError::Full { batch: 3, .. } = error else {
        panic!("{error}")
    };
    let text = error.to_string();
    assert!(
        text.starts_with("cannot write batch 3 at byte ")
            && text.ends_with(": the disk is full; free some space"),
        "{text}"
    );
    let again = opened.journal.append(&[record(3, 2_000)]).unwrap_err();
    assert!(matches!(again, JournalError::Closed { .. }));
    assert_eq!(batches(&mut opened.journal), [1, 2]);
    drop(opened);

    let mut opened = open_on(disk).unwrap();
    opened.journal.start(&head(3)).unwrap();
    append_synced(&mut opened.journal, 3..=3, 2_000);
    assert_eq!(batches(&mut opened.journal), [1, 2, 3]);
}

#[test]
fn short_write_is_continued() {
    let disk = disk();
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(2)).unwrap();
    let n_calls = disk.n_calls();
    disk.fail_once(1, Fault::Short);
    append_synced(&mut opened.journal, 3..=5, 500);
    // Two writes and a sync.
    assert_eq!(disk.n_calls(), n_calls + 3);
    assert_eq!(batches(&mut opened.journal), [1, 2, 3, 4, 5]);
}

#[test]
fn segment_that_cannot_be_created_closes_the_journal() {
    // Creating, writing, syncing, renaming, and syncing the name.
    for call in 1..=5 {
        let disk = disk();
        let mut opened = open_on(disk.clone()).unwrap();
        disk.fail_once(call, Fault::Device);
        opened.journal.start(&head(2)).unwrap_err();
        let again = opened.journal.start(&head(2)).unwrap_err();
        assert!(matches!(again, JournalError::Closed { .. }), "{again}");
        drop(opened);

        let mut opened = open_on(disk.clone()).unwrap();
        assert_eq!(batches(&mut opened.journal), [1, 2]);
        assert!(opened.journal.start(&head(3)).unwrap() >= 2);
        append_synced(&mut opened.journal, 3..=3, 1);
        drop(opened);
        let names = disk.names();
        assert!(
            names.iter().all(|name| !name.ends_with(".tmp")),
            "{names:?}"
        );
        assert_eq!(batches(&mut open_on(disk).unwrap().journal), [1, 2, 3]);
    }
}

#[test]
fn failed_snapshot_can_be_written_again() {
    // Creating, writing twice, syncing, and renaming.
    for (call, seed) in (1..=5).flat_map(|call| (0..8).map(move |seed| (call, seed))) {
        let disk = disk_of(seed);
        let mut opened = open_on(disk.clone()).unwrap();
        opened.snapshots.write(1, b"old").unwrap();
        disk.fail_once(call, Fault::Device);
        opened.snapshots.write(2, b"new").unwrap_err();
        assert!(disk.has_failed());
        opened.snapshots.write(2, b"newer").unwrap();
        assert_eq!(opened.snapshots.list().unwrap(), [2, 1]);
        assert_eq!(opened.snapshots.read(2).unwrap(), b"newer");
        let names = disk.names();
        assert!(
            names.iter().all(|name| !name.ends_with(".tmp")),
            "{names:?}"
        );
    }
}

#[test]
fn failed_snapshot_on_a_full_disk_frees_its_space() {
    let disk = disk();
    let mut opened = open_on(disk.clone()).unwrap();
    disk.fail_once(3, Fault::Full);
    let error = opened.snapshots.write(2, &[7; 5_000]).unwrap_err();
    assert!(
        matches!(error, JournalError::Full { batch: 2, .. }),
        "{error}"
    );
    assert_eq!(disk.names(), [FIRST_SEGMENT]);
    assert!(opened.snapshots.list().unwrap().is_empty());
}

#[test]
fn snapshot_whose_name_cannot_be_synced_closes_both() {
    let disk = disk();
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(2)).unwrap();
    disk.fail_once(6, Fault::Device);
    let error = opened.snapshots.write(2, b"state").unwrap_err();
    assert_eq!(error.to_string(), "cannot sync `disk`: the device failed");
    for error in [
        opened.snapshots.write(2, b"state").unwrap_err(),
        opened.snapshots.remove_before(2).unwrap_err(),
        opened.journal.append(&[record(3, 1)]).unwrap_err(),
    ] {
        assert!(matches!(error, JournalError::Closed { .. }), "{error}");
    }
}

#[test]
fn snapshot_of_a_batch_that_is_not_synced_is_an_error() {
    let mut opened = open_on(disk()).unwrap();
    opened.journal.start(&head(2)).unwrap();
    opened.journal.append(&[record(3, 1)]).unwrap();
    let error = opened.snapshots.write(3, b"state").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write a snapshot of batch 3: the newest synced batch is 2; sync the journal first"
    );
    opened.journal.sync().unwrap();
    opened.snapshots.write(3, b"state").unwrap();
}
