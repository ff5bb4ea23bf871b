//! A type has one version.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 1, version = 2)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account", version = 1, version = 2)]
//~ + #[snapshot(name = "account", version = 2)]
