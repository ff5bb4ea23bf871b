//! Identities of systems, and the error for two equal ones.

use schedule::prelude::*;
use schedule::{Builder, Identity};

/// Two systems with the same name at the same location. They differ only in the function around them.
macro_rules! twins {
    () => {
        fn add_one(builder: &mut Builder) -> u128 {
            #[system]
            fn twin() {}
            builder.add::<twin>();
            twin::ID
        }

        fn add_other(builder: &mut Builder) -> u128 {
            #[system]
            fn twin() {}
            builder.add::<twin>();
            twin::ID
        }
    };
}

const TWINS: u32 = line!() + 1;
twins!();

#[system]
fn single() {}

#[test]
fn two_systems_with_one_number_are_an_error() {
    let mut builder = Schedule::builder();
    builder.name("pair").add::<single>();
    let one = add_one(&mut builder);
    assert_eq!(one, add_one(&mut builder), "the same again is not an error");
    assert_eq!(one, add_other(&mut builder));
    assert_eq!(one, add_other(&mut builder), "each pair is reported once");
    let error = builder.build().unwrap_err();
    assert_eq!(error.problems().len(), 1);
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!(
            "1 problem in schedule `pair`\n  \
             the types `twin` ({file}:{TWINS}) and `twin` ({file}:{TWINS}) have the same identity, so they \
             cannot be distinguished\n      help: rename one of them, or move it to another line"
        )
    );
}

#[test]
fn builder_keeps_its_additions_after_a_failed_build() {
    let mut builder = Schedule::builder();
    add_one(&mut builder);
    add_other(&mut builder);
    assert!(builder.build().is_err());
    builder.add::<single>();
    assert!(builder.build().is_err());
}

#[derive(Group)]
struct Meal;

/// A group with the identity of [`Meal`].
struct Feast;

impl Identity for Feast {
    const ID: u128 = Meal::ID;
    const NAME: schedule::identity::Name = schedule::identity::Name::new("Feast");
}

impl schedule::order::Anchor for Feast {}

impl schedule::order::Group for Feast {}

#[track_caller]
fn assert_rejects(builder: &mut Builder) {
    let error = builder.build().unwrap_err().to_string();
    assert!(error.contains("1 problem in"), "{error}");
    assert!(error.contains("`Meal` ("), "{error}");
    assert!(error.contains("`Feast` ("), "{error}");
    assert!(error.contains("have the same identity"), "{error}");
}

#[test]
fn a_group_with_the_number_of_another_one_is_an_error() {
    let mut builder = Schedule::builder();
    builder.add::<single>().in_group::<Meal>();
    builder.add_closure("other", || ()).in_group::<Feast>();
    assert_rejects(&mut builder);
}

#[test]
fn an_order_that_names_a_type_with_the_number_of_another_one_is_an_error() {
    let mut builder = Schedule::builder();
    builder.add::<single>().in_group::<Meal>();
    builder.add_closure("other", || ()).after::<Feast>();
    assert_rejects(&mut builder);
}

macro_rules! twin_villages {
    () => {
        fn n_of_one() -> usize {
            schedule! { open Village {} }
            #[system(schedule = Village)]
            fn of_one() {}
            Village::new().unwrap().systems().count()
        }

        fn n_of_other() -> usize {
            schedule! { open Village {} }
            Village::new().unwrap().systems().count()
        }
    };
}

twin_villages!();

#[test]
fn an_open_schedule_does_not_collect_the_systems_of_its_twin() {
    assert_eq!((n_of_one(), n_of_other()), (1, 0));
}
