//! The resource that stores entities.

use core::fmt;
use core::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use hecs::{Bundle, ComponentError, DynamicBundle, Entity, NoSuchEntity};
use schedule::Identity;
use schedule::entity::{Component, EntityStore};
use schedule::identity::Name;
use schedule::internal::{Argument, Loans, declared_here, generic_name, mix};

use crate::entities::Entities;
use crate::missed::MissedCommands;

/// A store of entities, as a resource.
///
/// `T` distinguishes several worlds of one program: `World<Ships>` and `World<Planets>` are different resources, and so are
/// their components.
///
/// A shared reference gives no access to components, because that access would not be verified. Systems take a
/// [`Query`](crate::Query). A system that takes `&mut World` can do everything. It conflicts with every query of this world, so it
/// needs an order with each system that has one.
pub struct World<T = ()> {
    entities: Entities,
    version: WorldVersion,
    missed: MissedCommands,
    loans: Loans,
    tag: PhantomData<fn() -> T>,
}

impl<T: Identity + 'static> Identity for World<T> {
    const ID: u128 = mix(declared_here(module_path!(), "World"), T::ID);
    const NAME: Name = if is_default::<T>() {
        Name::new("World").of_default_store()
    } else {
        generic_name("World", &[Argument::Type(T::NAME)]).of_store()
    };
}

impl<T: Identity + 'static> EntityStore for World<T> {
    const LABEL: Option<&'static Name> = if is_default::<T>() {
        None
    } else {
        Some(&<Self as Identity>::NAME)
    };
}

/// The types of components that are removed together: a tuple, or a type with `#[derive(hecs::Bundle)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bundle of components",
    label = "not a bundle",
    note = "write a tuple of types, as in `remove::<({Self},)>()` for one component; components must be `Send`, `Sync` and `'static`"
)]
pub trait RemovedBundle: Bundle + 'static {}

#[diagnostic::do_not_recommend]
impl<B: Bundle + 'static> RemovedBundle for B {}

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
        self.entities_mut().spawn(components)
    }

    /// Creates an entity for each bundle. Faster than single calls of [`World::spawn`].
    pub fn spawn_batch<I>(&mut self, bundles: I) -> Vec<Entity>
    where
        I: IntoIterator<Item: Bundle + 'static>,
    {
        let mut all = Vec::new();
        self.entities_mut()
            .spawn_batch(bundles, |entity| all.push(entity));
        all
    }

    /// Removes an entity and its components.
    ///
    /// # Errors
    ///
    /// Fails if the entity does not exist.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        self.entities_mut().despawn(entity)
    }

    /// Removes all entities.
    pub fn clear(&mut self) {
        self.entities_mut().clear();
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
        self.entities_mut().insert(entity, components)
    }

    /// Removes components from an entity, and returns them.
    ///
    /// # Errors
    ///
    /// Fails if the entity does not exist, or if one of these components is missing. It then removes none of them.
    pub fn remove<B: RemovedBundle>(&mut self, entity: Entity) -> Result<B, ComponentError> {
        self.entities_mut().remove(entity)
    }

    /// Returns a component of an entity, if both exist. O(1).
    ///
    /// It takes `&mut self`, because a system with `&World` can run at the same time as a query that writes.
    pub fn get_mut<C: Component>(&mut self, entity: Entity) -> Option<&mut C> {
        self.entities.get_mut(entity)
    }

    /// Whether an entity exists.
    pub fn contains(&self, entity: Entity) -> bool {
        self.hecs().contains(entity)
    }

    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.hecs().len() as usize
    }

    /// Whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.hecs().is_empty()
    }

    /// Returns all entities. The order depends on their components, and is the same for equal histories.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.hecs().iter().map(|entity| entity.entity())
    }

    /// Returns the commands that had no effect since the last call of [`World::take_missed`], with the
    /// [reason](crate::MissedReason) for each.
    ///
    /// ```
    /// use schedule::param::CommandQueue;
    /// use schedule::prelude::*;
    /// use schedule_hecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(());
    /// let mut resources = Resources::new();
    /// resources.insert(world);
    ///
    /// let mut queue = CommandQueue::new();
    /// let mut commands: Commands = queue.commands();
    /// commands.entity(entity).despawn();
    /// commands.entity(entity).despawn();
    /// queue.apply(&mut resources);
    ///
    /// let missed = resources.get_mut::<World>().unwrap().take_missed();
    /// assert_eq!(missed.n_total(), 1);
    /// assert_eq!(missed.first()[0].entity, Some(entity));
    /// assert_eq!(missed.first()[0].reason, schedule_hecs::MissedReason::NoSuchEntity);
    /// ```
    pub fn missed(&self) -> &MissedCommands {
        &self.missed
    }

    /// Returns the commands that had no effect, as [`World::missed`] does, and forgets them.
    pub fn take_missed(&mut self) -> MissedCommands {
        core::mem::take(&mut self.missed)
    }

    /// Returns the hecs world. Queries look up their columns again after each call.
    ///
    /// If a system watches changes of a component, all entities that have it count as changed afterwards. O(entities that have it). Entities
    /// that got or lost it are found exactly.
    pub fn hecs_mut(&mut self) -> &mut hecs::World {
        self.entities_mut().hecs_mut()
    }

    /// Returns the entities, to add or remove entities or components.
    fn entities_mut(&mut self) -> &mut Entities {
        self.version.n_changes += 1;
        &mut self.entities
    }

    /// Returns the hecs world.
    pub fn into_hecs(self) -> hecs::World {
        self.entities.into_hecs()
    }

    #[inline]
    pub(crate) fn hecs(&self) -> &hecs::World {
        self.entities.hecs()
    }

    #[inline]
    pub(crate) fn entities_ref(&self) -> &Entities {
        &self.entities
    }

    /// The entities, and the report of commands that have no effect.
    pub(crate) fn parts_mut(&mut self) -> (&mut Entities, &mut MissedCommands) {
        self.version.n_changes += 1;
        (&mut self.entities, &mut self.missed)
    }

    /// Replaces the entities.
    pub(crate) fn replace(&mut self, entities: hecs::World) {
        // First: queries that were prepared refer to the old entities, and the drop of a component can panic.
        self.version = WorldVersion::new();
        self.missed = MissedCommands::default();
        drop(core::mem::replace(&mut self.entities, entities.into()));
    }

    pub(crate) fn loans(&self) -> &Loans {
        &self.loans
    }

    pub(crate) fn version(&self) -> WorldVersion {
        WorldVersion {
            n_changes: self.version.n_changes + self.entities.n_watched(),
            ..self.version
        }
    }
}

/// A value that differs between worlds, and changes whenever entities or components are added or removed,
/// or a component is watched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldVersion {
    id: u64,
    n_changes: u64,
}

impl WorldVersion {
    fn new() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Self {
            // Relaxed: only the number itself must be unique.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            n_changes: 0,
        }
    }
}

impl<T> From<hecs::World> for World<T> {
    fn from(entities: hecs::World) -> Self {
        Self {
            entities: entities.into(),
            version: WorldVersion::new(),
            missed: MissedCommands::default(),
            loans: Loans::new(),
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
