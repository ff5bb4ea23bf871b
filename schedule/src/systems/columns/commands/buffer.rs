//! The buffer of commands on the entities of one kind.

use core::panic::Location;

use crate::base::identity::Identity;
use crate::base::panics::FirstPanic;
use crate::base::user_value::UserValue;
use crate::data::entity::{CommandKind, EntityTarget, IssuedTickets, MissedCommand, MissedReason};
use crate::data::param::CommandBuffer;
use crate::data::resource::Resources;
use crate::systems::columns::id::EntityId;
use crate::systems::columns::kind::EntityKind;
use crate::systems::columns::store::Columns;

/// Consecutive commands of a system on the entities of one kind, in their order.
pub(super) struct ColumnsBuffer<K: EntityKind> {
    pub(super) ops: Vec<Op<K>>,
    /// The entities of all spawns.
    pub(super) spawned: Vec<UserValue<K>>,
    pub(super) tickets: IssuedTickets<EntityId<K>>,
}

/// A command, or consecutive spawns.
pub(super) enum Op<K> {
    /// Adds the next `n` of the spawned entities.
    Spawn {
        n: usize,
        has_tickets: bool,
    },
    Despawn {
        target: EntityTarget<EntityId<K>>,
        location: &'static Location<'static>,
    },
    Clear,
}

impl<K: EntityKind> ColumnsBuffer<K> {
    pub(super) fn add_spawns(&mut self, n_more: usize, with_tickets: bool) {
        match self.ops.last_mut() {
            Some(Op::Spawn { n, has_tickets }) if *has_tickets == with_tickets => *n += n_more,
            _ => self.ops.push(Op::Spawn {
                n: n_more,
                has_tickets: with_tickets,
            }),
        }
    }
}

impl<K: EntityKind> CommandBuffer for ColumnsBuffer<K> {
    fn apply(self, resources: &mut Resources) {
        let Some(store) = resources.get_mut::<Columns<K>>() else {
            panic!(
                "resource `{}` is missing, and commands change its entities; insert it before the run",
                Columns::<K>::NAME
            );
        };
        let Self {
            ops,
            spawned,
            mut tickets,
        } = self;
        let n_before = store.missed().n_total();
        let mut first = None;
        let mut spawned = spawned.into_iter();
        for op in ops {
            match op {
                Op::Spawn { n, has_tickets } => {
                    store.reserve(n);
                    for entity in spawned.by_ref().take(n) {
                        let id = store.push(entity.into_inner());
                        if has_tickets {
                            tickets.resolve_next(id);
                        }
                    }
                }
                Op::Despawn { target, location } => {
                    let mut panics = FirstPanic::default();
                    let entity = target.entity();
                    if !entity.is_some_and(|id| store.remove(id, &mut panics)) {
                        let reason = target.unresolved().unwrap_or(MissedReason::NoSuchEntity);
                        let command = MissedCommand {
                            kind: CommandKind::Despawn,
                            entity,
                            reason,
                            location,
                        };
                        first.get_or_insert_with(|| command.to_string());
                        store.missed_mut().push(command);
                    }
                    panics.resume();
                }
                Op::Clear => store.clear(),
            }
        }
        if let Some(first) = first {
            let n = store.missed().n_total() - n_before;
            resources.report_missed(n, first);
        }
    }
}

impl<K: EntityKind> Default for ColumnsBuffer<K> {
    fn default() -> Self {
        Self {
            ops: Vec::new(),
            spawned: Vec::new(),
            tickets: IssuedTickets::default(),
        }
    }
}
