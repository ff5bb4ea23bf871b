//! Systems with type and `const` parameters.
#![allow(
    clippy::extra_unused_type_parameters,
    reason = "a name of its own is all that some need"
)]

use core::fmt::Debug;

use schedule::prelude::*;
use schedule::{Identity, System, run_one};

use crate::{Health, after_one};

#[derive(Identity)]
struct Villager;

#[derive(Identity)]
enum Wolf {}

#[derive(Debug, Default, PartialEq, Resource)]
struct Herd<T, const N: usize = 2>(Vec<T>);

#[derive(Debug, Identity, PartialEq)]
struct Wool(u8);

trait Kind {
    type Made: Debug + Send + Sync + 'static;
    fn make() -> Self::Made;
}

impl Kind for Villager {
    type Made = Wool;
    fn make() -> Wool {
        Wool(1)
    }
}

#[system]
fn spawn<K: Kind, const N: usize>(herd: &mut Herd<K::Made, N>)
where
    K::Made: Identity,
{
    herd.0.extend((0..N).map(|_| K::make()));
}

#[system]
fn hurt<const BY: i32, const TWICE: bool, const LETTER: char>(health: &mut Health) {
    health.0 -= if TWICE && LETTER == 'x' { 2 * BY } else { BY };
}

#[system]
fn lend<'r, 's: 'r, T, U: ?Sized + Debug, const N: usize>(
    health: &'r mut Health,
    _state: Local<'s, Vec<T>>,
) where
    T: Clone + Send + 'static,
    for<'a> &'a T: Debug,
    [T; N]: Sized,
    Vec<T>: IntoIterator<Item = T>,
{
    health.0 -= 1;
}

#[system]
fn none<T>() {}

#[system]
fn of_unsized<T: ?Sized>(health: &mut Health) {
    health.0 -= 1;
}

#[derive(Params)]
struct Pair<'r, A: Resource, B = Health>
where
    B: Resource,
{
    one: &'r mut A,
    other: Option<&'r B>,
}

#[system]
fn of_params<T: Identity + Send + Sync + 'static>(pair: Pair<Health, Herd<T>>) {
    pair.one.0 -= 1 + pair.other.is_some() as i32;
}

#[test]
fn a_generic_system_runs_as_its_instance() {
    let mut resources = Resources::new();
    resources.insert(Herd::<Wool, 3>(Vec::new()));
    run_one::<spawn<Villager, 3>>(&mut resources).unwrap();
    assert_eq!(resources.get::<Herd<Wool, 3>>().unwrap().0.len(), 3);
    assert_eq!(after_one::<hurt<3, true, 'x'>>(), 4);
    assert_eq!(after_one::<hurt<-3, false, 'x'>>(), 13);
    assert_eq!(after_one::<lend<u8, str, 7>>(), 9);
    assert_eq!(after_one::<none<Wolf>>(), 10);
    assert_eq!(after_one::<of_unsized<str>>(), 9);
    assert_eq!(after_one::<of_params<Wool>>(), 9);
}

#[test]
fn a_generic_function_stays_callable() {
    let mut herd = Herd(Vec::new());
    spawn::<Villager, 2>(&mut herd);
    assert_eq!(herd.0, [Wool(1), Wool(1)]);
}

#[test]
fn instances_are_different_systems() {
    let ids = [
        none::<Wolf>::ID,
        none::<Villager>::ID,
        of_unsized::<Wolf>::ID,
        hurt::<1, true, 'a'>::ID,
        hurt::<2, true, 'a'>::ID,
        hurt::<-1, true, 'a'>::ID,
        hurt::<1, false, 'a'>::ID,
        hurt::<1, true, 'b'>::ID,
        spawn::<Villager, 1>::ID,
        spawn::<Villager, 2>::ID,
    ];
    for (i, one) in ids.iter().enumerate() {
        assert!(!ids[..i].contains(one), "{i}");
    }
    assert_eq!(none::<Wolf>::ID, none::<Wolf>::ID);
}

#[test]
fn an_instance_is_named_with_its_arguments() {
    fn name<S: System>() -> String {
        S::NAME.to_string()
    }
    assert_eq!(name::<none<Herd<Wolf>>>(), "none<Herd<Wolf, 2>>");
    assert_eq!(name::<spawn<Villager, 3>>(), "spawn<Villager, 3>");
    assert_eq!(name::<hurt<-1, true, 'a'>>(), "hurt<-1, 1, 97>");
}

#[test]
fn instances_of_a_generic_resource_are_different_resources() {
    assert_ne!(Herd::<Wolf, 2>::ID, Herd::<Wolf, 3>::ID);
    assert_ne!(Herd::<Wolf>::ID, Herd::<Villager>::ID);
    let mut resources = Resources::new();
    resources.insert(Herd::<u8, 2>(vec![1]));
    resources.insert(Herd::<u8, 3>(vec![2]));
    assert_eq!(resources.get(), Some(&Herd::<u8>(vec![1])));
}
