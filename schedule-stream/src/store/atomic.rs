//! Atomic handlers: a handler that fails has changed nothing.
//!
//! Before the call, everything that the handler may write is cloned. After an error or a panic, the clones are put
//! back. Handlers without the option `atomic` use [`Plain`], which compiles to the call alone.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::base::footprint::Footprint;
use crate::base::position::{BatchTime, EventInfo, Position};
use crate::base::slot::Slot;
use crate::store::argument::Kept;
use crate::store::found::{Found, Missing};
use crate::store::list::FoundList;
use crate::store::record::Record;
use crate::store::record_set::{RecordSet, RecordSetMut};

/// A type that an atomic handler may write. Implemented for all types that implement `Clone`.
#[diagnostic::on_unimplemented(
    message = "an atomic handler cannot write `{Self}`, because it cannot restore it",
    label = "cannot be restored after a failure",
    note = "a whole store `Records<T>` is not copied for each event: take single records with `#[key(…)]` or `#[keys(…)]`, or remove `atomic`",
    note = "an atomic handler that fails restores everything that it may have written: if `{Self}` is a record or a resource of this program, add `#[derive(Clone)]` to it"
)]
pub trait Restorable: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> Restorable for T {}

/// Copies the content of a parameter. `()` for a parameter that writes nothing.
pub struct Copier<T>(fn(&T) -> T);

impl<T> Clone for Copier<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Copier<T> {}

impl<T> fmt::Debug for Copier<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Copier")
    }
}

impl Copier<()> {
    /// For a parameter that writes nothing.
    const NOTHING: Self = Self(|()| ());
}

impl<T: Restorable> Copier<T> {
    const CLONE: Self = Self(T::clone);
}

impl<T> Copier<T> {
    /// Returns a copy.
    #[inline(always)]
    pub(crate) fn copy(self, value: &T) -> T {
        (self.0)(value)
    }
}

/// A parameter of an atomic handler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of an atomic handler",
    label = "cannot be restored after a failure"
)]
pub trait AtomicParameter {
    /// The type that the handler may write; `()` if it writes nothing.
    type Written;

    /// Copies it.
    const COPIER: Copier<Self::Written>;
}

macro_rules! atomic_parameter {
    ($([$($generics:tt)*] $ty:ty => $written:ty, $copier:ident;)*) => {
        $(impl<$($generics)*> AtomicParameter for $ty {
            type Written = $written;
            const COPIER: Copier<$written> = Copier::$copier;
        })*
    };
}

atomic_parameter!(
    [T] &T => (), NOTHING;
    [T] Option<&T> => (), NOTHING;
    [T: Record] RecordSet<'_, T> => (), NOTHING;
    [] Position => (), NOTHING;
    [] BatchTime => (), NOTHING;
    [T: Restorable] &mut T => T, CLONE;
    [T: Restorable] Option<&mut T> => T, CLONE;
    [T: Restorable] Slot<'_, T> => T, CLONE;
    [T: Record + Restorable] RecordSetMut<'_, T> => T, CLONE;
);

/// The result of a handler call.
pub trait CallResult {
    /// Returns whether the handler of this event returned an error, or too many follow-up events.
    #[doc(hidden)]
    fn has_failed(&self, info: &EventInfo) -> bool;
}

/// How a handler is called with the records that were found.
pub trait CallMode<L: FoundList>: Copy + Send + Sync + 'static {
    /// Whether a failed call is undone. The conversion of the return value is then a part of the call.
    const IS_ATOMIC: bool;

    /// Calls `call`, which gets the parameters of these records and calls the handler.
    ///
    /// # Safety
    ///
    /// As for [`FoundList::give`].
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "has the contract of `FoundList::give`")]
    unsafe fn run<H: CallResult>(
        self,
        found: L,
        footprint: &Footprint,
        info: &EventInfo,
        call: impl FnOnce() -> Result<H, Missing>,
    ) -> Result<H, Missing>;
}

/// Calls the handler. What it wrote before a failure remains.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

#[expect(unsafe_code, reason = "implements a function with a contract")]
impl<L: FoundList> CallMode<L> for Plain {
    const IS_ATOMIC: bool = false;

