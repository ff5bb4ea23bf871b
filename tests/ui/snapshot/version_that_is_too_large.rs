//! A version is a `u32`.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 5_000_000_000)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account", version = 5_000_000_000)]
//~ + #[snapshot(name = "account", version = 5)]
