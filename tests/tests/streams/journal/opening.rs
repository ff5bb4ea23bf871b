//! Opening of a directory, and the repairs of its files.

use std::ops::ControlFlow;

use schedule_stream::journal::{
    Disk, EntryKind, Journal, JournalError, JournalRecord, RULES, Recovered, Snapshots, inspect,
    open_on,
};

use super::disk::SimulatedDisk;
use super::{append_synced, batches, head, note, record, stored};

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
    for (name, newest) in [
        ("snapshot-00000000000000000001.snap", 1),
        (FIRST_SEGMENT, 2),
    ] {
        let old = disk.content(name);
        let mut bytes = old.clone();
        bytes[8] = 7;
        let checksum = crc32(&bytes[..12]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        disk.set_content(name, bytes);
        let before = disk.files();
        let error = open_on(disk.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "`disk/{name}` has format version 7, but this program supports only versions up to {newest}; use the program that \
                 wrote the file, or a newer one"
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

/// The bytes before the entries of segment 1 of generation 1, in this format, and those of them that are in the checksums of entries.
fn segment_head(format: u32, rules: Option<u32>) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = b"SCHEDJNL".to_vec();
    bytes.extend(format.to_le_bytes());
    bytes.extend(crc32(&bytes).to_le_bytes());
    let mut head = b"\x08exchange".to_vec();
    head.extend([0xac, 0x02]);
    head.extend(b"\x02\x05Order\x02\x06Cancel\x01");
    head.extend([0xcd, 0xd7, 0x02]);
    if format > 1 {
        // The events have no schema.
        head.push(0);
    }
    let mut rest = u32::try_from(head.len()).unwrap().to_le_bytes().to_vec();
    rest.extend(1_u64.to_le_bytes());
    rest.extend(1_u64.to_le_bytes());
    rest.extend(rules.into_iter().flat_map(u32::to_le_bytes));
    rest.extend(&head);
    bytes.extend(crc32(&rest).to_le_bytes());
    bytes.extend(&rest);
    (bytes, rest[4..20].to_vec())
}

/// Adds an entry with these bytes after the size of the body.
fn add_entry(bytes: &mut Vec<u8>, segment: &[u8], fields: &[&[u8]], body: &[u8]) {
    let mut entry = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
    fields.iter().for_each(|field| entry.extend(*field));
    entry.extend(body);
    let summed = [segment, &entry].concat();
    bytes.extend(crc32(&summed).to_le_bytes());
    bytes.extend(entry);
}

/// The bytes of the page about the format, written by hand.
#[test]
fn files_have_the_documented_bytes() {
    let disk = SimulatedDisk::new(0);
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(300)).unwrap();
    opened.journal.append(&[record(1, 3)]).unwrap();
    opened.journal.sync().unwrap();
    opened.journal.append(&[note(2, 7), record(2, 0)]).unwrap();
    opened.journal.sync().unwrap();
    opened.snapshots.write(2, b"state").unwrap();

    let (mut expected, segment) = segment_head(2, Some(RULES));
    let entries: [([u64; 4], [u16; 2], &[u8]); 3] = [
        // Number, entries that are synced, batch, time; kind, flags; body.
        ([0, 0, 1, 1_000], [1, 0], &[1, 2, 3]),
        ([1, 1, 2, 0], [2, 0], &[7, 0, 0, 0]),
        ([2, 1, 2, 2_000], [1, 0], &[]),
    ];
    for (numbers, kind, body) in entries {
        let (numbers, kind) = (numbers.map(u64::to_le_bytes), kind.map(u16::to_le_bytes));
        let fields = [numbers.as_flattened(), kind.as_flattened()];
        add_entry(&mut expected, &segment, &fields, body);
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

/// A segment of format 1, written by hand. `n_whole`: the number of records whose checksum agrees.
fn first_format(n_records: u64, n_whole: u64) -> SimulatedDisk {
    let (mut bytes, segment) = segment_head(1, None);
    for batch in 1..=n_records {
        let numbers = [batch, batch - 1, batch * 1_000].map(u64::to_le_bytes);
        add_entry(
            &mut bytes,
            &segment,
            &[numbers.as_flattened()],
            &record(batch, 5).body,
        );
        if batch == n_whole + 1 {
            *bytes.last_mut().unwrap() ^= 1;
        }
    }
    let disk = SimulatedDisk::new(0);
    disk.set_content(FIRST_SEGMENT, bytes);
    disk
}

#[test]
fn segment_of_the_first_format_is_read_and_continued_in_another_one() {
    let disk = first_format(3, 3);
    let before = disk.content(FIRST_SEGMENT);
    let mut opened = open_on(disk.clone()).unwrap();
    assert!(opened.recovered.is_clean());
    opened.journal.start(&head(8)).unwrap();
    append_synced(&mut opened.journal, 4..=5, 20);
    drop(opened);
    assert_eq!(disk.content(FIRST_SEGMENT), before);
    let mut opened = open_on(disk.clone()).unwrap();
    let mut rules = Vec::new();
    let read = opened.journal.read(0, &mut |stored| {
        rules.push((stored.record.batch, stored.head.version, stored.rules));
        ControlFlow::Continue(())
    });
    read.unwrap();
    let first = [1, 2, 3].map(|batch| (batch, 300, 1));
    assert_eq!(
        rules,
        [&first[..], &[(4, 8, RULES), (5, 8, RULES)]].concat()
    );
    assert_eq!(stored(&mut opened.journal, 3)[0].0, record(3, 5));
    let text = inspect(&disk).unwrap().to_string();
    let has = |format, rules| text.contains(&format!("    format {format}, rules {rules}\n"));
    assert!(has(1, 1) && has(2, RULES), "{text}");
}

#[test]
fn damage_and_torn_writes_of_the_first_format_are_told_apart() {
    // The third record says that the second one was synced.
    let error = open_on(first_format(3, 1)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("it was synced before batch 3 was written"),
        "{error}"
    );
    let mut opened = open_on(first_format(3, 2)).unwrap();
    assert_eq!(opened.recovered.cut.as_ref().unwrap().batch, 3);
    assert_eq!(batches(&mut opened.journal), [1, 2]);
}

#[test]
fn unknown_entries_are_skipped_only_if_they_may_be() {
    let disk = disk();
    let mut opened = open_on(disk.clone()).unwrap();
    opened.journal.start(&head(1)).unwrap();
    let unknown = |kind| JournalRecord { kind, ..note(3, 0) };
    let optional = unknown(EntryKind::optional(900));
    opened.journal.append(&[optional, record(3, 1)]).unwrap();
    opened.journal.sync().unwrap();
    drop(opened);
    let mut opened = open_on(disk.clone()).unwrap();
    assert_eq!(batches(&mut opened.journal), [1, 2, 3]);
    opened.journal.start(&head(1)).unwrap();
    let required = JournalRecord {
        batch: 4,
        ..unknown(EntryKind::required(900))
    };
    opened.journal.append(&[required]).unwrap();
    opened.journal.sync().unwrap();
    drop(opened);
    let before = disk.files();
    let error = open_on(disk.clone()).unwrap_err();
    assert!(matches!(
        error,
        JournalError::UnknownEntry {
            batch: 4,
            kind: 900,
            ..
        }
    ));
    assert_eq!(disk.files(), before);
}

#[test]
fn segment_under_unknown_rules_is_an_error() {
    for rules in [0, RULES + 1] {
        let disk = SimulatedDisk::new(0);
        disk.set_content(FIRST_SEGMENT, segment_head(2, Some(rules)).0);
        let error = open_on(disk).unwrap_err().to_string();
        let expected = format!(
            "`disk/{FIRST_SEGMENT}` has batches under rules {rules}, but this program knows only rules up to {RULES}; use the program \
             that wrote them, or a newer one"
        );
        assert_eq!(error, expected);
    }
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
