//! Folds whose accumulators belong to threads. Their results are those of a plain loop, on any number of threads.

use proptest::prelude::*;
use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::error::Cause;
use schedule::fold::{Accumulators, Cells, Max, Min, Sum, Union};
use schedule::prelude::*;
use schedule_hecs::World;

use crate::folds::Sum as FloatSum;
use schedule_tests::n_cases;
use schedule_tests::on::On;

/// A number from which everything else follows. If it is [`FAILS`] or [`PANICS`], a system fails at the entity.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Number(u32);

#[derive(Component)]
struct Rare;

#[derive(Columns)]
struct Agent {
    number: Number,
}

const FAILS: u32 = 1_000_000;
const PANICS: u32 = 1_000_001;

/// The number of cells of the field.
const N_CELLS: usize = 3_000;

impl Number {
    fn cell(self) -> usize {
        self.0 as usize * 7919 % N_CELLS
    }
}

/// All joins together. Its accumulators belong to threads, or else to blocks.
type Parts = (
    Cells<Sum<u8>>,
    Cells<Max<u32>>,
    (Min<(u32, i64)>, Union<u128>, [Sum<i8>; 2]),
);

/// What the joins have in all runs.
#[derive(Resource, Clone, Debug, PartialEq)]
struct Field<const IS_EXACT: bool> {
    counts: Vec<u8>,
    greatest: Vec<Option<u32>>,
    least: Option<(u32, i64)>,
    bits: u128,
    sums: [i8; 2],
    /// A sum that a join of blocks and a join of threads change in different ways.
    n_joins: usize,
}

impl<const IS_EXACT: bool> Default for Field<IS_EXACT> {
    fn default() -> Self {
        Self {
            counts: vec![0; N_CELLS],
            greatest: vec![None; N_CELLS],
            least: None,
            bits: 0,
            sums: [0; 2],
            n_joins: 0,
        }
    }
}

fn add(parts: &mut Parts, number: Number) {
    let Number(n) = number;
    let cell = number.cell();
    parts.0[cell] += n as u8;
    parts.1[cell].insert(n);
    let (least, bits, [first, second]) = &mut parts.2;
    least.insert((n % 50, -i64::from(n)));
    *bits |= 1 << (n % 128);
    *first += n as i8;
    *second -= 3;
}

impl Field<true> {
    /// The same as a join of a partial result with this number, by hand.
    fn add(&mut self, number: Number) {
        let Number(n) = number;
        let cell = number.cell();
        self.counts[cell] = (u32::from(self.counts[cell]) + n) as u8;
        self.greatest[cell] = self.greatest[cell].max(Some(n));
        let pair = (n % 50, -i64::from(n));
        self.least = Some(self.least.map_or(pair, |least| least.min(pair)));
        self.bits |= 1 << (n % 128);
        self.sums[0] = (i32::from(self.sums[0]) + n as i32) as i8;
        self.sums[1] = (i32::from(self.sums[1]) - 3) as i8;
    }
}

impl<const IS_EXACT: bool> Field<IS_EXACT> {
    fn take(&mut self, (counts, greatest, (least, bits, sums)): Parts) {
        self.n_joins += 1;
        for (cell, sum) in self.counts.iter_mut().zip(counts) {
            *cell = cell.wrapping_add(sum.into_inner());
        }
        for (cell, value) in self.greatest.iter_mut().zip(greatest.into_inner()) {
            *cell = value.into_inner().max(*cell);
        }
        self.least = match (self.least, least.into_inner()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.bits |= bits.into_inner();
        for (sum, part) in self.sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(part.into_inner());
        }
    }
}

impl Foldable for Field<true> {
    type Partial = Parts;
    const ACCUMULATORS: Accumulators<Parts> = Accumulators::per_thread();

    fn join(&mut self, partial: Parts) {
        self.take(partial);
    }
}

impl Foldable for Field<false> {
    type Partial = Parts;

    fn join(&mut self, partial: Parts) {
        self.take(partial);
    }
}

