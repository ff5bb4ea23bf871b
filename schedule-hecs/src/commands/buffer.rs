//! The buffer of commands on the entities of one world.

use core::any::{Any, TypeId};
use core::fmt;
use core::marker::PhantomData;
use core::panic::Location;

use hecs::{Bundle, ComponentError, Entity, TypeIdMap};
use schedule::entity::{CommandKind, IssuedTickets};
use schedule::internal::UserValue;
use schedule::param::CommandBuffer;
use schedule::{Identity, Resources};

use super::bundle::{AnyColumn, Column, OfType, Stored};
use super::{EntityTarget, Ticket};
use crate::entities::Entities;
use crate::missed::{MissedCommand, reason};
use crate::world::World;

/// Consecutive commands of a system on entities.
///
/// Components are stored by type, so that a command needs no allocation of its own. `ops` is the order of all commands. Each
/// command with components takes the next value of its column.
pub(super) struct EntityBuffer<T> {
    ops: Vec<Op>,
    columns: Vec<Box<dyn AnyColumn>>,
    /// The index of the column of each type.
    column_of: TypeIdMap<usize>,
    tickets: IssuedTickets<Entity>,
    world: PhantomData<fn() -> T>,
}

/// A command, or consecutive spawns of one type.
enum Op {
    /// Creates `n` entities from the next values of a column.
    Spawn {
        column: usize,
        n: usize,
        has_tickets: bool,
    },
    /// Adds the components of the next value of a column.
    Insert { column: usize, call: Call },
    /// Removes components.
    Remove { remove: Remove, call: Call },
    /// Removes the entity.
    Despawn(Call),
}

type Remove = fn(&mut Entities, Entity) -> Result<(), ComponentError>;

/// A call of a method that recorded a command on an entity.
pub(super) struct Call {
    pub(super) target: EntityTarget,
    pub(super) location: &'static Location<'static>,
}

impl<T> EntityBuffer<T> {
    /// Records a spawn.
    pub(super) fn spawn<S: Stored>(&mut self, value: S) -> Ticket {
        let idx = self.column_idx::<S>();
        self.column::<S>(idx).push(value);
        self.add_spawns(idx, 1, true);
        self.tickets.issue()
    }

    /// Records the spawns of a batch.
    pub(super) fn spawn_batch<I>(&mut self, bundles: I)
    where
        I: IntoIterator<Item: Bundle + Send + 'static>,
    {
        // The iterator may panic, and the caller may catch the panic. So the buffer changes after its end.
        let values = bundles.into_iter().map(|one| UserValue::new(OfType(one)));
        let values: Vec<_> = values.collect();
        let n = values.len();
        if n > 0 {
            let idx = self.column_idx::<OfType<I::Item>>();
            self.column(idx).append(values);
            self.add_spawns(idx, n, false);
        }
    }

    pub(super) fn insert<S: Stored>(&mut self, call: Call, value: S) {
        let column = self.column_idx::<S>();
        self.column(column).push(value);
        self.ops.push(Op::Insert { column, call });
    }

    pub(super) fn remove<B: Bundle + 'static>(&mut self, call: Call) {
        let remove: Remove = |world, entity| world.remove::<B>(entity).map(drop);
        self.ops.push(Op::Remove { remove, call });
    }

    pub(super) fn despawn(&mut self, call: Call) {
        self.ops.push(Op::Despawn(call));
    }

    fn add_spawns(&mut self, idx: usize, n_more: usize, with_tickets: bool) {
        match self.ops.last_mut() {
            Some(Op::Spawn {
                column,
                n,
                has_tickets,
            }) if *column == idx && *has_tickets == with_tickets => *n += n_more,
            _ => self.ops.push(Op::Spawn {
                column: idx,
                n: n_more,
                has_tickets: with_tickets,
            }),
        }
    }

    fn column_idx<S: Stored>(&mut self) -> usize {
        let Self {
            columns, column_of, ..
        } = self;
        *column_of.entry(TypeId::of::<S>()).or_insert_with(|| {
            columns.push(Box::new(Column::<S>::default()));
            columns.len() - 1
        })
    }

    fn column<S: Stored>(&mut self, idx: usize) -> &mut Column<S> {
        let column: &mut dyn Any = &mut *self.columns[idx];
        column
            .downcast_mut()
            .expect("the index is that of the type")
    }
}

impl<T: Identity + 'static> CommandBuffer for EntityBuffer<T> {
    fn apply(self, resources: &mut Resources) {
        if self.ops.is_empty() {
            return;
        }
        let Some(world) = resources.get_mut::<World<T>>() else {
            panic!(
                "resource `{}` is missing, and commands change its entities; insert it before the run",
                World::<T>::NAME
            );
        };
        let (world, missed) = world.parts_mut();
        let Self {
            ops,
            mut columns,
            mut tickets,
            ..
        } = self;
        let n_before = missed.n_total();
        let mut first = None;
        columns.iter_mut().for_each(|column| column.begin());
        for op in ops {
            let (kind, call, result) = match op {
                Op::Spawn {
                    column,
                    n,
                    has_tickets,
                } => {
                    columns[column].spawn(n, world, &mut |entity| {
                        if has_tickets {
                            tickets.resolve_next(entity);
                        }
                    });
                    continue;
                }
                Op::Insert { column, call } => {
                    let result = columns[column].insert(world, call.target.entity());
                    (CommandKind::Insert, call, result.map_err(Into::into))
                }
                Op::Remove { remove, call } => {
                    let entity = call.target.entity().ok_or(ComponentError::NoSuchEntity);
                    let result = entity.and_then(|entity| remove(world, entity));
                    (CommandKind::Remove, call, result)
                }
                Op::Despawn(call) => {
                    let entity = call.target.entity().ok_or(ComponentError::NoSuchEntity);
                    let result = entity.and_then(|entity| Ok(world.despawn(entity)?));
                    (CommandKind::Despawn, call, result)
                }
            };
            if let Err(error) = result {
                let command = MissedCommand {
                    kind,
                    entity: call.target.entity(),
                    reason: call.target.unresolved().unwrap_or_else(|| reason(&error)),
                    location: call.location,
                };
                first.get_or_insert_with(|| command.to_string());
                missed.push(command);
            }
        }
        if let Some(first) = first {
            let n = missed.n_total() - n_before;
            resources.report_missed(n, first);
        }
    }
}

impl<T> Default for EntityBuffer<T> {
    fn default() -> Self {
        Self {
            ops: Vec::new(),
            columns: Vec::new(),
            column_of: TypeIdMap::default(),
            tickets: IssuedTickets::default(),
            world: PhantomData,
        }
    }
}

impl<T> fmt::Debug for EntityBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntityBuffer({} recorded)", self.ops.len())
    }
}
