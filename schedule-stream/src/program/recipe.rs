//! Recipes: how the stores of a handler are found, how its event names records, and how the handler is called.

use core::any::TypeId;
use core::cell::Cell;
use core::fmt;
use core::ptr::NonNull;

use crate::base::footprint::{Entries, Footprint, Granted, Use};
use crate::base::position::EventInfo;
#[cfg(feature = "durable")]
use crate::program::key_lookup::KeyVisitor;
use crate::program::key_lookup::{KeyAction, KeyLookup};
use crate::store::argument::{Argument, Asks};
use crate::store::atomic::{Atomic, CallMode, CallResult, Plain};
use crate::store::event_keys::EventKeys;
use crate::store::found::Missing;
use crate::store::list::{ArgumentList, FoundList, TypedEntries};
use crate::store::stores::{Stores, StoresOf, Want};

/// Locates the records of an event and calls its handler. Created by `#[handler]`.
///
/// # Safety
///
/// `locate` adds all records and resources that an event names to its footprint. `of_footprint` returns all entries, in
/// the same order each time, while the footprint is unchanged. The handler accesses nothing else.
#[expect(unsafe_code, reason = "other code relies on the declared footprint")]
pub unsafe trait Recipe<E>: Copy + Send + Sync + 'static {
    /// The return type of the handler.
    type Output;
    /// Whether a failed call is undone. Only the methods with `atomic` in their names do that.
    const IS_ATOMIC: bool;

    /// Adds the stores of the arguments, in the order of the arguments.
    #[doc(hidden)]
    fn wants(&self, to: &mut Vec<Option<Want>>);

    /// Adds the records and resources that the event names to the footprint, and calls `visit` with each entry that
    /// needs an order.
    #[doc(hidden)]
    fn locate(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        visit: impl FnMut(NonNull<()>, Use),
    ) -> Result<(), Unclear>;

    /// Adds all records that may exist to the footprint. Also adds all keys to `keys` if two arguments can name the
    /// same record.
    #[doc(hidden)]
    fn locate_all(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        keys: &mut EventKeys,
    ) -> Result<(), Missing>;

    /// Returns the entries of a footprint that this recipe made.
    #[doc(hidden)]
    fn of_footprint(&self, footprint: &Footprint) -> impl Entries;

    /// Evaluates all keys of the event, and prefetches the records that it will name.
    #[doc(hidden)]
    fn prefetch(&self, event: &E, stores: &StoresOf, footprint: &mut Footprint);

    /// Evaluates all keys of the event, and reports them. Uses no store, so the records may be elsewhere. The footprint is
    /// cleared before.
    #[cfg(feature = "durable")]
    #[doc(hidden)]
    fn report_keys(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        visitor: &mut dyn KeyVisitor,
    ) -> Result<(), Missing>;

    /// Calls the handler with the records of the footprint.
    #[doc(hidden)]
    fn handle(&self, event: &E, granted: Granted<'_>) -> Result<Self::Output, Missing>;

    /// Locates the records and calls the handler. If it returns `Unclear`, the handler was not called. Sets `is_called`
    /// of the footprint just before the call.
    ///
    /// # Safety
    ///
    /// No other event is in flight, and no other thread uses the stores.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "requires that no other event is in flight")]
    unsafe fn locate_and_handle(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        info: &EventInfo,
    ) -> Result<Result<Self::Output, Missing>, Unclear>;

    /// Calls an atomic handler, and converts the result: a panic of the conversion is a failure of the handler.
    #[doc(hidden)]
    fn handle_atomic<H: CallResult>(
        &self,
        event: &E,
        granted: Granted<'_>,
        convert: fn(Self::Output) -> H,
    ) -> Result<H, Missing>;

    /// Locates the records, calls an atomic handler, and converts the result, as
    /// [`locate_and_handle`](Self::locate_and_handle).
    ///
    /// # Safety
    ///
    /// As for `locate_and_handle`.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "requires that no other event is in flight")]
    unsafe fn locate_and_handle_atomic<H: CallResult>(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        info: &EventInfo,
        convert: fn(Self::Output) -> H,
    ) -> Result<Result<H, Missing>, Unclear>;
}

/// The reason why the footprint of an event must be checked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// The footprint is complete, and may contain an alias.
    PossibleAlias,
    /// A record is missing, and may be an alias. The event must locate all records again.
    Missing,
}

