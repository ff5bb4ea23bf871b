//! The bytes of a snapshot.

use std::collections::BTreeMap;

use schedule::snapshot::{
    Decoder, Encoder, Schema, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter,
};
use schedule_tests::listener::Listener;
use serde::{Deserialize, Serialize};

use super::{Account, Journey, Score, account, journey, saved, whole};

#[test]
fn values_are_restored_by_name_in_any_order() {
    let bytes = whole();
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert_eq!(reader.restore::<Journey>().unwrap(), journey());
    assert_eq!(reader.restore::<Score>().unwrap(), Score(7));
    let mut replaced = Account {
        balance: 0,
        owner: None,
    };
    reader.restore_into(&mut replaced).unwrap();
    assert_eq!(replaced, account());
    let names: Vec<_> = reader
        .sections()
        .map(|one| (one.name, one.version))
        .collect();
    assert_eq!(names, [("score", 1), ("account", 2), ("journey", 1)]);
}

/// The example of `docs/snapshot-format.md`.
#[test]
fn layout_is_that_of_the_documentation() {
    let mut writer = SnapshotWriter::new();
    writer.section(&Score(7)).unwrap();
    writer.section(&account()).unwrap();
    let expected = [
        b"\x89SCHSNP\n\x02\0\0\0\x02\0\0\0\x91\0\0\0\0\0\0\0".as_slice(),
        b"\x05score\x01\0\0\0",
        b"\x14\0\0\0\x03\x0b\x05score\x01\x01\x07\x05Score\x02\x01\x08",
        b"\x01\0\0\0\0\0\0\0\x07",
        b"\x07account\x02\0\0\0",
        b"\x2c\0\0\0\x05\x0b\x07account\x02\x01\x09\x07Account\x02\x07balance\x02\x05owner\x03\x01\x09\x02\x04\x01\x0e",
        b"\x06\0\0\0\0\0\0\0\x05\x01\x03Ada",
        b"\xd7\xa4\xa1\xc7",
    ];
    assert_eq!(writer.finish(), expected.concat());
    let page = include_str!("../../../../docs/snapshot-format.md");
    let rows = page.lines().filter_map(|line| {
        let (_, bytes) = line.strip_prefix("    ")?.split_once("  ")?;
        Some(bytes.trim())
    });
    let shown: Vec<u8> = rows
        .flat_map(str::split_whitespace)
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect();
    assert_eq!(shown, expected.concat());
}

/// The same values as in the example, from a release that stored no schemas.
const FIRST_FORMAT: [&[u8]; 4] = [
    b"\x89SCHSNP\n\x01\0\0\0\x02\0\0\0\x49\0\0\0\0\0\0\0",
    b"\x05score\x01\0\0\0\x01\0\0\0\0\0\0\0\x07",
    b"\x07account\x02\0\0\0\x06\0\0\0\0\0\0\0\x05\x01\x03Ada",
    b"\x05\xfc\x21\x42",
];

#[test]
fn snapshot_in_the_first_format_is_restored_with_one_warning() {
    let bytes = FIRST_FORMAT.concat();
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert!(!reader.has_schemas());
    let texts = Listener::warnings(|| {
        assert_eq!(reader.restore::<Score>().unwrap(), Score(7));
        reader.finish().unwrap_err();
        assert_eq!(reader.restore::<Account>().unwrap(), account());
        reader.finish().unwrap();
        reader.finish().unwrap();
    });
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("an older release has written the snapshot:"));
    assert_eq!(reader.sections().next().unwrap().schema(), Ok(None));
    let new = saved(&Score(7));
    let reader = SnapshotReader::new(&new).unwrap();
    let texts = Listener::warnings(|| {
        reader.restore::<Score>().unwrap();
        reader.finish().unwrap();
    });
    assert!(texts.is_empty(), "{texts:?}");
}

#[test]
fn snapshot_without_sections_is_whole() {
    let bytes = SnapshotWriter::new().finish();
    assert_eq!(bytes.len(), 28);
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert_eq!(reader.sections().count(), 0);
    assert!(!reader.contains::<Score>());
    let error = reader.restore::<Score>().unwrap_err();
    assert_eq!(error, SnapshotError::Missing { name: "score" });
    assert_eq!(
        error.to_string(),
        "the snapshot has no value `score`: the program that wrote it did not save this type, or gave it another name: see `renamed`"
    );
}

