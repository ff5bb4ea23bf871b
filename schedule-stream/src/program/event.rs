//! Events of a stream: the trait `Event`, and the visitors that name the records of an event and call its handler.

mod cases;

use core::fmt;
use core::mem::needs_drop;
use core::ptr::NonNull;

use crate::base::footprint::{Footprint, Granted, Use};
use crate::base::position::EventInfo;
use crate::program::handler::{Alias, HandlerDeclaration};
#[cfg(feature = "durable")]
use crate::program::key_lookup::KeyVisitor;
use crate::program::reaction::{BecomesAnswer, BecomesError, BecomesEvents, Reaction};
use crate::program::recipe::{Recipe, Unclear};
use crate::store::atomic::CallResult;
use crate::store::event_keys::EventKeys;
use crate::store::found::Missing;
use crate::store::reason::Reason;
use crate::store::stores::{Stores, StoresOf};
use schedule::access::Access;
use schedule::internal::{FirstPanic, drop_caught};

/// The type of the events of a stream. Each variant has a handler.
///
/// With several threads, a stream keeps memory for up to 2,048 events between calls. Box large fields.
///
/// Implement it with `#[derive(Event)]`, on an enum with one variant per handler, or on a type with one handler:
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
    note = "name a type with `#[derive(Event)]`, which has `#[event(handler)]` itself or at its variants"
)]
pub trait Event: Sized + Send + 'static {
    /// The answer in the outcome of an event whose handler succeeded.
    type Answer: Send + 'static;
    /// The error in the outcome of an event whose handler failed.
    type Error: Send + 'static;

    /// The access of all handlers.
    const ACCESS: Access;

    /// The handlers, indexed by the case of the event: the index of its variant.
    const HANDLERS: &'static [HandlerDeclaration];

    #[doc(hidden)]
    fn cases() -> impl Cases<Self>;
}

/// Finds the handler of an event. Implemented by `#[derive(Event)]`.
///
/// # Safety
///
/// `visit` calls the visitor exactly once, with the case of the event, and returns its result. After that call it
/// neither accesses the event nor panics: another thread may own the event by then.
///
/// `visit` always returns the same case for an event. The case has the recipe that `stores` added at this index.
#[expect(unsafe_code, reason = "another thread may own an event after a visit")]
pub unsafe trait Cases<E: Event>: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    fn stores(&self, stores: &mut Stores);

    #[doc(hidden)]
    fn visit<V: Visitor<E>>(&self, event: &E, visitor: V) -> V::Output;
}

/// An operation on an event, generic over its case.
pub trait Visitor<E: Event> {
    /// The result of the operation.
    type Output;

    /// Runs the operation on an event of this case.
    #[doc(hidden)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Self::Output;
}

/// An event of one case, with the recipe of its handler.
pub struct EventCase<'e, E: Event, P, R: Recipe<P>> {
    pub(crate) nth: usize,
    pub(crate) recipe: &'e R,
    /// The argument of the handler: the event, or the field of its variant.
    pub(crate) event: &'e P,
    pub(crate) into_handled: fn(R::Output) -> Handled<E>,
}

impl<'e, E: Event, P, R: Recipe<P>> EventCase<'e, E, P, R> {
    /// Creates the case with this index.
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

/// Visitor: adds the records and resources that an event names to its footprint. Fails if it cannot rule out an alias.
#[derive(Debug)]
pub(crate) struct LocateRecords<'d, F> {
    pub(crate) stores: &'d [StoresOf],
    pub(crate) footprint: &'d mut Footprint,
    /// Called with each entry of the footprint.
    pub(crate) visit: F,
}

impl<E: Event, F: FnMut(NonNull<()>, Use)> Visitor<E> for LocateRecords<'_, F> {
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
        recipe.locate(event, stores, self.footprint, self.visit)
    }
}

/// Visitor: completes the footprint of an event for which [`LocateRecords`] failed, or returns why its handler will not
/// run.
#[derive(Debug)]
pub(crate) struct Resolver<'d> {
    pub(crate) stores: &'d [StoresOf],
    pub(crate) footprint: &'d mut Footprint,
    pub(crate) unclear: Unclear,
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

/// Visitor: returns the case of an event.
#[cfg(feature = "durable")]
#[derive(Debug)]
pub(crate) struct CaseOf;

#[cfg(feature = "durable")]
impl<E: Event> Visitor<E> for CaseOf {
    type Output = usize;

    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> usize {
        case.nth
    }
}

/// Visitor: reports the keys of an event. Returns whether all were reported.
#[cfg(feature = "durable")]
pub(crate) struct ReportKeys<'d> {
    pub(crate) stores: &'d [StoresOf],
    pub(crate) footprint: &'d mut Footprint,
    pub(crate) visitor: &'d mut dyn KeyVisitor,
}

