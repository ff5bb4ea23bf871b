//! Changes of components: filters that match rows, and the entities that lost a component, in stores of columns.

mod random;
mod watched;

use schedule::columns::{Columns, EntityId};
use schedule::entity::{Component, Removed};
use schedule::param::Mut;
use schedule::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
struct Speed(i64);

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
struct Noise(i64);

#[derive(Columns, Clone, Debug, PartialEq)]
struct Car {
    speed: Speed,
    noise: Noise,
}

type Id = EntityId<Car>;

/// The values of a kind of observation, in the order of the entities.
#[derive(Resource, Debug, Default, PartialEq, Eq, Clone)]
struct Seen(Vec<Id>);

impl Foldable for Seen {
    type Partial = Vec<Id>;

    fn join(&mut self, partial: Vec<Id>) {
        self.0.extend(partial);
    }
}

#[system(for_each = Columns<Car>, changed = Speed)]
fn see_changed(car: Id, mut seen: Fold<Seen>) {
    seen.push(car);
}

#[system(for_each = Columns<Car>, added = Speed)]
fn see_added(car: Id, mut seen: Fold<Seen>) {
    seen.push(car);
}

#[system]
fn see_removed(removed: Removed<Speed, Columns<Car>>, seen: &mut Seen) {
    seen.0.extend(&*removed);
}

#[system(for_each = Columns<Car>)]
fn accelerate(speed: &mut Speed) {
    speed.0 += 1;
}

/// Writes only cars that are too fast.
#[system(for_each = Columns<Car>)]
fn brake(mut speed: Mut<Speed>) {
    if speed.0 > 90 {
        speed.0 = 90;
    }
}

#[system(for_each = Columns<Car>)]
fn be_loud(noise: &mut Noise) {
    noise.0 += 1;
}

fn car(speed: i64) -> Car {
    Car {
        speed: Speed(speed),
        noise: Noise(0),
    }
}

fn resources(speeds: impl IntoIterator<Item = i64>) -> Resources {
    let cars: Columns<Car> = speeds.into_iter().map(car).collect();
    let mut resources = Resources::new();
    resources.insert(cars);
    resources.insert(Seen::default());
    resources
}

fn cars(resources: &mut Resources) -> &mut Columns<Car> {
    resources.get_mut().unwrap()
}

/// Runs a schedule, and returns the rows that its watcher has seen. `None`: the entity is gone.
fn seen(schedule: &mut Schedule, resources: &mut Resources) -> Vec<Option<usize>> {
    schedule.run(resources).unwrap();
    let seen = core::mem::take(&mut resources.get_mut::<Seen>().unwrap().0);
    let cars = cars(resources);
    seen.into_iter().map(|id| cars.row(id)).collect()
}

fn rows(rows: impl IntoIterator<Item = usize>) -> Vec<Option<usize>> {
    rows.into_iter().map(Some).collect()
}
