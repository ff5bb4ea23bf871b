//! Stores of columns, compared with a naive model, and with components whose drop panics.
#![expect(
    unsafe_code,
    reason = "the derive expands to a macro of this crate, so its implementation counts as code of this crate"
)]

use core::cmp::Reverse;
use core::mem::{size_of_val, swap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;

use super::{Buffer, ColumnMut, Columns, EntityId};
use crate::data::param::{CommandQueue, Commands};
use crate::data::resource::Resources;

#[derive(schedule_macros::Component, Clone, Debug, PartialEq)]
#[component(crate = crate)]
struct Name(String);

#[derive(schedule_macros::Component, Clone, Copy, Debug, PartialEq)]
#[component(crate = crate)]
struct Age(u8);

#[derive(schedule_macros::Component, Clone, Copy, Debug, PartialEq)]
#[component(crate = crate)]
struct Tame;

#[derive(schedule_macros::Columns, Clone, Debug, PartialEq)]
#[columns(crate = crate)]
struct Animal {
    name: Name,
    age: Age,
    next: Buffer<Age>,
    tame: Tame,
}

fn animal(age: u8) -> Animal {
    Animal {
        name: Name(format!("animal {age}")),
        age: Age(age),
        next: Buffer(Age(age / 2)),
        tame: Tame,
    }
}

/// A change of a store. An entity is given by its place in the list of all entities that were ever created.
#[derive(Clone, Debug)]
enum Change {
    Spawn(u8),
    Extend(Vec<u8>),
    Despawn(usize),
    Write(usize, u8),
    /// Sorts by the age, modulo a number.
    Sort(u8),
    /// Sorts by the name, then by the age, both descending.
    SortByNames,
    /// Exchanges the ages with the next ones.
    Swap,
    Clear,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => any::<u8>().prop_map(Change::Spawn),
        1 => prop::collection::vec(any::<u8>(), 0..5).prop_map(Change::Extend),
        6 => any::<usize>().prop_map(Change::Despawn),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(nth, age)| Change::Write(nth, age)),
        2 => (1..9_u8).prop_map(Change::Sort),
        1 => Just(Change::SortByNames),
        1 => Just(Change::Swap),
        1 => Just(Change::Clear),
    ]
}

/// All entities that were ever created, and the order of the rows.
#[derive(Default)]
struct Model {
    /// The id and the value of each entity. `None` if it was despawned.
    entities: Vec<(EntityId<Animal>, Option<Animal>)>,
    /// `rows[row]`: an index of `entities`.
    rows: Vec<usize>,
}

impl Model {
    fn spawn(&mut self, id: EntityId<Animal>, animal: Animal) {
        self.rows.push(self.entities.len());
        self.entities.push((id, Some(animal)));
    }

    fn despawn(&mut self, nth: usize) -> Option<Animal> {
        let animal = self.entities[nth].1.take()?;
        let row = self.rows.iter().position(|other| *other == nth);
        self.rows.swap_remove(row.expect("each entity has a row"));
        Some(animal)
    }

    fn sort_by_key<T: Ord>(&mut self, key: impl Fn(&Animal) -> T) {
        let animal = |nth: &usize| self.entities[*nth].1.as_ref();
        self.rows
            .sort_by_key(|nth| key(animal(nth).expect("each row has an entity")));
    }

