//! What the three ways need to know of a business.

use schedule::prelude::*;
use schedule_stream::prelude::*;

use crate::verdict::{Refused, Settled, Verdict};
use crate::work::Work;

/// Events in their order, and the balances before the first.
pub(crate) trait Business: Sync {
    type Entry: Event<Answer = Settled, Error = Refused> + Copy + Sync;

    /// All balances, without a stream.
    type Books: Send;

    /// The same with a lock for each.
    type Locks: Sync;

    /// In a few words.
    fn describe(&self) -> String;

    fn entries(&self) -> &[Self::Entry];

    /// Those before the first event.
    fn books(&self) -> Self::Books;

    fn lock(books: Self::Books) -> Self::Locks;

    fn unlock(locks: Self::Locks) -> Self::Books;

    /// Makes records of them.
    fn insert(books: Self::Books, resources: &mut Resources);

    /// All balances, in their order.
    fn numbers(books: &Self::Books) -> Vec<u128>;

    /// The same.
    fn numbers_in(resources: &Resources) -> Vec<u128>;

    fn settle(books: &mut Self::Books, entry: &Self::Entry, work: &Work) -> Verdict;

    fn settle_locked(locks: &Self::Locks, entry: &Self::Entry, work: &Work) -> Verdict;
}
