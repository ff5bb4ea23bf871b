//! What a handler is: constants that declare it, and the way in which it is called.

use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

use super::argument::{Argument, Asks, NotThere, Store};
use super::claim::{Claims, Granted};
use super::event::HandlerDeclaration;
use super::reaction::Reaction;
use super::stores::{StoresOf, Want};
use crate::access::{Access, ResourceType};
use crate::identity::{Identity, Name};
use crate::text::Text;

/// A function that a stream can call for an event. Implemented by `#[handler]`, on a hidden type of the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "not a handler",
    note = "add `#[handler]` to the function"
)]
pub trait Handler: Identity + Sized + 'static {
    /// What it is told.
    type Event: Send + 'static;

    /// What it returns.
    type Output: Reaction;

    /// What else it takes.
    const ARGUMENTS: Arguments;

    /// What it touches: of stores from which it takes single entities, all.
    const ACCESS: Access;

    /// Which of its arguments may be one entity, and what happens then.
    const TWICE: Twice = Twice::Refuse;

    #[doc(hidden)]
    const DECLARATION: HandlerDeclaration = HandlerDeclaration::of::<Self>();

    #[doc(hidden)]
    fn recipe() -> impl Recipe<Self::Event, Output = Self::Output>;
}

/// What happens to an event that names one entity for two arguments, of which one would write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Twice {
    /// It is refused.
    #[default]
    Refuse,
    /// It is passed over.
    Skip,
    /// The first argument gets the entity; the others, which are optional, find nothing.
    First,
}

/// An argument of a handler, beside the event.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentDeclaration {
    pub(super) name: &'static str,
    pub(super) access: Access,
    pub(super) of: Name,
    pub(super) is_keyed: bool,
    pub(super) is_optional: bool,
}

impl ArgumentDeclaration {
    /// A resource.
    pub const fn shared<A>(name: &'static str, asks: Asks<A>) -> Self {
        Self {
            name,
            access: asks.access,
            of: asks.of,
            is_keyed: false,
            is_optional: asks.is_optional,
        }
    }

    /// One entity or several, by key.
    pub const fn keyed<A>(name: &'static str, asks: Asks<A>) -> Self {
        Self {
            is_keyed: true,
            ..Self::shared(name, asks)
        }
    }

    pub(super) const fn store(&self) -> (ResourceType, bool) {
        match self.access {
            Access::Read(resource) => (resource, false),
            Access::Write(resource) => (resource, true),
            _ => unreachable!(),
        }
    }
}

/// The arguments of a handler.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    pub(super) all: &'static [ArgumentDeclaration],
}

impl Arguments {
    /// These.
    pub const fn new(all: &'static [ArgumentDeclaration]) -> Self {
        Self { all }
    }

    /// Refuses the `nth` if it conflicts with an earlier one: both are the same resource, or one is all entities of which
    /// the other is one. Of two entities of one type, only an event says whether they are the same; if that may not be
    /// refused, the later one has to be optional.
    ///
    /// # Panics
    ///
    /// If there is a conflict, with a message that names both.
    #[track_caller]
    pub const fn distinct(&self, nth: usize, twice: Twice) {
        let one = &self.all[nth];
        let (resource, writes) = one.store();
        let mut i = 0;
        while i < nth {
            let other = &self.all[i];
            let (of_other, other_writes) = other.store();
            if resource.id == of_other.id && (writes || other_writes) {
                if one.is_keyed && other.is_keyed {
                    if matches!(twice, Twice::First) && !one.is_optional {
                        let text = Text::new()
                            .str("`")
                            .str(one.name)
                            .str("` finds nothing where `");
                        let text = text.str(other.name);
                        panic!(
                            "{}",
                            text.str("` has the same entity; take it as an `Option`")
                                .as_str()
                        );
                    }
                } else {
                    let text = Text::new().str("parameters `").str(other.name);
                    let text = text.str("` and `").str(one.name).str("` conflict on `");
                    let text = text.name(resource.name).str("`; take it once");
                    panic!("{}", text.as_str());
                }
            }
            i += 1;
        }
    }
}

