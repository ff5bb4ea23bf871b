//! A migration returns a value of the type.

use schedule::snapshot::{Decoder, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 2, migrate = from_v1)]
struct Account(u64);

fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<u64, SnapshotError> {
    from.read()
}

fn main() {}

//~ remedy
//~ - fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<u64, SnapshotError> {
//~ -     from.read()
//~ + fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<Account, SnapshotError> {
//~ +     from.read().map(Account)
