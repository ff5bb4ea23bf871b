//! What happens in a stream, and who handles it.

use core::fmt;
use core::mem::needs_drop;
use core::ptr::NonNull;

use super::footprint::{Footprint, Granted, Use};
use super::found::Missing;
use super::handler::{Alias, HandlerDeclaration};
use super::names::Names;
use super::reaction::{BecomesAnswer, BecomesError, BecomesEvents, Reaction};
use super::reason::Reason;
use super::recipe::{Recipe, Unclear};
use super::stores::{Stores, StoresOf};
use schedule::access::Access;
use schedule::internal::{FirstPanic, drop_caught};

/// What happens in one stream, in one order. Each kind of it has its handler.
///
/// On several threads, a stream keeps room for some thousand events from call to call: what is large in them is better boxed.
///
/// Implement it with `#[derive(Event)]`, on an enum with a variant for each handler, or on the only type of event:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// #[derive(Record)]
/// #[record(id = u32)]
/// struct Account(u64);
///
/// struct Deposit { to: u32, amount: u64 }
/// struct Transfer { from: u32, to: u32, amount: u64 }
///
/// #[handler]
/// fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
///     to.0 += event.amount;
/// }
///
/// #[handler]
/// fn transfer(
///     event: &Transfer,
///     #[key(event.from)] from: &mut Account,
///     #[key(event.to)] to: &mut Account,
/// ) -> Result<(), &'static str> {
///     from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
///     to.0 += event.amount;
///     Ok(())
/// }
///
/// #[derive(Event)]
/// enum Entry {
///     #[event(deposit)]
///     Deposit(Deposit),
///     #[event(transfer)]
///     Transfer(Transfer),
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "add `#[derive(Event)]` to `{Self}`, and `#[event(handler)]` to it or to its variants"
)]
pub trait Event: Sized + Send + 'static {
    /// What outcomes tell of events that were handled.
    type Answer: Send + 'static;
    /// What outcomes tell of events whose handler failed.
    type Error: Send + 'static;

    /// What its handlers touch.
    const ACCESS: Access;

    /// By case.
    const HANDLERS: &'static [HandlerDeclaration];

    #[doc(hidden)]
    fn cases() -> impl Cases<Self>;
}

/// Finds the handler of an event. Made by `#[derive(Event)]`.
///
/// # Safety
///
/// `visit` shows the event to the visitor once, and returns what that returns: it does nothing else with the event, which another thread
/// may have by then, and does not panic any more, as that thread works on. Each time it is the same case of the event, and that which
/// `stores` has added in its turn.
#[expect(
    unsafe_code,
    reason = "events are with others as soon as they were shown"
)]
pub unsafe trait Cases<E: Event>: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    fn stores(&self, stores: &mut Stores);

    #[doc(hidden)]
    fn visit<V: Visitor<E>>(&self, event: &E, visitor: V) -> V::Output;
}

/// Who wants something of an event, of whichever case it is.
pub trait Visitor<E: Event> {
    /// What it wants.
    type Output;

    /// An event of this case.
    #[doc(hidden)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Self::Output;
}

/// An event of one case, and its handler.
pub struct EventCase<'e, E: Event, P, R: Recipe<P>> {
    pub(super) nth: usize,
    pub(super) recipe: &'e R,
    /// What the handler is told.
    pub(super) event: &'e P,
    pub(super) into_handled: fn(R::Output) -> Handled<E>,
}

impl<'e, E: Event, P, R: Recipe<P>> EventCase<'e, E, P, R> {
    /// The `nth`.
    #[inline(always)]
    pub fn new(
        nth: usize,
        recipe: &'e R,
        event: &'e P,
        into_handled: fn(R::Output) -> Handled<E>,
    ) -> Self {
        Self {
            nth,
            recipe,
            event,
            into_handled,
        }
    }
}

impl<E: Event, P, R: Recipe<P>> fmt::Debug for EventCase<'_, E, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventCase({})", self.nth)
    }
}

/// Names the records of an event, and adds them to its footprint, as far as that is clear.
#[derive(Debug)]
pub(super) struct NameRecords<'d, F> {
    pub(super) stores: &'d [StoresOf],
    pub(super) footprint: &'d mut Footprint,
    /// Called for each entry of the footprint.
    pub(super) visit: F,
}