    fn assert_equals(&self, store: &mut Columns<Animal>) -> Result<(), TestCaseError> {
        prop_assert_eq!(store.len(), self.rows.len());
        let ids = self.rows.iter().map(|nth| self.entities[*nth].0);
        prop_assert_eq!(store.ids(), ids.collect::<Vec<_>>());
        for (nth, (id, animal)) in self.entities.iter().enumerate() {
            let row = self.rows.iter().position(|other| *other == nth);
            prop_assert_eq!(store.row(*id), row, "a stale id has no row");
            prop_assert_eq!(store.contains(*id), animal.is_some());
            let found = store.get_mut::<Age>(*id).map(|age| *age);
            prop_assert_eq!(found, animal.as_ref().map(|animal| animal.age));
        }
        let (names, ages, next, tame) =
            store.columns_mut::<(&Name, &mut Age, &Buffer<Age>, &Tame)>();
        let lengths = [names.len(), ages.len(), next.len(), tame.len()];
        prop_assert_eq!(lengths, [self.rows.len(); 4]);
        let values = names.iter().zip(&ages).zip(&next);
        for (((name, age), next), nth) in values.zip(&self.rows) {
            let animal = self.entities[*nth].1.as_ref();
            let expected = animal.map(|one| (&one.name, one.age, one.next));
            prop_assert_eq!(expected, Some((name, *age, *next)));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 256 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_store_equals_a_list_of_all_entities(changes in prop::collection::vec(change(), 0..60)) {
        let mut store = Columns::new();
        let mut model = Model::default();
        for change in changes {
            let n_ever = model.entities.len();
            match change {
                Change::Spawn(age) => model.spawn(store.spawn(animal(age)), animal(age)),
                Change::Extend(ages) => {
                    store.extend(ages.iter().map(|age| animal(*age)));
                    let first = store.len() - ages.len();
                    let ids = store.ids()[first..].iter();
                    ids.zip(&ages).for_each(|(id, age)| model.spawn(*id, animal(*age)));
                }
                Change::Despawn(nth) if n_ever > 0 => {
                    let id = model.entities[nth % n_ever].0;
                    prop_assert_eq!(store.despawn(id), model.despawn(nth % n_ever));
                }
                Change::Write(nth, age) if n_ever > 0 => {
                    let (id, animal) = &mut model.entities[nth % n_ever];
                    if let Some(found) = store.column_mut::<Age>().by_id_mut(*id) {
                        found.0 = age;
                    }
                    if let Some(animal) = animal {
                        animal.age.0 = age;
                    }
                }
                Change::Despawn(_) | Change::Write(..) => {}
                Change::Sort(modulus) => {
                    store.sort_by_key::<&Age, _>(|age| age.0 % modulus);
                    model.sort_by_key(|animal| animal.age.0 % modulus);
                }
                Change::SortByNames => {
                    store.sort_by_key::<(&Name, &Age), _>(|(name, age)| Reverse((name.0.clone(), age.0)));
                    model.sort_by_key(|animal| Reverse((animal.name.0.clone(), animal.age.0)));
                }
                Change::Swap => {
                    let (mut ages, mut next) = store.columns_mut::<(&mut Age, &mut Buffer<Age>)>();
                    ColumnMut::swap(&mut ages, &mut next);
                    for nth in &model.rows {
                        let animal = model.entities[*nth].1.as_mut().expect("each row has an entity");
                        swap(&mut animal.age, &mut animal.next.0);
                    }
                }
                Change::Clear => {
                    store.clear();
                    model.rows.clear();
                    model.entities.iter_mut().for_each(|(_, animal)| *animal = None);
                }
            }
            model.assert_equals(&mut store)?;
        }
        let ids = model.entities.iter().map(|(id, _)| *id);
        let distinct: std::collections::HashSet<_> = ids.collect();
        prop_assert_eq!(distinct.len(), model.entities.len(), "an id is never used again");
    }
}

#[test]
fn cleared_entities_leave_their_numbers_in_the_order_of_rows() {
    let mut store: Columns<Animal> = (0..4).map(animal).collect();
    store.despawn(store.ids()[1]);
    assert_eq!(format!("{:?}", store.ids()), "[0v1, 3v1, 2v1]");
    store.clear();
    store.extend((0..5).map(animal));
    assert_eq!(format!("{:?}", store.ids()), "[0v2, 3v2, 2v2, 1v2, 4v1]");
}

#[test]
fn a_component_without_size_has_a_row_for_each_entity() {
    let mut store: Columns<Animal> = (0..3).map(animal).collect();
    let tame = store.column::<Tame>();
    assert_eq!((tame.len(), size_of_val(&*tame)), (3, 0));
}

#[test]
fn the_version_changes_with_the_rows_and_differs_between_stores() {
    let mut store = Columns::new();
    let mut versions = vec![store.version(), Columns::<Animal>::new().version()];
    let id = store.spawn(animal(1));
    versions.push(store.version());
    store.reserve(100);
    versions.push(store.version());
    store.despawn(id);
    versions.push(store.version());
    store.clear();
    versions.push(store.version());
    for (nth, version) in versions.iter().enumerate() {
        assert!(!versions[..nth].contains(version));
    }
    store.column_mut::<Age>();
    assert_eq!(store.version(), versions[5]);
}

#[test]
fn the_version_changes_if_columns_are_swapped_or_rows_move() {
    let mut store: Columns<Animal> = (0..4).map(animal).collect();
    let version = store.version();
    store.sort_by_key::<&Age, _>(|age| age.0);
    assert_eq!(store.version(), version, "the rows are sorted already");
    store.sort_by_key::<&Age, _>(|age| Reverse(age.0));
    let sorted = store.version();
    assert_ne!(sorted, version);
    swap_ages(&mut store);
    assert_ne!(store.version(), sorted);
}

fn swap_ages(store: &mut Columns<Animal>) {
    let (ages, next) = store.columns_mut::<(&mut Age, &mut Buffer<Age>)>();
    swap_as_a_system(ages, next);
}

/// Writes the values of columns that are its parameters, before and after it swaps them. Miri checks that it may.
fn swap_as_a_system(mut ages: ColumnMut<Animal, Age>, mut next: ColumnMut<Animal, Buffer<Age>>) {
    for age in ages
        .iter_mut()
        .chain(next.iter_mut().map(|next| &mut next.0))
    {
        age.0 ^= 255;
    }
    ColumnMut::swap(&mut ages, &mut next);
    for age in ages
        .iter_mut()
        .chain(next.iter_mut().map(|next| &mut next.0))
    {
        age.0 ^= 255;
    }
}

#[test]
fn swapped_columns_exchange_their_addresses() {
    let mut store: Columns<Animal> = (0..4).map(animal).collect();
    store.reserve(60);
    let (ages, next) = store.columns_mut::<(&Age, &Buffer<Age>)>();
    let (ages, next) = (ages.as_ptr(), next.as_ptr());
    let (mut new_ages, mut new_next) = store.columns_mut::<(&mut Age, &mut Buffer<Age>)>();
    ColumnMut::swap(&mut new_ages, &mut new_next);
    // The parameters have the values of their columns.
    assert_eq!([new_ages[3], new_next[3].0], [Age(1), Age(3)]);
    assert_eq!(
        (new_ages.as_ptr().cast(), new_next.as_ptr().cast()),
        (next, ages)
    );
    new_ages[3] = Age(9);
    assert_eq!(store.column::<Age>()[3], Age(9));
    store.extend((4..64).map(animal));
    assert_eq!(
        store.column::<Age>().as_ptr().cast(),
        next,
        "the memory was reserved"
    );
    assert_eq!(store.column::<Age>()[63], Age(63));
    swap_ages(&mut store);
    assert_eq!(
        [store.column::<Age>()[3], store.column::<Age>()[63]],
        [Age(3), Age(31)]
    );
    swap_ages(&mut Columns::new());
}

#[test]
#[should_panic(expected = "the columns to swap are of two stores")]
fn columns_of_two_stores_are_not_swapped() {
    let [mut first, mut second] = [0, 1].map(|age| Columns::from_iter([animal(age)]));
    ColumnMut::swap(&mut first.column_mut::<Age>(), &mut second.column_mut());
}

#[test]
fn a_swap_of_two_columns_does_not_hide_the_swap_of_two_rows() {
    let mut store: Columns<Animal> = (0..4).map(animal).collect();
    store.column_mut::<Age>().swap(1, 3);
    assert_eq!(store.column::<Age>()[1], Age(3));
}

#[test]
fn values_without_size_are_swapped_and_sorted() {
    #[derive(schedule_macros::Columns)]
    #[columns(crate = crate)]
    struct Stone {
        tame: Tame,
        next: Buffer<Tame>,
    }
    let stone = || Stone {
        tame: Tame,
        next: Buffer(Tame),
    };
    let mut stones = Columns::from_iter([stone(), stone(), stone()]);
    let (mut tame, mut next) = stones.columns_mut::<(&mut Tame, &mut Buffer<Tame>)>();
    ColumnMut::swap(&mut tame, &mut next);
    assert_eq!((tame.len(), next.len()), (3, 3));
    let ids = stones.ids().to_vec();
    let mut n_keys = 3;
    stones.sort_by_key::<&Tame, _>(|_| {
        n_keys -= 1;
        n_keys
    });
    assert_eq!(stones.ids(), [ids[2], ids[1], ids[0]]);
    assert_eq!(stones.column::<Tame>().len(), 3);
}

/// A key that panics when it is compared, or dropped.
struct Bad(u8);

impl Drop for Bad {
    fn drop(&mut self) {
        assert_ne!(self.0, 7, "bang");
    }
}

impl PartialEq for Bad {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Bad {}

impl PartialOrd for Bad {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bad {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        assert_ne!(self.0, 3, "bang");
        other.0.cmp(&self.0)
    }
}

#[test]
fn a_key_that_panics_changes_nothing() {
    // The key of the second animal panics when it is computed, compared or dropped.
    for age in [1, 3, 7] {
        let mut store = Columns::from_iter([animal(0), animal(age), animal(8), animal(9)]);
        let (ids, version) = (store.ids().to_vec(), store.version());
        assert!(
            catch_unwind(AssertUnwindSafe(|| {
                store.sort_by_key::<&Age, _>(|age| {
                    assert_ne!(age.0, 1, "bang");
                    Bad(age.0)
                });
            }))
            .is_err()
        );
        assert_eq!((store.ids(), store.version()), (&ids[..], version));
        assert_eq!(*store.column::<Age>(), [0, age, 8, 9].map(Age));
    }
}

/// Counts drops, and panics at some of them.
#[derive(schedule_macros::Component)]
#[component(crate = crate)]
struct Bomb {
    n_dropped: Arc<AtomicU32>,
    is_armed: bool,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.n_dropped.fetch_add(1, Ordering::Relaxed);
        assert!(!self.is_armed, "bang");
    }
}

#[derive(schedule_macros::Component)]
#[component(crate = crate)]
struct Spare(Bomb);

#[derive(schedule_macros::Columns)]
#[columns(crate = crate)]
struct Bomber {
    name: Name,
    bomb: Bomb,
    spare: Spare,
}

/// Creates four bombers with two bombs each, of which half are armed.
fn bombers(n_dropped: &Arc<AtomicU32>) -> Columns<Bomber> {
    let bomb = |is_armed| Bomb {
        n_dropped: Arc::clone(n_dropped),
        is_armed,
    };
    let bomber = |nth: u32| Bomber {
        name: Name(format!("bomber {nth}")),
        bomb: bomb(nth.is_multiple_of(2)),
        spare: Spare(bomb(nth < 2)),
    };
    (0..4).map(bomber).collect()
}

fn assert_equally_long(store: &mut Columns<Bomber>, n_rows: usize) {
    assert_eq!(store.len(), n_rows);
    let (names, bombs, spares) = store.columns_mut::<(&Name, &Bomb, &Spare)>();
    assert_eq!([names.len(), bombs.len(), spares.len()], [n_rows; 3]);
}

fn disarm(store: &mut Columns<Bomber>) {
    let (mut bombs, mut spares) = store.columns_mut::<(&mut Bomb, &mut Spare)>();
    let spares = spares.iter_mut().map(|spare| &mut spare.0);
    bombs
        .iter_mut()
        .chain(spares)
        .for_each(|bomb| bomb.is_armed = false);
}

fn panics(call: impl FnOnce()) -> bool {
    let hook = std::panic::take_hook();
    if cfg!(miri) {
        // A panic during another one prints its backtrace, which takes half a minute.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let result = catch_unwind(AssertUnwindSafe(call));
    std::panic::set_hook(hook);
    result.is_err_and(|payload| payload.is::<&str>() && payload.downcast_ref() == Some(&"bang"))
}

#[test]
fn clearing_drops_all_values_although_some_panic() {
    let n_dropped = Arc::default();
    let mut store = bombers(&n_dropped);
    let stale = store.ids()[0];
    assert!(panics(|| store.clear()));
    assert_eq!(n_dropped.load(Ordering::Relaxed), 8);
    assert_equally_long(&mut store, 0);
    assert!(!store.contains(stale));
    store.extend(bombers(&n_dropped).take());
    assert_equally_long(&mut store, 4);
    disarm(&mut store);
}

#[test]
fn dropping_a_store_drops_all_values_although_some_panic() {
    let n_dropped = Arc::default();
    let store = bombers(&n_dropped);
    assert!(panics(|| drop(store)));
    assert_eq!(n_dropped.load(Ordering::Relaxed), 8);
}

#[test]
fn a_sort_drops_no_value() {
    let n_dropped = Arc::default();
    let mut store = bombers(&n_dropped);
    store.sort_by_key::<&Name, _>(|name| Reverse(name.0.clone()));
    assert_eq!(n_dropped.load(Ordering::Relaxed), 0);
    assert_eq!(store.column::<Name>()[0].0, "bomber 3");
    disarm(&mut store);
    drop(store);
    assert_eq!(n_dropped.load(Ordering::Relaxed), 8);
}

#[test]
fn commands_drop_all_components_of_an_entity_although_one_panics() {
    let n_dropped = Arc::default();
    let store = bombers(&n_dropped);
    let ids = store.ids().to_vec();
    let mut resources = Resources::new();
    resources.insert(store);
    let mut queue = CommandQueue::new();
    let mut commands: Commands = queue.commands();
    commands.columns().despawn(ids[3]);
    commands.columns().despawn(ids[0]);
    commands.columns().despawn(ids[1]);
    assert!(panics(|| queue.apply(&mut resources)));
    assert_eq!(n_dropped.load(Ordering::Relaxed), 4);
    let store = resources.get_mut::<Columns<Bomber>>().unwrap();
    assert_equally_long(store, 2);
    assert_eq!(
        store.ids(),
        [ids[2], ids[1]],
        "the last command was dropped"
    );
    disarm(store);
}

#[test]
fn recorded_entities_are_dropped_one_by_one() {
    let n_dropped = Arc::default();
    let mut store = bombers(&n_dropped);
    // If two components of one entity panic, Rust aborts, as for every struct.
    store.column_mut::<Bomb>()[0].is_armed = false;
    let mut bombers = store.take();
    let mut queue = CommandQueue::new();
    let mut commands: Commands = queue.commands();
    let ticket = commands.columns().spawn(bombers.next().unwrap());
    commands.columns().spawn_batch(bombers);
    assert!(panics(|| drop(queue)));
    assert!(ticket.is_dropped());
    assert_eq!(n_dropped.load(Ordering::Relaxed), 8);
}

impl Columns<Bomber> {
    /// Removes all entities and returns them.
    fn take(mut self) -> impl Iterator<Item = Bomber> {
        let ids = self.ids().to_vec();
        ids.into_iter().filter_map(move |id| self.despawn(id))
    }
}
