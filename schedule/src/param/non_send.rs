//! Main-thread values as parameters.

use core::ops::{Deref, DerefMut};

/// A main-thread value, to read. The system runs on the thread that calls `run`.
///
/// See [`Resources::main_thread`](crate::Resources::main_thread).
#[derive(Debug)]
pub struct NonSend<'r, T>(pub(super) &'r T);

impl<'r, T> NonSend<'r, T> {
    /// A value of somebody else, to call a system as the function that it is.
    pub fn new(value: &'r T) -> Self {
        Self(value)
    }
}

impl<T> Deref for NonSend<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// A main-thread value, to write. The system runs on the thread that calls `run`.
///
/// See [`Resources::main_thread`](crate::Resources::main_thread).
#[derive(Debug)]
pub struct NonSendMut<'r, T>(pub(super) &'r mut T);

impl<'r, T> NonSendMut<'r, T> {
    /// A value of somebody else, to call a system as the function that it is.
    pub fn new(value: &'r mut T) -> Self {
        Self(value)
    }
}

impl<T> Deref for NonSendMut<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for NonSendMut<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}
