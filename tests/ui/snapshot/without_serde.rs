//! A derived snapshot uses the traits of `serde`.

use schedule::snapshot::Snapshot;

#[derive(Snapshot)]
#[snapshot(name = "account")]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[derive(Snapshot)]
//~ + #[derive(Snapshot, serde::Serialize, serde::Deserialize)]
