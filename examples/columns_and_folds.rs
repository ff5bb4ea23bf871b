//! Columns and folds: many entities of one kind, with a column for each component, and results that combine all entities.
//!
//! `cargo run -p examples --example columns_and_folds`
//!
//! 20,000 electric cars drive every day, and are charged when their batteries are low. How much energy do they need?

use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use schedule::entity::Component;
use schedule::{columns::Columns, prelude::*};

/// The energy in the battery, in kWh.
#[derive(Component)]
struct Battery(f64);

/// The energy for the trips of a day, in kWh.
#[derive(Component)]
struct Trips(f64);

#[derive(Columns)]
struct Car {
    battery: Battery,
    trips: Trips,
}

/// The energy from the grid, in kWh.
#[derive(Resource)]
struct Demand(f64);

/// A fold gives each thread partial results of its own. They are joined in a fixed order.
impl Foldable for Demand {
    type Partial = f64;

    fn join(&mut self, partial: f64) {
        self.0 += partial;
    }
}

/// Runs for each car, and uses components of this car only. So both systems run in one sweep: chunk by chunk.
#[system(for_each = Columns<Car>)]
fn drive(trips: &Trips, battery: &mut Battery) {
    battery.0 -= trips.0;
}

#[system(for_each = Columns<Car>, after = drive)]
fn recharge(battery: &mut Battery, mut demand: Fold<Demand>) {
    if battery.0 < 12.0 {
        *demand += 60.0 - battery.0;
        battery.0 = 60.0;
    }
}

schedule! { Day { executor parallel, drive, recharge } }

/// Returns the demand of each of five days.
fn simulate(n_threads: usize) -> Result<Vec<f64>, BoxError> {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build()?;
    let (mut day, mut city) = (Day::new(), Resources::new());
    day.set_pool(Arc::new(pool));
    city.insert(Columns::from_iter((0..20_000).map(|n| Car {
        battery: Battery(f64::from(20 + n % 40)),
        trips: Trips(f64::from(3 + n % 11) / 0.7),
    })));
    let daily = (0..5).map(|_| {
        city.insert(Demand(0.0));
        day.run(&mut city)?;
        Ok(city.get::<Demand>().unwrap().0)
    });
    daily.collect()
}

fn main() -> Result<(), BoxError> {
    let demand = simulate(1)?;
    println!("demand in kWh: {demand:.3?}");
    assert_eq!(simulate(4)?, demand, "bit by bit");
    println!("{}", Day::new().why("drive", "recharge")?);
    Ok(())
}
