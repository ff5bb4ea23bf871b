//! The components of the workloads, for all contenders.

use crate::workload::N_ENTITIES;

/// Declares components with one field.
macro_rules! components {
    ($($(#[$doc:meta])* $name:ident($field:ty);)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            schedule_hecs::Component,
            bevy_ecs::component::Component,
            shipyard::Component,
        )]
        pub(crate) struct $name(pub(crate) $field);
    )*};
}

components! {
    /// A matrix of four columns.
    Transform([[f32; 4]; 4]);
    Position([f32; 3]);
    Rotation([f32; 3]);
    Velocity([f32; 3]);
    A(f32);
    B(f32);
    C(f32);
    D(f32);
    E(f32);
    Data(f32);
}

impl Transform {
    /// A matrix with an inverse.
    pub(crate) const START: Self = Self([
        [1.0, 0.5, 0.0, 0.0],
        [0.0, 1.0, 0.25, 0.0],
        [0.0, 0.0, 1.0, 0.125],
        [0.25, 0.0, 0.0, 1.0],
    ]);
}

impl Position {
    pub(crate) const START: Self = Self([1.0, 0.0, 0.0]);
}

impl Rotation {
    pub(crate) const START: Self = Self([1.0, 0.0, 0.0]);
}

impl Velocity {
    pub(crate) const START: Self = Self([1.0, 0.0, 0.0]);
}

/// The components of an entity of the simple workloads.
pub(crate) fn bundle() -> (Transform, Position, Rotation, Velocity) {
    (
        Transform::START,
        Position::START,
        Rotation::START,
        Velocity::START,
    )
}

/// The components of all entities of a simple workload.
pub(crate) fn bundles() -> impl ExactSizeIterator<Item = (Transform, Position, Rotation, Velocity)>
{
    (0..N_ENTITIES).map(|_| bundle())
}

/// Calls a macro with the names of 26 components, each of a different archetype.
macro_rules! fragments {
    ($macro:ident) => {
        $macro! {
            F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24 F25
        }
    };
}

pub(crate) use fragments;

macro_rules! declare {
    ($($name:ident)*) => {
        components! { $($name(f32);)* }
    };
}

fragments!(declare);

/// The work on an entity in `simple_iter`.
#[inline(always)]
pub(crate) fn advance(position: &mut Position, velocity: &Velocity) {
    for (position, velocity) in position.0.iter_mut().zip(velocity.0) {
        *position += velocity;
    }
}

/// The work on an entity in `heavy_compute`: inverts the matrix 100 times, and transforms the position.
#[inline(always)]
pub(crate) fn invert(position: &mut Position, transform: &mut Transform) {
    for _ in 0..100 {
        transform.0 = inverse(&transform.0);
    }
    let [x, y, z] = position.0;
    let column = |idx: usize| transform.0[idx];
    let [a, b, c, d] = [column(0), column(1), column(2), column(3)];
    position.0 = core::array::from_fn(|row| a[row] * x + b[row] * y + c[row] * z + d[row]);
}

/// The inverse of a matrix, by cofactors.
fn inverse(m: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    let minor = |skipped_column: usize, skipped_row: usize| {
        let rest = |skipped: usize| [0, 1, 2, 3].into_iter().filter(move |&idx| idx != skipped);
        let mut columns = rest(skipped_column);
        let columns: [usize; 3] = core::array::from_fn(|_| columns.next().expect("three are left"));
        let mut rows = rest(skipped_row);
        let rows: [usize; 3] = core::array::from_fn(|_| rows.next().expect("three are left"));
        let at = |column: usize, row: usize| m[columns[column]][rows[row]];
        at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1))
            - at(1, 0) * (at(0, 1) * at(2, 2) - at(0, 2) * at(2, 1))
            + at(2, 0) * (at(0, 1) * at(1, 2) - at(0, 2) * at(1, 1))
    };
    let sign = |column: usize, row: usize| {
        if (column + row).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    };
    let determinant: f32 = (0..4)
        .map(|column| m[column][0] * sign(column, 0) * minor(column, 0))
        .sum();
    core::array::from_fn(|column| {
        core::array::from_fn(|row| sign(row, column) * minor(row, column) / determinant)
    })
}
