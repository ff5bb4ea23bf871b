//! Handling of panics in user code if more than one may occur.
//!
//! User code is all code of users of the library: systems, commands, handlers, keys, iterators, outcome callbacks, and
//! the `Drop` of their values. Rust aborts the process if a value panics in its `Drop` while another panic unwinds. So
//! the library drops several user values in a row, or a user value during unwinding, only with [`drop_caught`] or
//! [`FirstPanic`]. These rules hold everywhere:
//!
//! - Each user value is dropped on its own. If its `Drop` panics, the others are still dropped.
//! - The first panic is reported, as a failure of its system or by unwinding out of the call. Later ones are dropped.
//! - The payload of a panic that is not reported is dropped. If its `Drop` panics, the new payload is leaked, so that
//!   the chain ends.
//!
//! Values that are handed to the user, such as an `Outcome`, are dropped by user code. These rules do not apply to
//! them.

use core::any::Any;
use core::fmt;
use core::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

/// The payload of a panic.
pub type Payload = Box<dyn Any + Send>;

/// Drops a user value. If its `Drop` panics, drops the payload.
pub fn drop_caught<T>(value: T) {
    let mut value = Some(value);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop_in_place(&mut value))) {
        // The payload is a user value, so its `Drop` may panic as well.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            forget(payload);
        }
    }
}

/// Drops a user value in the `Drop` of the value that contains it. A panic of the user value unwinds, but is dropped if
/// the thread already unwinds.
#[inline]
pub fn drop_part<T>(value: T) {
    let mut panics = FirstPanic::default();
    panics.drop(value);
    panics.resume_from_drop();
}

/// Drops a value where it is. A value can be as large as a schedule, and can contain another one. Each move into a closure would need
/// stack at each level.
#[inline(always)]
fn drop_in_place<T>(value: &mut Option<T>) {
    *value = None;
}

/// The first of several panics. Later ones are dropped.
#[derive(Default)]
#[must_use = "it is reported by `resume`"]
pub struct FirstPanic(Option<Payload>);

impl FirstPanic {
    /// No panic.
    pub const NONE: Self = Self(None);

    /// Creates it with one panic.
    #[inline]
    pub fn of(payload: Payload) -> Self {
        Self(Some(payload))
    }

    /// Whether no panic has occurred.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Adds a panic.
    #[cold]
    pub fn add(&mut self, payload: Payload) {
        match &self.0 {
            None => self.0 = Some(payload),
            Some(_) => drop_caught(payload),
        }
    }

    /// Calls user code. Returns `None` if it panics.
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
            let mut value = Some(value);
            self.call(|| drop_in_place(&mut value));
        }
    }

    /// Drops user values, one at a time.
    pub fn drop_each<T>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.drop(value));
    }

    /// Returns the payload of the first panic.
    pub fn into_payload(self) -> Option<Payload> {
        self.0
    }

    /// Unwinds with the first panic, if there is one.
    #[inline]
    pub fn resume(self) {
        if let Some(payload) = self.0 {
            resume_unwind(payload);
        }
    }

    /// Like [`resume`](Self::resume), for the end of a `Drop`. If the thread already unwinds, the panic is dropped.
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
