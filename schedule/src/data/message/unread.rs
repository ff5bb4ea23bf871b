//! The messages that a reader has not seen.

use core::fmt;
use core::iter::FusedIterator;
use std::collections::{VecDeque, vec_deque};

use super::queue::MessageBatch;

/// The position of messages in a queue, up to its end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnreadRange {
    pub(crate) position: u64,
    pub(super) len: usize,
    /// The number of messages before these that the reader missed.
    pub(crate) n_missed: u64,
}

/// Unread messages, oldest first: a list, and the batches of a queue from an index on.
pub(crate) struct Unread<'r, T> {
    head: &'r [T],
    rest: Option<(&'r VecDeque<MessageBatch<T>>, usize)>,
    len: usize,
}

impl<T> Clone for Unread<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Unread<'_, T> {}

impl<'r, T> Unread<'r, T> {
    pub(crate) const fn of_list(list: &'r [T]) -> Self {
        Self {
            head: list,
            rest: None,
            len: list.len(),
        }
    }

    /// The messages from a position on, of which the queue has at least `len`. O(log of the number of batches).
    pub(super) fn of_queue(
        queue: &'r VecDeque<MessageBatch<T>>,
        position: u64,
        len: usize,
    ) -> Self {
        if len == 0 {
            return Self::of_list(&[]);
        }
        let next = queue.partition_point(|batch| batch.start <= position);
        let batch = &queue[next - 1];
        Self {
            head: &batch.messages[(position - batch.start) as usize..],
            rest: Some((queue, next)),
            len,
        }
    }

    pub(crate) const fn len(self) -> usize {
        self.len
    }

    pub(crate) fn iter(self) -> UnreadIter<'r, T> {
        UnreadIter {
            head: self.head.iter(),
            rest: match self.rest {
                Some((queue, from)) => queue.range(from..),
                None => vec_deque::Iter::default(),
            },
            n_left: self.len,
        }
    }
}

/// The messages of a [`MessageReader`](crate::param::MessageReader), oldest first.
pub struct UnreadIter<'r, T> {
    head: core::slice::Iter<'r, T>,
    rest: vec_deque::Iter<'r, MessageBatch<T>>,
    n_left: usize,
}

impl<'r, T> Iterator for UnreadIter<'r, T> {
    type Item = &'r T;

    #[inline]
    fn next(&mut self) -> Option<&'r T> {
        if self.n_left == 0 {
            return None;
        }
        loop {
            if let Some(message) = self.head.next() {
                self.n_left -= 1;
                return Some(message);
            }
            self.head = self.rest.next()?.messages.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n_left, Some(self.n_left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'r T) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        loop {
            let list = self.head.as_slice();
            let n = list.len().min(self.n_left);
            folded = list[..n].iter().fold(folded, &mut f);
            self.n_left -= n;
            match self.rest.next() {
                Some(batch) if self.n_left > 0 => self.head = batch.messages.iter(),
                _ => return folded,
            }
        }
    }
}

impl<T> ExactSizeIterator for UnreadIter<'_, T> {}

impl<T> FusedIterator for UnreadIter<'_, T> {}

impl<T> Clone for UnreadIter<'_, T> {
    fn clone(&self) -> Self {
        Self {
            head: self.head.clone(),
            rest: self.rest.clone(),
            n_left: self.n_left,
        }
    }
}

impl<T> fmt::Debug for UnreadIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnreadIter({} messages)", self.n_left)
    }
}