/// The sizes of the partial results that were joined. The join does not commute, and depends on how values are divided.
#[derive(Resource, Default, Debug, PartialEq)]
struct Sizes(Vec<u64>);

impl Foldable for Sizes {
    type Partial = Sum<u64>;
    const ACCUMULATORS: Accumulators<Sum<u64>> = Accumulators::per_thread();

    fn join(&mut self, partial: Sum<u64>) {
        self.0.push(partial.into_inner());
    }
}

fn result_of(number: Number) -> Result<(), &'static str> {
    match number {
        Number(FAILS) => Err("fails"),
        Number(PANICS) => panic!("panics"),
        _ => Ok(()),
    }
}

/// Declares systems on a store.
macro_rules! systems {
    ($($store:tt)*) => {
        use super::*;

        #[system($($store)*)]
        pub(super) fn alone(number: &Number, mut field: Fold<Field<true>>) {
            add(&mut field, *number);
        }

        #[system($($store)*)]
        pub(super) fn by_blocks(number: &Number, mut field: Fold<Field<false>>) {
            add(&mut field, *number);
        }

        #[system($($store)*)]
        pub(super) fn may_fail(
            number: &Number,
            mut field: Fold<Field<true>>,
        ) -> Result<(), &'static str> {
            add(&mut field, *number);
            result_of(*number)
        }
    };
}

mod world {
    systems!(for_each);

    #[system(for_each)]
    pub(super) fn with_others(
        number: &Number,
        mut sizes: Fold<Sizes>,
        mut commands: Commands,
        mut sum: Fold<FloatSum>,
        mut field: Fold<Field<true>>,
    ) {
        *sizes += 1;
        *sum += number.0 as f32 / 7.0;
        add(&mut field, *number);
        if number.0.is_multiple_of(101) {
            let number = *number;
            commands.push(move |resources| resources.get_mut::<Log>().unwrap().0.push(number));
        }
    }

    #[system(for_each, with = Rare)]
    pub(super) fn rare(number: &Number, mut field: Fold<Field<true>>, mut sizes: Fold<Sizes>) {
        add(&mut field, *number);
        *sizes += 1;
    }
}

mod columns {
    systems!(for_each = Columns<Agent>);

    #[system(for_each = Columns<Agent>)]
    pub(super) fn with_commands(number: &Number, mut sizes: Fold<Sizes>, _: Commands) {
        *sizes += u64::from(number.0);
    }
}

/// Numbers in the order of commands.
#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<Number>);

/// The numbers of a table of common entities, and of a table of rare ones.
fn numbers(n_common: usize, n_rare: usize) -> [Vec<Number>; 2] {
    let number = |nth: usize| Number(((nth as u64 * 2_654_435_761) >> 7) as u32 % 100_000);
    [0..n_common, n_common..n_common + n_rare].map(|range| range.map(number).collect())
}

fn resources([common, rare]: &[Vec<Number>; 2]) -> Resources {
    let mut world = World::<()>::new();
    world.spawn_batch(common.iter().map(|&number| (number,)));
    world.spawn_batch(rare.iter().map(|&number| (number, Rare)));
    let mut resources = Resources::new();
    resources.insert(world);
    let all = common.iter().chain(rare);
    resources.insert(Columns::from_iter(all.map(|&number| Agent { number })));
    resources.insert(Field::<true>::default());
    resources.insert(Field::<false>::default());
    resources.insert(Sizes::default());
    resources.insert(FloatSum::default());
    resources.insert(Log::default());
    resources
}

/// A plain loop over all numbers.
fn by_hand<'n>(numbers: impl IntoIterator<Item = &'n Number>) -> Field<true> {
    let mut field = Field::default();
    numbers.into_iter().for_each(|&number| field.add(number));
    field
}

fn field(resources: &mut Resources) -> Field<true> {
    std::mem::take(resources.get_mut().unwrap())
}

/// Compares everything except the number of joins.
fn without_joins<const IS_EXACT: bool>(field: &Field<IS_EXACT>) -> Field<true> {
    let field = field.clone();
    Field {
        counts: field.counts,
        greatest: field.greatest,
        least: field.least,
        bits: field.bits,
        sums: field.sums,
        n_joins: 0,
    }
}

