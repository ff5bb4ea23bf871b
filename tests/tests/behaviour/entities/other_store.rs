//! A store that is written by hand, for systems that run for each entity.
//!
//! Invariant: the values of a column are accessed only through the address that `for_each` systems get, or through an exclusive
//! reference to the store.
#![expect(
    unsafe_code,
    reason = "implements `EntityTables` by addresses of columns"
)]

use core::any::{Any, TypeId};
use core::ptr::NonNull;
use std::collections::HashMap;

use schedule::entity::{Component, EachEntity, EachParam, EntityStore, EntityTables, Row, With};
use schedule::prelude::*;
use schedule_hecs::{Query, World};

#[derive(Component, Debug, PartialEq)]
struct Health(i32);

#[derive(Component, Debug, PartialEq)]
struct Poison(i32);

/// Villagers by house: the people in a house have the same components.
#[derive(Resource, Default)]
struct Villagers(Vec<House>);

#[derive(Default)]
struct House {
    names: Vec<&'static str>,
    /// A `Values<C>` for each component `C`.
    columns: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

/// The values of a column, which the value owns.
struct Values<C>(NonNull<[C]>);

// SAFETY: it owns values that are `Send`.
unsafe impl<C: Component> Send for Values<C> {}

// SAFETY: a shared reference gives only the address.
unsafe impl<C: Component> Sync for Values<C> {}

impl<C> Drop for Values<C> {
    fn drop(&mut self) {
        // SAFETY: `House::with` leaked the box, and this is its only owner.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl House {
    fn with<C: Component>(mut self, column: Vec<C>) -> Self {
        assert_eq!(column.len(), self.names.len());
        let column = Values(NonNull::from(Box::leak(column.into_boxed_slice())));
        self.columns.insert(TypeId::of::<C>(), Box::new(column));
        self
    }

    fn column<C: Component>(&mut self) -> &[C] {
        let column: &Values<C> = self.columns[&TypeId::of::<C>()].downcast_ref().unwrap();
        // SAFETY: the house is borrowed exclusively, so no system accesses the values.
        unsafe { column.0.as_ref() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Villager(&'static str);

impl EntityStore for Villagers {}

// SAFETY: houses are added only through an exclusive reference. A column has as many values as the house has names, as `House::with`
// checks. By the invariant, only the holders of addresses access them.
unsafe impl EntityTables for Villagers {
    type Itself = Self;
    type Entity = Villager;
    type Table<'s> = &'s House;
    type Version = usize;

    fn version(&self) -> usize {
        self.0.len()
    }

    fn n_tables(&self) -> usize {
        self.0.len()
    }

    fn table(&self, idx: usize) -> &House {
        &self.0[idx]
    }

    fn n_rows(house: &House) -> usize {
        house.names.len()
    }

    fn has<C: Component>(house: &House) -> bool {
        house.columns.contains_key(&TypeId::of::<C>())
    }

    fn entity(house: &House, row: usize) -> Villager {
        Villager(house.names[row])
    }

    fn column<C: Component>(house: &House) -> Option<NonNull<C>> {
        let column: &Values<C> = house.columns.get(&TypeId::of::<C>())?.downcast_ref()?;
        Some(column.0.cast())
    }
}

impl EachParam<Villagers> for Villager {
    type State = EachEntity;
    const EACH: EachEntity = EachEntity;
}

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<String>);

#[system(for_each = Villagers)]
fn poison(health: &mut Health, poison: Option<&Poison>, pests: Query<&Poison, With<Health>>) {
    health.0 -= poison.map_or(0, |poison| poison.0);
    health.0 -= pests.iter().map(|pest| pest.0).sum::<i32>();
}

#[system(for_each = Villagers, after = poison)]
fn die(villager: Villager, row: Row, health: &Health, mut commands: Commands) {
    if health.0 <= 0 {
        let text = format!("{} of row {}", villager.0, row.0);
        commands.push(move |resources| resources.get_mut::<Log>().unwrap().0.push(text));
    }
}

#[test]
fn systems_run_for_the_entities_of_a_store_written_by_hand() {
    let house = |names: &[&'static str]| House {
        names: names.to_vec(),
        ..House::default()
    };
    let villagers = Villagers(vec![
        house(&["ann"]).with(vec![Poison(100)]),
        house(&["bob", "cid"]).with(vec![Health(3), Health(1)]),
        house(&[]).with(vec![] as Vec<Health>),
        house(&["dan", "eve"])
            .with(vec![Health(5), Health(9)])
            .with(vec![Poison(4), Poison(7)]),
    ]);
    let mut world = World::new();
    world.spawn((Poison(1), Health(0)));
    world.spawn((Poison(1000),));
    let mut resources = Resources::new();
    resources.insert(villagers);
    resources.insert(world);
    resources.insert(Log::default());
    let mut builder = Schedule::builder();
    let mut frame = builder.add::<die>().add::<poison>().build().unwrap();
    frame.run(&mut resources).unwrap();
    let houses = &mut resources.get_mut::<Villagers>().unwrap().0;
    assert_eq!(houses[1].column::<Health>(), [Health(2), Health(0)]);
    assert_eq!(houses[3].column::<Health>(), [Health(0), Health(1)]);
    assert_eq!(
        resources.get::<Log>().unwrap().0,
        ["cid of row 1", "dan of row 0"]
    );
}

/// The components of two stores are different resources.
#[test]
fn systems_of_two_stores_do_not_race() {
    #[system(for_each)]
    fn heal(health: &mut Health) {
        health.0 += 1;
    }

    let mut builder = Schedule::builder();
    builder.add::<poison>().add::<heal>().build().unwrap();
}
