//! A name is not empty.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "")]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "")]
//~ + #[snapshot(name = "account")]
