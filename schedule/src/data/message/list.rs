//! A list of messages whose `Drop` may panic.

use core::mem::needs_drop;
use core::ops::{Deref, DerefMut};

use crate::base::panics::FirstPanic;

/// A list that drops each message on its own, so that two panics do not abort.
#[derive(Debug)]
pub(crate) struct MessageList<T>(pub(crate) Vec<T>);

impl<T> Deref for MessageList<T> {
    type Target = Vec<T>;

    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for MessageList<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> Drop for MessageList<T> {
    fn drop(&mut self) {
        if needs_drop::<T>() {
            let mut panics = FirstPanic::default();
            panics.drop_each(self.0.drain(..));
            panics.resume_from_drop();
        }
    }
}

/// Drops all messages of a list, each on its own.
pub(crate) fn clear<T>(list: &mut Vec<T>, panics: &mut FirstPanic) {
    if needs_drop::<T>() {
        panics.drop_each(list.drain(..));
    } else {
        list.clear();
    }
}
