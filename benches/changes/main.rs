//! Measures the cost of marks of changes per visited entity, with and without a system that watches the component.
//!
//! `cargo bench -p benches --bench changes`
//!
//! All variants run on one thread over 1,000,000 entities, and take turns: each runs once per round, and another one is first in the next
//! round. A variant is compared with the one without a watcher by the median of all rounds.

use std::time::Instant;

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::param::Mut;
use schedule::prelude::*;
use schedule::{Executor, System};
use schedule_hecs::{Changed, Query, World};

const N_ENTITIES: usize = 1_000_000;
const N_ROUNDS: usize = 41;

#[derive(Component)]
struct Position(f32);

#[derive(Columns)]
struct Body {
    position: Position,
}

#[system(for_each = Columns<Body>)]
fn shift(position: &mut Position) {
    position.0 += 1.0;
}

#[system(for_each = Columns<Body>)]
fn shift_all_by_mut(mut position: Mut<Position>) {
    position.0 += 1.0;
}

#[system(for_each = Columns<Body>)]
fn shift_none_by_mut(mut position: Mut<Position>) {
    if position.0 < 0.0 {
        position.0 = 0.0;
    }
}

#[system(for_each = Columns<Body>, changed = Position)]
fn see(position: &Position) {
    assert!(position.0 >= 0.0, "positions only grow");
}

#[system]
fn shift_query(mut all: Query<&mut Position>) {
    all.iter_mut().for_each(|position| position.0 += 1.0);
}

#[system]
fn see_query(moved: Query<&Position, Changed<Position>>) {
    moved
        .iter()
        .for_each(|position| assert!(position.0 >= 0.0, "positions only grow"));
}

/// A schedule with one system, and its entities.
struct Variant {
    name: &'static str,
    schedule: Schedule,
    resources: Resources,
    /// Runs before each measured run.
    before: Option<Schedule>,
    ns: Vec<f64>,
}

fn one<S: System>() -> Schedule {
    let mut schedule = Schedule::builder().add::<S>().build().expect("one system");
    schedule.set_executor(Executor::Serial);
    schedule
}

impl Variant {
    fn new<S: System>(name: &'static str, watcher: Option<Schedule>) -> Self {
        let bodies = (0..N_ENTITIES).map(|_| Body {
            position: Position(0.0),
        });
        let mut world = World::new();
        world.spawn_batch((0..N_ENTITIES).map(|_| (Position(0.0),)));
        let mut resources = Resources::new();
        resources.insert(bodies.collect::<Columns<Body>>());
        resources.insert(world);
        if let Some(mut watcher) = watcher {
            watcher.run(&mut resources).expect("it cannot fail");
        }
        Self {
            name,
            schedule: one::<S>(),
            resources,
            before: None,
            ns: Vec::new(),
        }
    }

    fn after<B: System>(mut self) -> Self {
        self.before = Some(one::<B>());
        self
    }

    fn sample(&mut self) {
        if let Some(before) = &mut self.before {
            before.run(&mut self.resources).expect("it cannot fail");
        }
        let start = Instant::now();
        self.schedule
            .run(&mut self.resources)
            .expect("it cannot fail");
        self.ns
            .push(start.elapsed().as_nanos() as f64 / N_ENTITIES as f64);
    }

    fn median(&self) -> f64 {
        let mut ns = self.ns.clone();
        ns.sort_by(f64::total_cmp);
        ns[ns.len() / 2]
    }
}

fn main() {
    let watched = || Some(one::<see>());
    let queried = || Some(one::<see_query>());
    let mut all = [
        Variant::new::<shift>("columns, `&mut C`, no watcher", None),
        Variant::new::<shift>("columns, `&mut C`, watched", watched()),
        Variant::new::<shift_all_by_mut>("columns, `Mut<C>` writes all, no watcher", None),
        Variant::new::<shift_all_by_mut>("columns, `Mut<C>` writes all, watched", watched()),
        Variant::new::<shift_none_by_mut>("columns, `Mut<C>` writes none, no watcher", None),
        Variant::new::<shift_none_by_mut>("columns, `Mut<C>` writes none, watched", watched()),
        Variant::new::<see>("columns, filter, nothing changed", None),
        Variant::new::<see>("columns, filter, all changed", None).after::<shift>(),
        Variant::new::<shift_query>("world, `&mut C`, no watcher", None),
        Variant::new::<shift_query>("world, `&mut C`, watched", queried()),
        Variant::new::<see_query>("world, filter, nothing changed", None),
        Variant::new::<see_query>("world, filter, all changed", None).after::<shift_query>(),
    ];
    let n = all.len();
    for round in 0..N_ROUNDS {
        (0..n).for_each(|nth| all[(nth + round) % n].sample());
    }
    println!("{N_ENTITIES} entities, {N_ROUNDS} rounds, median");
    for variant in &all {
        println!(
            "{:<45} {:6.3} ns per entity",
            variant.name,
            variant.median()
        );
    }
}
