//! A durable service: threads submit events. Once a thread has seen the outcome of an event, the event is never lost.
//!
//! `cargo run -p examples --example durable_service`
//!
//! An auction. Its folder contains a journal, from which the next start recovers all bids.

use std::path::Path;
use std::thread;

use schedule::{prelude::*, snapshot::Snapshot};
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

/// The highest bid. The name identifies the type in the files, also if the type is renamed.
#[derive(Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "lot")]
struct Lot(u64);

#[derive(Event, Snapshot, Serialize, Deserialize)]
#[event(bid, answer = u64, error = String)]
#[snapshot(name = "bid")]
struct Bid {
    lot: u32,
    amount: u64,
}

/// A recovery calls it again, so it depends on its parameters only.
#[handler]
fn bid(bid: &Bid, #[key(bid.lot)] lot: &mut Lot) -> Result<u64, String> {
    if bid.amount <= lot.0 {
        return Err(format!("a bid must be above {}", lot.0));
    }
    lot.0 = bid.amount;
    Ok(lot.0)
}

/// Opens the folder. A new one starts with these resources. Otherwise, the recovered ones replace them.
fn open(folder: &Path) -> Result<DurableStream<Bid>, BoxError> {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(7, Lot(0))]));
    let auction = Durable::new("auction", 1).state::<Records<Lot>>();
    Ok(auction.recover(folder, resources)?)
}

fn highest_bid(stream: &DurableStream<Bid>) -> u64 {
    let lots = stream.resources().get::<Records<Lot>>().unwrap();
    lots.get(7).unwrap().0
}

fn main() -> Result<(), BoxError> {
    let bid = |amount| Bid { lot: 7, amount };
    let folder = tempfile::tempdir()?;
    let service = open(folder.path())?.serve();
    let handle = service.handle();
    thread::scope(|scope| {
        for first in [10, 15] {
            let handle = &handle;
            scope.spawn(move || {
                for n in 0..50 {
                    // The bid is rejected if the other thread has bid more.
                    drop(handle.submit_blocking(bid(first + 10 * n)).unwrap());
                }
            });
        }
    });
    // The service answers the requests that have arrived, and returns the stream.
    let stream = service.shutdown()?;
    println!("lot 7: {}", highest_bid(&stream));
    println!("{}", handle.submit_blocking(bid(900)).err().unwrap());
    drop(stream);

    let stream = open(folder.path())?;
    println!("lot 7 after a new start: {}", highest_bid(&stream));
    let outcome = stream.serve().handle().submit_blocking(bid(400))?;
    println!("{}", outcome.result.unwrap_err());
    Ok(())
}
