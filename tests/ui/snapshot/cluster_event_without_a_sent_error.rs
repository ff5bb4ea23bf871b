//! The error of an event in a cluster is sent to another process.

use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::prelude::*;

#[derive(Event, Snapshot, serde::Serialize, serde::Deserialize)]
#[event(pay)]
#[snapshot(name = "pay")]
struct Pay;

#[handler]
fn pay(_: &Pay) {}

fn start(_: Cluster<Pay>) {}

fn main() {}

//~ remedy
//~ - #[event(pay)]
//~ + #[event(pay, error = String)]
