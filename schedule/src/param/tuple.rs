//! Tuples of parameters.
//!
//! Invariant: that of [`fetch`](super::fetch), kept by passing it on.
#![expect(
    unsafe_code,
    reason = "implements `Fetch` by the fetching of its parts"
)]

use super::{CommandQueue, Fetch, FetchFrom, Lookup, Param, Seed, Seeds};
use crate::access::{Access, AccessSet};

macro_rules! tuple {
    ($($param:ident $index:tt),*) => {
        // SAFETY: each part fetches what its own access tells.
        unsafe impl<$($param: Fetch),*> Fetch for ($($param,)*) {
            type Item<'r> = ($($param::Item<'r>,)*);

            #[allow(unused_variables, reason = "the empty tuple touches nothing")]
            fn access(&self, access: &mut AccessSet) {
                $(self.$index.access(access);)*
            }

            #[allow(unused_variables, reason = "the empty tuple touches nothing")]
            fn prepare(&mut self, lookup: &mut Lookup<'_>) {
                $(self.$index.prepare(lookup);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple touches nothing")]
            unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Self::Item<'r> {
                // SAFETY: the caller keeps the conditions of all parts.
                ($(unsafe { self.$index.fetch(from) },)*)
            }

            #[allow(unused_variables, reason = "the empty tuple records nothing")]
            fn take_commands(&mut self, to: &mut CommandQueue) {
                $(self.$index.take_commands(to);)*
            }
        }

        impl<$($param: Seeds),*> Seeds for ($($param,)*) {
            type State = ($($param::State,)*);

            #[allow(clippy::unused_unit, reason = "the empty tuple grows into nothing")]
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

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
