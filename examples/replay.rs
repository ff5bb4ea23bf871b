//! Replay: the inputs of runs are recorded, and repeated later, to find the first run in which something differs.
//!
//! `cargo run -p examples --example replay`
//!
//! A battery buys electricity when it is cheap, and sells it when it is expensive. Would another setting have changed a decision?

use schedule::replay::{RecordedResources, Recorder, Replayer};
use schedule::{prelude::*, snapshot::Snapshot};
use serde::{Deserialize, Serialize};

/// In cents per kWh.
#[derive(Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "price")]
struct Price(i32);

#[derive(Resource, Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "battery")]
struct Battery {
    kwh: i32,
    profit: i32,
}

/// A setting of the program. It is not recorded, so that a replay can use another value.
#[derive(Resource)]
struct SellFrom(i32);

#[derive(Branch, Clone, Copy)]
enum Plan {
    Buy,
    Sell,
    Wait,
}

#[system]
fn plan(price: &Price, battery: &Battery, sell_from: &SellFrom) -> Plan {
    match battery.kwh {
        0..20 if price.0 < 15 => Plan::Buy,
        10.. if price.0 >= sell_from.0 => Plan::Sell,
        _ => Plan::Wait,
    }
}

#[system(if = is(plan, Plan::Buy))]
fn buy(price: &Price, battery: &mut Battery) {
    battery.kwh += 10;
    battery.profit -= 10 * price.0;
}

#[system(if = is(plan, Plan::Sell))]
fn sell(price: &Price, battery: &mut Battery) {
    battery.kwh -= 10;
    battery.profit += 10 * price.0;
}

schedule! { Hour { plan, buy, sell } }

fn main() -> Result<(), BoxError> {
    let recorded = || RecordedResources::new().input::<Price>().state::<Battery>();
    let (mut hour, mut plant) = (Hour::new(), Resources::new());
    plant.insert_default::<Battery>();
    plant.insert(SellFrom(40));
    let mut recorder = Recorder::new(Vec::new(), &hour, recorded())?;
    for price in [22, 11, 9, 14, 31, 38, 44, 29, 12, 47] {
        plant.insert(Price(price));
        recorder.run(&mut hour, &mut plant)?;
    }
    let bytes = recorder.finish()?; // a recorder can also write to a file
    println!("profit: {} cents", plant.get::<Battery>().unwrap().profit);
    for sell_from in [40, 35] {
        let (mut hour, mut plant) = (Hour::new(), Resources::new());
        plant.insert(SellFrom(sell_from));
        let mut replayer = Replayer::new(&bytes[..], &hour, recorded())?;
        match replayer.run_all(&mut hour, &mut plant) {
            Ok(n) => println!("sell from {sell_from} cents: all {n} runs are the same"),
            Err(difference) => println!("sell from {sell_from} cents: {difference}"),
        }
    }
    Ok(())
}
