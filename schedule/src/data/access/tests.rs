use super::*;

struct A;
struct B;

impl Identity for A {
    const ID: u128 = 1;
    const NAME: Name = Name::new("A");
}

impl Identity for B {
    const ID: u128 = 2;
    const NAME: Name = Name::new("B");
}

const READ_A: Access = Access::Read(ResourceType::of::<A>());
const WRITE_A: Access = Access::Write(ResourceType::of::<A>());
const WRITE_B: Access = Access::Write(ResourceType::of::<B>());
const WRITE_LOCAL_A: Access = Access::Write(ResourceType::main_thread::<A>());

fn are_in_conflict(first: Access, second: Access) -> bool {
    let forward = conflict(&first, &second, ComparedSides::InSystem).is_some();
    assert_eq!(
        forward,
        conflict(&second, &first, ComparedSides::InSystem).is_some(),
        "symmetry"
    );
    forward
}

#[test]
fn accesses_conflict_if_one_writes_a_shared_resource() {
    assert!(!are_in_conflict(READ_A, READ_A));
    assert!(are_in_conflict(READ_A, WRITE_A));
    assert!(are_in_conflict(WRITE_A, WRITE_A));
    assert!(!are_in_conflict(WRITE_A, WRITE_B));
}

#[test]
fn options_and_tuples_conflict_like_their_elements() {
    const NESTED: Access = Access::Each(&[WRITE_B, Access::Each(&[Access::Optional(&WRITE_A)])]);
    assert!(are_in_conflict(NESTED, READ_A));
    assert!(!are_in_conflict(
        NESTED,
        Access::Each(&[Access::Commands, WRITE_LOCAL_A])
    ));
    assert!(conflict_inside(&NESTED).is_none());
    assert!(conflict_inside(&Access::Each(&[READ_A, NESTED])).is_some());
}

#[test]
fn reading_all_conflicts_with_all_writes_except_main_thread_values() {
    assert!(!are_in_conflict(Access::ReadAll, READ_A));
    assert!(!are_in_conflict(Access::ReadAll, Access::ReadAll));
    assert!(are_in_conflict(Access::ReadAll, WRITE_A));
    assert!(!are_in_conflict(Access::ReadAll, WRITE_LOCAL_A));
}

#[test]
fn exclusive_conflicts_with_every_access() {
    for other in [READ_A, WRITE_A, WRITE_LOCAL_A, Access::ReadAll] {
        assert!(are_in_conflict(Access::Exclusive, other));
    }
    assert!(!are_in_conflict(Access::Exclusive, Access::Commands));
}

#[test]
fn main_thread_value_and_resource_of_one_type_are_distinct() {
    assert!(!are_in_conflict(WRITE_A, WRITE_LOCAL_A));
    assert!(are_in_conflict(WRITE_LOCAL_A, WRITE_LOCAL_A));
}
