//! Sweeps: `for_each` systems that run together, chunk by chunk.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use proptest::prelude::*;
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::{Builder, FailurePolicy};
use schedule_hecs::hecs::Entity;
use schedule_hecs::{CommandsExt, Query, World};

use crate::folds::Sum;
use schedule_tests::n_cases;
use schedule_tests::on::On;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct A(u32);

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct B(u32);

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct C(u32);

#[derive(Component)]
struct Tag;

/// A list of numbers, in the order of the entities.
#[derive(Resource, Default)]
struct List(Vec<u32>);

impl Foldable for List {
    type Partial = Vec<u32>;

    fn join(&mut self, mut partial: Vec<u32>) {
        self.0.append(&mut partial);
    }
}

#[derive(Resource)]
struct Factor(u32);

/// The entities for which systems panic, by system.
#[derive(Resource, Default)]
struct Bad([Option<u32>; 2]);

fn mix(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(7))
        .wrapping_mul(0x9e37_79b1)
        .rotate_left(11)
}

#[system(for_each)]
fn grow(a: &mut A, #[resource] factor: &Factor) {
    a.0 = mix(a.0, factor.0);
}

#[system(for_each, without = Tag)]
fn spread(a: &A, b: &mut B) {
    b.0 = mix(b.0, a.0);
}

#[system(for_each)]
fn shrink(b: &B, c: Option<&mut C>) {
    if let Some(c) = c {
        c.0 = mix(c.0, b.0);
    }
}

#[system(for_each)]
fn weigh(a: &mut A, c: &C, mut sum: Fold<Sum>) {
    *sum += (c.0 % 1_000) as f32 / 7.0;
    a.0 = mix(a.0, c.0);
}

#[system(for_each, with = Tag)]
fn list(a: &A, mut list: Fold<List>) {
    list.push(a.0);
}

#[system(for_each)]
fn split(entity: Entity, b: &mut B, mut commands: Commands) {
    b.0 = mix(b.0, 3);
    if b.0.is_multiple_of(700) {
        commands.entity(entity).remove::<(C,)>();
    }
    if b.0.is_multiple_of(900) {
        commands.spawn((A(b.0), B(1)));
    }
}

#[system(for_each)]
fn first_bad(a: &A, b: &mut B, #[resource] bad: &Bad) {
    if bad.0[0] == Some(a.0) {
        panic!("first");
    }
    b.0 = mix(b.0, a.0);
}

#[system(for_each)]
fn then_bad(a: &mut A, b: &B, #[resource] bad: &Bad) {
    if bad.0[1] == Some(b.0) {
        panic!("second");
    }
    a.0 = mix(a.0, 1);
}

#[system]
fn gather(query: Query<&A>, list: &mut List) {
    list.0.extend(query.iter().map(|a| a.0));
}

/// Adds a system by its number. `N_SYSTEMS`: the number of systems.
fn add(builder: &mut Builder, system: usize) {
    match system {
        0 => builder.add::<grow>(),
        1 => builder.add::<spread>(),
        2 => builder.add::<shrink>(),
        3 => builder.add::<weigh>(),
        4 => builder.add::<list>(),
        5 => builder.add::<split>(),
        _ => builder.add::<gather>(),
    };
}

const N_SYSTEMS: usize = 7;

/// Three archetypes with these numbers of entities.
fn resources(sizes: [usize; 3]) -> Resources {
    let mut world = World::<()>::new();
    let mut next = 0;
    let mut number = || {
        next += 1;
        mix(next, 77)
    };
    for _ in 0..sizes[0] {
        world.spawn((A(number()), B(number()), C(number())));
    }
    for _ in 0..sizes[1] {
        world.spawn((A(number()), C(number()), Tag));
    }
    for _ in 0..sizes[2] {
        world.spawn((A(number()), B(number()), C(number()), Tag));
    }
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Sum::default());
    resources.insert(List::default());
    resources.insert(Factor(5));
    resources.insert(Bad::default());
    resources
}

type Row = (Entity, Option<A>, Option<B>, Option<C>);

