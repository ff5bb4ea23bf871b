//! What happens in a stream, and who handles it.

use super::argument::NotThere;
use super::claim::{Claims, Granted};
use super::handler::{Arguments, Handler, Recipe, Twice};
use super::reaction::{BecomesAnswer, BecomesError, BecomesEvents, Reaction};
use super::stores::{Stores, StoresOf};
use crate::access::Access;
use crate::identity::Name;

/// What happens in one stream, in one order. Each kind of it has its handler.
///
/// Implement it with `#[derive(Event)]`, on an enum with a variant for each handler, or on the only type of event:
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Entity)]
/// #[entity(id = u32)]
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

/// A handler, without its type.
#[derive(Clone, Copy, Debug)]
pub struct HandlerDeclaration {
    pub(super) name: Name,
    pub(super) arguments: Arguments,
    pub(super) twice: Twice,
}

impl HandlerDeclaration {
    /// Of this one.
    pub const fn of<H: Handler>() -> Self {
        Self {
            name: H::NAME,
            arguments: H::ARGUMENTS,
            twice: H::TWICE,
        }
    }
}

/// Finds the handler of an event. Made by `#[derive(Event)]`.
pub trait Cases<E: Event>: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    fn stores(&self, stores: &mut Stores);

    #[doc(hidden)]
    fn name(&self, event: &E, desk: Desk<'_>) -> Result<(), NotThere>;

    #[doc(hidden)]
    fn handle(&self, event: &E, granted: Granted<'_>) -> Result<Handled<E>, NotThere>;
}

/// Where the claims of one event are written down.
#[derive(Debug)]
pub struct Desk<'d> {
    pub(super) stores: &'d [StoresOf],
    pub(super) claims: &'d mut Claims,
}

impl Desk<'_> {
    /// For the handler of this case.
    #[inline]
    pub fn name<E, R: Recipe<E>>(self, case: usize, recipe: &R, event: &E) -> Result<(), NotThere> {
        let stores = &self.stores[case];
        self.claims.case = case;
        self.claims.is_alone = stores.is_alone;
        recipe.name(event, stores, self.claims)
    }
}

/// What a handler made of an event, and what follows from that.
#[derive(Debug)]
pub struct Handled<E: Event> {
    /// Until it is told.
    pub(super) result: Option<Result<E::Answer, E::Error>>,
    pub(super) next: Vec<E>,
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
        Ok((answer, next)) => Handled {
            result: Some(Ok(answer.into_answer())),
            next: next.into_events(),
        },
        Err(error) => Handled {
            result: Some(Err(error.into_error())),
            next: Vec::new(),
        },
    };
}

impl Granted<'_> {
    /// Calls the handler that named the claims.
    #[inline]
    pub fn handle<E: Event, P, R: Recipe<P>>(
        self,
        recipe: &R,
        event: &P,
        into_handled: fn(R::Output) -> Handled<E>,
    ) -> Result<Handled<E>, NotThere> {
        Ok(into_handled(recipe.handle(event, self)?))
    }
}
