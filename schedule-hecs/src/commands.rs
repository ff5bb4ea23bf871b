//! Commands: a system records changes of entities, which are applied later.

mod buffer;
mod bundle;

use core::any::TypeId;
use core::panic::Location;

use hecs::{Bundle, Entity};
use schedule::entity::{self, DeferredWrites};
use schedule::param::DeclaredChanges;
use schedule::{Commands, Identity};

use crate::world::{RemovedBundle, World};

use self::buffer::{Call, EntityBuffer};
pub use self::bundle::IntoBundle;
use self::bundle::Stored;

/// An entity of a [`World`] that a command will create.
pub type Ticket = entity::Ticket<Entity>;

/// An entity that a command changes: an [`Entity`], or a [`Ticket`].
pub type EntityTarget = entity::EntityTarget<Entity>;

/// Commands on the entities of a [`World`]: methods of [`Commands`].
///
/// They are applied like all commands: at the next sync point (`apply_commands`) or at the end of the run, in the order of
/// the systems in a serial run. So the ids of new entities depend neither on threads nor on timing. The commands of a failed system are
/// dropped.
///
/// The methods without the name of a world are commands on the world without a tag.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(i32);
///
/// #[derive(Component)]
/// struct Corpse;
///
/// #[system]
/// fn bury(dying: Query<(Entity, &Health), Without<Corpse>>, mut commands: Commands) {
///     for (entity, health) in &dying {
///         if health.0 <= 0 {
///             commands.entity(entity).insert((Corpse,)).remove::<(Health,)>();
///         }
///     }
/// }
///
/// #[system]
/// fn spawn(mut commands: Commands) {
///     let wolf = commands.spawn((Health(5),));
///     commands.entity(wolf).insert((Corpse,));
/// }
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(0),));
/// let mut resources = Resources::new();
/// resources.insert(world);
///
/// let mut frame = Schedule::builder().add::<bury>().add::<spawn>().build()?;
/// frame.run(&mut resources)?;
/// let world = resources.get_mut::<World>().unwrap();
/// assert!(world.get_mut::<Health>(entity).is_none());
/// assert_eq!(world.query::<&Corpse>().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CommandsExt: sealed::SealedCommands {
    /// Returns the commands on the [`World`] with the tag `T`.
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Identity)]
    /// struct Ships;
    ///
    /// #[derive(Component)]
    /// struct Crew(u32);
    ///
    /// #[system]
    /// fn build(mut commands: Commands<Changes<World<Ships>>>) {
    ///     commands.world::<Ships>().spawn((Crew(3),));
    /// }
    ///
    /// let mut resources = Resources::new();
    /// resources.insert(World::<Ships>::with_tag());
    /// Schedule::builder().add::<build>().build()?.run(&mut resources)?;
    /// assert_eq!(resources.get::<World<Ships>>().unwrap().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the type of the commands declares changes, but none in `World<T>`. Without a declaration: if `T` is not `()`, and the system
    /// does not access `World<T>`. Write `Commands<Changes<World<T>>>` then.
    #[track_caller]
    fn world<T: Identity + 'static>(&mut self) -> WorldCommands<'_, T>;

    /// Creates an entity with these components. See [`WorldCommands::spawn`].
    #[track_caller]
    fn spawn<K>(&mut self, components: impl IntoBundle<K>) -> Ticket {
        self.world::<()>().spawn(components)
    }

    /// Creates an entity for each bundle. See [`WorldCommands::spawn_batch`].
    #[track_caller]
    fn spawn_batch<I>(&mut self, bundles: I)
    where
        I: IntoIterator<Item: Bundle + Send + 'static>,
    {
        self.world::<()>().spawn_batch(bundles);
    }

    /// Returns the commands on one entity. See [`WorldCommands::entity`].
    #[track_caller]
    fn entity(&mut self, entity: impl Into<EntityTarget>) -> EntityCommands<'_> {
        self.world::<()>().into_entity(entity.into())
    }
}

impl<D> CommandsExt for Commands<'_, D> {
    fn world<T: Identity + 'static>(&mut self) -> WorldCommands<'_, T> {
        let (buffer, declared) = self.store_buffer::<World<T>, _>();
        WorldCommands { buffer, declared }
    }
}

impl<D> sealed::SealedCommands for Commands<'_, D> {}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedCommands {}
}

/// Declares that commands change the component `C`: they insert it, remove it, or despawn entities that have it.
///
/// Two systems that declare the same component conflict, and need an order. Without the declaration they do not conflict:
/// their commands are applied in the order of a serial run, also if no order is declared. `T` is the tag of the world.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component)]
/// struct Target(Entity);
///
/// #[system]
/// fn aim(all: Query<Entity>, mut commands: Commands<Writes<Target>>) {
///     for entity in &all {
///         commands.entity(entity).insert((Target(entity),));
///     }
/// }
///
/// #[system]
/// fn forget(aiming: Query<Entity, With<Target>>, mut commands: Commands<Writes<Target>>) {
///     for entity in &aiming {
///         commands.entity(entity).remove::<(Target,)>();
///     }
/// }
///
/// let error = Schedule::builder().add::<aim>().add::<forget>().build().unwrap_err();
/// assert!(error.to_string().contains("race on `deferred Target`"));
/// Schedule::builder().add::<aim>().add::<forget>().order("aim", "forget").build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// See [`DeferredWrites`].
pub type Writes<C, T = ()> = DeferredWrites<C, World<T>>;

