//! Resources and groups that are distinguished by numbers, for random tests.

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Target};

/// The resource of this number.
#[derive(Resource)]
pub(crate) struct Cell<const N: usize>(pub(crate) u64);

/// Commands declare a change of a store, and not an insertion. An insertion would make a missing resource valid.
impl<const N: usize> schedule::entity::EntityStore for Cell<N> {}

/// Evaluates an expression with a constant that has the value of a number.
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

/// Adds these accesses to a system. `uses[i]`: whether it writes cell i, or `None` if it does not access it.
pub(crate) fn with_cells(system: DynamicSystem, uses: &[Option<bool>]) -> DynamicSystem {
    let touched = (0..).zip(uses);
    touched.fold(system, |system, (resource, is_write)| match is_write {
        None => system,
        Some(true) => system.writes(cell_id(resource)),
        Some(false) => system.reads(cell_id(resource)),
    })
}

/// Defines groups, and a macro that evaluates an expression with the group type of a number.
macro_rules! groups {
    ($($each:literal $G:ident),*) => {
        $(#[derive(Group)]
        struct $G;)*

        macro_rules! with_group {
            ($number:expr, $T:ident => $then:expr) => {
                match $number {
                    $($each => {
                        type $T = $G;
                        $then
                    })*
                    number => unreachable!("no group has number {number}"),
                }
            };
        }
    };
}

groups!(0 G0, 1 G1, 2 G2, 3 G3);

pub(crate) fn group_target(group: usize) -> Target {
    with_group!(group, G => Target::of::<G>())
}

/// Adds this group, so that the next calls apply to it.
pub(crate) fn speak_of_group(builder: &mut Builder, group: usize) {
    with_group!(group, G => builder.group::<G>());
}

/// Makes the last added item a member of this group.
pub(crate) fn join_group(builder: &mut Builder, group: usize) {
    with_group!(group, G => builder.in_group::<G>());
}
