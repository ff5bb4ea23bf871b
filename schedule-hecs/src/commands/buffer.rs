//! The buffer of commands on the entities of one world.
//!
//! Consecutive commands that differ only in their entities and components are one [`Op`] with a count. Entities and components are in
//! lists beside the ops.

use core::any::{Any, TypeId};
use core::fmt;
use core::marker::PhantomData;
use core::panic::Location;
use core::ptr;

use hecs::{Bundle, ComponentError, Entity, TypeIdMap};
use schedule::entity::{CommandKind, IssuedTickets, MissedReason};
use schedule::internal::{UserValue, limit_memory};
use schedule::param::CommandBuffer;
use schedule::{Identity, Resources};

use super::bundle::{AnyColumn, Column, OfType, Stored};
use super::{EntityTarget, Ticket};
use crate::entities::Entities;
use crate::missed::{MissedCommand, MissedCommands, reason};
use crate::world::World;

/// Consecutive commands of a system on entities.
///
/// Components are stored by type, so that a command needs no allocation of its own. `ops` is the order of all commands. Each
/// command with components takes the next value of its column, and each command on an entity the next entity or ticket.
pub(super) struct EntityBuffer<T> {
    ops: Vec<Op>,
    columns: Vec<Box<dyn AnyColumn>>,
    /// The index of the column of each type.
    column_of: TypeIdMap<usize>,
    /// The type and the index of the column that was used last.
    last_column: Option<(TypeId, usize)>,
    /// The entities of all commands on an entity by its id.
    entities: Vec<Entity>,
    /// The entities of all commands on an entity by its ticket.
    entity_tickets: Vec<Ticket>,
    tickets: IssuedTickets<Entity>,
    world: PhantomData<fn() -> T>,
}

/// Consecutive commands of one form.
enum Op {
    /// Creates `n` entities from the next values of a column.
    Spawn {
        column: usize,
        n: usize,
        has_tickets: bool,
    },
    /// Changes the next `n` entities.
    Change {
        change: Change,
        n: usize,
        location: &'static Location<'static>,
    },
    /// Changes the entity of the next ticket.
    ChangeOfTicket {
        change: Change,
        location: &'static Location<'static>,
    },
}

/// A change of an entity.
#[derive(Clone, Copy)]
enum Change {
    /// Adds the components of the next value of a column.
    Insert { column: usize },
    /// Removes components.
    Remove(Remove),
    /// Removes the entity.
    Despawn,
}

type Remove = fn(&mut Entities, Entity) -> Result<(), ComponentError>;

impl Change {
    fn kind(self) -> CommandKind {
        match self {
            Self::Insert { .. } => CommandKind::Insert,
            Self::Remove(_) => CommandKind::Remove,
            Self::Despawn => CommandKind::Despawn,
        }
    }

    /// Whether both do the same, each with its own entity and components.
    #[inline]
    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Insert { column }, Self::Insert { column: other }) => column == other,
            (Self::Remove(remove), Self::Remove(other)) => ptr::fn_addr_eq(remove, other),
            (Self::Despawn, Self::Despawn) => true,
            _ => false,
        }
    }

    /// Changes an entity. `None`: it does not exist.
    #[inline]
    fn apply(
        self,
        entity: Option<Entity>,
        columns: &mut [Box<dyn AnyColumn>],
        world: &mut Entities,
    ) -> Result<(), ComponentError> {
        if let Self::Insert { column } = self {
            return Ok(columns[column].insert(world, entity)?);
        }
        let entity = entity.ok_or(ComponentError::NoSuchEntity)?;
        match self {
            Self::Remove(remove) => remove(world, entity),
            _ => Ok(world.despawn(entity)?),
        }
    }
}

/// A call of a method that recorded a command on an entity.
pub(super) struct Call {
    pub(super) target: EntityTarget,
    pub(super) location: &'static Location<'static>,
}

