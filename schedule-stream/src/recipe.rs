//! How a handler is called: what it asks for, how its event names that, and the call.

use core::any::TypeId;
use core::cell::Cell;
use core::fmt;
use core::ptr::NonNull;

use super::argument::{Argument, Asks};
use super::footprint::{Footprint, Granted, Named, Use};
use super::found::Missing;
use super::list::{ArgumentList, FoundList, NamedFootprint};
use super::names::Names;
use super::naming::{Look, Naming};
use super::stores::{Stores, StoresOf, Want};

/// How a handler is called. Made by `#[handler]`.
///
/// # Safety
///
/// `name` adds all that an event names to its footprint. `of_footprint` returns all of it, the same each time, as long as the
/// footprint is unchanged. The handler uses nothing else.
#[expect(unsafe_code, reason = "what events touch is believed")]
pub unsafe trait Recipe<E>: Copy + Send + Sync + 'static {
    /// What it returns.
    type Output;

    /// What it needs, by argument.
    #[doc(hidden)]
    fn wants(&self, to: &mut Vec<Want>);

    /// Adds what the event names, and tells of it.
    #[doc(hidden)]
    fn name(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        visit: impl FnMut(NonNull<()>, Use),
    ) -> Result<(), Unclear>;

    /// Adds what of all that the event names may be there, and notes all of it, if two may be the same.
    #[doc(hidden)]
    fn name_all(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        names: &mut Names,
    ) -> Result<(), Missing>;

    /// What its event has named.
    #[doc(hidden)]
    fn of_footprint(&self, footprint: &Footprint) -> impl Named;

    /// Asks for all keys of the event, and for the memory of what it will name.
    #[doc(hidden)]
    fn prefetch(&self, event: &E, stores: &StoresOf, footprint: &mut Footprint);

    /// Calls it with what its event has named.
    #[doc(hidden)]
    fn handle(&self, event: &E, granted: Granted<'_>) -> Result<Self::Output, Missing>;

    /// Both. If it is not clear what the event names, the handler was not called. Sets `is_called` of the footprint just before the call.
    ///
    /// # Safety
    ///
    /// No other event is in flight, and nobody else uses the stores.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "says that the event is the only one")]
    unsafe fn name_and_handle(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
    ) -> Result<Result<Self::Output, Missing>, Unclear>;
}

/// It is not clear yet what an event names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// It may name something twice, and has named that.
    Twice,
    /// Something is not there, and may have been named before. To be told, all has to be named once more.
    Missing,
}

/// What was made by one recipe is not for another.
///
/// # Panics
///
/// If it is not that of this type.
#[inline(always)]
pub(super) fn assert_is<R: 'static>(recipe: TypeId) {
    assert!(
        recipe == TypeId::of::<R>(),
        "the stores or the footprint belong to another handler"
    );
}

impl Stores {
    /// Adds what the handler of the next case takes.
    pub fn add<E, R: Recipe<E>>(&mut self, recipe: &R) {
        let mut wants = Vec::new();
        recipe.wants(&mut wants);
        self.add_case(TypeId::of::<R>(), wants);
    }
}

/// A handler by two closures that capture nothing: one names what its event touches, one calls it.
#[derive(Clone, Copy)]
pub struct Handling<S, N, C> {
    asks: S,
    name: N,
    call: C,
}

impl<S, N, C> fmt::Debug for Handling<S, N, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handling").finish_non_exhaustive()
    }
}

/// Of the arguments that are asked for, each in a tuple with the rest.
///
/// # Safety
///
/// It wants what its arguments ask for, in their order: they look for it there.
#[expect(unsafe_code, reason = "arguments look for what is wanted")]
pub unsafe trait AsksList: Copy + Send + Sync + 'static {
    /// The arguments in a list.
    type List: ArgumentList;

    #[doc(hidden)]
    fn wants(&self, to: &mut Vec<Want>);
}

// SAFETY: it has none.
#[expect(unsafe_code, reason = "says what is wanted")]
unsafe impl AsksList for () {
    type List = ();

    fn wants(&self, _: &mut Vec<Want>) {}
}

// SAFETY: the first one wants what it asks for, and the others are said to.
#[expect(unsafe_code, reason = "says what is wanted")]
unsafe impl<A: Argument, L: AsksList> AsksList for (Asks<A>, L) {
    type List = (A, L::List);

    fn wants(&self, to: &mut Vec<Want>) {
        to.push(self.0.want);
        self.1.wants(to);
    }
}

/// What these arguments have found.
type FoundBy<S> = <<S as AsksList>::List as ArgumentList>::FoundAfter<()>;
/// All that an event named for them, or the first that was not there.
type AllNamed<'n, S> = Result<Naming<'n, (), FoundBy<S>>, Missing>;
/// The parameters of which they are.
type ItemsOf<'h, S> = <FoundBy<S> as FoundList>::Items<'h>;

