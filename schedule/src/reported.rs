//! Lists that a run hands out, and takes back when they are dropped: so a failing run allocates nothing that was not
//! allocated before.

use core::fmt;
use core::mem::take;
use core::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// A list in the report of a run, used as the vector that it is.
///
/// When it is dropped, its memory goes back to the schedule, for the next report. [`into_vec`](Self::into_vec) and
/// `into_iter` keep the memory from going back.
///
/// ```
/// use schedule::{RunError, prelude::*};
///
/// #[system]
/// fn fail() -> Result<(), &'static str> {
///     Err("no")
/// }
///
/// let mut schedule = Schedule::builder().add::<fail>().build()?;
/// let Err(RunError::Failed { failures, skipped, .. }) = schedule.run(&mut Resources::new()) else {
///     unreachable!()
/// };
/// assert_eq!(failures.len(), 1);
/// assert_eq!(failures[0].system.name, "fail");
/// assert!(skipped.is_empty());
/// for failure in failures {
///     assert_eq!(failure.cause.to_string(), "no");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reported<T> {
    items: Vec<T>,
    home: Option<Spare<T>>,
}

/// The memory of a list that nobody uses now.
pub(crate) struct Spare<T>(Arc<Mutex<Vec<T>>>);

impl<T> Spare<T> {
    /// Without any memory.
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// An empty list with this memory.
    pub(crate) fn list(&self) -> Reported<T> {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Reported {
            items: take(&mut *spare),
            home: Some(Self(Arc::clone(&self.0))),
        }
    }
}

impl<T> Reported<T> {
    /// The items, as a vector of their own.
    pub fn into_vec(mut self) -> Vec<T> {
        take(&mut self.items)
    }
}

impl<T> Drop for Reported<T> {
    fn drop(&mut self) {
        // What the user returned may panic as it is dropped: then this ends here, and the memory is freed.
        self.items.clear();
        if let Some(Spare(home)) = &self.home {
            let mut spare = home.lock().unwrap_or_else(PoisonError::into_inner);
            if spare.capacity() < self.items.capacity() {
                *spare = take(&mut self.items);
            }
        }
    }
}

impl<T> Default for Reported<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Reported<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, home: None }
    }
}

impl<T> Deref for Reported<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.items
    }
}

impl<T> DerefMut for Reported<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

impl<T> IntoIterator for Reported<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Reported<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Reported<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}
