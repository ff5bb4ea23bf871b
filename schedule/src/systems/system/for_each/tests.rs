//! Blocks in any order and on several threads have the effects of a plain loop over the entities.
#![expect(unsafe_code, reason = "runs systems and blocks without an executor")]

mod herd;
mod ways;

use core::any::TypeId;
use core::error::Error;
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;

use self::herd::{Age, Cow, Herd, Weight};
use self::ways::{
    run_all, run_backwards, run_on_two_threads, run_range, run_strips, run_tables_backwards,
};
use super::ForEach;
use crate::data::entity::{EachParam, EachResource, ForEachError, Row, With, for_each};
use crate::data::fold::{self as exact, Accumulators, Cells};
use crate::data::output::BoxError;
use crate::data::param::fetch::Scope;
use crate::data::param::{CommandQueue, Commands, FetchFrom, Fold, Foldable, Join, Lookup, Settle};
use crate::data::resource::Resources;
use crate::systems::system::blocks::{BLOCK_ROWS, Blocks, TableBlocks, n_blocks};
use crate::systems::system::{Recipe, Runnable, System};

#[derive(schedule_macros::Resource)]
#[resource(crate = crate)]
struct Step(f32);

/// The number of entities that fail: those whose age is a multiple of it. 0: none.
#[derive(schedule_macros::Resource)]
#[resource(crate = crate)]
struct FailsEach(u32);

/// Reports of commands, in the order in which they are applied.
#[derive(schedule_macros::Resource, Debug, Default, PartialEq)]
#[resource(crate = crate)]
struct Log(Vec<(Cow, usize)>);

/// The sum of a series, which depends on the order of its terms.
#[derive(schedule_macros::Resource, Debug, PartialEq)]
#[resource(crate = crate)]
struct Sum(f32);

impl Foldable for Sum {
    type Partial = f32;

    fn join(&mut self, partial: f32) {
        self.0 = self.0 * 0.75 + partial;
    }
}

/// The sums of weights by age, of each execution. The threads have accumulators.
#[derive(schedule_macros::Resource, Debug, Default, PartialEq)]
#[resource(crate = crate)]
struct Ages(Vec<Vec<u8>>);

impl Foldable for Ages {
    type Partial = Cells<exact::Sum<u8>>;
    const ACCUMULATORS: Accumulators<Self::Partial> = Accumulators::per_thread();

    fn join(&mut self, partial: Self::Partial) {
        let sums = partial.into_iter().map(exact::Sum::into_inner);
        self.0.push(sums.collect());
    }
}

#[schedule_macros::system(for_each = Herd, crate = crate)]
#[expect(clippy::too_many_arguments, reason = "it uses every kind of parameter")]
fn grow(
    age: &mut Age,
    weight: Option<&mut Weight>,
    cow: Cow,
    row: Row,
    #[resource] step: &Step,
    #[resource] fails_each: Option<&FailsEach>,
    mut commands: Commands,
    (mut sum, mut ages): (Fold<Sum>, Fold<Ages>),
) -> Result<(), String> {
    grow_one(age, weight, step);
    *sum += term(age);
    ages[age.0 as usize % 7] += age.0 as u8;
    if is_logged(age) {
        commands.push(move |resources| resources.get_mut::<Log>().unwrap().0.push((cow, row.0)));
    }
    match fails_each {
        Some(FailsEach(n)) if age.0.is_multiple_of(*n) => Err(format!("failed at {}", age.0)),
        _ => Ok(()),
    }
}

fn grow_one(age: &mut Age, weight: Option<&mut Weight>, step: &Step) {
    age.0 += 1;
    if let Some(weight) = weight {
        weight.0 += age.0 as f32 * step.0;
    }
}

fn term(age: &Age) -> f32 {
    1.0 / (age.0 as f32 + 0.3)
}

fn is_logged(age: &Age) -> bool {
    age.0.is_multiple_of(13)
}

/// The number of rows of each table, around multiples of a block.
const LENGTHS: [usize; 10] = [
    0,
    1,
    BLOCK_ROWS - 1,
    BLOCK_ROWS,
    0,
    BLOCK_ROWS + 1,
    2 * BLOCK_ROWS,
    3,
    3 * BLOCK_ROWS - 1,
    0,
];

