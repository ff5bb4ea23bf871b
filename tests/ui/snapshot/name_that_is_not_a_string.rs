//! A name is a string.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = account)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = account)]
//~ + #[snapshot(name = "account")]