impl<S: AsksList, N, C> Handling<S, N, C> {
    /// Of these arguments.
    pub fn new<E, O>(asks: S, name: N, call: C) -> Self
    where
        N: for<'n> Fn(&E, Naming<'n, S::List>) -> AllNamed<'n, S>,
        C: Fn(&E, ItemsOf<'_, S>) -> O,
    {
        Self { asks, name, call }
    }

    /// The records that the event names. Only the members of sets are in the footprint yet.
    #[inline(always)]
    #[expect(unsafe_code, reason = "looked whose stores these are")]
    fn named<'n, E>(
        &self,
        event: &E,
        stores: &'n StoresOf,
        footprint: &'n mut Footprint,
        look: Look<'n>,
    ) -> AllNamed<'n, S>
    where
        Self: 'static,
        N: Fn(&E, Naming<'n, S::List>) -> AllNamed<'n, S>,
    {
        assert_is::<Self>(stores.recipe);
        // Looked at once, not for each.
        assert!(
            stores.all.len() == S::List::LEN,
            "each argument needs a store"
        );
        // SAFETY: they are those of a recipe of this type, and only the thread that has them lets events name.
        let naming = unsafe { Naming::new(&stores.all, footprint, look) };
        (self.name)(event, naming)
    }

    /// The same, if all that it needs may be there, and it is clear that nothing else was named twice.
    #[inline(always)]
    fn named_clearly<'n, E>(
        &self,
        event: &E,
        stores: &'n StoresOf,
        footprint: &'n mut Footprint,
    ) -> Result<Naming<'n, (), FoundBy<S>>, Unclear>
    where
        Self: 'static,
        N: Fn(&E, Naming<'n, S::List>) -> AllNamed<'n, S>,
    {
        match self.named(event, stores, footprint, Look::Find) {
            Ok(naming) if !naming.found.is_unclear() => Ok(naming),
            _ => Err(Unclear::Missing),
        }
    }

    /// Calls it with what its event has found.
    ///
    /// # Safety
    ///
    /// What was found is there, and nothing that conflicts with it runs. If it was found just now, nobody else uses the stores.
    #[inline(always)]
    #[expect(unsafe_code, reason = "passes on the contract of its caller")]
    unsafe fn call<E, O>(
        &self,
        event: &E,
        found: FoundBy<S>,
        footprint: &Footprint,
        is_called: &Cell<bool>,
    ) -> Result<O, Missing>
    where
        C: Fn(&E, ItemsOf<'_, S>) -> O,
    {
        if footprint.n_doubts > 0 {
            // What is not there is found out before a default comes to be in another place.
            // SAFETY: the found places are valid, and no conflicting event runs: the contract of this function.
            unsafe { found.look() }?;
        }
        // SAFETY: the found places are valid, and no conflicting event runs: the contract of this function.
        let items = unsafe { found.give(footprint) }?;
        is_called.set(true);
        Ok((self.call)(event, items))
    }
}

// SAFETY: what is named is what arguments have found, of which the handler gets what they give, and no more.
#[expect(unsafe_code, reason = "says that the footprint is complete")]
unsafe impl<E, O, S, N, C> Recipe<E> for Handling<S, N, C>
where
    S: AsksList,
    N: for<'n> Fn(&E, Naming<'n, S::List>) -> AllNamed<'n, S> + Copy + Send + Sync + 'static,
    C: Fn(&E, ItemsOf<'_, S>) -> O + Copy + Send + Sync + 'static,
{
    type Output = O;

    fn wants(&self, to: &mut Vec<Want>) {
        self.asks.wants(to);
    }

    #[inline]
    fn name(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        visit: impl FnMut(NonNull<()>, Use),
    ) -> Result<(), Unclear> {
        let mut naming = self.named_clearly(event, stores, footprint)?;
        naming.add_to_footprint();
        let found = naming.found;
        NamedFootprint(footprint, found).each(visit);
        match found.may_clash(footprint) {
            true => Err(Unclear::Twice),
            false => Ok(()),
        }
    }

    fn name_all(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
        names: &mut Names,
    ) -> Result<(), Missing> {
        let names = S::List::may_be_same().then_some(names);
        self.named(event, stores, footprint, Look::All(names))?
            .add_to_footprint();
        Ok(())
    }

    #[inline(always)]
    fn of_footprint(&self, footprint: &Footprint) -> impl Named {
        NamedFootprint(
            footprint,
            FoundBy::<S>::of_footprint(&mut footprint.cursor()),
        )
    }

    #[inline(always)]
    fn prefetch(&self, event: &E, stores: &StoresOf, footprint: &mut Footprint) {
        let _ = self.named(event, stores, footprint, Look::Prefetch);
    }

    #[inline]
    #[expect(unsafe_code, reason = "follows the footprint that it made itself")]
    fn handle(&self, event: &E, granted: Granted<'_>) -> Result<O, Missing> {
        let Granted {
            footprint,
            recipe,
            is_called,
        } = granted;
        assert_is::<Self>(recipe);
        let found = FoundBy::<S>::of_footprint(&mut footprint.cursor());
        // SAFETY: arguments of these types made the footprint, since a recipe of this type did.
        unsafe { self.call(event, found, footprint, is_called) }
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "follows what it found itself")]
    unsafe fn name_and_handle(
        &self,
        event: &E,
        stores: &StoresOf,
        footprint: &mut Footprint,
    ) -> Result<Result<O, Missing>, Unclear> {
        let mut naming = self.named_clearly(event, stores, footprint)?;
        if naming.found.may_clash(naming.footprint()) {
            naming.add_to_footprint();
            return Err(Unclear::Twice);
        }
        let found = naming.found;
        // SAFETY: no other event is in flight, and nobody else uses the stores; this one found it, and nothing that it writes
        // twice.
        Ok(unsafe { self.call(event, found, footprint, &footprint.is_called) })
    }
}
