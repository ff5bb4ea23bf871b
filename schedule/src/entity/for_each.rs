//! `for_each` systems: their access, the loop over the entities, and what they return.

use core::error::Error;
use core::fmt;
use core::marker::PhantomData;

use super::{ComponentTerms, Components, EachFetch, EntityFilter, EntityTables, Marker, Permit};
use crate::access::{Access, Parameter};
use crate::output::BoxError;
use crate::param::{Assemble, Assembled, Local, Param, Part, Seed};

/// The parameters of a `for_each` system, as types: the store `S`, the filter `F`, and the states `P` of all parameters
/// except resources.
#[doc(hidden)]
pub struct ForEachSeed<S, F, P>(Marker<S, F, P>);

/// Creates a [`ForEachSeed`] from [`EachParam::EACH`](super::EachParam::EACH) of the parameters, in tuples.
#[doc(hidden)]
pub const fn for_each<S, F, P>(_: &P) -> ForEachSeed<S, F, P> {
    ForEachSeed(PhantomData)
}

/// Returns the seed of the loop.
#[doc(hidden)]
pub const fn seed<S, F, P>(_: ForEachSeed<S, F, P>) -> Seed<Assembled<AssembleForEach<S, F, P>>>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
{
    Assembled::SEED
}

/// Returns the access to the store.
#[doc(hidden)]
pub const fn store<S: EntityTables, F, P>(_: &ForEachSeed<S, F, P>) -> Parameter {
    Parameter {
        name: S::NAME.base(),
        access: <&'static S as Param>::SEED.access(),
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
                <Q::Shared as Param>::SEED.access(),
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

/// Assembles a [`ForEach`].
#[doc(hidden)]
pub struct AssembleForEach<S, F, P>(Marker<S, F, P>);

impl<S, F, P> fmt::Debug for AssembleForEach<S, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssembleForEach")
    }
}

impl<S, F, P> Assemble for AssembleForEach<S, F, P>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
{
    type Parts = (
        &'static S,
        Components<'static, S, P::Terms, F>,
        P::Shared,
        Local<'static, Matching<S::Version>>,
    );
    type Item<'r> = ForEach<'r, S, F, P>;

    #[inline]
    fn assemble<'r>((store, _, shared, matching): Part<'r, Self::Parts>) -> Self::Item<'r> {
        ForEach {
            store,
            shared,
            matching,
            filter: PhantomData,
        }
    }
}

/// The tables that match, remembered from run to run.
pub struct Matching<V> {
    /// The version of the store for which `tables` is valid.
    version: Option<V>,
    /// The indices of the tables that match.
    tables: Vec<usize>,
}

impl<V> Default for Matching<V> {
    fn default() -> Self {
        Self {
            version: None,
            tables: Vec::new(),
        }
    }
}

impl<V> fmt::Debug for Matching<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matching({} tables)", self.tables.len())
    }
}

/// The loop of a `for_each` system, in one run.
#[doc(hidden)]
pub struct ForEach<'r, S: EntityTables, F, P: EachFetch<S>> {
    store: &'r S,
    shared: Part<'r, P::Shared>,
    matching: Local<'r, Matching<S::Version>>,
    filter: PhantomData<fn() -> F>,
}

impl<S, F, P> ForEach<'_, S, F, P>
where
    S: EntityTables,
    F: EntityFilter<S>,
    P: EachFetch<S>,
{
    /// Calls a function for each entity that matches: table by table in the order of creation, and row by row.
    ///
    /// # Errors
    ///
    /// Fails if the function failed for an entity. It is called for the others nevertheless. The system then fails, so all of its
    /// commands are dropped.
    #[inline]
    pub fn run<G>(mut self, mut each: G) -> Result<(), ForEachError<S::Entity>>
    where
        G: FnMut(P::Item<'_>) -> Result<(), BoxError>,
    {
        let version = self.store.version();
        if self.matching.version.as_ref() != Some(&version) {
            self.find_matching(version);
        }
        let mut failed = None;
        for &idx in &self.matching.tables {
            let table = self.store.table(idx);
            let n_rows = S::n_rows(table);
            if n_rows == 0 {
                continue;
            }
            // The parameters of the system declare `P::Terms`, so no other system accesses these columns in a way that conflicts.
            let mut columns = P::columns(table, Permit::new());
            let mut rows = P::rows(&mut columns, n_rows);
            // The slices have `n_rows` elements, so the compiler removes the bounds checks and can vectorise the loop.
            for row in 0..n_rows {
                let item = P::item(&mut rows, &mut self.shared, row);
                if let Err(error) = each(item) {
                    ForEachError::add(&mut failed, || S::entity(table, row), error);
                }
            }
        }
        match failed {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// O(tables).
    #[cold]
    fn find_matching(&mut self, version: S::Version) {
        let store = self.store;
        let is_match = |idx: &usize| {
            let table = store.table(*idx);
            P::matches(table) && F::matches(table)
        };
        let tables = (0..store.n_tables()).filter(is_match);
        self.matching.tables.clear();
        self.matching.tables.extend(tables);
        self.matching.version = Some(version);
    }
}

impl<S: EntityTables, F, P: EachFetch<S>> fmt::Debug for ForEach<'_, S, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForEach")
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

    /// Adds a failure to those that were found before.
    #[cold]
    fn add(failed: &mut Option<Self>, entity: impl FnOnce() -> E, source: BoxError) {
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
    /// Converts the value.
    ///
    /// # Errors
    ///
    /// Fails if the function failed.
    fn into_result(self) -> Result<(), BoxError>;
}

impl EachOutput for () {
    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> EachOutput for Result<(), E> {
    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}
