//! Resources and groups that a number tells apart, for what is made at random.

use schedule::prelude::*;
use schedule::{Builder, DynamicSystem, ResourceId, Target};

/// The resource of this number.
#[derive(Resource)]
pub(crate) struct Cell<const N: usize>(pub(crate) u64);

/// Does something with a constant instead of a number.
macro_rules! with_number {
    ($number:expr, $N:ident => $then:expr) => {
        with_number!($number, $N => $then, 0 1 2 3 4 5)
    };
    ($number:expr, $N:ident => $then:expr, $($each:literal)*) => {
        match $number {
            $($each => {
                const $N: usize = $each;
                $then
            })*
            number => unreachable!("no resource has number {number}"),
        }
    };
}

pub(crate) use with_number;

pub(crate) fn cell_id(resource: usize) -> ResourceId {
    with_number!(resource, N => ResourceId::of::<Cell<N>>())
}

/// The system that also touches these. `uses[i]`: whether it writes cell i; `None` if it does not touch it.
pub(crate) fn with_cells(system: DynamicSystem, uses: &[Option<bool>]) -> DynamicSystem {
    let touched = (0..).zip(uses);
    touched.fold(system, |system, (resource, is_write)| match is_write {
        None => system,
        Some(true) => system.writes(cell_id(resource)),
        Some(false) => system.reads(cell_id(resource)),
    })
}

#[derive(Group)]
struct G0;

#[derive(Group)]
struct G1;

#[derive(Group)]
struct G2;

#[derive(Group)]
struct G3;

pub(crate) fn group_target(group: usize) -> Target {
    match group {
        0 => Target::of::<G0>(),
        1 => Target::of::<G1>(),
        2 => Target::of::<G2>(),
        3 => Target::of::<G3>(),
        _ => unreachable!("no group has number {group}"),
    }
}

/// What is said next is about this group.
pub(crate) fn speak_of_group(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.group::<G0>(),
        1 => builder.group::<G1>(),
        2 => builder.group::<G2>(),
        3 => builder.group::<G3>(),
        _ => unreachable!("no group has number {group}"),
    };
}

/// What was added or spoken of last is in this group.
pub(crate) fn join_group(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.in_group::<G0>(),
        1 => builder.in_group::<G1>(),
        2 => builder.in_group::<G2>(),
        3 => builder.in_group::<G3>(),
        _ => unreachable!("no group has number {group}"),
    };
}
