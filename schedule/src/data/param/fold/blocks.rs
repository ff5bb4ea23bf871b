//! The partial results of a `for_each` system: one for each block of rows, or for each thread.
#![expect(unsafe_code, reason = "implements `Fetch` by that of `Partials`")]

use core::fmt;
use core::marker::PhantomData;

use super::{AccumulatorPool, Foldable, Partials};
use crate::base::user_value::UserValue;
use crate::data::access::{Access, AccessSet, ResourceType};
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};

/// The partial results of blocks of rows or of threads: the source of a `Fold<R>` in a `for_each` system.
pub struct BlockFolds<'r, R, P = <R as Foldable>::Partial> {
    partials: &'r mut Vec<UserValue<P>>,
    /// Empty if each block has a partial result.
    accumulators: &'r mut AccumulatorPool<P>,
    resource: PhantomData<fn() -> R>,
}

impl<R, P> BlockFolds<'_, R, P> {
    /// Adds the partial result of the next block.
    pub(crate) fn push(&mut self, partial: UserValue<P>) {
        self.partials.push(partial);
    }

    /// Begins an execution with one partial result for each thread, and returns the pool of these.
    pub(crate) fn begin_accumulators(&mut self) -> &AccumulatorPool<P> {
        self.accumulators.begin();
        self.accumulators
    }

    /// Returns the pool of the partial results of threads.
    pub(crate) fn accumulators(&self) -> &AccumulatorPool<P> {
        self.accumulators
    }

    /// Joins the partial results of all threads, and adds the result.
    pub(crate) fn join_accumulators(&mut self, absorb: fn(&mut P, &mut P)) {
        self.partials.extend(self.accumulators.join(absorb));
    }
}

impl<R, P> fmt::Debug for BlockFolds<'_, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockFolds({} to join)", self.partials.len())
    }
}

/// The state of [`BlockFolds`].
pub struct BlockPartials<R, P> {
    partials: Partials<R, P>,
    accumulators: AccumulatorPool<P>,
}

// SAFETY: `fetch` accesses only the state itself, which belongs to one node.
unsafe impl<R: 'static, P: Default + Send + 'static> Fetch for BlockPartials<R, P> {
    type Item<'r> = BlockFolds<'r, R, P>;

    fn access(&self, access: &mut AccessSet) {
        self.partials.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.partials.prepare(lookup);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> BlockFolds<'r, R, P> {
        BlockFolds {
            partials: self.partials.begin(),
            accumulators: &mut self.accumulators,
            resource: PhantomData,
        }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.partials.settle(settle);
    }
}

impl<R, P> fmt::Debug for BlockPartials<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.partials.fmt(f)
    }
}

impl<R: Foldable> Param for BlockFolds<'_, R, R::Partial> {
    type State = BlockPartials<R, R::Partial>;
    const SEED: Seed<Self::State> =
        Seed::new(Access::Fold(ResourceType::of::<R>()), || BlockPartials {
            partials: Partials::new(),
            accumulators: AccumulatorPool::new(),
        });
}
