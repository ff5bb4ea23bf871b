//! A union is not saved.

use schedule::snapshot::Snapshot;

#[derive(Snapshot)]
#[snapshot(name = "account")]
union Account {
    balance: u64,
}

fn main() {}

//~ remedy
//~ - #[derive(Snapshot)]
//~ + #[derive(Snapshot, serde::Serialize, serde::Deserialize)]
//~
//~ - union Account {
//~ + struct Account {
