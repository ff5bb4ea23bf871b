//! The buffer of commands on the entities of one kind.
//!
//! Consecutive commands that differ only in their entities are one [`Op`] with a count. The entities are in lists beside the ops, so a
//! command needs little more memory than its entity.

use core::panic::Location;
use core::ptr;

use crate::base::identity::Identity;
use crate::base::kept_memory::limit_memory;
use crate::base::panics::FirstPanic;
use crate::base::user_value::UserValue;
use crate::data::entity::{
    CommandKind, EntityTarget, IssuedTickets, MissedCommand, MissedReason, Ticket,
};
use crate::data::param::CommandBuffer;
use crate::data::resource::Resources;
use crate::systems::columns::id::EntityId;
use crate::systems::columns::kind::EntityKind;
use crate::systems::columns::store::Columns;

/// Consecutive commands of a system on the entities of one kind, in their order.
pub(super) struct ColumnsBuffer<K: EntityKind> {
    ops: Vec<Op>,
    /// The entities of all spawns.
    spawned: Vec<UserValue<K>>,
    /// The entities of all despawns by an id.
    despawned: Vec<EntityId<K>>,
    /// The entities of all despawns by a ticket.
    despawned_tickets: Vec<Ticket<EntityId<K>>>,
    tickets: IssuedTickets<EntityId<K>>,
}

/// Consecutive commands of one form: for each, the next value of the list of this form.
enum Op {
    Spawn {
        n: u32,
        has_tickets: bool,
    },
    Despawn {
        n: u32,
        location: &'static Location<'static>,
    },
    DespawnTicket {
        location: &'static Location<'static>,
    },
    Clear,
}

impl<K: EntityKind> ColumnsBuffer<K> {
    /// The number of ops.
    pub(super) fn n_ops(&self) -> usize {
        self.ops.len()
    }

    #[inline]
    pub(super) fn spawn(&mut self, entity: K) -> Ticket<EntityId<K>> {
        self.spawned.push(UserValue::new(entity));
        self.add_spawns(1, true);
        self.tickets.issue()
    }

    pub(super) fn spawn_batch(&mut self, mut entities: Vec<UserValue<K>>) {
        let mut n_left = entities.len();
        if self.spawned.is_empty() && self.spawned.capacity() < n_left {
            self.spawned = entities;
        } else {
            self.spawned.append(&mut entities);
        }
        while n_left > 0 {
            let n_more = u32::try_from(n_left).unwrap_or(u32::MAX);
            self.add_spawns(n_more, false);
            n_left -= n_more as usize;
        }
    }

    #[inline]
    pub(super) fn despawn(
        &mut self,
        target: EntityTarget<EntityId<K>>,
        location: &'static Location<'static>,
    ) {
        match target.resolve() {
            Ok(id) => {
                self.despawned.push(id);
                self.add_despawn(location);
            }
            Err(ticket) => {
                self.despawned_tickets.push(ticket);
                self.ops.push(Op::DespawnTicket { location });
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.ops.push(Op::Clear);
    }

    #[inline]
    fn add_spawns(&mut self, n_more: u32, with_tickets: bool) {
        if let Some(Op::Spawn { n, has_tickets }) = self.ops.last_mut()
            && *has_tickets == with_tickets
            && let Some(sum) = n.checked_add(n_more)
        {
            *n = sum;
            return;
        }
        self.ops.push(Op::Spawn {
            n: n_more,
            has_tickets: with_tickets,
        });
    }

    #[inline]
    fn add_despawn(&mut self, at: &'static Location<'static>) {
        if let Some(Op::Despawn { n, location }) = self.ops.last_mut()
            && ptr::eq(*location, at)
            && let Some(sum) = n.checked_add(1)
        {
            *n = sum;
            return;
        }
        self.ops.push(Op::Despawn { n: 1, location: at });
    }
}

impl<K: EntityKind> CommandBuffer for ColumnsBuffer<K> {
    fn apply(mut self, resources: &mut Resources) {
        self.apply_all(resources);
    }

    fn apply_and_reuse(mut self, resources: &mut Resources) -> Option<Self> {
        self.apply_all(resources);
        Some(self)
    }
}

impl<K: EntityKind> ColumnsBuffer<K> {
    /// Applies and removes all commands.
    fn apply_all(&mut self, resources: &mut Resources) {
        let Some(store) = resources.get_mut::<Columns<K>>() else {
            panic!(
                "resource `{}` is missing, and commands change its entities; insert it before the run",
                Columns::<K>::NAME
            );
        };
        let Self {
            ops,
            spawned,
            despawned,
            despawned_tickets,
            tickets,
        } = self;
        let n_used = [
            ops.len(),
            spawned.len(),
            despawned.len(),
            despawned_tickets.len(),
        ];
        let mut next_spawned = spawned.drain(..);
        let mut next_despawned = despawned.drain(..);
        let mut next_ticket = despawned_tickets.drain(..);
        let n_before = store.missed().n_total();
        let mut first = None;
        for op in ops.drain(..) {
            match op {
                Op::Spawn { n, has_tickets } => {
                    let n = n as usize;
                    store.reserve(n);
                    for entity in next_spawned.by_ref().take(n) {
                        let id = store.push(entity.into_inner());
                        if has_tickets {
                            tickets.resolve_next(id);
                        }
                    }
                }
                Op::Despawn { n, location } => {
                    for id in next_despawned.by_ref().take(n as usize) {
                        if !despawn(store, id) {
                            let reason = MissedReason::NoSuchEntity;
                            miss(store, Some(id), reason, location, &mut first);
                        }
                    }
                }
                Op::DespawnTicket { location } => {
                    let ticket = next_ticket.next();
                    let target = EntityTarget::from(ticket.expect("each command has its ticket"));
                    let id = target.entity();
                    if !id.is_some_and(|id| despawn(store, id)) {
                        let reason = target.unresolved().unwrap_or(MissedReason::NoSuchEntity);
                        miss(store, id, reason, location, &mut first);
                    }
                }
                Op::Clear => store.clear(),
            }
        }
        drop((next_spawned, next_despawned, next_ticket));
        tickets.clear();
        limit_memory(ops, n_used[0]);
        limit_memory(spawned, n_used[1]);
        limit_memory(despawned, n_used[2]);
        limit_memory(despawned_tickets, n_used[3]);
        if let Some(first) = first {
            let n = store.missed().n_total() - n_before;
            resources.report_missed(n, first);
        }
    }
}

/// Removes an entity. Returns whether it existed.
#[inline]
fn despawn<K: EntityKind>(store: &mut Columns<K>, id: EntityId<K>) -> bool {
    let mut panics = FirstPanic::default();
    let is_found = store.remove(id, &mut panics);
    panics.resume();
    is_found
}

/// Adds a command without effect to the report of the store. `first`: the text of the first one of a buffer.
#[cold]
fn miss<K: EntityKind>(
    store: &mut Columns<K>,
    entity: Option<EntityId<K>>,
    reason: MissedReason,
    location: &'static Location<'static>,
    first: &mut Option<String>,
) {
    let command = MissedCommand {
        kind: CommandKind::Despawn,
        entity,
        reason,
        location,
    };
    first.get_or_insert_with(|| command.to_string());
    store.missed_mut().push(command);
}

impl<K: EntityKind> Default for ColumnsBuffer<K> {
    fn default() -> Self {
        Self {
            ops: Vec::new(),
            spawned: Vec::new(),
            despawned: Vec::new(),
            despawned_tickets: Vec::new(),
            tickets: IssuedTickets::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_has_at_most_16_bytes() {
        assert!(size_of::<Op>() <= 16);
    }
}
