//! Owned strings are accepted wherever a `&str` names an item.

use std::borrow::Cow;

use schedule::access::ResourceId;
use schedule::dynamic::{AccessError, DynamicSystem};
use schedule::prelude::*;
use schedule::{Builder, Condition, FailurePolicy, Target};

const NAMES: [&str; 2] = ["first", "second"];

fn builder() -> Builder {
    let mut builder = Schedule::builder();
    // Added in reverse order, so that the declared order matters.
    builder
        .add_closure(NAMES[1].to_string(), || {})
        .add_closure(Cow::Borrowed(NAMES[0]), || {});
    builder
}

fn assert_ordered(order: impl FnOnce(&mut Builder)) {
    let mut builder = builder();
    order(&mut builder);
    let schedule = builder.build().unwrap();
    assert_eq!(schedule.systems().collect::<Vec<_>>(), NAMES);
}

#[test]
fn an_owned_text_is_a_target() {
    let [first, second] = NAMES.map(str::to_string);
    assert_ordered(|builder| {
        builder.order(&first, &second);
    });
    assert_ordered(|builder| {
        builder.order(Cow::Borrowed(NAMES[0]), Cow::<str>::Owned(second.clone()));
    });
    assert_ordered(|builder| {
        builder.order(first.clone(), Target::from(second.clone()));
    });
    let mut builder = builder();
    builder
        .failure_policy_for(first.clone(), FailurePolicy::Stop)
        .accept(first.clone(), &second, "why".to_string())
        .remove(second);
    builder.add_closure("yes", || true);
    builder
        .add_closure("last", || {})
        .run_if(Condition::added("yes".to_string()));
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled(first.clone(), false).unwrap();
    assert!(!schedule.is_enabled(&first).unwrap());
}

#[test]
fn an_owned_text_names_a_resource() {
    let name = "gold".to_string();
    let mut resources = Resources::new();
    assert_eq!(resources.insert_named(name.clone(), 3_u32), None);
    assert_eq!(resources.insert_named(&name, 4_u32), Some(3));
    assert_eq!(resources.get_named::<u32>(name.clone()), Some(&4));
    *resources
        .get_named_mut::<u32>(Cow::Borrowed("gold"))
        .unwrap() += 1;
    assert!(resources.contains_named(&name));
    let ids = [
        ResourceId::named(&name),
        ResourceId::from(name.clone()),
        ResourceId::from(&name),
        ResourceId::from(Cow::Borrowed("gold")),
    ];
    assert!(ids.iter().all(|id| *id == ResourceId::named("gold")));

    let read = name.clone();
    let system = DynamicSystem::new(name.clone(), move |view| {
        assert_eq!(*view.get_named::<u32>(&read)?, 5);
        *view.get_named_mut::<u32>(read.clone())? += 1;
        Ok::<(), AccessError>(())
    });
    let mut schedule = Schedule::builder()
        .add_dynamic(system.writes(name.clone()))
        .build()
        .unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.remove_named::<u32>(name), Some(6));
}