#[cfg(feature = "durable")]
impl<E: Event> Visitor<E> for ReportKeys<'_> {
    type Output = bool;

    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> bool {
        let EventCase {
            nth, recipe, event, ..
        } = case;
        let Self {
            stores,
            footprint,
            visitor,
        } = self;
        footprint.clear(nth as u16);
        let reported = recipe.report_keys(event, &stores[nth], footprint, visitor);
        reported.is_ok()
    }
}

/// Visitor: returns whether an event is exclusive.
#[derive(Debug)]
pub(crate) struct IsExclusive<'s>(pub(crate) &'s [StoresOf]);

impl<E: Event> Visitor<E> for IsExclusive<'_> {
    type Output = bool;

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> bool {
        self.0[case.nth].is_exclusive
    }
}

/// Visitor: clears the footprint of an event that names no records, because its handler will not run.
#[derive(Debug)]
pub(crate) struct ClearFootprint<'f>(pub(crate) &'f mut Footprint);

impl<E: Event> Visitor<E> for ClearFootprint<'_> {
    type Output = ();

    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) {
        self.0.clear(case.nth as u16);
    }
}

/// Visitor: evaluates all keys of an event, and prefetches the records that it will name.
#[derive(Debug)]
pub(crate) struct PrefetchRecords<'d> {
    pub(crate) stores: &'d [StoresOf],
    pub(crate) footprint: &'d mut Footprint,
}

impl<E: Event> Visitor<E> for PrefetchRecords<'_> {
    type Output = ();

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) {
        let stores = &self.stores[case.nth];
        case.recipe.prefetch(case.event, stores, self.footprint);
    }
}

/// Visitor: names the records of an event and calls its handler, while no other event is in flight.
#[derive(Debug)]
pub(crate) struct OnlyEvent<'d> {
    stores: &'d Stores,
    footprint: &'d mut Footprint,
    info: &'d EventInfo,
}

#[expect(unsafe_code, reason = "requires that no other event is in flight")]
impl<'d> OnlyEvent<'d> {
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively for `'d`, and no event is in flight.
    #[inline(always)]
    pub(crate) unsafe fn new(
        stores: &'d Stores,
        footprint: &'d mut Footprint,
        info: &'d EventInfo,
    ) -> Self {
        Self {
            stores,
            footprint,
            info,
        }
    }

    /// Handles an event for which `locate_and_handle` has not called the handler.
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
        // SAFETY: `recipe.locate` or `resolve_unclear` has completed the footprint, and `Footprint::clear` has set its
        // case.
        let granted = unsafe { self.granted() };
        recipe.handle(event, granted).map_err(Reason::Missing)
    }

    /// Handles an event of an atomic handler.
    #[inline(always)]
    fn handle_atomic<E: Event, P, R: Recipe<P>>(
        self,
        case: EventCase<'_, E, P, R>,
    ) -> Result<Handled<E>, Reason> {
        let stores = &self.stores.cases[case.nth];
        if stores.is_exclusive {
            self.footprint.set_exclusive();
            let named = case
                .recipe
                .locate(case.event, stores, self.footprint, |_, _| ());
            return self.resolve_and_handle_atomic(&case, named.err());
        }
        let (footprint, info) = (&mut *self.footprint, self.info);
        // SAFETY: no other event is in flight, and nothing else uses the stores: the contract of `OnlyEvent::new`.
        let handled = unsafe {
            case.recipe.locate_and_handle_atomic(
                case.event,
                stores,
                footprint,
                info,
                case.into_handled,
            )
        };
        match handled {
            Ok(Ok(handled)) => Ok(handled),
            Ok(Err(missing)) => Err(Reason::Missing(missing)),
            Err(unclear) => self.resolve_and_handle_atomic(&case, Some(unclear)),
        }
    }

    /// Handles an event for which `locate_and_handle_atomic` has not called the handler.
    #[cold]
    fn resolve_and_handle_atomic<E: Event, P, R: Recipe<P>>(
        self,
        case: &EventCase<'_, E, P, R>,
        unclear: Option<Unclear>,
    ) -> Result<Handled<E>, Reason> {
        if let Some(unclear) = unclear {
            let stores = &self.stores.cases[case.nth];
            resolve_unclear::<E, _, _>(case.recipe, case.event, stores, self.footprint, unclear)?;
        }
        // SAFETY: `recipe.locate` or `resolve_unclear` has completed the footprint, and `Footprint::clear` has set its
        // case.
        let granted = unsafe { self.granted() };
        let handled = case
            .recipe
            .handle_atomic(case.event, granted, case.into_handled);
        handled.map_err(Reason::Missing)
    }

    /// Returns access to the footprint.
    ///
    /// # Safety
    ///
    /// The recipe of the case in the footprint has completed the footprint.
    pub(crate) unsafe fn granted(self) -> Granted<'d> {
        let case = usize::from(self.footprint.case);
        let stores = &self.stores.cases[case];
        if stores.is_exclusive {
            // SAFETY: the resources are borrowed exclusively, and no other event is in flight: the contract of
            // `OnlyEvent::new`.
            unsafe { self.stores.count_whole_stores(case) };
        }
        // SAFETY: the recipe of this case made the footprint, and no other event is in flight: the contract of
        // `OnlyEvent::new`.
        unsafe {
            Granted::new(
                self.footprint,
                stores.recipe,
                self.info,
                &self.footprint.is_called,
            )
        }
    }
}

