//! Partial results of [`Fold`](crate::param::Fold) that several threads share out among themselves.
//!
//! In a `for_each` system, each block of 512 rows has a partial result of its own, so that sums of floating-point numbers and the order of
//! lists do not depend on threads. That is slow if a partial result is large, such as a value for each cell of a grid. If the partial
//! result implements [`ExactJoin`], the order of its values does not matter. Then a few large accumulators are enough:
//! [`Accumulators::per_thread`].
//!
//! ```
//! use schedule::entity::Component;
//! use schedule::fold::{Accumulators, Cells, Sum};
//! use schedule::{columns::Columns, prelude::*};
//!
//! #[derive(Component)]
//! struct Position { x: u16, y: u16 }
//!
//! #[derive(Columns)]
//! struct Ant { position: Position }
//!
//! /// The number of visits of each cell of a grid.
//! #[derive(Resource)]
//! struct Visits(Vec<u32>);
//!
//! impl Foldable for Visits {
//!     type Partial = Cells<Sum<u32>>;
//!     const ACCUMULATORS: Accumulators<Self::Partial> = Accumulators::per_thread();
//!
//!     fn join(&mut self, partial: Self::Partial) {
//!         for (cell, sum) in self.0.iter_mut().zip(partial) {
//!             *cell += sum.into_inner();
//!         }
//!     }
//! }
//!
//! #[system(for_each = Columns<Ant>)]
//! fn visit(position: &Position, mut visits: Fold<Visits>) {
//!     visits[usize::from(position.y) * 256 + usize::from(position.x)] += 1;
//! }
//!
//! let mut resources = Resources::new();
//! resources.insert(Columns::from_iter((0..5000).map(|n| Ant { position: Position { x: n % 256, y: n % 7 } })));
//! resources.insert(Visits(vec![0; 256 * 256]));
//! Schedule::builder().add::<visit>().build()?.run(&mut resources)?;
//! assert_eq!(resources.get::<Visits>().unwrap().0[256 + 1], 3);
//!
//! // A unit test can pass any variable.
//! let mut partial = Cells::default();
//! visit(&Position { x: 2, y: 0 }, Fold::new(&mut partial));
//! let sums: Vec<u32> = partial.into_iter().map(Sum::into_inner).collect();
//! assert_eq!(sums, [0, 0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A system must not depend on what its accumulator holds, because that depends on threads. So the types of this module have no method
//! that reads a value through a reference. Do not take the value out of a [`Fold`](crate::param::Fold) either.

mod cells;
mod values;

#[cfg(test)]
mod tests;

use core::fmt;

pub use self::cells::Cells;
pub use self::values::{Max, Min, Sum, Union};

/// How many partial results a [`for_each`](macro@crate::system) system has that folds into a resource. All other systems have one for each
/// execution.
///
/// It is the value of [`Foldable::ACCUMULATORS`](crate::param::Foldable::ACCUMULATORS).
pub struct Accumulators<P> {
    /// [`ExactJoin::absorb`], if threads have accumulators.
    absorb: Option<fn(&mut P, &mut P)>,
}

impl<P> Accumulators<P> {
    /// One accumulator for each block of 512 rows of a table. They are joined into the resource in the order of the blocks. This is the
    /// default, for all types.
    pub const fn per_block() -> Self {
        Self { absorb: None }
    }

    /// At most one accumulator for each thread that takes part, with the same result on any number of threads. A system must only add
    /// values: by `+=`, `-=`, `|=` or `insert`. What an accumulator holds depends on threads. So a result that a system reads, takes or
    /// overwrites depends on threads, too.
    ///
    /// At the end of an execution of the system, its accumulators are joined to one, which is joined into the resource. So
    /// [`Foldable::join`](crate::param::Foldable::join) is called once for each parameter and each execution that has entities and does not fail.
    /// The system keeps the memory of the other accumulators.
    ///
    /// In a loop, each iteration has a joined result of its own, until a system in the loop reads or writes the resource, or the loop
    /// ends. Use [`Cells`] for many values: an array is moved as a whole.
    pub const fn per_thread() -> Self
    where
        P: ExactJoin,
    {
        Self {
            absorb: Some(P::absorb),
        }
    }

    /// Whether threads have accumulators.
    pub(crate) const fn is_per_thread(self) -> bool {
        self.absorb.is_some()
    }

    /// Returns the function that joins the second accumulator into the first one, if threads have accumulators.
    pub(crate) const fn absorb(self) -> Option<fn(&mut P, &mut P)> {
        self.absorb
    }
}

impl<P> Clone for Accumulators<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Accumulators<P> {}

impl<P> fmt::Debug for Accumulators<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_per_thread() {
            "per_thread"
        } else {
            "per_block"
        })
    }
}

/// A partial result whose join is exact, associative and commutative, so that the order of its values does not matter. Its default value
/// changes nothing.
///
/// [`Sum`], [`Min`], [`Max`], [`Union`] and [`Cells`] implement it, and tuples and arrays of them. The trait is sealed. Sums of
/// floating-point numbers are not exact: they depend on the order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the accumulator of a thread",
    label = "its join is not known to be exact and commutative",
    note = "use `Sum`, `Min`, `Max`, `Union` or `Cells` of `schedule::fold` with integers, or tuples and arrays of these",
    note = "for another type, such as a floating-point number or a list, remove the constant `ACCUMULATORS`: each block of rows then has a partial result, and the result does not depend on threads"
)]
pub trait ExactJoin: sealed::SealedJoin + Default + Send + 'static {
    /// Joins another value into this one, and leaves the default value there. It keeps the memory of both values, without that inside nested `Cells`.
    #[doc(hidden)]
    fn absorb(&mut self, other: &mut Self);
}

mod sealed {
    #[expect(
        unnameable_types,
        reason = "only this crate knows which joins are exact and commutative"
    )]
    pub trait SealedJoin {}
}

impl<J: sealed::SealedJoin, const N: usize> sealed::SealedJoin for [J; N] {}

/// Element by element. The standard library has default values of arrays of up to 32 elements. [`Cells`] can have more.
impl<J: ExactJoin, const N: usize> ExactJoin for [J; N]
where
    [J; N]: Default,
{
    fn absorb(&mut self, other: &mut Self) {
        absorb_each(self, other);
    }
}

/// Joins the elements of a slice into those of another one with the same indices.
#[inline]
fn absorb_each<J: ExactJoin>(values: &mut [J], others: &mut [J]) {
    for (value, other) in values.iter_mut().zip(others) {
        value.absorb(other);
    }
}

macro_rules! tuples {
    ($($join:ident $index:tt),*) => {
        impl<$($join: sealed::SealedJoin),*> sealed::SealedJoin for ($($join,)*) {}

        // The notes of the trait mention tuples.
        #[diagnostic::do_not_recommend]
        impl<$($join: ExactJoin),*> ExactJoin for ($($join,)*) {
            #[inline]
            fn absorb(&mut self, other: &mut Self) {
                $(self.$index.absorb(&mut other.$index);)*
            }
        }
    };
}

crate::__for_each_tuple!(tuples);
