//! Entities: the interface between the scheduler and a store of entities, such as `schedule-hecs`.
//!
//! A component is verified like a resource of its own, although its values are in the entities of an [`EntityStore`]. Two
//! systems that write the same component conflict, unless their [filters](EntityFilter) prove that no entity matches both.
//! [`Components`] is the parameter that declares the components of a query and their filter.
//!
//! `#[system(for_each)]` makes a system from a function on one entity. Its parameters implement [`EachParam`], and its store
//! implements [`EntityTables`].

mod addresses;
mod column;
mod components;
mod dynamic;
mod each;
mod filter;
mod for_each;
mod look_memory;
mod marked;
mod marks;
mod missed;
mod refused;
mod removed;
mod removed_log;
mod store_ref;
mod table;
mod ticket;
mod writes;

#[doc(hidden)]
pub use self::addresses::ColumnAddresses;
pub use self::components::{ComponentTerms, Components, DeclaredComponents};
pub use self::dynamic::{ComponentId, DynamicQuery};
pub use self::each::{Each, EachEntity, EachFetch, EachParam};
#[doc(hidden)]
pub use self::each::{EachResource, SharedResources};
pub use self::filter::{Added, Changed, EntityFilter, Or, With, Without};
pub use self::for_each::ForEachError;
#[doc(hidden)]
pub use self::for_each::{EachOutput, ForEachSeed, filter, for_each, parameter, store};
#[doc(hidden)]
pub use self::look_memory::LookMemory;
#[doc(hidden)]
pub use self::marked::MarksAddress;
#[doc(hidden)]
pub use self::marks::{BLOCK_ROWS, ChangeClock, ChangeMemory, ColumnMarks, RowMarks, WatchedMarks};
pub use self::missed::{CommandKind, MissedCommand, MissedCommands, MissedReason};
#[doc(hidden)]
pub use self::refused::{RefusedParam, accept, accept_change, accept_filter, accept_resource};
pub use self::removed::{Removed, RemovedState};
#[doc(hidden)]
pub use self::removed_log::RemovedLog;
#[doc(hidden)]
pub use self::store_ref::{KeptStore, StoreRef};
pub use self::table::{EntityTables, Row};
pub use self::ticket::{EntityTarget, IssuedTickets, Ticket};
pub use self::writes::{Changes, DeferredWrites};

pub use schedule_macros::Component;

use core::any::TypeId;
use core::marker::PhantomData;

use crate::base::identity::{Argument, Identity, Name, mix};
use crate::data::access::{ResourceId, ResourceType};
use crate::data::resource::Resource;

/// Mentions three types without owning values of them.
type Marker<A, B, C> = PhantomData<fn() -> (A, B, C)>;

/// A type that entities have as a component. Derive it with `#[derive(Component)]`.
///
/// ```
/// use schedule::entity::Component;
///
/// #[derive(Component)]
/// struct Position(f32, f32);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "in a query, take the id of an entity by value: write `Entity` without `&`",
    note = "if `{Self}` is a type of this program, add `#[derive(Component)]` to it; if it is a type parameter, add the bound `{Self}: Component`",
    note = "otherwise wrap it in a struct of this program: `#[derive(Component)] struct Mine(…);`"
)]
pub trait Component: ComponentType<Itself = Self> + Identity + Send + Sync + 'static {}

/// The type of a component. `#[derive(Component)]` implements it.
///
/// Parameters and filters of `for_each` systems name a component by [`Itself`](Self::Itself). If a type is not a component, the
/// compiler cannot determine `Itself`, so it reports only that, and no errors about what would follow.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "take the id of an entity by value: write `Entity` without `&`",
    note = "if it is a resource, write `#[resource]` before the parameter; `with` and `without` take only components",
    note = "if `{Self}` is a type of this program, add `#[derive(Component)]` to it, or the bound `Component` if it is a type parameter; otherwise wrap it: `#[derive(Component)] struct Mine(…);`"
)]
pub trait ComponentType {
    /// `Self`.
    type Itself;
}

/// A resource that stores entities.
///
/// The components of the entities in two stores are different resources for the verifier.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not store entities",
    label = "not a store of entities",
    note = "name a type that implements `EntityStore`, such as `Columns<K>` or `schedule_hecs::World`"
)]
pub trait EntityStore: Resource {
    /// The name of the store, which messages add to the names of its components: `Position in World<Ships>`. With `None`,
    /// messages call the component only `Position`.
    const LABEL: Option<&'static Name> = None;
}

/// The resource that stands for the component `C` of the entities in `S`.
pub(crate) const fn component<S: EntityStore, C: Component>() -> ResourceType {
    let name = match S::LABEL {
        None => C::NAME,
        Some(store) => C::NAME.stored_in(store),
    };
    let type_id = TypeId::of::<PhantomData<(S, C)>>();
    ResourceType::component(mix(C::ID, S::ID), name, type_id, size_of::<C>())
}

/// The resource that stands for the changes that commands make to the component `C` of the entities in `S`.
pub(crate) const fn deferred<S: EntityStore, C: Component>() -> ResourceType {
    let name = Name::deferred(const { &[Argument::Type(component::<S, C>().name)] });
    ResourceType::deferred(component::<S, C>(), name)
}

impl ResourceId {
    /// The id of the component `C` of the entities in `S`.
    pub fn of_component<S: EntityStore, C: Component>() -> Self {
        Self::of_type(&component::<S, C>())
    }

    /// The id of the changes that commands make to the component `C` of the entities in `S`, as declared by [`DeferredWrites`].
    pub fn of_deferred<S: EntityStore, C: Component>() -> Self {
        Self::of_type(&deferred::<S, C>())
    }
}