const LENGTHS: &[(usize, usize)] = if cfg!(miri) {
    &[(0, 0), (3, 2)]
} else {
    &[(0, 0), (1, 0), (0, 513), (512, 1), (9_000, 1_300)]
};

/// Large enough for several threads.
const N_ROWS: usize = if cfg!(miri) { 600 } else { 40_000 };

fn schedule(declare: impl FnOnce(&mut schedule::Builder), on: On) -> Schedule {
    let mut builder = Schedule::builder();
    declare(&mut builder);
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    schedule
}

#[test]
fn accumulators_of_threads_have_the_result_of_a_loop_and_are_joined_once_for_each_execution() {
    for &(n_common, n_rare) in LENGTHS {
        let numbers = numbers(n_common, n_rare);
        for &on in On::EACH {
            for is_world in [true, false] {
                let declare = |builder: &mut schedule::Builder| {
                    if is_world {
                        builder.add::<world::alone>().add::<world::by_blocks>();
                    } else {
                        builder.add::<columns::alone>().add::<columns::by_blocks>();
                    }
                };
                let mut schedule = schedule(declare, on);
                let mut resources = resources(&numbers);
                let mut expected = by_hand(numbers.iter().flatten());
                for run in 0..3 {
                    on.run(&mut schedule, &mut resources).unwrap();
                    let blocks = resources.get_mut::<Field<false>>().unwrap();
                    let of_blocks = std::mem::take(blocks);
                    let of_threads = field(&mut resources);
                    assert_eq!(without_joins(&of_blocks), expected, "{on:?} {run}");
                    expected.n_joins = usize::from(n_common + n_rare > 0);
                    assert_eq!(of_threads, expected, "{on:?} {run}");
                    expected.n_joins = 0;
                }
            }
        }
    }
}

#[test]
fn user_join_does_not_see_how_threads_share_rows() {
    let numbers = numbers(N_ROWS, N_ROWS / 4);
    let n_all = (N_ROWS + N_ROWS / 4) as u64;
    let sum: u64 = numbers.iter().flatten().map(|one| u64::from(one.0)).sum();
    for &on in On::EACH {
        let declare = |builder: &mut schedule::Builder| {
            builder
                .add::<world::with_others>()
                .add::<columns::with_commands>()
                .add::<world::rare>();
        };
        let mut schedule = schedule(declare, on);
        let mut resources = resources(&numbers);
        let mut expected = by_hand(numbers.iter().flatten());
        numbers[1].iter().for_each(|&number| expected.add(number));
        expected.n_joins = 2;
        let of_blocks = |sum: f32, numbers: &Vec<Number>| {
            let blocks = numbers.chunks(512);
            let sums = blocks.map(|block| {
                let mut of_block = 0.0_f32;
                block.iter().for_each(|one| of_block += one.0 as f32 / 7.0);
                of_block
            });
            sums.fold(sum, |sum, of_block| sum + of_block)
        };
        let float = numbers.iter().fold(0.0_f32, of_blocks);
        let is_logged = |number: &&Number| number.0.is_multiple_of(101);
        let log: Vec<_> = numbers
            .iter()
            .flatten()
            .filter(is_logged)
            .copied()
            .collect();
        for run in 0..4 {
            on.run(&mut schedule, &mut resources).unwrap();
            let sizes = std::mem::take(&mut resources.get_mut::<Sizes>().unwrap().0);
            assert_eq!(sizes, [n_all, sum, N_ROWS as u64 / 4], "{on:?} {run}");
            assert_eq!(field(&mut resources), expected, "{on:?} {run}");
            let found = std::mem::take(&mut resources.get_mut::<FloatSum>().unwrap().0);
            assert_eq!(found.to_bits(), float.to_bits(), "{on:?} {run}");
            let found = std::mem::take(&mut resources.get_mut::<Log>().unwrap().0);
            assert_eq!(found, log, "{on:?} {run}");
        }
    }
}

