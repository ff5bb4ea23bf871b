//! The trait `Handler`, and the constants that describe a handler without its type.

use core::mem::needs_drop;

use crate::program::reaction::Reaction;
use crate::program::recipe::Recipe;
use crate::store::argument::Asks;
use schedule::Identity;
use schedule::access::{Access, ResourceType};
use schedule::identity::Name;
use schedule::internal::Text;

/// A function that a stream can call for an event. Implemented by `#[handler]`, on a hidden type of the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "not a handler",
    note = "name a function with `#[handler]`"
)]
pub trait Handler: Identity + Sized + 'static {
    /// The type of its event.
    type Event: Send + 'static;

    /// Its return type.
    type Output: Reaction;

    /// Its parameters, without the event.
    const ARGUMENTS: Arguments;

    /// The stores and resources that it uses.
    const ACCESS: Access;

    /// How it treats an event that names one record for two parameters.
    const ALIAS: Alias = Alias::Reject;

    #[doc(hidden)]
    const DECLARATION: HandlerDeclaration = HandlerDeclaration::of::<Self>();

    #[doc(hidden)]
    fn recipe() -> impl Recipe<Self::Event, Output = Self::Output>;
}

/// The description of a handler, without its type.
#[derive(Clone, Copy, Debug)]
pub struct HandlerDeclaration {
    pub(crate) name: Name,
    pub(crate) arguments: Arguments,
    pub(crate) alias: Alias,
    /// Whether it may return follow-up events.
    has_follow_ups: bool,
}

/// Returns whether one of the handlers may return follow-up events.
pub(crate) const fn have_follow_ups(handlers: &[HandlerDeclaration]) -> bool {
    let mut nth = 0;
    while nth < handlers.len() {
        if handlers[nth].has_follow_ups {
            return true;
        }
        nth += 1;
    }
    false
}

/// Returns whether one of the handlers takes the position or the time of its event, or may return follow-up events.
pub(crate) const fn need_info(handlers: &[HandlerDeclaration]) -> bool {
    if have_follow_ups(handlers) {
        return true;
    }
    let mut nth = 0;
    while nth < handlers.len() {
        let arguments = handlers[nth].arguments.all;
        let mut i = 0;
        while i < arguments.len() {
            if arguments[i].store().is_none() {
                return true;
            }
            i += 1;
        }
        nth += 1;
    }
    false
}

impl HandlerDeclaration {
    /// Returns whether it may return follow-up events.
    #[cfg(feature = "durable")]
    pub(crate) fn may_follow(&self) -> bool {
        self.has_follow_ups
    }

    /// Returns whether it writes nothing and returns no follow-up events.
    #[cfg(feature = "durable")]
    pub(crate) fn is_query(&self) -> bool {
        let mut stores = self
            .arguments
            .all
            .iter()
            .filter_map(ArgumentDeclaration::store);
        !self.has_follow_ups && stores.all(|(_, is_write)| !is_write)
    }

    /// Describes this handler.
    pub const fn of<H: Handler>() -> Self {
        Self {
            name: H::NAME,
            arguments: H::ARGUMENTS,
            alias: H::ALIAS,
            // Only follow-up events have a destructor.
            has_follow_ups: needs_drop::<<H::Output as Reaction>::Next>(),
        }
    }
}

/// What happens to an event that names one record for two parameters, if one of them writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Alias {
    /// The event is rejected, with [`EventError::Alias`](crate::EventError::Alias).
    #[default]
    Reject,
    /// The event is skipped, with [`EventError::Skipped`](crate::EventError::Skipped).
    Skip,
    /// The first parameter gets the record. The others must be an `Option` or a record set, and do not get it.
    First,
}

/// A parameter of a handler, apart from the event.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentDeclaration {
    pub(crate) name: &'static str,
    pub(crate) access: Access,
    pub(crate) of: Name,
    pub(crate) is_keyed: bool,
    pub(crate) is_optional: bool,
    /// The maximum id, if the parameter is a record: see [`Record::MAX_ID`](crate::Record::MAX_ID).
    pub(crate) max_id: u32,
}

impl ArgumentDeclaration {
    /// Describes a parameter without a key: a resource, the position or the time of the batch.
    pub const fn unkeyed<A>(name: &'static str, asks: Asks<A>) -> Self {
        Self {
            name,
            access: asks.access,
            of: asks.of,
            is_keyed: false,
            is_optional: asks.is_optional,
            max_id: asks.max_id,
        }
    }

    /// Describes a parameter with one or more keys.
    pub const fn keyed<A>(name: &'static str, asks: Asks<A>) -> Self {
        Self {
            is_keyed: true,
            ..Self::unkeyed(name, asks)
        }
    }

    /// Returns the store or resource, and whether it is written. `None` for a parameter that describes the event.
    pub(crate) const fn store(&self) -> Option<(ResourceType, bool)> {
        match self.access {
            Access::Read(resource) => Some((resource, false)),
            Access::Write(resource) => Some((resource, true)),
            _ => None,
        }
    }
}

/// The parameters of a handler, without the event.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    pub(crate) all: &'static [ArgumentDeclaration],
}

impl Arguments {
    /// Creates the list.
    pub const fn new(all: &'static [ArgumentDeclaration]) -> Self {
        Self { all }
    }

    /// Panics if parameter `nth` conflicts with an earlier one: both are the same resource, or one is a whole store and
    /// the other a record of it.
    ///
    /// Whether two records of one type are the same depends on the event. If the handler has `alias = first`, the later
    /// parameter must be optional.
    ///
    /// # Panics
    ///
    /// Panics if there is a conflict. The message names both parameters.
    #[track_caller]
    pub const fn distinct(&self, nth: usize, alias: Alias) {
        let one = &self.all[nth];
        let Some((resource, writes)) = one.store() else {
            return;
        };
        let mut i = 0;
        while i < nth {
            let other = &self.all[i];
            if let Some((of_other, other_writes)) = other.store()
                && resource.id == of_other.id
                && (writes || other_writes)
            {
                if one.is_keyed && other.is_keyed {
                    if matches!(alias, Alias::First) && !one.is_optional {
                        let text = Text::new()
                            .str("`")
                            .str(one.name)
                            .str("` must be an `Option`: with `alias = first`, `")
                            .str(other.name)
                            .str("` gets the record if both name the same one");
                        panic!("{}", text.as_str());
                    }
                } else {
                    let text = Text::new()
                        .str("parameters `")
                        .str(other.name)
                        .str("` and `")
                        .str(one.name)
                        .str("` conflict on `")
                        .name(resource.name)
                        .str("`; take it once");
                    panic!("{}", text.as_str());
                }
            }
            i += 1;
        }
    }
}