fn resources(lengths: &[usize], fails_each: Option<u32>) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Herd::<true>::new(lengths));
    resources.insert(Step(0.5));
    resources.insert(Log::default());
    resources.insert(Sum(1.0));
    resources.insert(Ages::default());
    if let Some(n) = fails_each {
        resources.insert(FailsEach(n));
    }
    resources
}

/// What a run changes, and its failure.
#[derive(Debug, PartialEq)]
struct Effects {
    tables: Vec<(Vec<Age>, Vec<Weight>)>,
    log: Log,
    sum: Sum,
    ages: Ages,
    failure: Option<String>,
}

impl Effects {
    /// Runs the system by a function that runs its blocks, after a run with other resources.
    fn of(lengths: &[usize], fails_each: Option<u32>, run_blocks: impl Fn(&dyn Blocks)) -> Self {
        let (mut system, _) = grow::DEFINITION.instantiate().into_parts();
        let mut others = resources(&[3 * BLOCK_ROWS, 7], None);
        run_and_settle(&mut *system, &mut others, &run_blocks).unwrap();
        let mut resources = resources(lengths, fails_each);
        let result = run_and_settle(&mut *system, &mut resources, &run_blocks);
        let failure = result.err().map(|error| {
            assert!(error.is::<ForEachError<Cow>>());
            error.to_string()
        });
        Self {
            tables: resources.get_mut::<Herd>().unwrap().values(),
            log: resources.remove().unwrap(),
            sum: resources.remove().unwrap(),
            ages: resources.remove().unwrap(),
            failure,
        }
    }

    /// The effects of a plain loop.
    fn expected(lengths: &[usize], fails_each: Option<u32>) -> Self {
        let mut tables = Herd::<true>::new(lengths).values();
        let (mut log, mut sum) = (Log::default(), Sum(1.0));
        let mut of_ages = Vec::new();
        let mut failed: Vec<(Cow, u32)> = Vec::new();
        for (table, (ages, weights)) in tables.iter_mut().enumerate() {
            for (nth, ages) in ages.chunks_mut(BLOCK_ROWS).enumerate() {
                let mut partial = 0.0;
                for (row, age) in (nth * BLOCK_ROWS..).zip(ages) {
                    grow_one(age, weights.get_mut(row), &Step(0.5));
                    partial += term(age);
                    let idx = age.0 as usize % 7;
                    of_ages.resize(of_ages.len().max(idx + 1), 0_u8);
                    of_ages[idx] = of_ages[idx].wrapping_add(age.0 as u8);
                    let cow = Cow { table, row };
                    if is_logged(age) {
                        log.0.push((cow, row));
                    }
                    if fails_each.is_some_and(|n| age.0.is_multiple_of(n)) {
                        failed.push((cow, age.0));
                    }
                }
                sum.join(partial);
            }
        }
        let failure = failed.first().map(|(cow, age)| match failed.len() {
            1 => format!("entity {cow:?}: failed at {age}"),
            n => format!("{n} entities failed, the first is {cow:?}: failed at {age}"),
        });
        let mut ages = Ages(vec![of_ages]);
        if failure.is_some() {
            (log, sum) = (Log::default(), Sum(1.0));
        }
        if failure.is_some() || ages.0[0].is_empty() {
            ages.0.clear();
        }
        Self {
            tables,
            log,
            sum,
            ages,
            failure,
        }
    }
}

/// Runs a system by a function that runs its blocks. Then applies its commands and joins its folds.
fn run_and_settle(
    system: &mut dyn Runnable,
    resources: &mut Resources,
    run_blocks: impl Fn(&dyn Blocks),
) -> Result<(), BoxError> {
    let result = run(system, resources, |blocks| {
        run_blocks(blocks);
        true
    });
    settle(system, resources);
    result
}

/// Runs a system by a function that runs its blocks.
fn run(
    system: &mut dyn Runnable,
    resources: &mut Resources,
    mut run_blocks: impl FnMut(&dyn Blocks) -> bool,
) -> Result<(), BoxError> {
    prepare(system, resources);
    let blocks = system.blocks().expect("it is a `for_each` system");
    // SAFETY: nothing else uses the resources, and `prepare` missed nothing.
    unsafe { blocks.with_blocks(FetchFrom::new(resources), &mut run_blocks) }
}

