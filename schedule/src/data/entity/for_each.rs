//! `for_each` systems: their parameters as types, their access, and what they return.

use core::error::Error;
use core::fmt;
use core::marker::PhantomData;

use super::components::ALL_ENTITIES;
use super::{ComponentTerms, Components, EachFetch, EntityFilter, EntityTables, Marker};
use crate::data::access::{Access, Parameter};
use crate::data::output::BoxError;
use crate::data::param::Param;

/// The parameters of a `for_each` system, as types: the store `S`, the filter `F`, and the states `P` of all parameters
/// except resources.
#[doc(hidden)]
pub struct ForEachSeed<S, F, P>(Marker<S, F, P>);

/// Creates a [`ForEachSeed`] from [`EachParam::EACH`](super::EachParam::EACH) of the parameters, in tuples.
#[doc(hidden)]
pub const fn for_each<S, F, P>(_: &P) -> ForEachSeed<S, F, P> {
    ForEachSeed(PhantomData)
}

/// Returns the access to the store.
#[doc(hidden)]
pub const fn store<S: EntityTables, F, P>(_: &ForEachSeed<S, F, P>) -> Parameter {
    Parameter {
        name: S::NAME.base(),
        access: <&'static S as Param>::SEED.access(),
    }
}

/// Returns the access of the filter.
#[doc(hidden)]
pub const fn filter<S: EntityTables, F: EntityFilter<S>, P>(_: &ForEachSeed<S, F, P>) -> Parameter {
    Parameter {
        name: "the filter",
        access: Access::Filtered(const { &F::READS }, &ALL_ENTITIES),
    }
}

/// Returns the access of one of the parameters. The filter is that of the system, which includes all required components.
#[doc(hidden)]
pub const fn parameter<S, F, P, Q>(_: &ForEachSeed<S, F, P>, name: &'static str, _: &Q) -> Parameter
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
    Q: EachFetch<S>,
{
    let access = Access::Each(
        const {
            &[
                Access::Filtered(
                    &<Q::Terms as ComponentTerms<S>>::ACCESS,
                    Components::<'static, S, P::Terms, F>::FILTER,
                ),
                <Q::Source as Param>::SEED.access(),
            ]
        },
    );
    Parameter { name, access }
}

impl<S, F, P> fmt::Debug for ForEachSeed<S, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForEachSeed")
    }
}

/// The failure of a `for_each` system: the first entity for which its function failed, and the number of all of them.
///
/// "First" refers to the order in which the system runs for the entities. The error of that entity is the
/// [`source`](Error::source). The text of the failure includes its text.
#[derive(Debug)]
pub struct ForEachError<E> {
    entity: E,
    n_failed: usize,
    source: BoxError,
}

impl<E> ForEachError<E> {
    /// Returns the first entity for which the function failed.
    pub fn entity(&self) -> &E {
        &self.entity
    }

    /// Returns the number of entities for which the function failed.
    pub fn n_failed(&self) -> usize {
        self.n_failed
    }

    /// Adds the failure for a later entity to those that were found before.
    #[cold]
    pub(crate) fn add(failed: &mut Option<Self>, entity: impl FnOnce() -> E, source: BoxError) {
        match failed {
            Some(failed) => failed.n_failed += 1,
            None => {
                *failed = Some(Self {
                    entity: entity(),
                    n_failed: 1,
                    source,
                });
            }
        }
    }

    /// Counts the failures for later entities.
    pub(crate) fn add_later(&mut self, later: &Self) {
        self.n_failed += later.n_failed;
    }
}

impl<E: fmt::Debug> fmt::Display for ForEachError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            entity,
            n_failed,
            source,
        } = self;
        match n_failed {
            1 => write!(f, "entity {entity:?}: {source}"),
            _ => write!(
                f,
                "{n_failed} entities failed, the first is {entity:?}: {source}"
            ),
        }
    }
}

impl<E: fmt::Debug> Error for ForEachError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// A return type of a `for_each` system: `()`, or a `Result` of it and `E`. `E` is an error, or any other type that converts to
/// `Box<dyn Error + Send + Sync>`, such as `String`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `for_each` system cannot return `{Self}`",
    label = "not a return type of a `for_each` system",
    note = "a `for_each` system returns `()` or `Result<(), E>`, where `E` is an error or a string",
    note = "if `E` is your own type, implement `core::error::Error` for it; it must also be `Send`, `Sync` and `'static`",
    note = "for a condition or a selector, write a system with a query"
)]
pub trait EachOutput {
    /// Whether a value can be an error.
    const CAN_FAIL: bool;

    /// Converts the value.
    ///
    /// # Errors
    ///
    /// Fails if the function failed.
    fn into_result(self) -> Result<(), BoxError>;
}

impl EachOutput for () {
    const CAN_FAIL: bool = false;

    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> EachOutput for Result<(), E> {
    const CAN_FAIL: bool = true;

    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}
