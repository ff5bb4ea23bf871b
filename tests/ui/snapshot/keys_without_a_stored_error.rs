//! The error of an event with an idempotency key is stored.

use schedule::snapshot::Snapshot;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;

#[derive(Event, Snapshot, serde::Serialize, serde::Deserialize)]
#[event(pay)]
#[snapshot(name = "pay")]
struct Pay;

#[handler]
fn pay(_: &Pay) {}

fn program() -> Durable<Pay> {
    Durable::new("bank", 1).idempotency_keys(1_000)
}

fn main() {}

//~ remedy
//~ - #[event(pay)]
//~ + #[event(pay, error = String)]
