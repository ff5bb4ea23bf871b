//! A resource to which spanning systems add.

use core::fmt;
use std::collections::VecDeque;
use std::collections::vec_deque::Drain;

use super::HandOver;
use crate::base::identity::{Argument, Identity, Name, declared_here, mix};
use crate::data::resource::Resource;

/// A resource to which a spanning system adds values, and from which other systems take them.
///
/// A start does not copy it: the function gets an empty queue. When the results appear, its values are added behind those that are
/// still there. So no value is lost or doubled if other systems take values meanwhile.
///
/// ```
/// use schedule::spanning::{HandOver, Queue};
///
/// let mut found = Queue::from_iter([1, 2]);
/// let mut of_function = found.copy();
/// of_function.push(3);
/// assert_eq!(found.pop(), Some(1));
/// found.hand_over(&mut of_function);
/// assert_eq!(found.drain().collect::<Vec<_>>(), [2, 3]);
/// ```
pub struct Queue<T>(VecDeque<T>);

impl<T> Queue<T> {
    /// Creates an empty queue.
    pub const fn new() -> Self {
        Self(VecDeque::new())
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        self.0.push_back(value);
    }

    /// Removes the first value and returns it.
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    /// Returns the values in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// Removes all values and returns them in order.
    pub fn drain(&mut self) -> Drain<'_, T> {
        self.0.drain(..)
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Identity> Identity for Queue<T> {
    const ID: u128 = mix(declared_here(module_path!(), "Queue"), T::ID);
    const NAME: Name = Name::generic("Queue", &[Argument::Type(T::NAME)]);
}

impl<T: Identity + Send + Sync + 'static> Resource for Queue<T> {}

impl<T: 'static> HandOver for Queue<T> {
    /// Returns an empty queue.
    fn copy(&self) -> Self {
        Self::new()
    }

    fn copy_into(&self, copy: &mut Self) {
        copy.0.clear();
    }

    fn hand_over(&mut self, results: &mut Self) {
        self.0.append(&mut results.0);
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> FromIterator<T> for Queue<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T> Extend<T> for Queue<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        self.0.extend(values);
    }
}

impl<T: fmt::Debug> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}
