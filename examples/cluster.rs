//! A cluster: two worker processes share the records of a stream. The outcomes equal those of one process.
//!
//! `cargo run -p examples --example cluster`
//!
//! Rental bikes: each event is a ride from one station to another.

use schedule::{prelude::*, snapshot::Snapshot};
use schedule_cluster::Cluster;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

/// The number of bikes at a station.
#[derive(Record, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[record(id = u32)]
#[snapshot(name = "station")]
struct Station(u32);

#[derive(Event, Snapshot, Serialize, Deserialize)]
#[event(ride, error = String)]
#[snapshot(name = "ride")]
struct Ride {
    from: u32,
    to: u32,
}

/// The stations may belong to different processes, which then exchange the values of the stations.
#[handler]
fn ride(
    ride: &Ride,
    #[key(ride.from)] from: &mut Station,
    #[key(ride.to)] to: &mut Station,
) -> Result<(), String> {
    from.0 = from.0.checked_sub(1).ok_or("the station is empty")?;
    to.0 += 1;
    Ok(())
}

fn first_state() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..8).map(|id| (id, Station(10)))));
    resources
}

fn rides() -> impl Iterator<Item = Ride> {
    let random = (0..3_000_u32).map(|n| n.wrapping_mul(2_654_435_769) >> 16);
    let stations = random.map(|random| (random % 8, (random + 1 + random / 8 % 7) % 8));
    stations.map(|(from, to)| Ride { from, to })
}

fn result(outcome: Outcome<Ride>) -> Result<(), String> {
    outcome.result.map_err(|error| error.to_string())
}

fn main() -> Result<(), BoxError> {
    // The worker processes run this program as well. In them, `work_if_asked` does not return.
    let cluster = Cluster::new(Durable::new("bikes", 1), first_state).records::<Station>();
    let cluster = cluster.work_if_asked().processes(2);
    let (folder, mut results) = (tempfile::tempdir()?, Vec::new());
    let mut stream = cluster.recover(folder.path())?;
    stream.process(rides(), |ride| results.push(result(ride)))?;
    println!("{} worker processes", stream.control().process_ids().len());
    let resources = stream.control().collect()?;
    let stations = resources.get::<Records<Station>>().unwrap();

    let (mut alone, mut expected) = (first_state(), Vec::new());
    let mut stream = Stream::new();
    stream.process(&mut alone, rides(), |ride| expected.push(result(ride)))?;
    assert_eq!(results, expected);
    let expected = alone.get::<Records<Station>>().unwrap();
    assert!(stations.iter().eq(expected.iter()));

    let n_refused = results.iter().filter(|result| result.is_err()).count();
    println!("3,000 rides, of which {n_refused} found no bike");
    for (id, station) in stations.iter() {
        println!("station {id}: {} bikes", station.0);
    }
    Ok(())
}
