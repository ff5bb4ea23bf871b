//! An option has a known name.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", versoin = 2)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account", versoin = 2)]
//~ + #[snapshot(name = "account", version = 2)]
