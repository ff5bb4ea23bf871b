//! Commands: a system records changes of entities, which are applied later.

mod buffer;

use core::fmt;
use core::panic::Location;

use self::buffer::ColumnsBuffer;
use super::id::EntityId;
use super::kind::EntityKind;
use super::store::Columns;
use crate::base::user_value::UserValue;
use crate::data::entity::{EntityTarget, Ticket};
use crate::data::param::Commands;

impl<D> Commands<'_, D> {
    /// Returns the commands on the entities in [`Columns<K>`].
    ///
    /// They are applied like all commands, in the order of the systems in a serial run. So the ids of new entities and the rows
    /// depend neither on threads nor on timing. The commands of a failed system are dropped.
    ///
    /// ```
    /// use schedule::columns::{ColumnRef, Columns};
    /// use schedule::entity::Component;
    /// use schedule::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Fuel(u32);
    ///
    /// #[derive(Columns)]
    /// struct Rocket {
    ///     fuel: Fuel,
    /// }
    ///
    /// #[system(for_each = Columns<Rocket>)]
    /// fn burn(fuel: &mut Fuel) {
    ///     fuel.0 -= 1;
    /// }
    ///
    /// #[system(after = burn)]
    /// fn replace(fuels: ColumnRef<Rocket, Fuel>, mut commands: Commands) {
    ///     for (fuel, &rocket) in fuels.iter().zip(fuels.ids()) {
    ///         if fuel.0 == 0 {
    ///             commands.columns().despawn(rocket);
    ///             commands.columns().spawn(Rocket { fuel: Fuel(3) });
    ///         }
    ///     }
    /// }
    ///
    /// let mut rockets = Columns::new();
    /// let first = rockets.spawn(Rocket { fuel: Fuel(1) });
    /// let mut resources = Resources::new();
    /// resources.insert(rockets);
    /// Schedule::builder().add::<burn>().add::<replace>().build()?.run(&mut resources)?;
    /// let rockets = resources.get_mut::<Columns<Rocket>>().unwrap();
    /// assert!(!rockets.contains(first));
    /// assert_eq!(rockets.column::<Fuel>()[0].0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the type of the commands declares changes, but none in `Columns<K>`. Without a declaration: if the system does not access
    /// `Columns<K>`. Write `Commands<Changes<Columns<K>>>` then.
    #[track_caller]
    pub fn columns<K: EntityKind>(&mut self) -> ColumnsCommands<'_, K> {
        ColumnsCommands {
            buffer: self.store_buffer::<Columns<K>, _>().0,
        }
    }
}

/// Commands on the entities of one kind. Returned by [`Commands::columns`].
pub struct ColumnsCommands<'c, K: EntityKind> {
    buffer: &'c mut ColumnsBuffer<K>,
}

impl<K: EntityKind> ColumnsCommands<'_, K> {
    /// Adds an entity in a new row, and returns a ticket for it.
    ///
    /// The entity has no id yet. Later commands accept the ticket, also those of other systems.
    ///
    /// ```
    /// use schedule::columns::Columns;
    /// use schedule::entity::Component;
    /// use schedule::param::CommandQueue;
    /// use schedule::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Height(u32);
    ///
    /// #[derive(Columns)]
    /// struct Tower {
    ///     height: Height,
    /// }
    ///
    /// let mut queue = CommandQueue::new();
    /// let mut commands: Commands = queue.commands();
    /// let tower = commands.columns().spawn(Tower { height: Height(7) });
    /// assert_eq!(tower.entity(), None);
    ///
    /// let mut resources = Resources::new();
    /// resources.insert(Columns::<Tower>::new());
    /// queue.apply(&mut resources);
    /// let towers = resources.get::<Columns<Tower>>().unwrap();
    /// assert_eq!(towers.row(tower.entity().unwrap()), Some(0));
    /// ```
    pub fn spawn(&mut self, entity: K) -> Ticket<EntityId<K>> {
        self.buffer.spawn(entity)
    }

    /// Adds entities in new rows, in their order. Faster than single spawns, but without tickets.
    ///
    /// The iterator is consumed by the call.
    pub fn spawn_batch(&mut self, entities: impl IntoIterator<Item = K>) {
        // The iterator may panic, and the caller may catch the panic. So the buffer changes after its end.
        let entities = entities.into_iter().map(UserValue::new).collect();
        self.buffer.spawn_batch(entities);
    }

    /// Removes an entity: an [`EntityId`], or the [`Ticket`] of a spawn.
    ///
    /// If the entity does not exist, the command has no effect, and [`Columns::missed`] reports it.
    #[track_caller]
    pub fn despawn(&mut self, entity: impl Into<EntityTarget<EntityId<K>>>) {
        self.buffer.despawn(entity.into(), Location::caller());
    }

    /// Removes all entities that exist when the command is applied.
    pub fn clear(&mut self) {
        self.buffer.clear();
    }
}

impl<K: EntityKind> fmt::Debug for ColumnsCommands<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnsCommands({} recorded)", self.buffer.n_ops())
    }
}
