//! Snapshots: state is saved as bytes and restored, and bytes that are not a whole snapshot are errors.

mod changed;
mod damage;
mod layout;
mod settings;
mod versions;

use schedule::snapshot::{Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[snapshot(name = "score")]
struct Score(u32);

#[derive(Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[snapshot(name = "account", version = 2)]
struct Account {
    balance: u64,
    owner: Option<String>,
}

/// A value with parts of several lengths.
#[derive(Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[snapshot(name = "journey")]
struct Journey {
    stops: Vec<(String, u16)>,
    length: f64,
    kind: Kind,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Kind {
    Walk,
    Flight { number: char },
}

fn account() -> Account {
    Account {
        balance: 5,
        owner: Some("Ada".to_string()),
    }
}

fn journey() -> Journey {
    Journey {
        stops: vec![("Rome".to_string(), 3), (String::new(), 700)],
        length: -2.5,
        kind: Kind::Flight { number: 'ß' },
    }
}

/// A snapshot of all three types.
fn whole() -> Vec<u8> {
    let mut writer = SnapshotWriter::new();
    writer.section(&Score(7)).unwrap();
    writer.section(&account()).unwrap();
    writer.section(&journey()).unwrap();
    writer.finish()
}

/// A snapshot of one value.
fn saved<T: Snapshot>(value: &T) -> Vec<u8> {
    let mut writer = SnapshotWriter::new();
    writer.section(value).unwrap();
    writer.finish()
}

/// Restores a value from a snapshot of one value.
fn restored<T: Snapshot>(bytes: &[u8]) -> Result<T, SnapshotError> {
    SnapshotReader::new(bytes)?.restore()
}
