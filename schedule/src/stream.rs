//! Events that name what they touch, handled at once wherever they may be, with the result of one after the other.

mod argument;
mod claim;
mod entities;
mod entity;
mod event;
mod handler;
mod index;
mod inline;
mod outcome;
mod places;
mod reaction;
mod several;
mod slot;
mod stores;

use core::fmt;
use core::marker::PhantomData;
use std::collections::VecDeque;

pub use self::argument::{Keyed, KeyedSet, Shared};
pub use self::entities::Entities;
pub use self::entity::{AsKey, Entity, Key};
pub use self::event::Event;
#[doc(hidden)]
pub use self::event::Returns;
pub use self::handler::{Handler, Twice};
pub use self::index::{Dense, Hashed, Id, Index};
pub use self::outcome::{Outcome, Refusal};
pub use self::reaction::{Answer, Reaction, Success, Then};
#[doc(hidden)]
pub use self::reaction::{
    BecomesAnswer, BecomesError, BecomesEvents, Following, Given, Nothing, Raised,
};
pub use self::several::{Several, SeveralMut};
pub use self::slot::Slot;

/// What generated code names.
pub(crate) mod machinery {
    pub use super::argument::{
        Argument as HandlerArgument, ArgumentsOf, Asks, NoKey, NotThere, OptionReadEntity,
        OptionReadResource, OptionWriteEntity, OptionWriteResource, ReadEntity, ReadResource,
        ReadSeveral, SlotOfEntity, WriteEntity, WriteResource, WriteSeveral,
    };
    pub use super::claim::{Claims, Granted};
    pub use super::entity::{AsKey, Entity};
    pub use super::event::{Cases, Desk, Event, Handled, HandlerDeclaration, Returns};
    pub use super::handler::{
        ArgumentDeclaration, ArgumentList, Arguments, AsksList, Handler, Handling, Naming,
        NamingSet, Recipe as EventRecipe, Twice,
    };
    pub use super::index::{Dense, Hashed};
    pub use super::reaction::{
        BecomesAnswer, BecomesError, BecomesEvents, Following, Given, Nothing, Raised, Reaction,
        Success,
    };
    pub use super::stores::{Stores, StoresOf, Want};
    pub use super::{Keyed, KeyedSet, Shared};
}

use self::claim::Claims;
use self::event::Cases;
use self::stores::Stores;
use crate::identity::Name;
use crate::resource::Resources;

/// How many events follow those that a handler returned before these take their place, unless the input ends before.
const CAPACITY: usize = 1024;
/// After entities may have come or gone at so many places, it is looked where.
const MOST_DOUBTS: u32 = 4096;

/// Processes events: those of an entity in the order of their arrival, others at once.
pub struct Stream<E: Event> {
    stores: Stores,
    claims: Claims,
    n_arrived: u64,
    capacity: usize,
    event: PhantomData<fn(E)>,
}

impl<E: Event> Stream<E> {
    /// A stream to which nothing happened yet.
    pub fn new() -> Self {
        let mut stores = Stores::default();
        E::cases().stores(&mut stores);
        Self {
            stores,
            claims: Claims::new(),
            n_arrived: 0,
            capacity: CAPACITY,
            event: PhantomData,
        }
    }

    /// Processes all of these events, and tells the outcome of each, in the order of arrival.
    ///
    /// # Errors
    ///
    /// If a resource that handlers take is not there; nothing was processed then.
    pub fn process(
        &mut self,
        resources: &mut Resources,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), StreamError> {
        self.stores.find(|resource| resources.address(resource));
        self.find_missing()?;
        let cases = E::cases();
        self.process_inline(&cases, events.into_iter(), outcomes);
        Ok(())
    }

    fn find_missing(&self) -> Result<(), StreamError> {
        let mut missing: Vec<Name> = Vec::new();
        for (case, handler) in self.stores.cases.iter().zip(E::HANDLERS) {
            for (store, argument) in case.all.iter().zip(handler.arguments.all) {
                let name = argument.store().0.name;
                let is_needed = argument.is_keyed || !argument.is_optional;
                if store.is_none() && is_needed && !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(StreamError { missing }),
        }
    }

    #[expect(unsafe_code, reason = "runs events one after the other")]
    fn process_inline<C: Cases<E>>(
        &mut self,
        cases: &C,
        mut events: impl Iterator<Item = E>,
        mut outcomes: impl FnMut(Outcome<E>),
    ) {
        // What follows, with the position before which it takes its place.
        let mut following: VecDeque<(u64, E)> = VecDeque::new();
        let mut n_doubts = 0;
        loop {
            let event = match following.front() {
                Some((due, _)) if *due <= self.n_arrived => following.pop_front().map(|one| one.1),
                _ => events
                    .next()
                    .or_else(|| following.pop_front().map(|one| one.1)),
            };
            let Some(event) = event else { break };
            if n_doubts >= MOST_DOUBTS {
                // SAFETY: as below.
                unsafe { self.stores.settle() };
                n_doubts = 0;
            }
            let position = self.n_arrived;
            self.n_arrived += 1;
            let named = inline::name(cases, &self.stores, &event, &mut self.claims);
            n_doubts += self.claims.n_doubts;
            // SAFETY: the stores were found in resources that are borrowed, and no other event runs.
            let handled =
                named.and_then(|()| unsafe { inline::handle(cases, &event, &self.claims) });
            let result = match handled {
                Ok(handled) => {
                    let due = position + self.capacity as u64;
                    following.extend(handled.next.into_iter().map(|event| (due, event)));
                    handled.result.map_err(Refusal::Failed)
                }
                Err(refusal) => Err(refusal),
            };
            outcomes(Outcome {
                position,
                event,
                handler: E::HANDLERS[self.claims.case].name.base(),
                result,
            });
        }
        // SAFETY: as above.
        unsafe { self.stores.settle() };
    }
}

impl<E: Event> Default for Stream<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Event> fmt::Debug for Stream<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("n_arrived", &self.n_arrived)
            .finish_non_exhaustive()
    }
}

/// Why a stream did not process anything.
pub struct StreamError {
    /// The resources that handlers take, and that are not there. Each once.
    pub missing: Vec<Name>,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.missing.len() {
            1 => write!(f, "1 resource is missing; no event was processed")?,
            n => write!(f, "{n} resources are missing; no event was processed")?,
        }
        let mut missing = self.missing.iter();
        missing.try_for_each(|name| write!(f, "\n  `{name}` is not there; insert it"))
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StreamError {}