fn rows(resources: &mut Resources) -> Vec<Row> {
    let world = resources.get_mut::<World>().unwrap();
    let mut query = world.query::<(Entity, Option<&A>, Option<&B>, Option<&C>)>();
    let rows = query.iter_mut();
    rows.map(|(entity, a, b, c)| (entity, a.copied(), b.copied(), c.copied()))
        .collect()
}

type State = (Vec<Row>, u32, Vec<u32>);

fn state(resources: &mut Resources) -> State {
    let rows = rows(resources);
    let sum = resources.get::<Sum>().unwrap().0.to_bits();
    let list = std::mem::take(&mut resources.get_mut::<List>().unwrap().0);
    (rows, sum, list)
}

const MOST_ROWS: usize = if cfg!(miri) { 4 } else { 3_000 };

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(40))
    })]

    /// Each system runs in a schedule of its own, so nothing sweeps. All executors must agree with that, bit by bit.
    #[test]
    fn systems_that_run_together_agree_with_systems_that_run_alone(
        systems in prop::collection::vec(0..N_SYSTEMS, 1..12),
        sizes in prop::array::uniform3(0..MOST_ROWS),
        sync_after in prop::option::of(0..12_usize),
    ) {
        let mut alone = resources(sizes);
        let mut expected = Vec::new();
        for _ in 0..2 {
            // Commands are applied at the end of the run, or at the sync point.
            let mut pending: Vec<Schedule> = Vec::new();
            let cut = sync_after.map_or(systems.len(), |at| (at + 1).min(systems.len()));
            for part in [&systems[..cut], &systems[cut..]] {
                let mut builder = Schedule::builder();
                builder.policy(Policy::InsertionOrder);
                for &system in part {
                    add(&mut builder, system);
                    // Prevents sweeps: all systems conflict with it.
                    builder.add_closure("between", |_: &mut World| ());
                }
                let mut schedule = builder.build().unwrap();
                schedule.set_executor(schedule::Executor::Serial);
                schedule.run(&mut alone).unwrap();
                pending.push(schedule);
            }
            expected.push(state(&mut alone));
        }
        for &on in On::EACH {
            let mut builder = Schedule::builder();
            builder.policy(Policy::InsertionOrder);
            for (idx, &system) in systems.iter().enumerate() {
                add(&mut builder, system);
                if Some(idx) == sync_after {
                    builder.apply_commands::<Applied>();
                }
            }
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            let mut resources = resources(sizes);
            for (run, expected) in expected.iter().enumerate() {
                on.run(&mut schedule, &mut resources).unwrap();
                prop_assert_eq!(&state(&mut resources), expected, "run {} {:?}", run, on);
            }
        }
    }
}

#[derive(Checkpoint)]
struct Applied;

/// Returns the schedule of these declarations, once for each executor.
fn schedules(
    declare: impl Fn(&mut Builder) -> &mut Builder,
) -> impl Iterator<Item = (On, Schedule)> {
    On::EACH.iter().map(move |&on| {
        let mut schedule = declare(&mut Schedule::builder()).build().unwrap();
        on.set(&mut schedule);
        (on, schedule)
    })
}

/// Threads that wait for each other, for at most ten seconds in all.
struct Meeting {
    threads: Mutex<Vec<std::thread::ThreadId>>,
    start: OnceLock<Instant>,
}

impl Meeting {
    const fn new() -> Self {
        Self {
            threads: Mutex::new(Vec::new()),
            start: OnceLock::new(),
        }
    }

    /// Waits until two threads have called it.
    fn join(&self) {
        let start = self.start.get_or_init(Instant::now);
        loop {
            let mut threads = self.threads.lock().unwrap();
            let this = std::thread::current().id();
            if !threads.contains(&this) {
                threads.push(this);
            }
            if threads.len() > 1 || start.elapsed().as_secs() >= 10 {
                return;
            }
            drop(threads);
            std::thread::yield_now();
        }
    }

    fn n_threads(&self) -> usize {
        self.threads.lock().unwrap().len()
    }
}

