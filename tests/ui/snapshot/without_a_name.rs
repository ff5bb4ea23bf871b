//! A saved type has a name.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
struct Account(u64);

fn main() {}

//~ remedy
//~ + #[snapshot(name = "account")]
//~   struct Account(u64);
