//! What becomes of panics of user code where more than one may happen.
//!
//! User code is everything that a user of the library has written: systems, commands, handlers, keys, iterators, outcome callbacks,
//! and the `Drop` of their values. Rust aborts the process if a value panics as it is dropped while another panic unwinds. So
//! the library never drops two user values in a row, nor one while a panic unwinds, without [`drop_caught`] or [`FirstPanic`]. The rule
//! everywhere is:
//!
//! - Each user value is dropped on its own. If its `Drop` panics, the others are still dropped.
//! - The first panic is reported: as a failure of the system it belongs to, or by unwinding out of the call. Later ones are
//!   dropped.
//! - The payload of a panic that is not reported is dropped, too. If that panics in its turn, its payload is leaked, so
//!   that this ends.
//!
//! Values handed to the user, such as an `Outcome`, are dropped by user code, outside this rule.

use core::any::Any;
use core::fmt;
use core::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

/// What a panic carries.
pub type Payload = Box<dyn Any + Send>;

/// Drops a user value, and what it panics with if it does.
pub fn drop_caught<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // Its type is not known, so it may panic as well, and so may what that carries.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            forget(payload);
        }
    }
}

/// Drops a user value in the `Drop` of a value that it is a part of. If the thread already
/// unwinds, a panic of this value is swallowed.
#[inline]
pub fn drop_part<T>(value: T) {
    let mut panics = FirstPanic::default();
    panics.drop(value);
    panics.resume_from_drop();
}

/// The first of several panics. Later ones are dropped.
#[derive(Default)]
#[must_use = "it is reported by `resume`"]
pub struct FirstPanic(Option<Payload>);

impl FirstPanic {
    /// This one.
    #[inline]
    pub fn of(payload: Payload) -> Self {
        Self(Some(payload))
    }

    /// Whether there was none.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// One more.
    #[cold]
    pub fn add(&mut self, payload: Payload) {
        match &self.0 {
            None => self.0 = Some(payload),
            Some(_) => drop_caught(payload),
        }
    }

    /// Calls user code.
    #[inline]
    pub fn call<R>(&mut self, call: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(result) => Some(result),
            Err(payload) => {
                self.add(payload);
                None
            }
        }
    }

    /// Drops a user value.
    #[inline]
    pub fn drop<T>(&mut self, value: T) {
        if core::mem::needs_drop::<T>() {
            self.call(|| drop(value));
        }
    }

    /// Drops user values, one at a time.
    pub fn drop_each<T>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.drop(value));
    }

    /// Unwinds with the first one, if there was one.
    #[inline]
    pub fn resume(self) {
        if let Some(payload) = self.0 {
            resume_unwind(payload);
        }
    }

    /// The same at the end of a `Drop`, out of which no panic may come while another one unwinds.
    #[inline]
    pub fn resume_from_drop(self) {
        match self.0 {
            Some(payload) if thread::panicking() => drop_caught(payload),
            Some(payload) => resume_unwind(payload),
            None => {}
        }
    }
}

impl fmt::Debug for FirstPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FirstPanic")
            .field(&self.0.is_some())
            .finish()
    }
}