impl<E: Event, F: FnMut(NonNull<()>, Use)> Visitor<E> for NameRecords<'_, F> {
    type Output = Result<(), Unclear>;

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Result<(), Unclear> {
        let EventCase {
            nth, recipe, event, ..
        } = case;
        let stores = &self.stores[nth];
        self.footprint.clear(nth as u16);
        if stores.is_exclusive {
            self.footprint.set_exclusive();
        }
        recipe.name(event, stores, self.footprint, self.visit)
    }
}

/// Makes clear what an event names, for which its [`NameRecords`] could not; or says why its handler will not run.
#[derive(Debug)]
pub(super) struct Resolver<'d> {
    pub(super) stores: &'d [StoresOf],
    pub(super) footprint: &'d mut Footprint,
    pub(super) unclear: Unclear,
}

impl<E: Event> Visitor<E> for Resolver<'_> {
    type Output = Result<(), Reason>;

    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Result<(), Reason> {
        let stores = &self.stores[case.nth];
        resolve_unclear::<E, _, _>(
            case.recipe,
            case.event,
            stores,
            self.footprint,
            self.unclear,
        )
    }
}

/// Whether no other event may run beside an event.
#[derive(Debug)]
pub(super) struct IsExclusive<'s>(pub(super) &'s [StoresOf]);

impl<E: Event> Visitor<E> for IsExclusive<'_> {
    type Output = bool;

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> bool {
        self.0[case.nth].is_exclusive
    }
}

/// Asks for all keys of an event, and for the memory of what it will name.
#[derive(Debug)]
pub(super) struct PrefetchRecords<'d> {
    pub(super) stores: &'d [StoresOf],
    pub(super) footprint: &'d mut Footprint,
}

impl<E: Event> Visitor<E> for PrefetchRecords<'_> {
    type Output = ();

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) {
        let stores = &self.stores[case.nth];
        case.recipe.prefetch(case.event, stores, self.footprint);
    }
}

/// The stores, for one event while no other is in flight.
#[derive(Debug)]
pub(super) struct OnlyEvent<'d> {
    stores: &'d Stores,
    footprint: &'d mut Footprint,
}

#[expect(unsafe_code, reason = "says that an event is the only one")]
impl<'d> OnlyEvent<'d> {
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively for `'d`, and no event is in flight.
    #[inline(always)]
    pub(super) unsafe fn new(stores: &'d Stores, footprint: &'d mut Footprint) -> Self {
        Self { stores, footprint }
    }

    /// Of an event that has not called its handler.
    #[cold]
    fn handle<E: Event, P, R: Recipe<P>>(
        self,
        recipe: &R,
        event: &P,
        unclear: Option<Unclear>,
    ) -> Result<R::Output, Reason> {
        if let Some(unclear) = unclear {
            let stores = &self.stores.cases[usize::from(self.footprint.case)];
            resolve_unclear::<E, _, _>(recipe, event, stores, self.footprint, unclear)?;
        }
        // SAFETY: the event has named its footprint for its case.
        let granted = unsafe { self.granted() };
        recipe.handle(event, granted).map_err(Reason::Missing)
    }

    /// What the event has named.
    ///
    /// # Safety
    ///
    /// The event has named its footprint, for its case.
    pub(super) unsafe fn granted(self) -> Granted<'d> {
        let case = usize::from(self.footprint.case);
        let stores = &self.stores.cases[case];
        if stores.is_exclusive {
            // SAFETY: the resources are borrowed exclusively, and no other event is in flight: the contract of
            // `OnlyEvent::new`.
            unsafe { self.stores.settle_for(case) };
        }
        // SAFETY: the recipe of this case made the footprint, and no other event is in flight: the contract of
        // `OnlyEvent::new`.
        unsafe { Granted::new(self.footprint, stores.recipe, &self.footprint.is_called) }
    }
}

#[expect(unsafe_code, reason = "the event is the only one")]
impl<E: Event> Visitor<E> for OnlyEvent<'_> {
    /// And the case.
    type Output = (u16, Result<Handled<E>, Reason>);

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Self::Output {
        let EventCase {
            nth,
            recipe,
            event,
            into_handled,
        } = case;
        let stores = &self.stores.cases[nth];
        self.footprint.clear(nth as u16);
        let output = match stores.is_exclusive {
            true => {
                self.footprint.set_exclusive();
                let named = recipe.name(event, stores, self.footprint, |_, _| ());
                Err(named.err())
            }
            // SAFETY: no other event is in flight, and nothing else uses the stores: the contract of
            // `OnlyEvent::new`.
            false => unsafe { recipe.name_and_handle(event, stores, self.footprint) }.map_err(Some),
        };
        let handled = match output {
            Ok(Ok(output)) => Ok(into_handled(output)),
            Ok(Err(missing)) => Err(Reason::Missing(missing)),
            Err(unclear) => self
                .handle::<E, _, _>(recipe, event, unclear)
                .map(into_handled),
        };
        (nth as u16, handled)
    }
}

