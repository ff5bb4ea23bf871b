//! `#[resource(transparent)]`: wrappers of one field, including nested wrappers.

use std::collections::BTreeMap;

use schedule::prelude::*;

#[derive(Debug, Default, Resource)]
#[resource(transparent)]
struct Names(Vec<String>);

/// Wraps a wrapper.
#[derive(Debug, Default, Resource)]
#[resource(transparent)]
struct Villagers {
    names: Names,
}

/// Wraps a wrapper of a wrapper.
#[derive(Debug, Default, Resource)]
#[resource(transparent)]
struct Village(Villagers);

#[derive(Debug, Resource)]
#[resource(transparent)]
struct Inner<T>(BTreeMap<u32, T>);

#[derive(Debug, Resource)]
#[resource(transparent)]
struct Outer<T>(Inner<T>)
where
    T: Clone;

#[system]
fn arrive(village: &mut Village, houses: &mut Outer<u8>) {
    village.push("Ada".to_string());
    village[0].push('!');
    houses.insert(3, 4);
    *houses.get_mut(&3).unwrap() += 1;
}

fn count(names: &[String]) -> usize {
    names.len()
}

#[system(after = arrive)]
fn read(village: &Village, houses: Option<&Outer<u8>>) {
    assert_eq!(count(village), 1);
    assert_eq!(village.iter().next().unwrap(), "Ada!");
    let villagers: &Villagers = village;
    let names: &Names = village;
    let list: &Vec<String> = village;
    assert_eq!((villagers.len(), names.len(), list.len()), (1, 1, 1));
    assert_eq!(houses.unwrap()[&3], 5);
}

#[test]
fn transparent_wrapper_dereferences_through_inner_wrappers() {
    let mut resources = Resources::new();
    resources.insert(Village::from(Villagers::from(Names::from(Vec::new()))));
    resources.insert(Outer::<u8>::from(Inner::from(BTreeMap::new())));
    let mut schedule = Schedule::builder()
        .add::<arrive>()
        .add::<read>()
        .build()
        .unwrap();
    schedule.run(&mut resources).unwrap();
    let village = resources.get_mut::<Village>().unwrap();
    village.clear();
    let list: &mut Vec<String> = village;
    list.push("Bob".to_string());
    // One `*` for the reference, and one for each wrapper.
    assert_eq!(****village, ["Bob"]);
}
