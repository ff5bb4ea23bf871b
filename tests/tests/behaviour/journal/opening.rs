//! Opening of a directory, and the repairs of its files.

use schedule_stream::journal::{
    Disk, Journal, JournalError, Recovered, Snapshots, inspect, open_on,
};

use super::disk::SimulatedDisk;
use super::{append_synced, batches, head, record};

const FIRST_SEGMENT: &str = "journal-00000000000000000001-0000000001.log";

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 1..=2, 20);
    drop(opened);
    disk
}

#[test]
fn opened_directory_is_locked_until_journal_and_snapshots_are_dropped() {
    let disk = disk();
    let opened = open_on(disk.clone()).unwrap();
    let error = open_on(disk.clone()).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }));
    assert_eq!(
        error.to_string(),
        "`disk` is already open in this process or another one; close it there first"
    );
    drop(opened.journal);
    open_on(disk.clone()).unwrap_err();
    drop(opened.snapshots);
    open_on(disk).unwrap();
}

#[test]
fn clean_directory_needs_no_repair() {
    let disk = disk();
    let before = disk.files();
    let opened = open_on(disk.clone()).unwrap();
    assert!(opened.recovered.is_clean());
    assert_eq!(opened.recovered.to_string(), "");
    assert_eq!(opened.recovered, Recovered::default());
    assert_eq!(opened.journal.head(), Some(&head(1)));
    drop(opened);
    assert_eq!(disk.files(), before);
}

#[test]
fn files_that_are_not_complete_are_removed() {
    let disk = disk();
    let segment = "journal-00000000000000000003-0000000007.log.tmp";
    let snapshot = "snapshot-00000000000000000002.snap.tmp";
    disk.set_content(segment, vec![1]);
    disk.set_content(snapshot, vec![1]);
    assert!(inspect(&disk).unwrap().to_string().ends_with(&format!(
        "not complete: {segment}\nnot complete: {snapshot}\n"
    )));
    let mut opened = open_on(disk.clone()).unwrap();
    let removed = [segment, snapshot].map(|name| disk.path(name));
    assert_eq!(opened.recovered.removed, removed);
    assert_eq!(
        opened.recovered.to_string(),
        format!(
            "`disk/{segment}` was not complete when the program ended; it was removed\n\
             `disk/{snapshot}` was not complete when the program ended; it was removed"
        )
    );
    assert_eq!(disk.names(), [FIRST_SEGMENT]);
    // The number of the start is not used again.
    assert_eq!(opened.journal.start(&head(2)).unwrap(), 8);
}

#[test]
fn foreign_files_are_left_alone() {
    let disk = disk();
    for name in [
        "notes.txt",
        "journal-1-1.log",
        "snapshot-2.snap.tmp",
        "lock.tmp",
    ] {
        disk.set_content(name, b"foreign".to_vec());
    }
    let before = disk.files();
    let mut opened = open_on(disk.clone()).unwrap();
    assert!(opened.recovered.is_clean());
    assert_eq!(batches(&mut opened.journal), [1, 2]);
    assert!(opened.snapshots.list().unwrap().is_empty());
    assert_eq!(disk.files(), before);
}

#[test]
fn file_of_another_format_version_is_an_error() {
    let disk = disk();
    disk.set_content("snapshot-00000000000000000001.snap", {
        let mut opened = open_on(disk.clone()).unwrap();
        opened.snapshots.write(1, b"state").unwrap();
        disk.content("snapshot-00000000000000000001.snap")
    });
    for name in ["snapshot-00000000000000000001.snap", FIRST_SEGMENT] {
        let old = disk.content(name);
        let mut bytes = old.clone();
        bytes[8] = 2;
        let checksum = crc32(&bytes[..12]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        disk.set_content(name, bytes);
        let before = disk.files();
        let error = open_on(disk.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "`disk/{name}` has format version 2, but this program supports only version 1; \
                 use the program that wrote the file"
            )
        );
        assert_eq!(disk.files(), before);
        disk.set_content(name, old);
    }
}

