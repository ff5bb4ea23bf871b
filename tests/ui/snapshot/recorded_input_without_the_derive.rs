//! An input of a recording is a resource that can be saved.

use schedule::prelude::*;
use schedule::replay::RecordedResources;

#[derive(Resource)]
struct Sensors(u64);

fn recorded() -> RecordedResources {
    RecordedResources::new().input::<Sensors>()
}

fn main() {}

//~ remedy
//~ + #[derive(schedule::snapshot::Snapshot, serde::Serialize, serde::Deserialize)]
//~ + #[snapshot(name = "sensors")]
//~   #[derive(Resource)]
