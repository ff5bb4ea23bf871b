//! Bytes that are not a whole snapshot are errors.

use proptest::prelude::*;
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError, SnapshotReader};

use super::{Account, Journey, Score, restored, saved, whole};

fn text(bytes: &[u8]) -> String {
    SnapshotReader::new(bytes).unwrap_err().to_string()
}

#[test]
fn every_cut_is_an_error() {
    let bytes = whole();
    for n in 0..bytes.len() {
        let error = SnapshotReader::new(&bytes[..n]).unwrap_err();
        let expected = if n < 24 { 28 } else { bytes.len() as u64 };
        let found = n as u64;
        assert_eq!(error, SnapshotError::Cut { found, expected }, "{n}");
    }
    assert_eq!(
        text(&bytes[..30]),
        format!(
            "the snapshot is cut: it has 30 bytes, but needs {}; use another snapshot",
            bytes.len()
        )
    );
}

#[test]
fn every_flipped_bit_is_an_error() {
    let bytes = whole();
    for nth in 0..bytes.len() * 8 {
        let mut bytes = bytes.clone();
        bytes[nth / 8] ^= 1 << (nth % 8);
        let error = SnapshotReader::new(&bytes).unwrap_err();
        let is_expected = match nth / 8 {
            0..8 => error == SnapshotError::Foreign,
            8..12 => matches!(error, SnapshotError::Format { .. }),
            16..24 => matches!(
                error,
                SnapshotError::Cut { .. } | SnapshotError::Damaged { .. }
            ),
            _ => matches!(error, SnapshotError::Damaged { .. }),
        };
        assert!(is_expected, "bit {nth}: {error}");
    }
}

#[test]
fn messages_name_the_damage_and_the_remedy() {
    let bytes = whole();
    let n = bytes.len();
    let mut changed = bytes.clone();
    changed[40] ^= 1;
    assert_eq!(
        text(&changed),
        format!(
            "the snapshot is damaged at byte {}: the checksum does not match the content; use another snapshot",
            n - 4
        )
    );
    assert_eq!(
        text(&[&bytes[..], &[0]].concat()),
        format!("the snapshot is damaged at byte {n}: bytes follow the end; use another snapshot")
    );
    assert_eq!(
        text(b"# A text of another program"),
        "the bytes are not a snapshot: check that they come from `SnapshotWriter::finish`"
    );
    let mut newer = bytes;
    newer[8] = 3;
    assert_eq!(
        text(&newer),
        "the snapshot has format 3, but this program reads formats up to 2: use the version of the program that wrote the snapshot, or a \
         newer one"
    );
}

/// Replaces the checksum by that of the content, so that only the content is wrong.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn content_is_checked_even_if_its_checksum_is_right() {
    let bytes = saved(&Score(7));
    // The number of sections is at byte 12, the first section at byte 24: its name, its version, its schema of 20 bytes and its length.
    let change = |changes: &[(usize, u8)]| {
        let mut bytes = bytes.clone();
        changes.iter().for_each(|(nth, to)| bytes[*nth] = *to);
        with_checksum(bytes)
    };
    let damaged = |offset, reason| SnapshotError::Damaged { offset, reason };
    let error = |changes| SnapshotReader::new(&change(changes)).unwrap_err();
    assert_eq!(error(&[(12, 2)]), damaged(67, "a section is cut"));
    assert_eq!(
        error(&[(12, 0)]),
        damaged(24, "bytes follow the last section")
    );
    assert_eq!(error(&[(24, 200)]), damaged(24, "a section is cut"));
    assert_eq!(error(&[(37, 255)]), damaged(24, "a section is cut"));
    assert_eq!(error(&[(65, 255)]), damaged(24, "a section is cut"));
    assert_eq!(error(&[(16, 3)]), damaged(16, "the length is too small"));
    assert_eq!(
        error(&[(25, 0xff)]),
        damaged(24, "the name of a section is not UTF-8")
    );
}

#[test]
fn schema_that_cannot_be_read_is_an_error_with_the_name_of_its_value() {
    let mut bytes = saved(&Score(7));
    // The schema is at byte 38.
    bytes[38] = 0xff;
    let bytes = with_checksum(bytes);
    let reader = SnapshotReader::new(&bytes).unwrap();
    let error = reader.restore::<Score>().map(drop).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("the schema of `score` cannot be read: ")
            && text.ends_with(
                "; use the version of the program that wrote the snapshot, or a newer one, or another snapshot"
            ),
        "{text}"
    );
    assert_eq!(reader.sections().next().unwrap().schema(), Err(error));
}

#[test]
fn two_sections_with_one_name_are_an_error() {
    let bytes = saved(&Score(7));
    let section = bytes[24..67].to_vec();
    let mut twice = bytes[..67].to_vec();
    twice.extend(section);
    twice.extend([0; 4]);
    twice[12] = 2;
    twice[16] = twice.len() as u8;
    let error = SnapshotReader::new(&with_checksum(twice)).unwrap_err();
    let name = "score".to_string();
    assert_eq!(error, SnapshotError::Duplicate { name });
}

#[test]
fn bytes_after_a_value_are_an_error() {
    /// A type with the name, the version and the schema of `Score`, but with other bytes.
    struct Longer(u32, u32);

    impl Snapshot for Longer {
        const NAME: &'static str = "score";
        const VERSION: u32 = 1;

        fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
            to.write(&(self.0, self.1))
        }

        fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
            let (first, second) = from.read()?;
            Ok(Self(first, second))
        }

        fn schema() -> Schema {
            Score::schema()
        }
    }

    let error = restored::<Score>(&saved(&Longer(7, 300))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`score` cannot be restored: 2 bytes follow the value, at byte 1 of its section"
    );
    let bytes = saved(&Longer(7, 300));
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert_eq!(reader.restore_into(&mut Score(0)), Err(error));
    let error = restored::<Longer>(&saved(&Score(7))).err().unwrap();
    assert_eq!(
        error.to_string(),
        "`score` cannot be restored: the bytes end inside a value, at byte 0 of its section"
    );
}

#[test]
fn length_that_is_too_large_allocates_little() {
    // The length of the list is larger than the memory of any machine, but no memory is needed before elements are read.
    let bytes = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    let error = Decoder::new(&bytes).read::<Vec<u64>>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a value cannot be restored: the bytes end inside a value, at byte 0"
    );
}

proptest! {
    #[test]
    fn any_bytes_are_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..200), n_head in 0..24_usize) {
        prop_assert!(SnapshotReader::new(&bytes).is_err());
        // The same with the begin of a snapshot.
        let n = n_head.min(bytes.len());
        bytes[..n].copy_from_slice(&whole()[..n]);
        prop_assert!(SnapshotReader::new(&bytes).is_err());
    }

    /// Damage that the checksum does not show: values are restored or not, but nothing panics.
    #[test]
    fn changed_content_with_a_right_checksum_does_not_panic(
        changes in prop::collection::vec((24..150_usize, any::<u8>()), 1..6),
    ) {
        let mut bytes = whole();
        for (nth, to) in changes {
            let n = bytes.len() - 4;
            bytes[24 + (nth - 24) % (n - 24)] = to;
        }
        let bytes = with_checksum(bytes);
        if let Ok(reader) = SnapshotReader::new(&bytes) {
            let _ = reader.restore::<Score>();
            let _ = reader.restore::<Account>();
            let _ = reader.restore::<Journey>();
        }
    }
}