/// The checksum of the format, computed bit by bit (CRC-32, polynomial 0xedb88320).
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// The bytes of the page about the format, written by hand.
#[test]
fn files_have_the_documented_bytes() {
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(300)).unwrap();
    opened.journal.append(&[record(1, 3)]).unwrap();
    opened.journal.sync().unwrap();
    opened.journal.append(&[record(2, 0)]).unwrap();
    opened.journal.sync().unwrap();
    opened.snapshots.write(2, b"state").unwrap();

    let mut preamble = b"SCHEDJNL".to_vec();
    preamble.extend(1_u32.to_le_bytes());
    preamble.extend(crc32(&preamble).to_le_bytes());
    let mut head = b"\x08exchange".to_vec();
    head.extend([0xac, 0x02]);
    head.extend(b"\x02\x05Order\x02\x06Cancel\x01");
    head.extend([0xcd, 0xd7, 0x02]);
    let mut rest = u32::try_from(head.len()).unwrap().to_le_bytes().to_vec();
    rest.extend(1_u64.to_le_bytes());
    rest.extend(1_u64.to_le_bytes());
    rest.extend(&head);
    let mut expected = preamble;
    expected.extend(crc32(&rest).to_le_bytes());
    expected.extend(&rest);
    for (batch, synced, body) in [(1_u64, 0_u64, &[1, 2, 3][..]), (2, 1, &[])] {
        let mut record = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
        record.extend(batch.to_le_bytes());
        record.extend(synced.to_le_bytes());
        record.extend((batch * 1_000).to_le_bytes());
        record.extend(body);
        let mut summed = rest[4..20].to_vec();
        summed.extend(&record);
        expected.extend(crc32(&summed).to_le_bytes());
        expected.extend(record);
    }
    assert_eq!(disk.content(FIRST_SEGMENT), expected);

    let mut expected = b"SCHEDSNP".to_vec();
    expected.extend(1_u32.to_le_bytes());
    expected.extend(crc32(&expected).to_le_bytes());
    let mut rest = 0_u32.to_le_bytes().to_vec();
    rest.extend(2_u64.to_le_bytes());
    rest.extend(5_u64.to_le_bytes());
    rest.extend(b"state");
    expected.extend(crc32(&rest).to_le_bytes());
    expected.extend(rest);
    assert_eq!(disk.content("snapshot-00000000000000000002.snap"), expected);
}

#[test]
fn journal_in_a_directory_with_only_snapshots_continues_after_the_newest_whole_one() {
    let disk = SimulatedDisk::new(0);
    let mut bytes = b"SCHEDSNP".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(crc32(&bytes).to_le_bytes());
    let mut rest = 0_u32.to_le_bytes().to_vec();
    rest.extend(41_u64.to_le_bytes());
    rest.extend(0_u64.to_le_bytes());
    bytes.extend(crc32(&rest).to_le_bytes());
    bytes.extend(rest);
    disk.set_content("snapshot-00000000000000000041.snap", bytes.clone());
    // Not whole: the content is that of another batch.
    disk.set_content("snapshot-00000000000000000050.snap", bytes);
    let mut opened = open_on(disk.clone()).unwrap();
    assert_eq!(opened.journal.next_batch(), 42);
    opened.journal.start(&head(1)).unwrap();
    append_synced(&mut opened.journal, 42..=43, 1);
    opened.snapshots.write(43, b"state").unwrap();
    drop(opened);
    assert_eq!(batches(&mut open_on(disk).unwrap().journal), [42, 43]);
}

#[test]
fn starts_without_batches_leave_one_segment() {
    let disk = disk();
    for generation in 2..=5 {
        let mut opened = open_on(disk.clone()).unwrap();
        assert_eq!(opened.journal.start(&head(1)).unwrap(), generation);
        assert_eq!(opened.journal.next_batch(), 3);
    }
    assert_eq!(
        disk.names(),
        [FIRST_SEGMENT, "journal-00000000000000000003-0000000005.log"]
    );
}

#[test]
fn head_that_is_longer_than_a_segment_does_not_begin_another_one() {
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.set_max_segment_bytes(1);
    opened.journal.start(&head(1)).unwrap();
    let n_calls = disk.n_calls();
    append_synced(&mut opened.journal, 1..=1, 20);
    // A write and a sync.
    assert_eq!(disk.n_calls(), n_calls + 2);
    append_synced(&mut opened.journal, 2..=2, 20);
    assert_eq!(
        disk.names(),
        [FIRST_SEGMENT, "journal-00000000000000000002-0000000001.log"]
    );
}
