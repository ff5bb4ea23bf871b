//! The first version has no older ones.

use schedule::snapshot::{Decoder, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", migrate = from_v1)]
struct Account(u64);

fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<Account, SnapshotError> {
    from.read().map(Account)
}

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account", migrate = from_v1)]
//~ + #[snapshot(name = "account", version = 2, migrate = from_v1)]
