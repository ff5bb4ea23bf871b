//! An event of a durable stream can be stored.

use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;

#[derive(Event)]
#[event(pay)]
struct Pay;

#[handler]
fn pay(_: &Pay) {}

struct Program(Durable<Pay>);

fn main() {}

//~ remedy
//~ - #[derive(Event)]
//~ + #[derive(Event, schedule::snapshot::Snapshot, serde::Serialize, serde::Deserialize)]
//~ + #[snapshot(name = "pay")]
