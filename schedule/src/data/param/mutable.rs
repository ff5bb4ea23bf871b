//! Exclusive access that notes whether it was used to write.

use core::fmt;
use core::ops::{Deref, DerefMut};

/// Exclusive access to a resource or a component, which counts as a change only if it is written through.
///
/// A system with `&mut T` changes `T` whenever it runs. A system with `Mut<T>` changes it only if it takes a `&mut T` from the parameter, for
/// example by an assignment through `*`. For orders and conflicts, both are writers. Reads through the parameter do not count. See
/// [`set_if_neq`](Self::set_if_neq).
///
/// ```
/// use schedule::param::Mut;
///
/// // A unit test can pass any variable.
/// let mut speed = 3.0;
/// let mut writer = Mut::new(&mut speed);
/// assert!(!writer.set_if_neq(3.0));
/// assert!(writer.set_if_neq(4.0));
/// *writer += 1.0;
/// assert_eq!(speed, 5.0);
/// ```
pub struct Mut<'r, T> {
    value: &'r mut T,
    /// Where a change is noted, and the number that is stored there. `None` if nothing watches the value.
    mark: Option<(&'r mut u64, u64)>,
}

impl<'r, T> Mut<'r, T> {
    /// Borrows a variable, to call a system as a plain function.
    pub fn new(value: &'r mut T) -> Self {
        Self { value, mark: None }
    }

    /// Borrows a value. A write stores `now` in `mark`.
    #[doc(hidden)]
    #[inline]
    pub fn marked(value: &'r mut T, mark: &'r mut u64, now: u64) -> Self {
        Self {
            value,
            mark: Some((mark, now)),
        }
    }

    /// Replaces the value if the new one differs. Returns whether it did. An equal value does not count as a change.
    pub fn set_if_neq(&mut self, value: T) -> bool
    where
        T: PartialEq,
    {
        let is_new = *self.value != value;
        if is_new {
            **self = value;
        }
        is_new
    }
}

impl<T> Deref for Mut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Mut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if let Some((mark, now)) = &mut self.mark {
            **mark = *now;
        }
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Mut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mut").field(&self.value).finish()
    }
}
