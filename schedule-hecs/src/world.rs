//! The resource that stores entities.

use core::fmt;
use core::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use hecs::{ArchetypesGeneration, Bundle, ComponentError, DynamicBundle, Entity, NoSuchEntity};
use schedule::entity::{Component, EntityStore};
use schedule::identity::Name;
use schedule::{Identity, Resource};

use crate::filter::QueryFilter;
use crate::query::{PreparedQuery, Query};
use crate::term::QueryTerms;

/// A store of entities, as a resource.
///
/// `T` distinguishes several worlds of one program: `World<Ships>` and `World<Planets>` are different resources, and so are
/// their components.
///
/// A shared reference gives no access to components, because that access would not be verified. Systems take a [`Query`].
/// A system that takes `&mut World` is ordered against every query, and can do everything.
pub struct World<T = ()> {
    entities: hecs::World,
    /// Distinguishes worlds, for prepared queries. It changes whenever the archetypes may be others.
    id: u64,
    tag: PhantomData<fn() -> T>,
}

impl<T: Identity + 'static> Identity for World<T> {
    const ID: u128 = schedule::__private::mix(
        schedule::__private::declared_at(module_path!(), "World", line!(), column!()),
        T::ID,
    );
    const NAME: Name = match is_default::<T>() {
        true => Name::new("World"),
        false => schedule::__private::generic_name(
            "World",
            &[schedule::__private::Argument::Type(T::NAME)],
        ),
    };
}

impl<T: Identity + 'static> Resource for World<T> {}

impl<T: Identity + 'static> EntityStore for World<T> {
    const LABEL: Option<&'static Name> = match is_default::<T>() {
        true => None,
        false => Some(&<Self as Identity>::NAME),
    };
}

/// Whether `T` is the tag of a world without a tag.
const fn is_default<T: Identity>() -> bool {
    T::ID == <() as Identity>::ID
}

impl World {
    /// Creates a world without a tag and without entities.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<T> World<T> {
    /// Creates a world without entities. The type names its tag: `World::<Ships>::with_tag()`.
    pub fn with_tag() -> Self {
        Self::default()
    }

    /// Creates an entity with these components.
    pub fn spawn(&mut self, components: impl DynamicBundle) -> Entity {
        self.entities.spawn(components)
    }

    /// Creates an entity for each bundle. Faster than single calls of [`World::spawn`].
    pub fn spawn_batch<I>(&mut self, bundles: I) -> Vec<Entity>
    where
        I: IntoIterator<Item: Bundle + 'static>,
    {
        self.entities.spawn_batch(bundles).collect()
    }

    /// Removes an entity and its components.
    ///
    /// # Errors
    ///
    /// Fails if the entity does not exist.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.entities.despawn(entity)
    }

    /// Removes all entities.
    pub fn clear(&mut self) {
        self.entities.clear();
    }

    /// Adds components to an entity, and replaces those that it has.
    ///
    /// # Errors
    ///
    /// Fails if the entity does not exist.
    pub fn insert(
        &mut self,
        entity: Entity,
        components: impl DynamicBundle,
    ) -> Result<(), NoSuchEntity> {
        self.entities.insert(entity, components)
    }

    /// Removes components from an entity, and returns them.
    ///
    /// # Errors
    ///
    /// Fails if the entity does not exist, or if it does not have all of these components. It then keeps them.
    pub fn remove<B: Bundle + 'static>(&mut self, entity: Entity) -> Result<B, ComponentError> {
        self.entities.remove(entity)
    }

    /// Returns a component of an entity, if both exist.
    pub fn get<C: Component>(&mut self, entity: Entity) -> Option<&mut C> {
        self.entities.query_one_mut::<&mut C>(entity).ok()
    }

    /// Whether an entity exists.
    pub fn contains(&self, entity: Entity) -> bool {
        self.entities.contains(entity)
    }

    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.entities.len() as usize
    }

    /// Whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Returns all entities. The order depends on their components, and is the same for equal histories.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.entities.iter().map(|entity| entity.entity())
    }

    /// Queries the entities outside of a schedule, or in a system that takes the world exclusively.
    ///
    /// ```
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3),));
    /// world.spawn((Health(4),));
    /// assert_eq!(world.query::<&Health>().iter().map(|health| health.0).sum::<i32>(), 7);
    /// ```
    pub fn query<Q: QueryTerms>(&mut self) -> Query<'_, Q, (), T> {
        self.query_filtered()
    }

    /// Queries the entities that match a filter, as [`World::query`] does.
    pub fn query_filtered<Q: QueryTerms, F: QueryFilter>(&mut self) -> Query<'_, Q, F, T> {
        Query::new(self, PreparedQuery::default().into())
    }

    /// Returns the hecs world.
    ///
    /// Queries prepare themselves anew after each call. Use the methods of this type where they suffice.
    pub fn hecs_mut(&mut self) -> &mut hecs::World {
        self.id = new_id();
        &mut self.entities
    }

    /// Returns the hecs world.
    pub fn into_hecs(self) -> hecs::World {
        self.entities
    }

    pub(crate) fn hecs(&self) -> &hecs::World {
        &self.entities
    }

    /// A value that changes with the archetypes, and differs between worlds.
    pub(crate) fn version(&self) -> WorldVersion {
        WorldVersion {
            id: self.id,
            generation: self.entities.archetypes_generation(),
        }
    }
}

/// See [`World::version`].
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct WorldVersion {
    id: u64,
    generation: ArchetypesGeneration,
}

fn new_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(0);
    // Relaxed: only the number itself must be unique.
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

impl<T> From<hecs::World> for World<T> {
    fn from(entities: hecs::World) -> Self {
        Self {
            entities,
            id: new_id(),
            tag: PhantomData,
        }
    }
}

impl<T> Default for World<T> {
    fn default() -> Self {
        hecs::World::new().into()
    }
}

impl<T> fmt::Debug for World<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World({} entities)", self.len())
    }
}
