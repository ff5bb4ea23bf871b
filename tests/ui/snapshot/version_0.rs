//! Versions begin with 1.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 0)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account", version = 0)]
//~ + #[snapshot(name = "account", version = 1)]
