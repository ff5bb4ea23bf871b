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