/// Checks that a footprint or stores belong to this recipe.
///
/// # Panics
///
/// Panics if they belong to another recipe.
#[inline(always)]
pub(crate) fn assert_is<R: 'static>(recipe: TypeId) {
    assert!(
        recipe == TypeId::of::<R>(),
        "the stores or the footprint belong to another handler"
    );
}

impl Stores {
    /// Adds the stores of the handler of the next case.
    pub fn add<E, R: Recipe<E>>(&mut self, recipe: &R) {
        let mut wants = Vec::new();
        recipe.wants(&mut wants);
        self.add_case(TypeId::of::<R>(), wants);
    }
}

/// A recipe of two closures that capture nothing: one names the records of an event, the other calls the handler.
#[derive(Clone, Copy)]
pub struct Handling<S, N, C, M = Plain> {
    asks: S,
    locate: N,
    call: C,
    mode: M,
}

impl<S, N, C, M> fmt::Debug for Handling<S, N, C, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handling").finish_non_exhaustive()
    }
}

/// The arguments of a handler: nested tuples of an argument and the rest.
///
/// # Safety
///
/// `wants` adds the store of each argument, in the order of the arguments: `None` for an argument without a store.
#[expect(unsafe_code, reason = "arguments rely on the order of the stores")]
pub unsafe trait AsksList: Copy + Send + Sync + 'static {
    /// The arguments, as a list of types.
    type List: ArgumentList;

    #[doc(hidden)]
    fn wants(&self, to: &mut Vec<Option<Want>>);
}

// SAFETY: there are no arguments, and `wants` adds no store.
#[expect(unsafe_code, reason = "declares the stores of arguments")]
unsafe impl AsksList for () {
    type List = ();

    fn wants(&self, _: &mut Vec<Option<Want>>) {}
}

// SAFETY: `wants` adds the store of the first argument, and then those of the rest, which implements this trait too.
#[expect(unsafe_code, reason = "declares the stores of arguments")]
unsafe impl<A: Argument, L: AsksList> AsksList for (Asks<A>, L) {
    type List = (A, L::List);

    fn wants(&self, to: &mut Vec<Option<Want>>) {
        to.push(self.0.want);
        self.1.wants(to);
    }
}

/// The results of the lookups of these arguments.
type FoundBy<S> = <<S as AsksList>::List as ArgumentList>::FoundAfter<()>;
/// The results of all arguments, or the first one that failed.
type AllFound<'n, S> = Result<KeyLookup<'n, (), FoundBy<S>>, Missing>;
/// The parameters of the handler.
type ItemsOf<'h, S> = <FoundBy<S> as FoundList>::Items<'h>;

impl<S: AsksList, N, C> Handling<S, N, C> {
    /// Creates a recipe for these arguments.
    pub fn new<E, O>(asks: S, locate: N, call: C) -> Self
    where
        N: for<'n> Fn(&E, KeyLookup<'n, S::List>) -> AllFound<'n, S>,
        C: Fn(&E, ItemsOf<'_, S>) -> O,
    {
        Self {
            asks,
            locate,
            call,
            mode: Plain,
        }
    }

    /// Makes the handler atomic. `copiers` lists the copiers of all arguments, with the last outermost.
    pub fn atomic<K>(self, copiers: K) -> Handling<S, N, C, Atomic<K>> {
        let Self {
            asks, locate, call, ..
        } = self;
        Handling {
            asks,
            locate,
            call,
            mode: Atomic::new(copiers),
        }
    }
}

