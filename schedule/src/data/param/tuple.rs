//! Tuples of parameters.
//!
//! Invariant: that of [`fetch`](super::fetch), which each element of a tuple keeps for itself.
#![expect(unsafe_code, reason = "implements `Fetch` by those of the elements")]

use super::{Fetch, FetchFrom, Lookup, Param, Seed, Seeds, Settle};
use crate::data::access::{Access, AccessSet};

macro_rules! tuple {
    ($($param:ident $index:tt),*) => {
        // SAFETY: each element accesses only what its own `access` declares, and the tuple declares all of that.
        unsafe impl<$($param: Fetch),*> Fetch for ($($param,)*) {
            type Item<'r> = ($($param::Item<'r>,)*);

            fn access(&self, access: &mut AccessSet) {
                $(self.$index.access(access);)*
            }

            fn prepare(&mut self, lookup: &mut Lookup<'_>) {
                $(self.$index.prepare(lookup);)*
            }

            unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Self::Item<'r> {
                // SAFETY: `access` and `prepare` call every element, so the guarantees of the caller hold for each.
                // Elements that conflict with each other are rejected when the system is declared.
                ($(unsafe { self.$index.fetch(from) },)*)
            }

            fn settle(&mut self, settle: &mut Settle<'_>) {
                $(self.$index.settle(settle);)*
            }
        }

        impl<$($param: Seeds),*> Seeds for ($($param,)*) {
            type State = ($($param::State,)*);

            fn grow(&self) -> Self::State {
                ($(self.$index.grow(),)*)
            }
        }

        impl<$($param: Param),*> Param for ($($param,)*) {
            type State = ($($param::State,)*);
            const SEED: Seed<Self::State> = Seed::new(
                Access::Each(&[$($param::SEED.access()),*]),
                || ($(($param::SEED.new)(),)*),
            );
        }
    };
}

/// A function without parameters accesses nothing.
// SAFETY: `fetch` accesses nothing.
unsafe impl Fetch for () {
    type Item<'r> = ();

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) {}
}

impl Seeds for () {
    type State = ();

    fn grow(&self) {}
}

impl Param for () {
    type State = ();
    const SEED: Seed<()> = Seed::new(Access::Each(&[]), || ());
}

crate::__for_each_tuple!(tuple);
