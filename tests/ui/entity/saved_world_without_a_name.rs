//! A world with a tag can be saved only if the tag gives it a name.

use schedule::prelude::*;
use schedule::snapshot::SnapshotWriter;
use schedule_hecs::prelude::*;

#[derive(Identity)]
struct Ships;

fn main() {
    let ships = World::<Ships>::with_tag();
    SnapshotWriter::new().section(&ships).unwrap();
}

//~ remedy
//~ + impl schedule_hecs::SavedTag for Ships {
//~ +     const WORLD_NAME: &'static str = "ships";
//~ + }
//~   #[derive(Identity)]
