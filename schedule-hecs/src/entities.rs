//! The entities of a world, and the marks of its watched components.
//!
//! Each method changes both. If a change panics, the marks are dropped, and watchers look for the first time again.

use core::any::TypeId;
use core::mem::take;
use core::sync::atomic::{AtomicU64, Ordering};

use hecs::{Bundle, Component, ComponentError, DynamicBundle, Entity, NoSuchEntity};

use crate::location::Location;
use crate::watched::{Changes, Watched};

/// Entities in hecs, and the marks of watched components.
#[derive(Default)]
#[expect(unnameable_types, reason = "only queries refer to it")]
pub struct Entities {
    world: hecs::World,
    watched: Watched,
    /// How often a component was watched first. A part of the version of the world.
    n_watched: AtomicU64,
}

impl Entities {
    #[inline]
    pub(crate) fn hecs(&self) -> &hecs::World {
        &self.world
    }

    /// Returns the entities for arbitrary changes.
    pub(crate) fn hecs_mut(&mut self) -> &mut hecs::World {
        self.watched.set_aside(&self.world);
        &mut self.world
    }

    pub(crate) fn into_hecs(self) -> hecs::World {
        self.world
    }

    /// Changes when a component is watched first.
    #[inline]
    pub(crate) fn n_watched(&self) -> u64 {
        // Acquire: pairs with the Release in `watch`, so that the marks are found. A system with `Removed` does not conflict with writers.
        self.n_watched.load(Ordering::Acquire)
    }

    /// Begins to watch a component, unless it is watched.
    pub(crate) fn watch(&self, component: TypeId) -> Changes<'_> {
        let (changes, is_new) = self.watched.watch(component, &self.world);
        if is_new {
            // Release: pairs with the Acquire in `n_watched`.
            self.n_watched.fetch_add(1, Ordering::Release);
        }
        changes
    }

    /// Returns the changes of a component, if it is watched.
    #[inline]
    pub(crate) fn changes(&self, component: TypeId) -> Option<Changes<'_>> {
        self.watched.find(component, &self.world)
    }

    /// Marks a component of an entity as written, if it is watched.
    #[inline]
    pub(crate) fn mark(&self, component: TypeId, entity: Entity) {
        if let Some(changes) = self.changes(component)
            && let Some(place) = Location::of(&self.world, entity)
        {
            changes.mark(place);
        }
    }

    /// Returns a component of an entity, if both exist. It counts as written.
    pub(crate) fn get_mut<C: Component>(&mut self, entity: Entity) -> Option<&mut C> {
        if self.hecs().satisfies::<&C>(entity) {
            self.mark(TypeId::of::<C>(), entity);
        }
        self.world.query_one_mut::<&mut C>(entity).ok()
    }

    /// Changes the entities by `change`, and notes the result by `note`.
    #[inline]
    fn change<R>(
        &mut self,
        change: impl FnOnce(&mut hecs::World) -> R,
        note: impl FnOnce(&mut Watched, &hecs::World, &R),
    ) -> R {
        if self.watched.is_empty() {
            return change(&mut self.world);
        }
        let mut watched = take(&mut self.watched);
        watched.begin(&self.world);
        let result = change(&mut self.world);
        note(&mut watched, &self.world, &result);
        self.watched = watched;
        result
    }

    #[inline]
    pub(crate) fn spawn(&mut self, components: impl DynamicBundle) -> Entity {
        self.change(
            |world| world.spawn(components),
            |watched, world, &entity| watched.spawned(world, &[entity]),
        )
    }

    /// Creates an entity for each bundle, and calls a function with each.
    #[inline]
    pub(crate) fn spawn_batch<I>(&mut self, bundles: I, mut each: impl FnMut(Entity))
    where
        I: IntoIterator<Item: Bundle + 'static>,
    {
        if self.watched.is_empty() {
            self.world.spawn_batch(bundles).for_each(each);
            return;
        }
        let all = self.change(
            |world| world.spawn_batch(bundles).collect::<Vec<_>>(),
            |watched, world, all| watched.spawned(world, all),
        );
        all.into_iter().for_each(&mut each);
    }

    #[inline]
    pub(crate) fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let place = self.place(entity);
        self.change(
            |world| world.despawn(entity),
            |watched, world, _| {
                if let Some(place) = place {
                    watched.despawned(world, entity, place);
                }
            },
        )
    }

    pub(crate) fn clear(&mut self) {
        // If the drop of a component panics, the marks are dropped, because rows of other archetypes stay.
        let mut watched = take(&mut self.watched);
        if !watched.is_empty() {
            watched.clear(&self.world);
        }
        self.world.clear();
        self.watched = watched;
    }

    #[inline]
    pub(crate) fn insert(
        &mut self,
        entity: Entity,
        components: impl DynamicBundle,
    ) -> Result<(), NoSuchEntity> {
        let place = self.place(entity);
        let inserted = match place {
            None => Vec::new(),
            Some(_) => components.with_ids(<[TypeId]>::to_vec),
        };
        self.change(
            |world| world.insert(entity, components),
            |watched, world, _| {
                if let Some(place) = place {
                    watched.moved(world, entity, place, &inserted);
                }
            },
        )
    }

    #[inline]
    pub(crate) fn remove<B: Bundle + 'static>(
        &mut self,
        entity: Entity,
    ) -> Result<B, ComponentError> {
        let place = self.place(entity);
        self.change(
            |world| world.remove(entity),
            |watched, world, removed| {
                if let (Some(place), Ok(_)) = (place, removed) {
                    watched.moved(world, entity, place, &[]);
                }
            },
        )
    }

    /// Returns the place of an entity, if a component is watched.
    #[inline]
    fn place(&self, entity: Entity) -> Option<Location> {
        if self.watched.is_empty() {
            return None;
        }
        Location::of(&self.world, entity)
    }
}

impl From<hecs::World> for Entities {
    fn from(world: hecs::World) -> Self {
        Self {
            world,
            ..Self::default()
        }
    }
}

impl core::fmt::Debug for Entities {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Entities({})", self.world.len())
    }
}