/// Commands on the entities of one world. Returned by [`CommandsExt::world`].
#[derive(Debug)]
pub struct WorldCommands<'c, T = ()> {
    buffer: &'c mut EntityBuffer<T>,
    declared: DeclaredChanges<'c>,
}

/// Rejects a change of components that the commands do not declare.
#[track_caller]
#[inline]
fn check<S: Stored>(declared: DeclaredChanges<'_>, stored: &S) {
    if !declared.is_all() {
        for component in stored.component_types() {
            declared.check_component(component, core::any::type_name::<S>());
        }
    }
}

#[track_caller]
#[inline]
fn check_types<B: Bundle + 'static>(declared: DeclaredChanges<'_>) {
    if !declared.is_all() {
        let types = B::with_static_ids(<[TypeId]>::to_vec);
        for component in types {
            declared.check_component(component, core::any::type_name::<B>());
        }
    }
}

impl<'c, T> WorldCommands<'c, T> {
    /// Creates an entity with these components, and returns a ticket for it.
    ///
    /// The entity has no id yet. Later commands accept the ticket, also those of other systems. Consecutive spawns of one
    /// type are applied together, with the same ids as one by one.
    ///
    /// ```
    /// use schedule::param::CommandQueue;
    /// use schedule::prelude::*;
    /// use schedule_hecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Tower;
    ///
    /// #[derive(Component)]
    /// struct Flag;
    ///
    /// let mut queue = CommandQueue::new();
    /// let mut commands: Commands = queue.commands();
    /// let tower = commands.spawn((Tower,));
    /// commands.entity(&tower).insert((Flag,));
    /// assert_eq!(tower.entity(), None);
    ///
    /// let mut resources = Resources::new();
    /// resources.insert(World::new());
    /// queue.apply(&mut resources);
    /// let entity = tower.entity().unwrap();
    /// assert!(resources.get_mut::<World>().unwrap().get_mut::<Flag>(entity).is_some());
    /// ```
    ///
    /// # Panics
    ///
    /// If the type of the commands declares the components that they change, but not all of these.
    #[track_caller]
    pub fn spawn<K>(&mut self, components: impl IntoBundle<K>) -> Ticket {
        match components.into_stored() {
            Some(stored) => {
                check(self.declared, &stored);
                self.buffer.spawn(stored)
            }
            None => self.buffer.spawn(bundle::OfType(())),
        }
    }

    /// Creates an entity for each bundle. Faster than single spawns, but without tickets.
    ///
    /// The iterator is consumed by the call.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    #[track_caller]
    pub fn spawn_batch<I>(&mut self, bundles: I)
    where
        I: IntoIterator<Item: Bundle + Send + 'static>,
    {
        check_types::<I::Item>(self.declared);
        self.buffer.spawn_batch(bundles);
    }

    /// Returns the commands on one entity: an [`Entity`], or the [`Ticket`] of a spawn.
    pub fn entity(&mut self, entity: impl Into<EntityTarget>) -> EntityCommands<'_, T> {
        EntityCommands {
            buffer: self.buffer,
            declared: self.declared,
            target: entity.into(),
        }
    }

    fn into_entity(self, target: EntityTarget) -> EntityCommands<'c, T> {
        EntityCommands {
            buffer: self.buffer,
            declared: self.declared,
            target,
        }
    }
}

/// Commands on one entity. Returned by [`CommandsExt::entity`].
///
/// A command on an entity that does not exist has no effect. [`World::missed`](crate::World::missed) reports it.
#[derive(Debug)]
pub struct EntityCommands<'c, T = ()> {
    buffer: &'c mut EntityBuffer<T>,
    declared: DeclaredChanges<'c>,
    target: EntityTarget,
}

impl<T> EntityCommands<'_, T> {
    /// Adds components to the entity, and replaces those that it has. `None` adds nothing.
    ///
    /// # Panics
    ///
    /// If the type of the commands declares the components that they change, but not all of these.
    #[track_caller]
    pub fn insert<K>(&mut self, components: impl IntoBundle<K>) -> &mut Self {
        if let Some(stored) = components.into_stored() {
            check(self.declared, &stored);
            self.buffer.insert(self.call(Location::caller()), stored);
        }
        self
    }

    /// Removes components from the entity.
    ///
    /// If one of these components is missing, the command removes none of them, and [`World::missed`](crate::World::missed)
    /// reports it.
    ///
    /// # Panics
    ///
    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn remove<B: RemovedBundle>(&mut self) -> &mut Self {
        check_types::<B>(self.declared);
        self.buffer.remove::<B>(self.call(Location::caller()));
        self
    }

    /// Removes the entity and its components.
    #[track_caller]
    pub fn despawn(&mut self) {
        self.buffer.despawn(self.call(Location::caller()));
    }

    fn call(&self, location: &'static Location<'static>) -> Call {
        Call {
            target: self.target.clone(),
            location,
        }
    }
}