static MEETING: Meeting = Meeting::new();

#[system(for_each)]
fn meet(_: &A) {
    MEETING.join();
}

#[test]
fn threads_share_the_chunks_of_one_system() {
    if cfg!(miri) {
        return;
    }
    let mut schedule = Schedule::builder().add::<meet>().build().unwrap();
    On::Threads(2).set(&mut schedule);
    schedule.run(&mut resources([5_000, 0, 0])).unwrap();
    assert_eq!(MEETING.n_threads(), 2);
}

static SECOND_MEETING: Meeting = Meeting::new();
static IS_WARM: AtomicBool = AtomicBool::new(false);

#[system(for_each, with = Tag)]
fn before_meeting(a: &mut A) {
    a.0 += 1;
}

#[system(for_each)]
fn meet_again(_: &A) {
    if IS_WARM.load(Ordering::Relaxed) {
        SECOND_MEETING.join();
    }
}

/// The first system of the sweep runs for three entities, the second one for many.
#[test]
fn threads_share_a_sweep_whose_first_system_has_few_rows() {
    if cfg!(miri) {
        return;
    }
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    let mut schedule = builder
        .add::<before_meeting>()
        .add::<meet_again>()
        .build()
        .unwrap();
    On::Threads(2).set(&mut schedule);
    let mut resources = resources([50_000, 3, 0]);
    schedule.run(&mut resources).unwrap();
    IS_WARM.store(true, Ordering::Relaxed);
    schedule.run(&mut resources).unwrap();
    assert_eq!(SECOND_MEETING.n_threads(), 2);
}

static THIRD_MEETING: Meeting = Meeting::new();
static IS_MEASURED: AtomicBool = AtomicBool::new(false);

#[system(for_each)]
fn meet_once_more(_: &A) {
    if IS_MEASURED.load(Ordering::Relaxed) {
        THIRD_MEETING.join();
    }
}

/// Two tables of two blocks: few enough rows for Miri, which checks the accesses of both threads. The first run is not shared,
/// because its rows are not measured yet.
#[test]
fn a_sweep_on_two_threads_agrees_with_one_thread() {
    let n_rows = if cfg!(miri) { 515 } else { 5_000 };
    let [serial, parallel] = [On::Serial, On::Threads(2)].map(|on| {
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        for system in [0, 1, 3, 4, 5] {
            add(&mut builder, system);
        }
        let mut schedule = builder.add::<meet_once_more>().build().unwrap();
        on.set(&mut schedule);
        let mut resources = resources([n_rows, 0, n_rows]);
        schedule.run(&mut resources).unwrap();
        IS_MEASURED.store(on != On::Serial, Ordering::Relaxed);
        schedule.run(&mut resources).unwrap();
        state(&mut resources)
    });
    assert_eq!(THIRD_MEETING.n_threads(), 2);
    assert_eq!(parallel, serial);
}

/// Rows of [`grow`] that ran when [`spread`] started, in a schedule in which both run together.
static N_GROWN: AtomicU32 = AtomicU32::new(0);
static IS_INTERLEAVED: AtomicBool = AtomicBool::new(false);

#[system(for_each)]
fn count_first(a: &mut A) {
    a.0 += 1;
    N_GROWN.fetch_add(1, Ordering::Relaxed);
}

#[system(for_each, after = count_first)]
fn count_second(a: &A, b: &mut B) {
    b.0 = a.0;
    if N_GROWN.load(Ordering::Relaxed) < 20_000 {
        IS_INTERLEAVED.store(true, Ordering::Relaxed);
    }
}

#[test]
fn second_system_starts_on_a_chunk_before_the_first_one_has_run_for_all() {
    if cfg!(miri) {
        return;
    }
    let mut schedule = Schedule::builder()
        .add::<count_first>()
        .add::<count_second>()
        .build()
        .unwrap();
    On::Serial.set(&mut schedule);
    schedule.run(&mut resources([20_000, 0, 0])).unwrap();
    assert!(IS_INTERLEAVED.load(Ordering::Relaxed));
}