/// How a handler is called. Made by `#[handler]`.
pub trait Recipe<E>: Copy + Send + Sync + 'static {
    /// What it returns.
    type Output;

    /// What it needs, by argument.
    #[doc(hidden)]
    fn wants(&self, to: &mut Vec<Want>);

    #[doc(hidden)]
    fn name(&self, event: &E, stores: &StoresOf, claims: &mut Claims) -> Result<(), NotThere>;

    #[doc(hidden)]
    fn handle(&self, event: &E, granted: Granted<'_>) -> Result<Self::Output, NotThere>;
}

/// The arguments of a handler as a list: `()`, or an argument with the rest.
#[expect(unsafe_code, reason = "hands on what the caller says")]
pub trait ArgumentList: 'static {
    /// The parameters, as a list of the same form.
    type Items<'h>;

    /// Whether all is there that is needed. Changes nothing.
    ///
    /// # Safety
    ///
    /// Arguments of these types made the claims.
    #[doc(hidden)]
    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere>;

    /// # Safety
    ///
    /// Arguments of these types made the claims.
    #[doc(hidden)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Self::Items<'h>, NotThere>;
}

#[expect(unsafe_code, reason = "hands on what the caller says")]
impl ArgumentList for () {
    type Items<'h> = ();

    unsafe fn look(_: &mut Granted<'_>) -> Result<(), NotThere> {
        Ok(())
    }

    #[inline(always)]
    unsafe fn give<'h>(_: &mut Granted<'h>) -> Result<(), NotThere> {
        Ok(())
    }
}

#[expect(unsafe_code, reason = "hands on what the caller says")]
impl<A: Argument, L: ArgumentList> ArgumentList for (A, L) {
    type Items<'h> = (A::Item<'h>, L::Items<'h>);

    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        unsafe { A::look(granted) }?;
        // SAFETY: said by the caller.
        unsafe { L::look(granted) }
    }

    #[inline(always)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Self::Items<'h>, NotThere> {
        // SAFETY: said by the caller.
        let item = unsafe { A::give(granted) }?;
        // SAFETY: said by the caller.
        Ok((item, unsafe { L::give(granted) }?))
    }
}

/// Takes the keys of an event, for one argument after the other.
pub struct Naming<'n, L> {
    stores: &'n [Store],
    claims: &'n mut Claims,
    /// The next argument.
    nth: u16,
    not_there: Option<NotThere>,
    list: PhantomData<L>,
}

#[expect(unsafe_code, reason = "stores are those that the arguments looked up")]
impl<'n, A: Argument, L> Naming<'n, (A, L)> {
    /// For an argument without a key.
    #[inline(always)]
    pub fn shared(mut self) -> Naming<'n, L> {
        let claimed = A::claim(self.store(), self.claims, self.nth);
        self.next(claimed)
    }

    /// For an argument with a key.
    #[inline(always)]
    pub fn key(mut self, key: &A::Key) -> Naming<'n, L> {
        let claimed = self.claim(key);
        self.next(claimed)
    }

    /// For an argument that is a set, of which no key was named yet.
    pub fn keys(self) -> NamingSet<'n, A, L> {
        NamingSet {
            first: self.claims.len(),
            naming: self,
            claimed: Ok(()),
        }
    }

    #[inline(always)]
    fn claim(&mut self, key: &A::Key) -> Result<(), NotThere> {
        let store = self.store();
        // SAFETY: `name` checks that the stores are those of its own arguments; only the thread that has them names.
        unsafe { A::claim_key(store, key, self.claims, self.nth) }
    }

    fn store(&mut self) -> Store {
        self.stores[usize::from(self.nth)]
    }

    #[inline(always)]
    fn next(self, claimed: Result<(), NotThere>) -> Naming<'n, L> {
        Naming {
            stores: self.stores,
            claims: self.claims,
            nth: self.nth + 1,
            not_there: self.not_there.or(claimed.err()),
            list: PhantomData,
        }
    }
}