/// The next execution begins with empty accumulators.
#[test]
fn fold_of_threads_is_dropped_if_an_entity_fails_or_panics() {
    let good = numbers(N_ROWS, 100);
    for &on in On::EACH {
        for is_world in [true, false] {
            let declare = |builder: &mut schedule::Builder| {
                if is_world {
                    builder.add::<world::may_fail>();
                } else {
                    builder.add::<columns::may_fail>();
                }
            };
            let mut schedule = schedule(declare, on);
            let mut good_resources = resources(&good);
            let mut expected = by_hand(good.iter().flatten());
            expected.n_joins = 1;
            for (row, fault) in [(0, FAILS), (N_ROWS / 2, PANICS), (N_ROWS - 1, FAILS)] {
                let mut bad = good.clone();
                bad[0][row] = Number(fault);
                let mut bad_resources = resources(&bad);
                let error = on.run(&mut schedule, &mut bad_resources).unwrap_err();
                let [failure] = error.failures() else {
                    panic!("{error}")
                };
                let is_panic = matches!(failure.cause, Cause::Panic(_));
                assert_eq!(is_panic, fault == PANICS, "{on:?} {error}");
                assert_eq!(field(&mut bad_resources), Field::default(), "{on:?}");
                on.run(&mut schedule, &mut good_resources).unwrap();
                assert_eq!(field(&mut good_resources), expected, "{on:?}");
            }
        }
    }
}

/// A loop joins its partial results after its last iteration, or in each one, if it reads the resource.
#[test]
fn each_iteration_of_a_loop_has_a_join() {
    let numbers = numbers(N_ROWS / 8, 10);
    let n_all = (N_ROWS / 8 + 10) as u64;
    for reads in [false, true] {
        for &on in &[On::Serial, On::Auto, On::Threads(2), On::Threads(4)] {
            let declare = |builder: &mut schedule::Builder| {
                let mut n_asked = 0;
                let thrice = move || {
                    n_asked += 1;
                    n_asked % 4 != 0
                };
                builder.repeat_while_closure("thrice", thrice, |body| {
                    body.add::<world::with_others>();
                    if reads {
                        let look = |sizes: &Sizes, mut n_looks: Local<usize>| {
                            *n_looks += 1;
                            assert_eq!(sizes.0.len(), *n_looks);
                        };
                        body.add_closure("look", look).order("with_others", "look");
                    }
                    body
                });
            };
            let mut schedule = schedule(declare, on);
            let mut resources = resources(&numbers);
            let mut expected = Field::default();
            for _ in 0..3 {
                numbers.iter().flatten().for_each(|&one| expected.add(one));
            }
            expected.n_joins = 3;
            for _ in 0..2 {
                schedule.run(&mut resources).unwrap();
                let sizes = std::mem::take(&mut resources.get_mut::<Sizes>().unwrap().0);
                assert_eq!(sizes, [n_all; 3], "{on:?} {reads}");
                assert_eq!(field(&mut resources), expected, "{on:?} {reads}");
                if reads {
                    break;
                }
            }
        }
    }
}

/// Folds of plain systems, closures and dynamic systems have one partial result for each execution, whatever `ACCUMULATORS` is.
#[test]
fn other_systems_fold_into_a_resource_with_accumulators_of_threads() {
    use schedule::BoxError;
    use schedule::dynamic::DynamicSystem;

    let script = || {
        let count = DynamicSystem::new("script", |view| {
            *view.fold::<Sizes>()? += 5;
            Ok::<(), BoxError>(())
        });
        count.folds::<Sizes>()
    };
    for &on in On::EACH {
        let declare = |builder: &mut schedule::Builder| {
            builder
                .add_closure("closure", |mut sizes: Fold<Sizes>| *sizes += 4)
                .add_dynamic(script())
                .add::<world::rare>();
        };
        let mut schedule = schedule(declare, on);
        let mut resources = resources(&numbers(2, 3));
        for _ in 0..2 {
            on.run(&mut schedule, &mut resources).unwrap();
            let sizes = std::mem::take(&mut resources.get_mut::<Sizes>().unwrap().0);
            assert_eq!(sizes, [4, 5, 3], "{on:?}");
        }
    }
}