impl<S: AsksList, N, C, M: CallMode<FoundBy<S>>> Handling<S, N, C, M> {
    /// Looks up the records that the event names. Afterwards only the members of sets are in the footprint.
    #[inline(always)]
    #[expect(
        unsafe_code,
        reason = "`assert_is` checks that the stores are those of the recipe"
    )]
    fn look_up<'n, E>(
        &self,
        event: &E,
        stores: &'n StoresOf,
        footprint: &'n mut Footprint,
        action: KeyAction<'n>,
    ) -> AllFound<'n, S>
    where
        Self: 'static,
        N: Fn(&E, KeyLookup<'n, S::List>) -> AllFound<'n, S>,
    {
        assert_is::<Self>(stores.recipe);
        // One check, in place of one for each argument.
        assert!(
            stores.all.len() == S::List::LEN,
            "each argument needs a store"
        );
        // SAFETY: `assert_is` has checked that the stores are those of this recipe, so they are those of its arguments,
        // in order. Only the thread that has the `Stores` calls this function, and it does so while no event with a
        // whole store is in flight.
        let lookup = unsafe { KeyLookup::new(&stores.all, footprint, action, stores.max_set_keys) };
        (self.locate)(event, lookup)
    }

    /// Looks up the records. Fails if a required record is missing, or a missing record may be an alias.
    #[inline(always)]
    fn look_up_clearly<'n, E>(
        &self,
        event: &E,
        stores: &'n StoresOf,
        footprint: &'n mut Footprint,
    ) -> Result<KeyLookup<'n, (), FoundBy<S>>, Unclear>
    where
        Self: 'static,
        N: Fn(&E, KeyLookup<'n, S::List>) -> AllFound<'n, S>,
    {
        match self.look_up(event, stores, footprint, KeyAction::Find) {
            Ok(lookup) if !lookup.found.is_unclear() => Ok(lookup),
            _ => Err(Unclear::Missing),
        }
    }

    /// Looks up the records. Fails as [`look_up_clearly`](Self::look_up_clearly), and if two of them may be the same. They are then in the
    /// footprint.
    #[inline(always)]
    fn look_up_without_alias<E>(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
    ) -> Result<FoundBy<S>, Unclear>
    where
        Self: 'static,
        N: for<'n> Fn(&E, KeyLookup<'n, S::List>) -> AllFound<'n, S>,
    {
        let mut lookup = self.look_up_clearly(event, stores, footprint)?;
        if lookup.found.may_clash(lookup.footprint()) {
            lookup.add_to_footprint();
            return Err(Unclear::PossibleAlias);
        }
        Ok(lookup.found)
    }

    /// Returns the records in a footprint.
    ///
    /// # Panics
    ///
    /// If another recipe made it.
    #[inline(always)]
    fn found_by(granted: &Granted<'_>) -> FoundBy<S>
    where
        Self: 'static,
    {
        assert_is::<Self>(granted.recipe);
        FoundBy::<S>::of_footprint(&mut granted.footprint.cursor())
    }

    /// Calls the handler with the found records.
    ///
    /// # Safety
    ///
    /// The found addresses are valid, and no conflicting event runs. If this event found them just now, no other thread
    /// uses the stores.
    #[inline(always)]
    #[expect(unsafe_code, reason = "has the contract of its callees")]
    unsafe fn call<E, O>(
        &self,
        event: &E,
        found: FoundBy<S>,
        footprint: &Footprint,
        info: &EventInfo,
        is_called: &Cell<bool>,
    ) -> Result<O, Missing>
    where
        C: Fn(&E, ItemsOf<'_, S>) -> O,
    {
        if footprint.n_doubts > 0 {
            // Check for missing records first: otherwise a failing event could insert a default elsewhere.
            // SAFETY: the found places are valid, and no conflicting event runs: the contract of this function.
            unsafe { found.look() }?;
        }
        // SAFETY: the found places are valid, and no conflicting event runs: the contract of this function.
        let items = unsafe { found.give(footprint, info) }?;
        is_called.set(true);
        Ok((self.call)(event, items))
    }

    /// Calls an atomic handler with the found records, and converts the result.
    ///
    /// # Safety
    ///
    /// As for [`call`](Self::call).
    #[inline(always)]
    #[expect(unsafe_code, reason = "has the contract of its callees")]
    unsafe fn call_atomic<E, O, H: CallResult>(
        &self,
        event: &E,
        found: FoundBy<S>,
        footprint: &Footprint,
        info: &EventInfo,
        is_called: &Cell<bool>,
        convert: fn(O) -> H,
    ) -> Result<H, Missing>
    where
        C: Fn(&E, ItemsOf<'_, S>) -> O,
    {
        let call = || {
            // SAFETY: the found places are valid, and no conflicting event runs: the contract of this function.
            let output = unsafe { self.call(event, found, footprint, info, is_called) }?;
            Ok(convert(output))
        };
        // SAFETY: the found places are valid, and no conflicting event runs: the contract of this function.
        unsafe { self.mode.run(found, footprint, info, call) }
    }
}

// SAFETY: `locate` and `locate_all` add each found address to the footprint, and `of_footprint` reads back all entries. The
// handler gets only the parameters that `give` returns for these addresses.
#[expect(unsafe_code, reason = "declares that the footprint is complete")]
unsafe impl<E, O, S, N, C, M> Recipe<E> for Handling<S, N, C, M>
where
    S: AsksList,
    M: CallMode<FoundBy<S>>,
    N: for<'n> Fn(&E, KeyLookup<'n, S::List>) -> AllFound<'n, S> + Copy + Send + Sync + 'static,
    C: Fn(&E, ItemsOf<'_, S>) -> O + Copy + Send + Sync + 'static,
{
    type Output = O;
    const IS_ATOMIC: bool = M::IS_ATOMIC;

    fn wants(&self, to: &mut Vec<Option<Want>>) {
        self.asks.wants(to);
    }

    #[inline]
    fn locate(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        visit: impl FnMut(NonNull<()>, Use),
    ) -> Result<(), Unclear> {
        let mut lookup = self.look_up_clearly(event, stores, footprint)?;
        lookup.add_to_footprint();
        let found = lookup.found;
        TypedEntries(footprint, found).each(visit);
        if found.may_clash(footprint) {
            Err(Unclear::PossibleAlias)
        } else {
            Ok(())
        }
    }

    fn locate_all(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        keys: &mut EventKeys,
    ) -> Result<(), Missing> {
        let keys = S::List::may_be_same().then_some(keys);
        self.look_up(event, stores, footprint, KeyAction::All(keys))?
            .add_to_footprint();
        Ok(())
    }

    #[inline(always)]
    fn of_footprint(&self, footprint: &Footprint) -> impl Entries {
        TypedEntries(
            footprint,
            FoundBy::<S>::of_footprint(&mut footprint.cursor()),
        )
    }

    #[inline(always)]
    fn prefetch(&self, event: &E, stores: &StoresOf, footprint: &mut Footprint) {
        let _ = self.look_up(event, stores, footprint, KeyAction::Prefetch);
    }

    #[cfg(feature = "durable")]
    fn report_keys(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        visitor: &mut dyn KeyVisitor,
    ) -> Result<(), Missing> {
        self.look_up(event, stores, footprint, KeyAction::Report(visitor))
            .map(drop)
    }

    #[inline]
    #[expect(unsafe_code, reason = "follows a footprint of the same recipe")]
    fn handle(&self, event: &E, granted: Granted<'_>) -> Result<O, Missing> {
        let found = Self::found_by(&granted);
        let Granted {
            footprint,
            info,
            is_called,
            ..
        } = granted;
        // SAFETY: `found_by` has checked that this recipe made the footprint. `Granted` guarantees valid addresses,
        // and that no conflicting event runs.
        unsafe { self.call(event, found, footprint, info, is_called) }
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "follows addresses that it has found just now")]
    unsafe fn locate_and_handle(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        info: &EventInfo,
    ) -> Result<Result<O, Missing>, Unclear> {
        let found = self.look_up_without_alias(event, stores, footprint)?;
        // SAFETY: no other event is in flight, and no other thread uses the stores: the contract of this function. The
        // addresses were found just now, and `look_up_without_alias` has excluded aliases.
        Ok(unsafe { self.call(event, found, footprint, info, &footprint.is_called) })
    }

    #[inline]
    #[expect(unsafe_code, reason = "follows a footprint of the same recipe")]
    fn handle_atomic<H: CallResult>(
        &self,
        event: &E,
        granted: Granted<'_>,
        convert: fn(O) -> H,
    ) -> Result<H, Missing> {
        let found = Self::found_by(&granted);
        let Granted {
            footprint,
            info,
            is_called,
            ..
        } = granted;
        // SAFETY: `found_by` has checked that this recipe made the footprint. `Granted` guarantees valid addresses,
        // and that no conflicting event runs.
        unsafe { self.call_atomic(event, found, footprint, info, is_called, convert) }
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "follows addresses that it has found just now")]
    unsafe fn locate_and_handle_atomic<H: CallResult>(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        info: &EventInfo,
        convert: fn(O) -> H,
    ) -> Result<Result<H, Missing>, Unclear> {
        let found = self.look_up_without_alias(event, stores, footprint)?;
        let is_called = &footprint.is_called;
        // SAFETY: no other event is in flight, and no other thread uses the stores: the contract of this function. The
        // addresses were found just now, and `look_up_without_alias` has excluded aliases.
        Ok(unsafe { self.call_atomic(event, found, footprint, info, is_called, convert) })
    }
}
