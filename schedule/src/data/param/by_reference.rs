//! Reference forms of parameters that must be taken by value. They exist so that the compiler reports only the fix.
#![expect(unsafe_code, reason = "implements `Fetch` for what is never fetched")]

use core::marker::PhantomData;

#[cfg(feature = "snapshot")]
use super::SavedLocal;
use super::{
    Commands, Fetch, FetchFrom, Fold, Local, Lookup, MessageReader, MessageWriter, Mut, NextRun,
    NonSend, NonSendMut, Param, Ref, Seed,
};
use crate::data::access::{Access, AccessSet, RefusedReference};

/// The state of a shared reference to a parameter with the state `S`. Its access is always rejected, so no system uses
/// it.
#[derive(Debug)]
pub struct SharedRefState<S>(PhantomData<fn() -> S>);

/// The state of an exclusive reference to a parameter with the state `S`. Its access is always rejected, so no system
/// uses it.
#[derive(Debug)]
pub struct ExclusiveRefState<S>(PhantomData<fn() -> S>);

impl<S> SharedRefState<S> {
    /// The seed of a reference to a parameter. `instead` is the type to write without the reference.
    pub const fn seed(instead: &'static str) -> Seed<Self> {
        let is_mut = false;
        Self::refused(RefusedReference::ByValue { instead, is_mut })
    }

    /// The seed of a reference that is refused.
    pub(crate) const fn refused(refused: RefusedReference) -> Seed<Self> {
        Seed::new(Access::ByReference(refused), || Self(PhantomData))
    }
}

impl<S> ExclusiveRefState<S> {
    /// The seed of a reference to a parameter. `instead` is the type to write without the reference.
    pub const fn seed(instead: &'static str) -> Seed<Self> {
        let is_mut = true;
        Self::refused(RefusedReference::ByValue { instead, is_mut })
    }

    /// The seed of a reference that is refused.
    pub(crate) const fn refused(refused: RefusedReference) -> Seed<Self> {
        Seed::new(Access::ByReference(refused), || Self(PhantomData))
    }
}

// SAFETY: `fetch` accesses nothing, and it is never called.
unsafe impl<S: Fetch> Fetch for SharedRefState<S> {
    type Item<'r> = &'r S::Item<'r>;

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r S::Item<'r> {
        unreachable!("a system that takes this does not compile")
    }
}

// SAFETY: `fetch` accesses nothing, and it is never called.
unsafe impl<S: Fetch> Fetch for ExclusiveRefState<S> {
    type Item<'r> = &'r mut S::Item<'r>;

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r mut S::Item<'r> {
        unreachable!("a system that takes this does not compile")
    }
}

/// Arguments: `[generics] type: text instead of a shared reference, text instead of an exclusive reference`.
macro_rules! by_value {
    ($([$($generics:tt)*] $ty:ty: $shared:literal, $exclusive:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Param for &$ty
        where
            $ty: Param,
        {
            type State = SharedRefState<<$ty as Param>::State>;
            const SEED: Seed<Self::State> = SharedRefState::seed($shared);
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Param for &mut $ty
        where
            $ty: Param,
        {
            type State = ExclusiveRefState<<$ty as Param>::State>;
            const SEED: Seed<Self::State> = ExclusiveRefState::seed($exclusive);
        }
    )*};
}

#[cfg(feature = "snapshot")]
by_value! {
    ['p, T] SavedLocal<'p, T>: "SavedLocal<T>", "SavedLocal<T>";
}

by_value! {
    ['p, T] Local<'p, T>: "Local<T>", "Local<T>";
    ['p, D] Commands<'p, D>: "Commands", "Commands";
    ['p] NextRun<'p>: "NextRun", "NextRun";
    ['p, R, P] Fold<'p, R, P>: "Fold<R>", "Fold<R>";
    ['p, T] MessageWriter<'p, T>: "MessageWriter<T>", "MessageWriter<T>";
    ['p, T, K] MessageReader<'p, T, K>: "MessageReader<T>", "MessageReader<T>";
    ['p, T] Ref<'p, T>: "Ref<T>", "Mut<T>";
    ['p, T] Mut<'p, T>: "Ref<T>", "Mut<T>";
    ['p, T] NonSend<'p, T>: "NonSend<T>", "NonSendMut<T>";
    ['p, T] NonSendMut<'p, T>: "NonSend<T>", "NonSendMut<T>";
    [T] Option<T>: "Option<…>", "Option<…>";
    [A] (A,): "(…,)", "(…,)";
    [A, B] (A, B): "(…, …)", "(…, …)";
    [A, B, C] (A, B, C): "(…, …)", "(…, …)";
    [A, B, C, D] (A, B, C, D): "(…, …)", "(…, …)";
    [A, B, C, D, E] (A, B, C, D, E): "(…, …)", "(…, …)";
    [A, B, C, D, E, F] (A, B, C, D, E, F): "(…, …)", "(…, …)";
}
