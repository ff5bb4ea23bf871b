//! A store that is written by hand, for systems that run for each entity.

use core::any::{Any, TypeId};
use core::ops::{Deref, DerefMut};
use std::collections::HashMap;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use schedule::entity::{
    Component, EachEntity, EachParam, EntityStore, EntityTables, Permit, Row, With,
};
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
    /// A `RwLock<Vec<C>>` for each component `C`.
    columns: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

impl House {
    fn with<C: Component>(mut self, column: Vec<C>) -> Self {
        self.columns
            .insert(TypeId::of::<C>(), Box::new(RwLock::new(column)));
        self
    }

    fn column<C: Component>(&self) -> Option<&RwLock<Vec<C>>> {
        self.columns.get(&TypeId::of::<C>())?.downcast_ref()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Villager(&'static str);

struct Column<'s, C>(RwLockReadGuard<'s, Vec<C>>);

impl<C> Deref for Column<'_, C> {
    type Target = [C];

    fn deref(&self) -> &[C] {
        &self.0
    }
}

struct ColumnMut<'s, C>(RwLockWriteGuard<'s, Vec<C>>);

impl<C> Deref for ColumnMut<'_, C> {
    type Target = [C];

    fn deref(&self) -> &[C] {
        &self.0
    }
}

impl<C> DerefMut for ColumnMut<'_, C> {
    fn deref_mut(&mut self) -> &mut [C] {
        &mut self.0
    }
}

impl EntityStore for Villagers {}

impl EntityTables for Villagers {
    type Itself = Self;
    type Entity = Villager;
    type Table<'s> = &'s House;
    type Column<'s, C: Component> = Column<'s, C>;
    type ColumnMut<'s, C: Component> = ColumnMut<'s, C>;
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
        house.column::<C>().is_some()
    }

    fn entity(house: &House, row: usize) -> Villager {
        Villager(house.names[row])
    }

    fn column<'s, C: Component>(
        house: &'s House,
        _: Permit<'s, Self, &'static C>,
    ) -> Option<Column<'s, C>> {
        Some(Column(house.column()?.try_read().unwrap()))
    }

    fn column_mut<'s, C: Component>(
        house: &'s House,
        _: Permit<'s, Self, &'static mut C>,
    ) -> Option<ColumnMut<'s, C>> {
        Some(ColumnMut(house.column()?.try_write().unwrap()))
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
    let houses = &resources.get::<Villagers>().unwrap().0;
    let health = |house: usize| houses[house].column::<Health>().unwrap().read().unwrap();
    assert_eq!(*health(1), [Health(2), Health(0)]);
    assert_eq!(*health(3), [Health(0), Health(1)]);
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
