//! A saved value does not borrow.

use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account")]
struct Account<'a>(&'a str);

fn main() {}

//~ remedy
//~ - struct Account<'a>(&'a str);
//~ + struct Account(String);
