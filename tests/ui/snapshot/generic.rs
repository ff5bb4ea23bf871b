//! The name of a generic type depends on its parameters.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account")]
struct Account<T>(T);

fn main() {}

//~ remedy
//~ - struct Account<T>(T);
//~ + struct Account(u64);
