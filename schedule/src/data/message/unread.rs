//! The messages that a reader has not seen.

use core::fmt;
use core::iter::FusedIterator;
use core::mem::replace;
use std::collections::{VecDeque, vec_deque};

use super::queue::MessageBatch;

/// The position of messages in a queue, up to its end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnreadRange {
    pub(crate) position: u64,
    pub(crate) len: usize,
    /// The number of messages before these that the reader missed.
    pub(crate) n_missed: u64,
}

/// Unread messages, oldest first: a list, batches of a queue, and another list.
pub(crate) struct Unread<'r, T> {
    head: &'r [T],
    /// The batches with indices from the first number up to, but not including, the second one.
    middle: Option<(&'r VecDeque<MessageBatch<T>>, usize, usize)>,
    tail: &'r [T],
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
            middle: None,
            tail: &[],
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
        let end = position + len as u64;
        let first = queue.partition_point(|batch| batch.start <= position) - 1;
        let last = first
            + queue
                .range(first..)
                .take_while(|batch| batch.start < end)
                .count()
            - 1;
        let list = |batch: usize, from: u64| {
            &queue[batch].messages[(from - queue[batch].start) as usize..]
        };
        let upto = |list: &'r [T], start: u64| &list[..list.len().min((end - start) as usize)];
        let head = upto(list(first, position), position);
        if first == last {
            return Self::of_list(head);
        }
        let start = queue[last].start;
        Self {
            head,
            middle: Some((queue, first + 1, last)),
            tail: upto(list(last, start), start),
            len,
        }
    }

    pub(crate) const fn len(self) -> usize {
        self.len
    }

    pub(crate) fn iter(self) -> UnreadIter<'r, T> {
        UnreadIter {
            head: self.head.iter(),
            middle: match self.middle {
                Some((queue, from, to)) => queue.range(from..to),
                None => vec_deque::Iter::default(),
            },
            tail: self.tail.iter(),
        }
    }
}

/// The messages of a [`MessageReader`](crate::param::MessageReader), oldest first.
pub struct UnreadIter<'r, T> {
    head: core::slice::Iter<'r, T>,
    middle: vec_deque::Iter<'r, MessageBatch<T>>,
    tail: core::slice::Iter<'r, T>,
}

impl<'r, T> UnreadIter<'r, T> {
    /// Not counted in each step, because few callers need it. O(number of batches).
    fn n_left(&self) -> usize {
        let middle = self.middle.clone().map(|batch| batch.messages.len());
        self.head.len() + middle.sum::<usize>() + self.tail.len()
    }

    /// Continues with the next list.
    fn next_list(&mut self) -> Option<&'r T> {
        loop {
            match self.middle.next() {
                Some(batch) => self.head = batch.messages.iter(),
                None if self.tail.as_slice().is_empty() => return None,
                None => self.head = replace(&mut self.tail, [].iter()),
            }
            if let Some(message) = self.head.next() {
                return Some(message);
            }
        }
    }
}

impl<'r, T> Iterator for UnreadIter<'r, T> {
    type Item = &'r T;

    #[inline]
    fn next(&mut self) -> Option<&'r T> {
        match self.head.next() {
            None => self.next_list(),
            message => message,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n_left = self.n_left();
        (n_left, Some(n_left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'r T) -> B>(self, init: B, mut f: F) -> B {
        let folded = self.head.fold(init, &mut f);
        let folded = self.middle.fold(folded, |folded, batch| {
            batch.messages.iter().fold(folded, &mut f)
        });
        self.tail.fold(folded, f)
    }
}

impl<T> ExactSizeIterator for UnreadIter<'_, T> {}

impl<T> FusedIterator for UnreadIter<'_, T> {}

impl<T> Clone for UnreadIter<'_, T> {
    fn clone(&self) -> Self {
        Self {
            head: self.head.clone(),
            middle: self.middle.clone(),
            tail: self.tail.clone(),
        }
    }
}

impl<T> fmt::Debug for UnreadIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnreadIter({} messages)", self.n_left())
    }
}