fn prepare(system: &mut dyn Runnable, resources: &Resources) {
    let mut lookup = Lookup::new(resources, None, Scope::Everything);
    system.prepare(&mut lookup);
    assert!(lookup.into_missing().is_none());
}

/// Applies the commands of a system, and joins its folds.
fn settle(system: &mut dyn Runnable, resources: &mut Resources) {
    prepare(system, resources);
    for folded in [TypeId::of::<Sum>(), TypeId::of::<Ages>()] {
        // SAFETY: nothing else uses the resources, and `prepare` missed nothing.
        let mut join = unsafe { Join::new(folded) };
        system.settle(&mut Settle::JoinFolds(&mut join));
        assert!(join.into_failure().is_none());
    }
    take_commands(system).apply(resources);
}

fn take_commands(system: &mut dyn Runnable) -> CommandQueue {
    let mut queue = CommandQueue::new();
    system.settle(&mut Settle::TakeCommands(&mut queue));
    queue
}

#[test]
fn effects_do_not_depend_on_the_order_of_blocks_nor_on_threads() {
    let ways: [fn(&dyn Blocks); 5] = [
        run_all,
        run_strips,
        run_backwards,
        run_tables_backwards,
        run_on_two_threads,
    ];
    // Miri is slow.
    let lengths = if cfg!(miri) { &LENGTHS[4..6] } else { &LENGTHS };
    // Failures in most blocks, none, and one of the last entity.
    let n_rows: usize = lengths.iter().sum();
    let failures = [Some(97), None, Some(n_rows as u32)];
    let n_failures = if cfg!(miri) { 1 } else { failures.len() };
    for fails_each in failures.into_iter().take(n_failures) {
        let expected = Effects::expected(lengths, fails_each);
        for (nth, way) in ways.iter().enumerate() {
            let effects = Effects::of(lengths, fails_each, way);
            assert!(effects == expected, "way {nth}, {fails_each:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn effects_do_not_depend_on_the_division_into_ranges(
        lengths in vec(0..3 * BLOCK_ROWS, 0..6),
        fails_each in option::of(1..5_000_u32),
        cuts in vec(any::<Index>(), 0..8),
        order in any::<u64>(),
    ) {
        let effects = Effects::of(&lengths, fails_each, |blocks| {
            let n_blocks = n_blocks(blocks.tables());
            let mut bounds: Vec<_> = cuts.iter().map(|cut| cut.index(n_blocks + 1)).collect();
            bounds.extend([0, n_blocks]);
            bounds.sort_unstable();
            let mut ranges: Vec<_> = bounds.windows(2).map(|pair| pair[0]..pair[1]).collect();
            ranges.sort_by_key(|range| (range.start as u64 + 1).wrapping_mul(order | 1));
            ranges.into_iter().for_each(|range| run_range(blocks, range));
        });
        prop_assert!(effects == Effects::expected(&lengths, fails_each));
    }
}

#[test]
fn blocks_are_numbered_by_table_and_row() {
    let mut resources = resources(&LENGTHS, None);
    let (mut system, _) = grow::DEFINITION.instantiate().into_parts();
    let check = |blocks: &dyn Blocks| {
        let of = |table, n_rows, first_block| TableBlocks {
            table,
            n_rows,
            first_block,
        };
        let expected = [
            of(1, 1, 0),
            of(2, BLOCK_ROWS - 1, 1),
            of(3, BLOCK_ROWS, 2),
            of(5, BLOCK_ROWS + 1, 3),
            of(6, 2 * BLOCK_ROWS, 5),
            of(7, 3, 7),
            of(8, 3 * BLOCK_ROWS - 1, 8),
        ];
        assert_eq!(blocks.tables(), expected);
        assert_eq!(n_blocks(blocks.tables()), 11);
        assert_eq!(expected[3].rows_of(&(2..4)), 0..BLOCK_ROWS);
        assert_eq!(expected[3].rows_of(&(4..9)), BLOCK_ROWS..BLOCK_ROWS + 1);
        false
    };
    run(&mut *system, &mut resources, check).unwrap();
}

#[test]
#[should_panic(expected = "the system has no such block")]
fn block_that_does_not_exist_cannot_run() {
    let mut resources = resources(&[1], None);
    let (mut system, _) = grow::DEFINITION.instantiate().into_parts();
    let run_two = |blocks: &dyn Blocks| {
        run_range(blocks, 0..2);
        true
    };
    _ = run(&mut *system, &mut resources, run_two);
}

/// What the commands and errors of `stumble` own.
#[derive(schedule_macros::Resource)]
#[resource(crate = crate)]
struct Token(Arc<()>);

/// An error that owns a token.
#[derive(Debug)]
struct Lame(#[expect(dead_code, reason = "only owned")] Arc<()>);

impl fmt::Display for Lame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("lame")
    }
}

impl Error for Lame {}

#[derive(schedule_macros::Resource)]
#[resource(crate = crate)]
struct PanicsAt(u32);

#[schedule_macros::system(for_each = Herd, crate = crate)]
fn stumble(
    age: &Age,
    #[resource] panics_at: &PanicsAt,
    #[resource] token: &Token,
    mut commands: Commands,
    mut sum: Fold<Sum>,
    mut ages: Fold<Ages>,
) -> Result<(), Lame> {
    let of_command = Arc::clone(&token.0);
    commands.push(move |_| drop(of_command));
    *sum += 1.0;
    ages[3] += 1;
    assert_ne!(age.0, panics_at.0, "stumbled");
    match age.0 % 5 {
        3 => Err(Lame(Arc::clone(&token.0))),
        _ => Ok(()),
    }
}

/// Runs the blocks from the last one to the first one, and stops at the one that panics.
fn run_until_panic(blocks: &dyn Blocks) -> bool {
    catch_unwind(AssertUnwindSafe(|| run_backwards(blocks))).is_ok()
}

#[test]
fn nothing_that_blocks_recorded_survives_a_panic() {
    let token = Arc::new(());
    let mut resources = resources(&[700, 3, 2_000], None);
    resources.insert(Token(Arc::clone(&token)));
    // In the second block.
    resources.insert(PanicsAt(600));
    let (mut system, _) = stumble::DEFINITION.instantiate().into_parts();
    run(&mut *system, &mut resources, run_until_panic).unwrap();
    assert_eq!(Arc::strong_count(&token), 2);
    assert!(take_commands(&mut *system).is_empty());

    prepare(&mut *system, &resources);
    let serial = || {
        // SAFETY: nothing else uses the resources, and `prepare` missed nothing.
        unsafe { system.run(FetchFrom::new(&mut resources), &mut 1) }
    };
    let payload = catch_unwind(AssertUnwindSafe(serial)).unwrap_err();
    assert!(
        payload
            .downcast_ref::<String>()
            .unwrap()
            .contains("stumbled")
    );
    assert_eq!(Arc::strong_count(&token), 2);
    assert!(take_commands(&mut *system).is_empty());

    settle(&mut *system, &mut resources);
    assert_eq!(*resources.get::<Sum>().unwrap(), Sum(1.0));
    assert_eq!(*resources.get::<Ages>().unwrap(), Ages::default());
}

#[test]
fn only_the_first_error_of_a_failed_run_survives() {
    let token = Arc::new(());
    let mut resources = resources(&[700, 3, 2_000], None);
    resources.insert(Token(Arc::clone(&token)));
    resources.insert(PanicsAt(u32::MAX));
    let (mut system, _) = stumble::DEFINITION.instantiate().into_parts();
    let error = run(&mut *system, &mut resources, run_until_panic).unwrap_err();
    let error: Box<ForEachError<Cow>> = error.downcast().unwrap();
    assert_eq!((error.entity().row, error.n_failed()), (3, 540));
    assert_eq!(Arc::strong_count(&token), 3);
    assert!(take_commands(&mut *system).is_empty());
    drop(error);
    assert_eq!(Arc::strong_count(&token), 2);
}

/// Creates a system that counts the years of entities with a weight.
fn age_heavy<const IS_COVERED: bool>() -> Box<dyn Runnable> {
    let parameters = &(
        <&mut Age as EachParam<Herd<IS_COVERED>>>::EACH,
        <Option<&Weight> as EachParam<Herd<IS_COVERED>>>::EACH,
    );
    let types = for_each::<Herd<IS_COVERED>, (With<Weight>,), _>(parameters);
    let each = ForEach::new(types, (), false, |(age, weight), ()| {
        age_if_heavy(age, weight);
        Ok(())
    });
    each.instantiate().into_parts().0
}

fn age_if_heavy(age: &mut Age, weight: Option<&Weight>) {
    age.0 += 100 * u32::from(weight.is_some());
}

/// Runs the system, and returns the numbers of rows of the tables, and of lookups of columns.
fn run_counted<const IS_COVERED: bool>(
    system: &mut dyn Runnable,
    resources: &mut Resources,
) -> (Vec<usize>, usize) {
    let n_lookups = |resources: &Resources| {
        let herd: &Herd<IS_COVERED> = resources.get().unwrap();
        herd.n_lookups()
    };
    let before = n_lookups(resources);
    let mut n_rows = Vec::new();
    let run_blocks = |blocks: &dyn Blocks| {
        n_rows.extend(blocks.tables().iter().map(|table| table.n_rows));
        run_backwards(blocks);
        true
    };
    run(system, resources, run_blocks).unwrap();
    (n_rows, n_lookups(resources) - before)
}

/// Changes the tables between runs. Returns the numbers of lookups: in the first run, the same again, after a change of rows, and after
/// a change of tables.
fn lookups_after_changes<const IS_COVERED: bool>() -> [usize; 4] {
    let mut system = age_heavy::<IS_COVERED>();
    let mut resources = Resources::new();
    resources.insert(Herd::<IS_COVERED>::new(&[3, 5, 7, 1_000, 9, 0]));
    let (n_rows, first) = run_counted::<IS_COVERED>(&mut *system, &mut resources);
    assert_eq!(n_rows, [5, 1_000]);
    let (n_rows, again) = run_counted::<IS_COVERED>(&mut *system, &mut resources);
    assert_eq!(n_rows, [5, 1_000]);

    let herd: &mut Herd<IS_COVERED> = resources.get_mut().unwrap();
    let ages: Vec<u32> = herd.values()[1].0.iter().map(|age| age.0).collect();
    assert_eq!(ages, [203, 204, 205, 206, 207]);
    herd.refill(3, 0);
    herd.refill(5, 600);
    let (n_rows, refilled) = run_counted::<IS_COVERED>(&mut *system, &mut resources);
    assert_eq!(n_rows, [5, 600]);

    let herd: &mut Herd<IS_COVERED> = resources.get_mut().unwrap();
    herd.add_table(1);
    herd.add_table(2);
    let (n_rows, added) = run_counted::<IS_COVERED>(&mut *system, &mut resources);
    assert_eq!(n_rows, [5, 600, 2]);
    [first, again, refilled, added]
}

#[test]
fn columns_are_looked_up_once_for_each_version_that_covers_rows() {
    assert_eq!(lookups_after_changes::<true>(), [4, 0, 4, 6]);
    assert_eq!(lookups_after_changes::<false>(), [4, 4, 4, 6]);
}

/// The macro rejects this at compile time.
#[test]
#[should_panic(expected = "a `for_each` system writes only components of the entity")]
fn instance_never_writes_a_resource() {
    let types = for_each::<Herd, (), _>(&(<&Age as EachParam<Herd>>::EACH,));
    let resources = (<&mut Step as EachResource>::READ,);
    ForEach::new(types, resources, false, |_, _| Ok(())).instantiate();
}

/// The macro rejects this at compile time.
#[test]
#[should_panic(expected = "the parameters of a system conflict")]
fn instance_never_has_two_references_to_one_component() {
    let parameters = &(
        <&mut Age as EachParam<Herd>>::EACH,
        <Option<&Age> as EachParam<Herd>>::EACH,
    );
    let types = for_each::<Herd, (), _>(parameters);
    ForEach::new(types, (), false, |_, ()| Ok(())).instantiate();
}
