//! What a handler is: constants that declare it.

use super::argument::Asks;
use super::reaction::Reaction;
use super::recipe::Recipe;
use schedule::Identity;
use schedule::access::{Access, ResourceType};
use schedule::identity::Name;
use schedule::internal::Text;

/// A function that a stream can call for an event. Implemented by `#[handler]`, on a hidden type of the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "not a handler",
    note = "add `#[handler]` to the function"
)]
pub trait Handler: Identity + Sized + 'static {
    /// The type of its event.
    type Event: Send + 'static;

    /// Its return type.
    type Output: Reaction;

    /// Its parameters after the event.
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

/// A handler, without its type.
#[derive(Clone, Copy, Debug)]
pub struct HandlerDeclaration {
    pub(super) name: Name,
    pub(super) arguments: Arguments,
    pub(super) alias: Alias,
}

impl HandlerDeclaration {
    /// Of this one.
    pub const fn of<H: Handler>() -> Self {
        Self {
            name: H::NAME,
            arguments: H::ARGUMENTS,
            alias: H::ALIAS,
        }
    }
}

/// What happens to an event that names one record for two parameters, if one of them writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Alias {
    /// The event is rejected, with [`EventError::Alias`](super::EventError::Alias).
    #[default]
    Reject,
    /// The event is skipped, with [`EventError::Skipped`](super::EventError::Skipped).
    Skip,
    /// The first parameter gets the record. The others must be an `Option` or a record set, and do not get it.
    First,
}

/// A parameter of a handler, apart from the event.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentDeclaration {
    pub(super) name: &'static str,
    pub(super) access: Access,
    pub(super) of: Name,
    pub(super) is_keyed: bool,
    pub(super) is_optional: bool,
    /// Of a record: see [`Record::MAX_ID`](super::Record::MAX_ID).
    pub(super) max_id: u32,
}

impl ArgumentDeclaration {
    /// A resource.
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

    /// One record or several, by key.
    pub const fn keyed<A>(name: &'static str, asks: Asks<A>) -> Self {
        Self {
            is_keyed: true,
            ..Self::unkeyed(name, asks)
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

    /// Refuses the `nth` if it conflicts with an earlier one: both are the same resource, or one is all records of which
    /// the other is one. Of two records of one type, only an event says whether they are the same; if that may not be
    /// refused, the later one has to be optional.
    ///
    /// # Panics
    ///
    /// If there is a conflict, with a message that names both.
    #[track_caller]
    pub const fn distinct(&self, nth: usize, alias: Alias) {
        let one = &self.all[nth];
        let (resource, writes) = one.store();
        let mut i = 0;
        while i < nth {
            let other = &self.all[i];
            let (of_other, other_writes) = other.store();
            if resource.id == of_other.id && (writes || other_writes) {
                if one.is_keyed && other.is_keyed {
                    if matches!(alias, Alias::First) && !one.is_optional {
                        let text = Text::new().str("`").str(one.name);
                        let text = text.str("` must be an `Option`: with `alias = first`, `");
                        let text = text
                            .str(other.name)
                            .str("` gets the record if both name the same one");
                        panic!("{}", text.as_str());
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
