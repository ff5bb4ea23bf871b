//! Values that panic when they are dropped.

#![allow(missing_docs, reason = "only tests use it")]

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use schedule_stream::answers::Answer;

/// Counts dropped bombs. A bomb panics when it is dropped, even while another panic unwinds.
#[derive(Clone, Debug, Default)]
pub struct Drops(Arc<AtomicUsize>);

impl Drops {
    pub fn bomb(&self) -> Bomb {
        Bomb(self.clone())
    }

    /// Returns the number of bombs that were dropped since the last call.
    pub fn take(&self) -> usize {
        self.0.swap(0, Relaxed)
    }
}

/// See [`Drops`]. The payload of its panic also panics when it is dropped.
#[derive(Debug)]
pub struct Bomb(Drops);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Relaxed);
        resume_unwind(Box::new(Shrapnel));
    }
}

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bomb")
    }
}

impl Error for Bomb {}

impl Answer for Bomb {}

/// Panics with another [`Shrapnel`] when it is dropped.
#[derive(Debug)]
pub struct Shrapnel;

impl Drop for Shrapnel {
    fn drop(&mut self) {
        resume_unwind(Box::new(Shrapnel));
    }
}

/// Calls a function. Returns the text of its panic, or `bomb` for the panic of a bomb.
pub fn panic_of(call: impl FnOnce()) -> Option<&'static str> {
    let payload = catch_unwind(AssertUnwindSafe(call)).err()?;
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        return Some(text);
    }
    std::mem::forget(payload);
    Some("bomb")
}