/// Makes clear what an event names, and so what becomes of it: whether it names something twice goes by keys where that is not there, and
/// what is not there is for its handler to find out, when those before it are over.
#[cold]
fn resolve_unclear<E: Event, P, R: Recipe<P>>(
    recipe: &R,
    event: &P,
    stores: &StoresOf,
    footprint: &mut Footprint,
    unclear: Unclear,
) -> Result<(), Reason> {
    if unclear == Unclear::Missing {
        let mut names = Names::default();
        footprint.anew();
        let named = recipe.name_all(event, stores, footprint, &mut names);
        named.map_err(Reason::Missing)?;
        if let Some(alias) = names.alias() {
            resolve::<E>(footprint, alias)?;
        }
    }
    resolve_twice::<E>(footprint)
}

/// What becomes of an event that names one record twice, if it does.
fn resolve_twice<E: Event>(footprint: &mut Footprint) -> Result<(), Reason> {
    match footprint.alias() {
        None => Ok(()),
        Some(alias) => resolve::<E>(footprint, alias),
    }
}

#[cold]
fn resolve<E: Event>(footprint: &mut Footprint, [first, second]: [u16; 2]) -> Result<(), Reason> {
    match E::HANDLERS[usize::from(footprint.case)].alias {
        Alias::Reject => Err(Reason::Alias(first.into(), second.into())),
        Alias::Skip => Err(Reason::Skipped),
        Alias::First => {
            footprint.keep_first();
            Ok(())
        }
    }
}

/// What a handler made of an event, and what follows from that.
#[derive(Debug)]
pub struct Handled<E: Event> {
    pub(super) result: Result<E::Answer, E::Error>,
    pub(super) next: Option<Box<[E]>>,
}

impl<E: Event> Handled<E> {
    /// Drops it, and what it panics with.
    #[cold]
    pub(super) fn forget(self) {
        drop_caught(self.result);
        self.next.into_iter().flatten().for_each(drop_caught);
    }

    /// Of an answer after which events follow. User code makes both, and may panic.
    fn with_events<A, N>(answer: A, next: N) -> Self
    where
        A: BecomesAnswer<E::Answer>,
        N: BecomesEvents<E>,
    {
        let mut panics = FirstPanic::default();
        let next = panics.call(|| next.into_events());
        let answer = match &next {
            Some(_) => panics.call(|| answer.into_answer()),
            None => {
                panics.drop(answer);
                None
            }
        };
        match (answer, next) {
            (Some(answer), Some(next)) => Handled {
                result: Ok(answer),
                next,
            },
            (answer, next) => {
                panics.drop(answer);
                panics.drop_each(next.flatten().into_iter().flatten());
                panics.resume();
                unreachable!("a panic was recorded")
            }
        }
    }
}

/// What a handler of a stream may return: it is answers, errors and events of that stream.
#[diagnostic::on_unimplemented(
    message = "a handler of `{E}` cannot return `{Self}`",
    label = "returns `{Self}`"
)]
pub trait Returns<E: Event>: Sized {
    /// What it means for the stream.
    const INTO_HANDLED: fn(Self) -> Handled<E>;
}

impl<E: Event, O: Reaction> Returns<E> for O
where
    O::Answer: BecomesAnswer<E::Answer>,
    O::Error: BecomesError<E::Error>,
    O::Next: BecomesEvents<E>,
{
    const INTO_HANDLED: fn(O) -> Handled<E> = |output| match output.into_parts() {
        Ok((answer, next)) if needs_drop::<O::Next>() => Handled::with_events(answer, next),
        Ok((answer, next)) => Handled {
            result: Ok(answer.into_answer()),
            next: next.into_events(),
        },
        Err(error) => Handled {
            result: Err(error.into_error()),
            next: None,
        },
    };
}

/// Calls the handler whose recipe made the footprint.
impl<E: Event> Visitor<E> for Granted<'_> {
    type Output = Result<Handled<E>, Missing>;

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Self::Output {
        Ok((case.into_handled)(case.recipe.handle(case.event, self)?))
    }
}
