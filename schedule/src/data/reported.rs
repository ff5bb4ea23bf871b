//! Lists in reports of runs. Their memory returns to the schedule when they are dropped, so later failed runs need not
//! allocate.

use core::fmt;
use core::iter::FusedIterator;
use core::mem::take;
use core::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec;

use crate::base::panics::FirstPanic;

/// A list in the report of a run. Dereferences to `Vec`.
///
/// When the list is dropped, the schedule gets its memory back for the next report. This does not apply after
/// [`into_vec`](Self::into_vec) or `into_iter`.
///
/// The list drops its items one at a time, and so does the iterator of `into_iter`. All items are dropped even if the
/// `Drop` of several errors panics. Then the first panic continues, unless the thread already unwinds. In contrast, a
/// `Vec` aborts the process if two of its items panic when they are dropped.
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

/// The memory of a list that is not in use.
pub(crate) struct Spare<T>(Arc<Mutex<Vec<T>>>);

impl<T> Spare<T> {
    /// Creates it without memory.
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Returns an empty list that uses this memory.
    pub(crate) fn list(&self) -> Reported<T> {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Reported {
            items: take(&mut *spare),
            home: Some(Self(Arc::clone(&self.0))),
        }
    }
}

impl<T> Reported<T> {
    /// Returns the items as a `Vec`, which drops them by the rules of `Vec`.
    pub fn into_vec(mut self) -> Vec<T> {
        take(&mut self.items)
    }
}

impl<T> Drop for Reported<T> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.items.drain(..));
        if let Some(Spare(home)) = &self.home {
            let mut spare = home.lock().unwrap_or_else(PoisonError::into_inner);
            if spare.capacity() < self.items.capacity() {
                *spare = take(&mut self.items);
            }
        }
        panics.resume_from_drop();
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
    type IntoIter = ReportedIntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        ReportedIntoIter(self.into_vec().into_iter())
    }
}

/// The iterator over the items of a [`Reported`] list, by value.
///
/// When it is dropped, it drops the remaining items one at a time, as the list does.
pub struct ReportedIntoIter<T>(vec::IntoIter<T>);

impl<T> Iterator for ReportedIntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for ReportedIntoIter<T> {
    fn next_back(&mut self) -> Option<T> {
        self.0.next_back()
    }
}

impl<T> ExactSizeIterator for ReportedIntoIter<T> {}

impl<T> FusedIterator for ReportedIntoIter<T> {}

impl<T> Drop for ReportedIntoIter<T> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(&mut self.0);
        panics.resume_from_drop();
    }
}

impl<T: fmt::Debug> fmt::Debug for ReportedIntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