    #[inline(always)]
    unsafe fn run<H: CallResult>(
        self,
        _: L,
        _: &Footprint,
        _: &EventInfo,
        call: impl FnOnce() -> Result<H, Missing>,
    ) -> Result<H, Missing> {
        call()
    }
}

/// Calls the handler, and restores what it wrote if it fails. `K` lists the [`Copier`] of each parameter, with the last
/// outermost.
#[derive(Clone, Copy, Debug)]
pub struct Atomic<K>(K);

impl<K> Atomic<K> {
    /// Creates the mode for parameters with these copiers.
    pub fn new(copiers: K) -> Self {
        Self(copiers)
    }
}

#[expect(unsafe_code, reason = "follows the addresses of the footprint")]
impl<L, K> CallMode<L> for Atomic<K>
where
    L: KeptList<K>,
    K: Copy + Send + Sync + 'static,
{
    const IS_ATOMIC: bool = true;

    #[inline(always)]
    unsafe fn run<H: CallResult>(
        self,
        found: L,
        footprint: &Footprint,
        info: &EventInfo,
        call: impl FnOnce() -> Result<H, Missing>,
    ) -> Result<H, Missing> {
        // SAFETY: the found addresses are valid, and no conflicting event runs: the contract of this function. The
        // handler does not run yet.
        let saved = unsafe { found.save(footprint, self.0) };
        let result = catch_unwind(AssertUnwindSafe(call));
        let has_succeeded = matches!(&result, Ok(Ok(handled)) if !handled.has_failed(info));
        if has_succeeded {
            L::forget(saved);
        } else {
            // SAFETY: the found addresses are valid, and no conflicting event runs: the contract of this function.
            // `call` has ended, so its parameters no longer exist.
            unsafe { found.restore(footprint, saved) };
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// A list of found records whose content can be saved and restored. `K` lists their copiers.
pub trait KeptList<K>: FoundList {
    /// The saved contents.
    type Saved;

    /// Saves the content of each argument that writes.
    ///
    /// # Safety
    ///
    /// As for [`Kept::save`] of each.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "has the contract of `Kept::save`")]
    unsafe fn save(self, footprint: &Footprint, copiers: K) -> Self::Saved;

    /// Restores the saved contents. Catches panics of destructors.
    ///
    /// # Safety
    ///
    /// As for [`Kept::restore`] of each.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "has the contract of `Kept::restore`")]
    unsafe fn restore(self, footprint: &Footprint, saved: Self::Saved);

    /// Drops the saved contents. Catches panics of destructors.
    #[doc(hidden)]
    fn forget(saved: Self::Saved);
}

#[expect(unsafe_code, reason = "implements functions with a contract")]
impl KeptList<()> for () {
    type Saved = ();

    #[inline(always)]
    unsafe fn save(self, _: &Footprint, (): ()) {}

    #[inline(always)]
    unsafe fn restore(self, _: &Footprint, (): ()) {}

    #[inline(always)]
    fn forget((): ()) {}
}

#[expect(unsafe_code, reason = "has the contract of its callees")]
impl<L, A, K> KeptList<(K, Copier<A::Written>)> for (L, Found<A>)
where
    L: KeptList<K>,
    A: Kept,
{
    type Saved = (L::Saved, A::Saved);

    #[inline(always)]
    unsafe fn save(
        self,
        footprint: &Footprint,
        (before, copier): (K, Copier<A::Written>),
    ) -> Self::Saved {
        // SAFETY: each argument has the same contract: its place is valid, and no conflicting event runs.
        let before = unsafe { self.0.save(footprint, before) };
        // SAFETY: each argument has the same contract: its place is valid, and no conflicting event runs.
        (before, unsafe { A::save(self.1, footprint, copier) })
    }

    #[inline(always)]
    unsafe fn restore(self, footprint: &Footprint, (before, saved): Self::Saved) {
        // SAFETY: each argument has the same contract: its place is valid, and no other code uses it.
        unsafe { self.0.restore(footprint, before) };
        // SAFETY: each argument has the same contract: its place is valid, and no other code uses it.
        unsafe { A::restore(self.1, footprint, saved) };
    }

    #[inline(always)]
    fn forget((before, saved): Self::Saved) {
        L::forget(before);
        A::forget(saved);
    }
}
