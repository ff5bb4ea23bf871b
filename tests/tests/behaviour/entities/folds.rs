//! Folds in `for_each` systems.

mod exact;

use std::sync::atomic::{AtomicU32, Ordering};

use schedule::entity::Component;
use schedule::prelude::*;
use schedule_hecs::World;

use crate::folds::Sum;
use schedule_tests::on::On;

#[derive(Component)]
struct Weight(f32);

#[derive(Component)]
struct Heavy;

/// The number of partial results.
#[derive(Resource, Default)]
struct Blocks(usize);

impl Foldable for Blocks {
    type Partial = ();

    fn join(&mut self, (): ()) {
        self.0 += 1;
    }
}

/// The smallest weight, and the number of entities with it.
#[derive(Resource, Default, Debug, PartialEq)]
struct Least(Option<(f32, usize)>);

impl Foldable for Least {
    type Partial = Option<(f32, usize)>;

    fn join(&mut self, partial: Self::Partial) {
        if let Some((weight, n)) = partial {
            self.add(weight, n);
        }
    }
}

impl Least {
    fn add(&mut self, weight: f32, n: usize) {
        self.0 = Some(match self.0 {
            Some((least, n_least)) if least == weight => (least, n_least + n),
            Some((least, n_least)) if least < weight => (least, n_least),
            _ => (weight, n),
        });
    }
}

/// The weights in the order of the entities.
#[derive(Resource, Default)]
struct List(Vec<f32>);

impl Foldable for List {
    type Partial = Vec<f32>;

    fn join(&mut self, mut partial: Vec<f32>) {
        self.0.append(&mut partial);
    }
}

#[system(for_each)]
fn weigh(weight: &Weight, mut sum: Fold<Sum>, mut list: Fold<List>, _: Fold<Blocks>) {
    *sum += weight.0;
    list.push(weight.0);
}

#[system(for_each, with = Heavy)]
fn find_least(weight: &Weight, mut least: Fold<Least>) {
    let mut so_far = Least(*least);
    so_far.add(weight.0, 1);
    *least = so_far.0;
}

#[system(for_each)]
fn weigh_or_fail(weight: &Weight, mut list: Fold<List>) -> Result<(), &'static str> {
    list.push(weight.0);
    if weight.0 < 0.0 {
        Err("negative")
    } else {
        Ok(())
    }
}

fn weight(nth: usize) -> f32 {
    ((nth * 7919) % 1000) as f32 / 7.0 + 1.0e-3
}

/// Two archetypes, with these numbers of entities.
fn resources(n_light: usize, n_heavy: usize) -> Resources {
    let mut world = World::<()>::new();
    for nth in 0..n_light {
        world.spawn((Weight(weight(nth)),));
    }
    for nth in 0..n_heavy {
        world.spawn((Weight(weight(nth + 13)), Heavy));
    }
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Sum::default());
    resources.insert(Blocks::default());
    resources.insert(Least::default());
    resources.insert(List::default());
    resources
}

/// The rows of a block are fixed, so the sum is the same for each executor, bit by bit.
#[test]
fn partial_results_belong_to_blocks_of_512_rows_of_each_table() {
    const SIZES: &[(usize, usize)] = if cfg!(miri) {
        &[(3, 2)]
    } else {
        &[
            (0, 0),
            (1, 0),
            (511, 513),
            (512, 1024),
            (5_000, 1),
            (0, 1_300),
        ]
    };
    for &(n_light, n_heavy) in SIZES {
        for &on in On::ALL {
            let mut schedule = Schedule::builder()
                .add::<weigh>()
                .add::<find_least>()
                .build()
                .unwrap();
            on.set(&mut schedule);
            let mut resources = resources(n_light, n_heavy);
            schedule.run(&mut resources).unwrap();
            let light: Vec<f32> = (0..n_light).map(weight).collect();
            let heavy: Vec<f32> = (0..n_heavy).map(|nth| weight(nth + 13)).collect();
            let (mut sum, mut n_blocks) = (0.0_f32, 0);
            for block in light.chunks(512).chain(heavy.chunks(512)) {
                let mut of_block = 0.0_f32;
                block.iter().for_each(|weight| of_block += weight);
                sum += of_block;
                n_blocks += 1;
            }
            let found = resources.get::<Sum>().unwrap().0;
            assert_eq!(found.to_bits(), sum.to_bits(), "{on:?} {found} {sum}");
            assert_eq!(resources.get::<Blocks>().unwrap().0, n_blocks, "{on:?}");
            let all = [light, heavy.clone()].concat();
            assert_eq!(resources.get::<List>().unwrap().0, all, "{on:?}");
            let mut least = Least::default();
            heavy.iter().for_each(|&weight| least.add(weight, 1));
            assert_eq!(*resources.get::<Least>().unwrap(), least, "{on:?}");
        }
    }
}

#[test]
fn fold_of_a_for_each_system_that_fails_for_an_entity_is_dropped() {
    for &on in On::EACH {
        let mut schedule = Schedule::builder().add::<weigh_or_fail>().build().unwrap();
        on.set(&mut schedule);
        let mut resources = resources(600, 3);
        schedule.run(&mut resources).unwrap();
        assert_eq!(resources.get::<List>().unwrap().0.len(), 603);
        let world = resources.get_mut::<World>().unwrap();
        world.spawn((Weight(-1.0),));
        schedule.run(&mut resources).unwrap_err();
        assert_eq!(resources.get::<List>().unwrap().0.len(), 603, "{on:?}");
    }
}

/// A list of which only a limited number of partial results can be created.
#[derive(Resource, Default)]
struct Fragile(Vec<f32>);

#[derive(Debug)]
struct FragilePart(Vec<f32>);

static N_STARTS_LEFT: AtomicU32 = AtomicU32::new(0);

impl Default for FragilePart {
    fn default() -> Self {
        let n_left = N_STARTS_LEFT.load(Ordering::Relaxed);
        assert!(n_left > 0, "a partial result cannot be created");
        N_STARTS_LEFT.store(n_left - 1, Ordering::Relaxed);
        Self(Vec::new())
    }
}

impl Foldable for Fragile {
    type Partial = FragilePart;

    fn join(&mut self, mut partial: FragilePart) {
        self.0.append(&mut partial.0);
    }
}

#[system(for_each)]
fn weigh_with_fragile(weight: &Weight, mut list: Fold<Fragile>) {
    list.0.push(weight.0);
}

/// The library may create partial results at any time, also for a later run.
#[test]
fn fold_of_a_for_each_system_is_dropped_if_a_partial_result_cannot_be_created() {
    let mut schedule = Schedule::builder()
        .add::<weigh_with_fragile>()
        .build()
        .unwrap();
    On::Serial.set(&mut schedule);
    let mut resources = resources(600, 3);
    resources.insert(Fragile::default());
    for n_starts in 0..8 {
        N_STARTS_LEFT.store(n_starts, Ordering::Relaxed);
        let result = schedule.run(&mut resources);
        let n_joined = std::mem::take(&mut resources.get_mut::<Fragile>().unwrap().0).len();
        let expected = if result.is_ok() { 603 } else { 0 };
        assert_eq!(n_joined, expected, "with {n_starts}");
        assert!(result.is_ok() || n_starts < 7, "with {n_starts}");
    }
}

#[test]
fn fold_of_a_for_each_system_and_a_reader_need_an_order() {
    let error = Schedule::builder()
        .add::<weigh>()
        .add_closure("show", |_: &Sum| ())
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.contains("folds into `Sum`"), "{error}");
}
