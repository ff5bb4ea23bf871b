//! Tickets: entities that commands will create.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use hecs::Entity;

use crate::missed::MissedReason;

/// An entity that a command will create. The entity gets its id when the command is applied.
///
/// Commands accept a ticket instead of an [`Entity`]. A system can store the ticket in a resource, and commands of other systems can use
/// it. A command has no effect if it is applied before the spawn, or if the spawn was dropped.
/// [`World::missed`](crate::World::missed) reports such commands.
#[derive(Clone)]
pub struct Ticket {
    block: Arc<Block>,
    slot: u32,
}

/// The number of tickets that share an allocation.
const TICKETS_PER_BLOCK: usize = 32;

/// The entities of consecutive tickets.
struct Block {
    /// `entities[i]`: the bits of the entity of ticket i, or 0 before it exists.
    entities: [AtomicU64; TICKETS_PER_BLOCK],
    /// Whether the commands of the tickets without an entity were dropped.
    is_dropped: AtomicBool,
}

impl Ticket {
    /// Returns the entity, if the command was applied. The entity may have been despawned since.
    pub fn entity(&self) -> Option<Entity> {
        Entity::from_bits(self.bits())
    }

    /// Whether the command was dropped, so that the entity will never exist.
    ///
    /// The commands of a failed system are dropped, and those after a command that panicked.
    pub fn is_dropped(&self) -> bool {
        // Acquire: pairs with the Release in `drop` of `IssuedTickets`, which follows the last store of an entity.
        self.block.is_dropped.load(Ordering::Acquire) && self.bits() == 0
    }

    fn bits(&self) -> u64 {
        // Acquire: pairs with the Release in `IssuedTickets::resolve_next`.
        self.block.entities[self.slot as usize].load(Ordering::Acquire)
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entity() {
            Some(entity) => write!(f, "Ticket({entity:?})"),
            None if self.is_dropped() => f.write_str("Ticket(dropped)"),
            None => f.write_str("Ticket(not applied)"),
        }
    }
}

/// The tickets of the commands in a buffer, in the order of the spawns.
#[derive(Default)]
pub(super) struct IssuedTickets {
    blocks: Vec<Arc<Block>>,
    n_issued: usize,
    n_resolved: usize,
}

impl IssuedTickets {
    /// Returns a ticket for the next spawn.
    #[inline]
    pub(super) fn issue(&mut self) -> Ticket {
        let slot = self.n_issued % TICKETS_PER_BLOCK;
        if slot == 0 {
            self.blocks.push(Arc::new(Block {
                entities: [const { AtomicU64::new(0) }; TICKETS_PER_BLOCK],
                is_dropped: AtomicBool::new(false),
            }));
        }
        let block = &self.blocks[self.n_issued / TICKETS_PER_BLOCK];
        self.n_issued += 1;
        Ticket {
            block: Arc::clone(block),
            slot: slot as u32,
        }
    }

    /// Stores the entity of the first ticket that has none.
    #[inline]
    pub(super) fn resolve_next(&mut self, entity: Entity) {
        let block = &self.blocks[self.n_resolved / TICKETS_PER_BLOCK];
        let slot = &block.entities[self.n_resolved % TICKETS_PER_BLOCK];
        // Release: pairs with the Acquire in `Ticket::bits`.
        slot.store(entity.to_bits().get(), Ordering::Release);
        self.n_resolved += 1;
    }
}

impl Drop for IssuedTickets {
    fn drop(&mut self) {
        if self.n_resolved < self.n_issued {
            for block in &self.blocks[self.n_resolved / TICKETS_PER_BLOCK..] {
                // Release: pairs with the Acquire in `Ticket::is_dropped`.
                block.is_dropped.store(true, Ordering::Release);
            }
        }
    }
}

/// An entity that a command changes: an [`Entity`], or a [`Ticket`].
#[derive(Clone, Debug)]
pub struct EntityTarget(Target);

#[derive(Clone, Debug)]
enum Target {
    Entity(Entity),
    Ticket(Ticket),
}

impl EntityTarget {
    /// Returns the entity. `None` if it is that of a ticket without an entity.
    #[inline]
    pub(super) fn entity(&self) -> Option<Entity> {
        match &self.0 {
            Target::Entity(entity) => Some(*entity),
            Target::Ticket(ticket) => ticket.entity(),
        }
    }

    /// Returns the reason for the missing entity, or `None` if the ticket has an entity.
    pub(super) fn unresolved(&self) -> Option<MissedReason> {
        match &self.0 {
            Target::Ticket(ticket) if ticket.entity().is_none() => {
                Some(match ticket.is_dropped() {
                    true => MissedReason::SpawnDropped,
                    false => MissedReason::NotYetSpawned,
                })
            }
            _ => None,
        }
    }
}

impl From<Entity> for EntityTarget {
    fn from(entity: Entity) -> Self {
        Self(Target::Entity(entity))
    }
}

impl From<Ticket> for EntityTarget {
    fn from(ticket: Ticket) -> Self {
        Self(Target::Ticket(ticket))
    }
}

impl From<&Ticket> for EntityTarget {
    fn from(ticket: &Ticket) -> Self {
        ticket.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(id: u64) -> Entity {
        Entity::from_bits((1 << 32) | id).expect("the generation is not 0")
    }

    #[test]
    fn tickets_of_several_blocks_get_entities_in_their_order() {
        let mut issued = IssuedTickets::default();
        let tickets: Vec<Ticket> = (0..3 * TICKETS_PER_BLOCK).map(|_| issued.issue()).collect();
        assert_eq!(issued.blocks.len(), 3);
        (0..3 * TICKETS_PER_BLOCK as u64).for_each(|id| issued.resolve_next(entity(id)));
        drop(issued);
        for (id, ticket) in (0..).zip(&tickets) {
            assert_eq!(ticket.entity(), Some(entity(id)));
            assert!(!ticket.is_dropped());
        }
    }

    #[test]
    fn a_ticket_without_an_entity_is_dropped_with_its_buffer() {
        let mut issued = IssuedTickets::default();
        let tickets: Vec<Ticket> = (0..TICKETS_PER_BLOCK + 1).map(|_| issued.issue()).collect();
        issued.resolve_next(entity(7));
        assert!(tickets.iter().all(|ticket| !ticket.is_dropped()));
        assert_eq!(format!("{:?}", tickets[1]), "Ticket(not applied)");
        drop(issued);
        assert_eq!(tickets[0].entity(), Some(entity(7)));
        assert!(!tickets[0].is_dropped());
        for ticket in &tickets[1..] {
            assert!(ticket.is_dropped() && ticket.entity().is_none());
        }
        assert_eq!(format!("{:?}", tickets[1]), "Ticket(dropped)");
    }
}
