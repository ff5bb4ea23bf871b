//! The journal is kept back to the second newest whole snapshot.

use schedule_stream::journal::{
    Journal, MemoryJournal, MemorySnapshots, Snapshots, keep_two, open_on, retain,
};

use super::disk::SimulatedDisk;
use super::{append_synced, batches, head};

#[test]
fn two_snapshots_and_the_batches_after_the_older_one_are_kept() {
    let mut journal = MemoryJournal::new();
    let mut snapshots = MemorySnapshots::new();
    journal.set_max_segment_bytes(1);
    journal.start(&head(1)).unwrap();
    let mut kept = Vec::new();
    for batch in 1..=6 {
        append_synced(&mut journal, batch..=batch, 1);
        if batch % 2 == 0 {
            snapshots.write(batch, b"state").unwrap();
            retain(&mut journal, &mut snapshots).unwrap();
            kept.push((snapshots.list().unwrap(), batches(&mut journal)));
        }
    }
    let expected = [
        (vec![2], vec![1, 2]),
        (vec![4, 2], vec![3, 4]),
        (vec![6, 4], vec![5, 6]),
    ];
    assert_eq!(kept, expected);
}

#[test]
fn damaged_snapshot_does_not_count() {
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.set_max_segment_bytes(1);
    opened.journal.start(&head(1)).unwrap();
    for batch in 1..=4 {
        append_synced(&mut opened.journal, batch..=batch, 1);
        opened.snapshots.write(batch, b"state").unwrap();
    }
    for name in disk.names() {
        if name.contains("snapshot-00000000000000000003") {
            let mut bytes = disk.content(&name);
            *bytes.last_mut().unwrap() ^= 1;
            disk.set_content(&name, bytes);
        }
    }
    assert_eq!(keep_two(&mut opened.snapshots).unwrap(), Some(3));
    // The damaged file stays for an examination.
    assert_eq!(opened.snapshots.list().unwrap(), [4, 3, 2]);
    retain(&mut opened.journal, &mut opened.snapshots).unwrap();
    assert_eq!(batches(&mut opened.journal), [3, 4]);
}

#[test]
fn one_whole_snapshot_removes_nothing() {
    let mut snapshots = MemorySnapshots::new();
    assert_eq!(keep_two(&mut snapshots).unwrap(), None);
    snapshots.write(8, b"state").unwrap();
    assert_eq!(keep_two(&mut snapshots).unwrap(), None);
    assert_eq!(snapshots.list().unwrap(), [8]);
}
