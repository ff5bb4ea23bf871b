//! The partial results of a `for_each` system: one for each block of rows, or one that threads have joined.
#![expect(unsafe_code, reason = "implements `Fetch` by that of `Partials`")]

use core::fmt;
use core::marker::PhantomData;

use super::{Foldable, Partials};
use crate::base::user_value::UserValue;
use crate::data::access::{Access, AccessSet, ResourceType};
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};

/// The partial results of blocks of rows: the source of a `Fold<R>` in a `for_each` system.
pub struct BlockFolds<'r, R, P = <R as Foldable>::Partial> {
    partials: &'r mut Vec<UserValue<P>>,
    resource: PhantomData<fn() -> R>,
}

impl<R, P> BlockFolds<'_, R, P> {
    /// Adds the partial result of the next block, or of all threads.
    pub(crate) fn push(&mut self, partial: UserValue<P>) {
        self.partials.push(partial);
    }
}

impl<R, P> fmt::Debug for BlockFolds<'_, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockFolds({} to join)", self.partials.len())
    }
}

/// The state of [`BlockFolds`].
pub struct BlockPartials<R, P>(Partials<R, P>);

// SAFETY: `fetch` accesses only the state itself, which belongs to one node.
unsafe impl<R: 'static, P: Default + Send + 'static> Fetch for BlockPartials<R, P> {
    type Item<'r> = BlockFolds<'r, R, P>;

    fn access(&self, access: &mut AccessSet) {
        self.0.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.prepare(lookup);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> BlockFolds<'r, R, P> {
        BlockFolds {
            partials: self.0.begin(),
            resource: PhantomData,
        }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.0.settle(settle);
    }
}

impl<R, P> fmt::Debug for BlockPartials<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<R: Foldable> Param for BlockFolds<'_, R, R::Partial> {
    type State = BlockPartials<R, R::Partial>;
    const SEED: Seed<Self::State> = Seed::new(Access::Fold(ResourceType::of::<R>()), || {
        BlockPartials(Partials::new())
    });
}
