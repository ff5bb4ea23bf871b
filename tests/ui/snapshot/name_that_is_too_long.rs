//! A name has at most 100 bytes.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account of a customer, account of a customer, account of a customer, account of a customer, account of a customer, ")]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[snapshot(name = "account of a customer, account of a customer, account of a customer, account of a customer, account of a customer, ")]
//~ + #[snapshot(name = "account of a customer")]