#[expect(unsafe_code, reason = "the event is the only one")]
impl<E: Event> Visitor<E> for OnlyEvent<'_> {
    /// The case of the event, and the result.
    type Output = (u16, Result<Handled<E>, Reason>);

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Self::Output {
        if R::IS_ATOMIC {
            let nth = case.nth as u16;
            self.footprint.clear(nth);
            return (nth, self.handle_atomic(case));
        }
        let EventCase {
            nth,
            recipe,
            event,
            into_handled,
        } = case;
        let stores = &self.stores.cases[nth];
        self.footprint.clear(nth as u16);
        let output = if stores.is_exclusive {
            self.footprint.set_exclusive();
            let named = recipe.locate(event, stores, self.footprint, |_, _| ());
            Err(named.err())
        } else {
            // SAFETY: no other event is in flight, and nothing else uses the stores: the contract of
            // `OnlyEvent::new`.
            unsafe { recipe.locate_and_handle(event, stores, self.footprint, self.info) }
                .map_err(Some)
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

/// Completes the footprint of an event, and applies its alias option. Missing records are compared by key. Their
/// absence is not an error at this point: an earlier event may still insert them, so the handler call checks again.
#[cold]
fn resolve_unclear<E: Event, P, R: Recipe<P>>(
    recipe: &R,
    event: &P,
    stores: &StoresOf,
    footprint: &mut Footprint,
    unclear: Unclear,
) -> Result<(), Reason> {
    if unclear == Unclear::Missing {
        let mut keys = EventKeys::default();
        footprint.restart();
        let named = recipe.locate_all(event, stores, footprint, &mut keys);
        named.map_err(Reason::Missing)?;
        if let Some(alias) = keys.alias() {
            resolve::<E>(footprint, alias)?;
        }
    }
    resolve_alias_if_any::<E>(footprint)
}

/// Applies the alias option, if the event has an alias.
fn resolve_alias_if_any<E: Event>(footprint: &mut Footprint) -> Result<(), Reason> {
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

/// The result of a handler, and its follow-up events.
#[derive(Debug)]
pub struct Handled<E: Event> {
    pub(crate) result: Result<E::Answer, E::Error>,
    pub(crate) next: Option<Box<[E]>>,
}

impl<E: Event> CallResult for Handled<E> {
    #[inline(always)]
    fn has_failed(&self, info: &EventInfo) -> bool {
        self.result.is_err() || self.exceeds(info.max_follow_ups)
    }
}

impl<E: Event> Handled<E> {
    /// Returns whether the handler has returned more follow-up events than this.
    #[inline(always)]
    pub(crate) fn exceeds(&self, max_follow_ups: u32) -> bool {
        let next = self.next.as_ref();
        next.is_some_and(|next| next.len() > max_follow_ups as usize)
    }

    /// Drops the result, and catches panics.
    #[cold]
    pub(crate) fn forget(self) {
        drop_caught(self.result);
        self.next.into_iter().flatten().for_each(drop_caught);
    }

    /// Converts an answer with follow-up events. Both conversions are user code and may panic.
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

/// A type that the handlers of a stream may return: its parts convert into the answer, error and events of the stream.
#[diagnostic::on_unimplemented(
    message = "a handler of `{E}` cannot return `{Self}`",
    label = "returns `{Self}`",
    note = "a handler returns `()`, a type that implements `schedule_stream::answers::Answer`, `FollowUps<Event, …>`, or a `Result` of one of these"
)]
pub trait Returns<E: Event>: Sized {
    /// The conversion into a result of the stream.
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

/// Visitor: calls the handler whose recipe made the footprint.
impl<E: Event> Visitor<E> for Granted<'_> {
    type Output = Result<Handled<E>, Missing>;

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> Self::Output {
        if R::IS_ATOMIC {
            return case
                .recipe
                .handle_atomic(case.event, self, case.into_handled);
        }
        Ok((case.into_handled)(case.recipe.handle(case.event, self)?))
    }
}
