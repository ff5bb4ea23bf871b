//! A saved type has one name.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", name = "customer")]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account", name = "customer")]
//~ + #[snapshot(name = "account")]
