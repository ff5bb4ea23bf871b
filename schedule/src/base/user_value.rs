//! A value of user code inside a value of the library.
//!
//! Invariant: the value is initialised until `drop` or `into_inner` takes it out, and is not accessed afterwards.
#![expect(unsafe_code, reason = "takes a value out as it is dropped")]

use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};

use crate::base::panics::FirstPanic;

/// A value whose `Drop` may panic. Several of them can be dropped in a row, as fields or as elements of a vector.
pub struct UserValue<T>(ManuallyDrop<T>);

impl<T> UserValue<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(ManuallyDrop::new(value))
    }

    /// Returns the value. The caller must drop it.
    pub fn into_inner(self) -> T {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: by the invariant the value is initialised, and this is the last access to it: `this` is not dropped.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl<T> Deref for UserValue<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for UserValue<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for UserValue<T> {
    #[inline]
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let mut panics = FirstPanic::default();
        // In place: a value can be as large as a schedule, and can contain another one. Each move would need stack at each level.
        // SAFETY: by the invariant the value is initialised, and this is the last access to it: the field does not drop it again.
        panics.call(|| unsafe { ManuallyDrop::drop(&mut self.0) });
        panics.resume_from_drop();
    }
}

impl<T: fmt::Debug> fmt::Debug for UserValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