/// A random program: two systems in a loop or not, and faults.
#[derive(Clone, Debug)]
struct Case {
    lengths: [usize; 2],
    /// The number of iterations. `None`: no loop.
    n_iterations: Option<u32>,
    fault: Option<(u32, usize)>,
    is_world: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let n_rows: usize = if cfg!(miri) { 20 } else { 6_000 };
    let fault = prop_oneof![Just(FAILS), Just(PANICS)];
    (
        [0..n_rows, 0..n_rows],
        proptest::option::of(0_u32..4),
        proptest::option::weighted(0.3, (fault, any::<usize>())),
        any::<bool>(),
    )
        .prop_map(|(lengths, n_iterations, fault, is_world)| Case {
            lengths,
            n_iterations,
            fault,
            is_world,
        })
}

fn declare(builder: &mut schedule::Builder, case: &Case) {
    fn systems(builder: &mut schedule::Builder, is_world: bool) -> &mut schedule::Builder {
        if is_world {
            builder
                .add::<world::may_fail>()
                .add::<world::by_blocks>()
                .add::<world::rare>()
        } else {
            builder
                .add::<columns::may_fail>()
                .add::<columns::by_blocks>()
        }
    }
    let Some(n_iterations) = case.n_iterations else {
        systems(builder, case.is_world);
        return;
    };
    let mut n_asked = 0;
    let condition = move || {
        n_asked += 1;
        n_asked % (n_iterations + 1) != 0
    };
    builder.repeat_while_closure("loop", condition, |body| systems(body, case.is_world));
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(60))
    })]

    #[test]
    fn folds_of_threads_and_of_blocks_agree_with_a_loop(case in cases()) {
        let mut numbers = numbers(case.lengths[0], case.lengths[1]);
        let n_all = case.lengths[0] + case.lengths[1];
        let fault = case.fault.filter(|_| n_all > 0);
        if let Some((fault, nth)) = fault {
            *numbers.iter_mut().flatten().nth(nth % n_all).unwrap() = Number(fault);
        }
        let n_executions = match (case.n_iterations, fault) {
            (None, _) => 1,
            // The loop fails in its first iteration.
            (Some(n), Some(_)) => n.min(1),
            (Some(n), None) => n,
        };
        let (mut of_threads, mut of_blocks) = (Field::default(), Field::default());
        for _ in 0..n_executions {
            numbers.iter().flatten().for_each(|&one| of_blocks.add(one));
            if fault.is_none() {
                numbers.iter().flatten().for_each(|&one| of_threads.add(one));
            }
            if case.is_world {
                numbers[1].iter().for_each(|&one| of_threads.add(one));
            }
        }
        let n_joining = usize::from(fault.is_none() && n_all > 0)
            + usize::from(case.is_world && case.lengths[1] > 0);
        of_threads.n_joins = n_executions as usize * n_joining;
        for &on in On::EACH {
            if case.n_iterations.is_some() && matches!(on, On::Timetabled(_)) {
                continue;
            }
            let mut schedule = schedule(|builder| declare(builder, &case), on);
            let mut resources = resources(&numbers);
            for run in 0..2 {
                // A failed loop does not ask its condition again, so its next run has another number of iterations.
                if run == 1 && fault.is_some() && case.n_iterations.is_some() {
                    break;
                }
                let result = on.run(&mut schedule, &mut resources);
                prop_assert_eq!(result.is_err(), fault.is_some() && n_executions > 0);
                let blocks = resources.get_mut::<Field<false>>().unwrap();
                let blocks = std::mem::take(blocks);
                prop_assert_eq!(without_joins(&blocks), of_blocks.clone(), "{:?}", on);
                prop_assert_eq!(field(&mut resources), of_threads.clone(), "{:?}", on);
            }
        }
    }
}
