//! Structs of parameters: support for `#[derive(Params)]`.
//!
//! The states of the fields are behind a pointer, so that generated code names them only in expressions. A field that
//! is not a parameter is then reported once, at its type.
#![expect(unsafe_code, reason = "implements `Fetch` by those of the fields")]

use core::fmt;
use core::marker::PhantomData;

use super::{Fetch, FetchFrom, Lookup, Seed, Seeds, Settle};
use crate::data::access::{Access, AccessSet};

/// A struct of parameters, without its lifetime. Implemented by `#[derive(Params)]`.
pub trait StructParam: 'static {
    /// The struct with its lifetime.
    type Item<'r>;
}

/// The state of a struct with `#[derive(Params)]`.
pub struct StructState<A: StructParam>(Box<dyn Fields<A>>);

impl<A: StructParam> StructState<A> {
    /// The seed: the accesses of the fields, and the constructor of the state.
    pub const fn seed(access: &'static [Access], new: fn() -> Self) -> Seed<Self> {
        Seed::new(Access::Each(access), new)
    }

    /// Creates a state that fetches the fields with the states of `seeds`, and builds the struct with `assemble`. The
    /// first argument of `assemble` carries the lifetime.
    pub fn new<S, F>(seeds: S, assemble: F) -> Self
    where
        S: Seeds,
        F: for<'r> Fn(PhantomData<&'r ()>, <S::State as Fetch>::Item<'r>) -> A::Item<'r>
            + Send
            + 'static,
    {
        Self(Box::new(FieldStates {
            state: seeds.grow(),
            assemble,
        }))
    }
}

// SAFETY: `fetch` accesses only what the states of the fields access, and `access` declares all of that.
unsafe impl<A: StructParam> Fetch for StructState<A> {
    type Item<'r> = A::Item<'r>;

    fn access(&self, access: &mut AccessSet) {
        self.0.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.prepare(lookup);
    }

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> A::Item<'r> {
        // SAFETY: `access` and `prepare` pass on to the same state as `fetch`, so the guarantees of the caller hold for
        // it.
        unsafe { self.0.fetch(from) }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.0.settle(settle);
    }
}

impl<A: StructParam> fmt::Debug for StructState<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StructState")
    }
}

/// An object-safe version of [`Fetch`].
trait Fields<A: StructParam>: Send {
    fn access(&self, access: &mut AccessSet);
    fn prepare(&mut self, lookup: &mut Lookup<'_>);
    /// # Safety
    ///
    /// The conditions of [`Fetch::fetch`] hold.
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> A::Item<'r>;
    fn settle(&mut self, settle: &mut Settle<'_>);
}

struct FieldStates<S, F> {
    state: S,
    assemble: F,
}

impl<A, S, F> Fields<A> for FieldStates<S, F>
where
    A: StructParam,
    S: Fetch,
    F: for<'r> Fn(PhantomData<&'r ()>, S::Item<'r>) -> A::Item<'r> + Send,
{
    fn access(&self, access: &mut AccessSet) {
        self.state.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.state.prepare(lookup);
    }

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> A::Item<'r> {
        // SAFETY: `access` and `prepare` pass on to the same state as `fetch`, so the guarantees of the caller hold for
        // it.
        (self.assemble)(PhantomData, unsafe { self.state.fetch(from) })
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        self.state.settle(settle);
    }
}
