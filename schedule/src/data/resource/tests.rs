use std::rc::Rc;
use std::sync::Arc;

use super::*;
use crate::base::identity::Name;

struct Count(u32);

impl Identity for Count {
    const ID: u128 = 1;
    const NAME: Name = Name::new("Count");
}

impl Resource for Count {}

struct Shared(Arc<()>);

impl Identity for Shared {
    const ID: u128 = 2;
    const NAME: Name = Name::new("Shared");
}

impl Resource for Shared {}

#[test]
fn replacing_a_value_keeps_its_address_and_version() {
    let mut resources = Resources::new();
    resources.insert(Count(1));
    let version = resources.version();
    let pointer = resources.address(&ResourceType::of::<Count>());
    assert_eq!(resources.insert(Count(2)).unwrap().0, 1);
    assert_eq!(resources.version(), version);
    assert_eq!(resources.address(&ResourceType::of::<Count>()), pointer);
    resources.remove::<Count>();
    assert_ne!(resources.version(), version);
}

#[test]
fn zero_sized_values_have_distinct_addresses() {
    let [one, other] = [ResourceCell::new(()), ResourceCell::new(())];
    assert_ne!(one.address(), other.address());
    assert_eq!(one.into_inner(), Some(()));
}

#[test]
fn every_value_is_dropped_once() {
    let counter = Arc::new(());
    let mut resources = Resources::new();
    resources.insert(Shared(counter.clone()));
    resources.insert(Shared(counter.clone()));
    assert_eq!(Arc::strong_count(&counter), 2);
    let taken = resources.remove::<Shared>().unwrap();
    assert_eq!(Arc::strong_count(&taken.0), 2);
    resources.insert(taken);
    drop(resources);
    assert_eq!(Arc::strong_count(&counter), 1);
}

#[test]
fn names_are_sorted() {
    let mut resources = Resources::new();
    resources.insert(Shared(Arc::new(())));
    resources.insert(Count(0));
    resources.insert_named("Bag", 3_u8);
    let names: Vec<_> = resources.names().collect();
    assert_eq!(names, ["Bag", "Count", "Shared"]);
    assert_eq!(format!("{resources:?}"), "{\"Bag\", \"Count\", \"Shared\"}");
}

#[test]
fn main_thread_value_is_absent_on_other_threads() {
    let counter = Rc::new(());
    let mut resources = Resources::new();
    assert_eq!(resources.main_thread().insert(counter.clone()), None);
    let mut resources = std::thread::spawn(move || {
        let mut main_thread = resources.main_thread();
        assert!(!main_thread.contains::<Rc<()>>());
        assert_eq!(main_thread.remove::<Rc<()>>(), None);
        assert_eq!(main_thread.with(|_: &mut Rc<()>| ()), None);
        resources
    })
    .join()
    .unwrap();
    assert_eq!(
        resources.main_thread().remove::<Rc<()>>(),
        Some(counter.clone())
    );
    assert_eq!(Rc::strong_count(&counter), 1);
}

#[test]
fn main_thread_value_dropped_on_another_thread_lives_until_its_thread_ends() {
    let counter = Arc::new(());
    let inside = counter.clone();
    std::thread::spawn(move || {
        let mut resources = Resources::new();
        resources.main_thread().insert((inside, Rc::new(())).0);
        std::thread::spawn(move || drop(resources)).join().unwrap();
    })
    .join()
    .unwrap();
    assert_eq!(Arc::strong_count(&counter), 1);
}

#[test]
fn name_refers_to_one_value_of_any_type() {
    let mut resources = Resources::new();
    assert_eq!(resources.insert_named("x", 1_u8), None);
    assert_eq!(resources.insert_named("x", 2_u8), Some(1));
    assert_eq!(resources.get_named::<u16>("x"), None);
    assert_eq!(resources.insert_named("x", 3_u16), None);
    assert_eq!(resources.remove_named::<u8>("x"), None);
    assert_eq!(resources.remove_named::<u16>("x"), Some(3));
    assert!(!resources.contains_named("x"));
}
