use super::*;
use crate::base::identity::{Identity, Name};
use crate::data::output::Output;
use crate::data::param::{Param, Seeds};
use crate::data::resource::{Resource, Resources};

struct Health(i32);

impl Identity for Health {
    const ID: u128 = 1;
    const NAME: Name = Name::new("Health");
}

impl Resource for Health {}

/// The macros reject this at compile time, but a manual [`System`] can reach this check.
#[test]
#[should_panic(expected = "the parameters of a system conflict")]
fn an_instance_never_has_two_references_to_one_resource() {
    let seeds = (<&Health as Param>::SEED, <&mut Health as Param>::SEED);
    Instance::new(seeds.grow(), <()>::INTO_ANSWER, |(read, write)| {
        write.0 += read.0;
    });
}

#[test]
#[should_panic(expected = "the parameters of a system conflict")]
fn instance_never_has_all_resources_and_a_single_one() {
    let seeds = (
        <&Resources as Param>::SEED,
        <Option<&mut Health> as Param>::SEED,
    );
    Instance::new(seeds.grow(), <()>::INTO_ANSWER, |_| ());
}

#[test]
fn instance_may_have_two_shared_references() {
    let seeds = (<&Health as Param>::SEED, <&Resources as Param>::SEED);
    Instance::new(seeds.grow(), <()>::INTO_ANSWER, |_| ());
}
