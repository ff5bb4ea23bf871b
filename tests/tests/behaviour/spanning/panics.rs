//! Panics of user code in spanning systems: in copies, in hand-overs and in drops.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::*;

const CLONE: u8 = 1;
const HAND_OVER: u8 = 2;
const DROP: u8 = 3;

/// Panics where its number says.
#[derive(Resource)]
struct Fragile {
    place: Arc<AtomicU8>,
    value: u64,
}

impl Fragile {
    fn panic_in(&self, place: u8) {
        assert_ne!(self.place.load(Relaxed), place, "fragile");
    }
}

impl HandOver for Fragile {
    fn copy(&self) -> Self {
        self.panic_in(CLONE);
        Self {
            place: Arc::clone(&self.place),
            value: self.value,
        }
    }

    fn hand_over(&mut self, results: &mut Self) {
        self.panic_in(HAND_OVER);
        self.value = results.value;
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.panic_in(DROP);
        }
    }
}

#[system(spanning)]
fn handle(fragile: &mut Fragile) {
    fragile.value += 1;
}

/// Lets the run begin, and fails in this place.
fn failing(place: u8) -> (Resources, Schedule) {
    let mut builder = Schedule::builder();
    builder.add::<handle>().add::<results<handle>>();
    let mut resources = Resources::new();
    resources.insert(Fragile {
        place: Arc::new(AtomicU8::new(place)),
        value: 0,
    });
    resources.insert(Spanning::<handle>::new());
    (resources, builder.build().unwrap())
}

fn set(resources: &Resources, place: u8) {
    let fragile = resources.get::<Fragile>().unwrap();
    fragile.place.store(place, Relaxed);
}

fn wait(resources: &mut Resources) {
    resources.get_mut::<Spanning<handle>>().unwrap().wait();
}

#[test]
fn panic_in_a_copy_is_the_failure_of_the_start() {
    let (mut resources, mut schedule) = failing(CLONE);
    let error = schedule.run(&mut resources).unwrap_err();
    assert_eq!(error.failures()[0].system.name, "handle");
    assert!(!resources.get::<Spanning<handle>>().unwrap().is_running());
    set(&resources, 0);
    schedule.run(&mut resources).unwrap();
    wait(&mut resources);
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Fragile>().unwrap().value, 1);
}

#[test]
fn panic_in_a_hand_over_is_the_failure_of_the_results() {
    let (mut resources, mut schedule) = failing(HAND_OVER);
    schedule.run(&mut resources).unwrap();
    wait(&mut resources);
    let error = schedule.run(&mut resources).unwrap_err();
    assert_eq!(error.failures()[0].system.name, "results<handle>");
    let counts = resources.get::<Spanning<handle>>().unwrap().counts();
    assert_eq!((counts.failed, counts.appeared), (1, 0));
    set(&resources, 0);
    schedule.run(&mut resources).unwrap();
    wait(&mut resources);
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Fragile>().unwrap().value, 1);
}

/// The copy is dropped after the resource, and the first panic continues.
#[test]
fn panics_in_drops_are_one_panic() {
    let (mut resources, mut schedule) = failing(0);
    schedule.run(&mut resources).unwrap();
    wait(&mut resources);
    set(&resources, DROP);
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(resources)));
    dropped.unwrap_err();
}