/// The values of `A` and `B` of the entities for which [`first_bad`] and [`then_bad`] panic.
fn with_bad(first: Option<usize>, second: Option<usize>, n: usize) -> Resources {
    let mut resources = resources([n, 0, 0]);
    let rows = rows(&mut resources);
    let bad = Bad([
        first.map(|nth| rows[nth].1.unwrap().0),
        second.map(|nth| mix(rows[nth].2.unwrap().0, rows[nth].1.unwrap().0)),
    ]);
    resources.insert(bad);
    resources
}

const N_ROWS: usize = if cfg!(miri) { 40 } else { 9_000 };

#[test]
fn panic_of_a_member_skips_the_members_that_depend_on_it() {
    for is_declared in [true, false] {
        for (on, mut schedule) in schedules(|all| {
            all.policy(Policy::InsertionOrder)
                .add::<first_bad>()
                .add::<then_bad>()
                .add::<list>();
            if is_declared {
                all.order(
                    schedule::Target::of::<first_bad>(),
                    schedule::Target::of::<then_bad>(),
                );
            }
            all
        }) {
            let mut resources = with_bad(Some(N_ROWS / 2), None, N_ROWS);
            let before = rows(&mut resources);
            let error = schedule.run(&mut resources).unwrap_err();
            let [failure] = error.failures() else {
                panic!("{error}")
            };
            assert_eq!(failure.system.name, "first_bad", "{on:?}");
            assert_eq!(failure.cause.to_string(), "panicked: first");
            let skipped: Vec<_> = error.skipped().iter().map(|one| &*one.name).collect();
            let expected: &[&str] = if is_declared { &["then_bad"] } else { &[] };
            assert_eq!(skipped, expected, "{on:?}");
            if !is_declared {
                // The member after it runs for each entity, also in the chunk of the panic.
                let grown = before.into_iter().map(|row| mix(row.1.unwrap().0, 1));
                assert!(
                    rows(&mut resources)
                        .into_iter()
                        .map(|row| row.1.unwrap().0)
                        .eq(grown)
                );
            }
        }
    }
}

/// A member that is skipped because of an earlier one does not fail, although its function may have panicked for some entities.
#[test]
fn failure_of_a_skipped_member_is_not_reported() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add::<first_bad>()
            .add::<then_bad>()
            .order(
                schedule::Target::of::<first_bad>(),
                schedule::Target::of::<then_bad>(),
            )
    }) {
        let mut resources = with_bad(Some(N_ROWS - 1), Some(0), N_ROWS);
        let error = schedule.run(&mut resources).unwrap_err();
        let failed: Vec<_> = error
            .failures()
            .iter()
            .map(|one| &*one.system.name)
            .collect();
        assert_eq!(failed, ["first_bad"], "{on:?}");
    }
}

#[test]
fn stop_policy_prevents_sweeps() {
    let mut schedule = Schedule::builder()
        .failure_policy(FailurePolicy::Stop)
        .add::<count_third>()
        .add::<count_fourth>()
        .build()
        .unwrap();
    On::Serial.set(&mut schedule);
    let mut resources = resources([if cfg!(miri) { 10 } else { 20_000 }, 0, 0]);
    for _ in 0..2 {
        N_THIRD.store(0, Ordering::Relaxed);
        schedule.run(&mut resources).unwrap();
    }
    assert!(!IS_MIXED.load(Ordering::Relaxed));
}

static N_THIRD: AtomicU32 = AtomicU32::new(0);
static IS_MIXED: AtomicBool = AtomicBool::new(false);

#[system(for_each)]
fn count_third(a: &mut A) {
    a.0 += 1;
    N_THIRD.fetch_add(1, Ordering::Relaxed);
}

#[system(for_each, after = count_third)]
fn count_fourth(a: &A, b: &mut B) {
    b.0 = a.0;
    let n = if cfg!(miri) { 10 } else { 20_000 };
    if N_THIRD.load(Ordering::Relaxed) < n {
        IS_MIXED.store(true, Ordering::Relaxed);
    }
}