impl<T> EntityBuffer<T> {
    /// Records a spawn.
    #[inline]
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
        self.add_change(Change::Insert { column }, call);
    }

    pub(super) fn remove<B: Bundle + 'static>(&mut self, call: Call) {
        let remove: Remove = |world, entity| world.remove::<B>(entity).map(drop);
        self.add_change(Change::Remove(remove), call);
    }

    #[inline]
    pub(super) fn despawn(&mut self, call: Call) {
        self.add_change(Change::Despawn, call);
    }

    #[inline]
    fn add_change(&mut self, added: Change, Call { target, location }: Call) {
        let entity = match target.resolve() {
            Ok(entity) => entity,
            Err(ticket) => {
                self.entity_tickets.push(ticket);
                let change = added;
                self.ops.push(Op::ChangeOfTicket { change, location });
                return;
            }
        };
        self.entities.push(entity);
        match self.ops.last_mut() {
            Some(Op::Change {
                change,
                n,
                location: at,
            }) if change.is_same(added) && ptr::eq(*at, location) => *n += 1,
            _ => self.ops.push(Op::Change {
                change: added,
                n: 1,
                location,
            }),
        }
    }

    #[inline]
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

    #[inline]
    fn column_idx<S: Stored>(&mut self) -> usize {
        let type_id = TypeId::of::<S>();
        match self.last_column {
            Some((last, idx)) if last == type_id => idx,
            _ => self.find_column::<S>(),
        }
    }

    fn find_column<S: Stored>(&mut self) -> usize {
        let Self {
            columns, column_of, ..
        } = self;
        let type_id = TypeId::of::<S>();
        let idx = *column_of.entry(type_id).or_insert_with(|| {
            columns.push(Box::new(Column::<S>::default()));
            columns.len() - 1
        });
        self.last_column = Some((type_id, idx));
        idx
    }

    #[inline]
    fn column<S: Stored>(&mut self, idx: usize) -> &mut Column<S> {
        let column: &mut dyn Any = &mut *self.columns[idx];
        column
            .downcast_mut()
            .expect("the index is that of the type")
    }
}

impl<T: Identity + 'static> CommandBuffer for EntityBuffer<T> {
    fn apply(mut self, resources: &mut Resources) {
        self.apply_all(resources);
    }

    fn apply_and_reuse(mut self, resources: &mut Resources) -> Option<Self> {
        self.apply_all(resources);
        Some(self)
    }
}

impl<T: Identity + 'static> EntityBuffer<T> {
    /// Applies and removes all commands.
    fn apply_all(&mut self, resources: &mut Resources) {
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
        let n_before = missed.n_total();
        let mut first = None;
        let n_used = [
            self.ops.len(),
            self.entities.len(),
            self.entity_tickets.len(),
        ];
        let columns = &mut self.columns;
        let mut entities = self.entities.drain(..);
        let mut entity_tickets = self.entity_tickets.drain(..);
        columns.iter_mut().for_each(|column| column.begin());
        for op in self.ops.drain(..) {
            match op {
                Op::Spawn {
                    column,
                    n,
                    has_tickets,
                } => columns[column].spawn(n, world, &mut |entity| {
                    if has_tickets {
                        self.tickets.resolve_next(entity);
                    }
                }),
                Op::Change {
                    change,
                    n,
                    location,
                } => {
                    for entity in entities.by_ref().take(n) {
                        if let Err(error) = change.apply(Some(entity), columns, world) {
                            let command = MissedCommand {
                                kind: change.kind(),
                                entity: Some(entity),
                                reason: reason(&error),
                                location,
                            };
                            miss(command, missed, &mut first);
                        }
                    }
                }
                Op::ChangeOfTicket { change, location } => {
                    let ticket = entity_tickets.next();
                    let target = EntityTarget::from(ticket.expect("each command has its ticket"));
                    let entity = target.entity();
                    if let Err(error) = change.apply(entity, columns, world) {
                        let unresolved: Option<MissedReason> = target.unresolved();
                        let command = MissedCommand {
                            kind: change.kind(),
                            entity,
                            reason: unresolved.unwrap_or_else(|| reason(&error)),
                            location,
                        };
                        miss(command, missed, &mut first);
                    }
                }
            }
        }
        drop((entities, entity_tickets));
        columns.iter_mut().for_each(|column| column.end());
        self.tickets.clear();
        limit_memory(&mut self.ops, n_used[0]);
        limit_memory(&mut self.entities, n_used[1]);
        limit_memory(&mut self.entity_tickets, n_used[2]);
        if let Some(first) = first {
            let n = missed.n_total() - n_before;
            resources.report_missed(n, first);
        }
    }
}

/// Adds a command without effect to the report of the world. `first`: the text of the first one of a buffer.
#[cold]
fn miss(command: MissedCommand, missed: &mut MissedCommands, first: &mut Option<String>) {
    first.get_or_insert_with(|| command.to_string());
    missed.push(command);
}

impl<T> Default for EntityBuffer<T> {
    fn default() -> Self {
        Self {
            ops: Vec::new(),
            columns: Vec::new(),
            column_of: TypeIdMap::default(),
            last_column: None,
            entities: Vec::new(),
            entity_tickets: Vec::new(),
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