#[test]
fn name_is_saved_once() {
    let mut writer = SnapshotWriter::new();
    writer.section(&Score(7)).unwrap();
    let error = writer.section(&Score(8)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshot cannot have two values with the name `score`: give each type a different name"
    );
    assert_eq!(writer.finish(), saved(&Score(7)), "nothing was added");
}

/// A type that needs a format with names.
#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "flat")]
struct Flat {
    before: String,
    #[serde(flatten)]
    rest: BTreeMap<String, u32>,
}

#[test]
fn value_that_cannot_be_saved_adds_nothing() {
    let mut writer = SnapshotWriter::new();
    writer.section(&Score(7)).unwrap();
    let flat = Flat {
        before: "a long text".to_string(),
        rest: BTreeMap::new(),
    };
    let error = writer.section(&flat).err().unwrap();
    assert!(
        matches!(
            error,
            SnapshotError::Encode {
                name: Some("flat"),
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().starts_with("`flat` cannot be saved: "));
    writer.section(&account()).unwrap();
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert_eq!(reader.sections().count(), 2);
    assert_eq!(reader.restore::<Account>().unwrap(), account());
}

/// A type whose values write a part, and then fail.
struct Unfinished;

impl Snapshot for Unfinished {
    const NAME: &'static str = "unfinished";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.save(&Score(9))?;
        Err(to.error("it is not finished"))
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let Score(_) = from.restore(1)?;
        Err(from.error("it is not finished"))
    }

    fn schema() -> Schema {
        Schema::of_saved::<Score>()
    }
}

#[test]
fn encoder_writes_whole_values_only() {
    let mut encoder = Encoder::new();
    encoder.write("before").unwrap();
    let before = encoder.as_bytes().to_vec();
    let error = encoder.save(&Unfinished).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`unfinished` cannot be saved: it is not finished"
    );
    assert_eq!(encoder.as_bytes(), before);
    // The field before the one that fails is written first.
    let flat = Flat {
        before: "a long text".to_string(),
        rest: BTreeMap::new(),
    };
    encoder.write(&(1, flat)).unwrap_err();
    assert_eq!(encoder.as_bytes(), before);
    let error = encoder.error("of no type");
    assert_eq!(error.to_string(), "a value cannot be saved: of no type");
    encoder.clear();
    encoder.write("after").unwrap();
    assert_eq!(encoder.into_bytes(), b"\x05after");
}

#[test]
fn error_names_the_type_that_fails() {
    let mut decoder = Decoder::new(&[9]);
    let error = decoder.restore::<Unfinished>(1).err().unwrap();
    assert_eq!(
        error.to_string(),
        "`unfinished` cannot be restored: it is not finished, at byte 1 of its section"
    );
    assert_eq!(decoder.n_left(), 0);
    let error = decoder.error("of no type");
    assert_eq!(
        error.to_string(),
        "a value cannot be restored: of no type, at byte 1"
    );
}

#[test]
fn buffer_is_reused() {
    let expected = saved(&Score(7));
    let mut buffer = Vec::with_capacity(1 << 16);
    buffer.extend(0..100);
    let mut writer = SnapshotWriter::with_buffer(buffer);
    writer.section(&Score(7)).unwrap();
    let bytes = writer.finish();
    assert_eq!(bytes, expected);
    assert_eq!(bytes.capacity(), 1 << 16);
}

/// A type with a name of any length.
struct Named<const N: usize>;

impl<const N: usize> Snapshot for Named<N> {
    const NAME: &'static str = match core::str::from_utf8(&[b'n'; N]) {
        Ok(name) => name,
        Err(_) => unreachable!(),
    };
    const VERSION: u32 = 1;

    fn save(&self, _: &mut Encoder) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn restore(_: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Ok(Self)
    }

    fn schema() -> Schema {
        Schema::unknown()
    }
}

#[test]
fn name_has_1_to_255_bytes() {
    let add = |result: Result<&mut SnapshotWriter, SnapshotError>| {
        result.err().map(|error| error.to_string())
    };
    let mut writer = SnapshotWriter::new();
    assert_eq!(
        add(writer.section(&Named::<0>)).unwrap(),
        "`` cannot be saved: its name must have 1 to 255 bytes"
    );
    assert!(add(writer.section(&Named::<256>)).is_some());
    assert_eq!(add(writer.section(&Named::<255>)), None);
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert!(reader.restore::<Named<255>>().is_ok());
}
