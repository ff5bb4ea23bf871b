//! Access to components that is known only at run time, for [`DynamicSystem::queries`].
//!
//! [`DynamicSystem::queries`]: crate::dynamic::DynamicSystem::queries

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use super::{Component, EntityStore, component};
use crate::base::identity::Name;
use crate::data::access::{AccessKind, AccessSet, FilterTerm, ResourceId, ResourceType, interned};

/// A component of the entities in `S`, as a value. Programs that choose components at run time keep these values, for example
/// in a map by name.
pub struct ComponentId<S> {
    component: ResourceType,
    store: PhantomData<fn() -> S>,
}

impl<S: EntityStore> ComponentId<S> {
    /// Returns the id of `C`.
    pub const fn of<C: Component>() -> Self {
        Self {
            component: component::<S, C>(),
            store: PhantomData,
        }
    }

    /// Returns the resource that stands for the component.
    pub(crate) const fn resource_type(&self) -> &ResourceType {
        &self.component
    }

    /// Returns the name of the component, without its store.
    pub const fn name(self) -> Name {
        self.component.name.without_store()
    }
}

impl<S> Clone for ComponentId<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for ComponentId<S> {}

impl<S> PartialEq for ComponentId<S> {
    fn eq(&self, other: &Self) -> bool {
        self.component.type_id == other.component.type_id
    }
}

impl<S> Eq for ComponentId<S> {}

impl<S> Hash for ComponentId<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.component.type_id.hash(state);
    }
}

impl<S> fmt::Debug for ComponentId<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ComponentId({})", self.component.name)
    }
}

impl<S> From<ComponentId<S>> for ResourceId {
    fn from(id: ComponentId<S>) -> Self {
        Self::of_type(&id.component)
    }
}

/// The components that a [`DynamicSystem`](crate::dynamic::DynamicSystem) accesses, and the filter of the entities, as values.
///
/// As in a query with types, a component that is read or written is also part of the filter, unless it is optional.
///
/// ```
/// use schedule::dynamic::DynamicSystem;
/// use schedule::entity::{Component, ComponentId, DynamicQuery, EntityStore};
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Store;
///
/// impl EntityStore for Store {}
///
/// #[derive(Component)]
/// struct Position;
///
/// #[derive(Component)]
/// struct Frozen;
///
/// let components = [ComponentId::<Store>::of::<Position>(), ComponentId::of::<Frozen>()];
/// let find = |name: &str| components.into_iter().find(|one| one.name().to_string() == name).unwrap();
/// let script = |name: &str, query| DynamicSystem::new(name, |_| ()).queries(query);
///
/// let moving = DynamicQuery::new().writes(find("Position")).without(find("Frozen"));
/// let frozen = DynamicQuery::new().writes(find("Position")).with(find("Frozen"));
/// let all = DynamicQuery::new().reads(find("Position"));
/// Schedule::builder()
///     .add_dynamic(script("move", moving))
///     .add_dynamic(script("melt", frozen.clone()))
///     .build()?;
///
/// let error = Schedule::builder()
///     .add_dynamic(script("melt", frozen))
///     .add_dynamic(script("draw", all))
///     .build()
///     .unwrap_err();
/// assert!(error.to_string().contains("race on `Position`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynamicQuery<S> {
    uses: Vec<(ResourceType, bool)>,
    filter: Vec<FilterTerm>,
    store: PhantomData<fn() -> S>,
}

impl<S: EntityStore> DynamicQuery<S> {
    /// Creates a query without components, which matches all entities.
    pub const fn new() -> Self {
        Self {
            uses: Vec::new(),
            filter: Vec::new(),
            store: PhantomData,
        }
    }

    /// Reads a component, like the term `&C`.
    pub fn reads(self, component: ComponentId<S>) -> Self {
        self.reads_optional(component).with(component)
    }

    /// Writes a component, and can read it, like the term `&mut C`.
    pub fn writes(self, component: ComponentId<S>) -> Self {
        self.writes_optional(component).with(component)
    }

    /// Reads a component of the entities that have it, like the term `Option<&C>`.
    pub fn reads_optional(mut self, component: ComponentId<S>) -> Self {
        self.uses.push((component.component, false));
        self
    }

    /// Writes a component of the entities that have it, and can read it, like the term `Option<&mut C>`.
    pub fn writes_optional(mut self, component: ComponentId<S>) -> Self {
        self.uses.push((component.component, true));
        self
    }

    /// Matches only entities that have the component.
    pub fn with(mut self, component: ComponentId<S>) -> Self {
        self.filter.push(FilterTerm::With(component.component));
        self
    }

    /// Matches only entities that do not have the component.
    pub fn without(mut self, component: ComponentId<S>) -> Self {
        self.filter.push(FilterTerm::Without(component.component));
        self
    }

    /// Adds the access to the store and to its components.
    pub(crate) fn declare(self, access: &mut AccessSet) {
        access.push(&ResourceType::of::<S>(), AccessKind::Read, false);
        let filter = interned(self.filter);
        access.push_query(ResourceId::of::<S>(), filter);
        for (component, is_write) in self.uses {
            access.push_component(&component, is_write, filter);
        }
    }
}

impl<S: EntityStore> Default for DynamicQuery<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Clone for DynamicQuery<S> {
    fn clone(&self) -> Self {
        Self {
            uses: self.uses.clone(),
            filter: self.filter.clone(),
            store: PhantomData,
        }
    }
}

impl<S> fmt::Debug for DynamicQuery<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicQuery")
            .field("uses", &self.uses)
            .field("filter", &self.filter)
            .finish()
    }
}
