//! Resources that a number tells apart.

use schedule::prelude::*;
use schedule::{DynamicSystem, ResourceId};

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
