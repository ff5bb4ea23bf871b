//! Resources that a number tells apart.

use schedule::prelude::*;

#[derive(Resource)]
pub(super) struct Cell<const N: usize>(pub(super) u64);

/// Does something with a constant instead of a number.
macro_rules! with_number {
    ($number:expr, $N:ident => $then:expr) => {
        with_number!($number, $N => $then, 0 1 2 3 4)
    };
    ($number:expr, $N:ident => $then:expr, $($each:literal)*) => {
        match $number {
            $($each => {
                const $N: usize = $each;
                $then
            })*
            _ => unreachable!("there are {N_RESOURCES} resources"),
        }
    };
}

pub(super) use with_number;