/// Takes the keys of an argument that is a set.
pub struct NamingSet<'n, A, L> {
    naming: Naming<'n, (A, L)>,
    /// Where its claims begin.
    first: usize,
    claimed: Result<(), NotThere>,
}

impl<'n, A: Argument, L> NamingSet<'n, A, L> {
    /// One more.
    pub fn key(&mut self, key: &A::Key) {
        let claimed = self.naming.claim(key);
        self.claimed = self.claimed.and(claimed);
    }

    /// That was the last.
    pub fn end(self) -> Naming<'n, L> {
        self.naming.claims.close_set(self.first);
        self.naming.next(self.claimed)
    }
}

impl<A, L> fmt::Debug for NamingSet<'_, A, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamingSet({})", self.naming.nth)
    }
}

impl<L> fmt::Debug for Naming<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Naming({})", self.nth)
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
pub trait AsksList: Copy + Send + Sync + 'static {
    /// The arguments in a list.
    type Arguments: ArgumentList;

    #[doc(hidden)]
    fn wants(&self, to: &mut Vec<Want>);
}

impl AsksList for () {
    type Arguments = ();

    fn wants(&self, _: &mut Vec<Want>) {}
}

impl<A: Argument, L: AsksList> AsksList for (Asks<A>, L) {
    type Arguments = (A, L::Arguments);

    fn wants(&self, to: &mut Vec<Want>) {
        to.push(self.0.want);
        self.1.wants(to);
    }
}

impl<S: AsksList, N, C> Handling<S, N, C> {
    /// Of these arguments.
    pub fn new<E, O>(asks: S, name: N, call: C) -> Self
    where
        N: for<'n> Fn(&E, Naming<'n, S::Arguments>) -> Naming<'n, ()>,
        C: Fn(&E, <S::Arguments as ArgumentList>::Items<'_>) -> O,
    {
        Self { asks, name, call }
    }
}

impl<E, O, S, N, C> Recipe<E> for Handling<S, N, C>
where
    S: AsksList,
    N: for<'n> Fn(&E, Naming<'n, S::Arguments>) -> Naming<'n, ()> + Copy + Send + Sync + 'static,
    C: Fn(&E, <S::Arguments as ArgumentList>::Items<'_>) -> O + Copy + Send + Sync + 'static,
{
    type Output = O;

    fn wants(&self, to: &mut Vec<Want>) {
        self.asks.wants(to);
    }

    #[inline]
    fn name(&self, event: &E, stores: &StoresOf, claims: &mut Claims) -> Result<(), NotThere> {
        assert!(
            stores.recipe == TypeId::of::<Self>(),
            "these are the stores of another handler"
        );
        claims.recipe = stores.recipe;
        let naming = Naming {
            stores: &stores.all,
            claims,
            nth: 0,
            not_there: None,
            list: PhantomData,
        };
        match (self.name)(event, naming).not_there {
            None => Ok(()),
            Some(not_there) => Err(not_there),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "follows the claims that it made itself")]
    fn handle(&self, event: &E, mut granted: Granted<'_>) -> Result<O, NotThere> {
        assert!(
            granted.claims().recipe == TypeId::of::<Self>(),
            "another handler named that"
        );
        if granted.claims().n_doubts > 0 {
            // What is not there is found out before a default comes to be in another place.
            // SAFETY: as below.
            unsafe { S::Arguments::look(&mut granted.again()) }?;
        }
        // SAFETY: arguments of these types made the claims, as `name` was the one who noted its type.
        let items = unsafe { S::Arguments::give(&mut granted) }?;
        Ok((self.call)(event, items))
    }
}
