//! The interface of a business for the three ways to process its events.

use schedule::prelude::*;
use schedule_stream::prelude::*;

use crate::verdict::{Refused, Settled, Verdict};
use crate::work::Work;

/// A sequence of events, and the opening balances.
pub(crate) trait Business: Sync {
    type Entry: Event<Answer = Settled, Error = Refused> + Copy + Sync;

    /// All balances, without a stream.
    type Books: Send;

    /// All balances, with one lock per record.
    type Locks: Sync;

    /// Returns a short description.
    fn describe(&self) -> String;

    fn entries(&self) -> &[Self::Entry];

    /// Returns the opening balances.
    fn books(&self) -> Self::Books;

    fn lock(books: Self::Books) -> Self::Locks;

    fn unlock(locks: Self::Locks) -> Self::Books;

    /// Inserts the balances as records.
    fn insert(books: Self::Books, resources: &mut Resources);

    /// Returns all balances, in order.
    fn numbers(books: &Self::Books) -> Vec<u128>;

    /// Returns all balances of the records, in the same order.
    fn numbers_in(resources: &Resources) -> Vec<u128>;

    fn settle(books: &mut Self::Books, entry: &Self::Entry, work: &Work) -> Verdict;

    fn settle_locked(locks: &Self::Locks, entry: &Self::Entry, work: &Work) -> Verdict;
}
