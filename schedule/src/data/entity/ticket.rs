//! Tickets: entities that commands will create.
//!
//! Invariant: of the references that [`IssuedTickets`] counts in advance for a block, it has created one for each ticket that it issued.
#![expect(
    unsafe_code,
    reason = "creates counted references, and stores the entity of each ticket once"
)]

mod block;
mod block_ref;

use core::fmt::{self, Debug};

use self::block::TICKETS_PER_BLOCK;
use self::block_ref::BlockRef;
use super::missed::MissedReason;
use crate::base::kept_memory::limit_memory;

/// An entity that a command will create. `E` is the id that the entity gets when the command is applied.
///
/// Commands accept a ticket instead of an id. A system can store the ticket in a resource, and commands of other systems can use
/// it. A command has no effect if it is applied before the spawn, or if the spawn was dropped. The store reports such commands as
/// [`MissedCommands`](super::MissedCommands).
pub struct Ticket<E> {
    block: BlockRef<E>,
    slot: usize,
}

impl<E: Copy> Ticket<E> {
    /// Returns the entity, if the command was applied. The entity may have been despawned since.
    pub fn entity(&self) -> Option<E> {
        self.block.entity(self.slot)
    }

    /// Whether the command was dropped, so that the entity will never exist.
    ///
    /// The commands of a failed system are dropped, and those after a command that panicked.
    pub fn is_dropped(&self) -> bool {
        self.block.is_dropped() && self.entity().is_none()
    }
}

impl<E> Clone for Ticket<E> {
    fn clone(&self) -> Self {
        Self {
            block: self.block.clone(),
            slot: self.slot,
        }
    }
}

impl<E: Copy + Debug> Debug for Ticket<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entity() {
            Some(entity) => write!(f, "Ticket({entity:?})"),
            None if self.is_dropped() => f.write_str("Ticket(dropped)"),
            None => f.write_str("Ticket(not applied)"),
        }
    }
}

/// The tickets of recorded commands, in the order of the spawns. A crate that stores entities keeps them in its
/// [`CommandBuffer`](crate::param::CommandBuffer).
///
/// When it is dropped, the tickets without an entity count as dropped.
pub struct IssuedTickets<E> {
    /// `blocks[i / TICKETS_PER_BLOCK]`: the block of ticket i. `None` if all tickets of the block were dropped.
    blocks: Vec<Option<BlockRef<E>>>,
    n_issued: usize,
    n_resolved: usize,
}

impl<E> Default for IssuedTickets<E> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            n_issued: 0,
            n_resolved: 0,
        }
    }
}

impl<E: Copy> IssuedTickets<E> {
    /// Returns a ticket for the next spawn.
    #[inline]
    pub fn issue(&mut self) -> Ticket<E> {
        let slot = self.n_issued % TICKETS_PER_BLOCK;
        if slot == 0 {
            self.add_block();
        }
        let block = self.blocks[self.n_issued / TICKETS_PER_BLOCK].as_ref();
        let block = block.expect("only blocks before the last one are taken");
        // SAFETY: a reference was counted for each slot of the block, and by the invariant those of this slot and of later ones were not
        // created.
        let block = unsafe { block.counted() };
        self.n_issued += 1;
        Ticket { block, slot }
    }

    /// Adds a block. Takes the last one if all of its tickets were dropped. So tickets that are dropped at once share one block.
    fn add_block(&mut self) {
        let last = self.blocks.last_mut();
        let unused = last.and_then(|last| take_unused(last, TICKETS_PER_BLOCK));
        let block = unused.unwrap_or_else(|| BlockRef::new(TICKETS_PER_BLOCK));
        self.blocks.push(Some(block));
    }

    /// Stores the entity of the first ticket that has none.
    ///
    /// # Panics
    ///
    /// Panics if every ticket has an entity.
    #[inline]
    pub fn resolve_next(&mut self, entity: E) {
        assert!(
            self.n_resolved < self.n_issued,
            "every ticket has an entity"
        );
        let block_idx = self.n_resolved / TICKETS_PER_BLOCK;
        let slot = self.n_resolved % TICKETS_PER_BLOCK;
        self.n_resolved += 1;
        // The last block can still get tickets.
        if slot == 0 && block_idx + 1 < self.blocks.len() {
            take_unused(&mut self.blocks[block_idx], 0);
        }
        let Some(block) = &self.blocks[block_idx] else {
            return;
        };
        // SAFETY: this value is the issuer. `n_resolved` has counted the earlier slots, and counts this one once.
        unsafe { block.resolve(slot, entity) };
    }
}

/// Takes a block, without entities, if all of its tickets were issued and dropped. `n_more`: the references to count in advance.
fn take_unused<E>(block: &mut Option<BlockRef<E>>, n_more: usize) -> Option<BlockRef<E>> {
    block.take_if(|block| block.reset_if_only(n_more))
}

impl<E> IssuedTickets<E> {
    /// Forgets all tickets. Those without an entity count as dropped.
    pub fn clear(&mut self) {
        self.end();
        let n_blocks = self.blocks.len();
        self.blocks.clear();
        limit_memory(&mut self.blocks, n_blocks);
        self.n_issued = 0;
        self.n_resolved = 0;
    }

    /// Notes that tickets without an entity were dropped, and that no more are issued.
    fn end(&mut self) {
        let n_in_last = self.n_issued % TICKETS_PER_BLOCK;
        if n_in_last > 0
            && let Some(Some(last)) = self.blocks.last()
        {
            // SAFETY: by the invariant, no reference was created for the other slots. The caller drops this one.
            unsafe { last.give_back(TICKETS_PER_BLOCK - n_in_last) };
        }
        if self.n_resolved < self.n_issued {
            let unresolved = &self.blocks[self.n_resolved / TICKETS_PER_BLOCK..];
            for block in unresolved.iter().flatten() {
                block.drop_unresolved();
            }
        }
    }
}

impl<E> Drop for IssuedTickets<E> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<E> Debug for IssuedTickets<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuedTickets({} issued)", self.n_issued)
    }
}

/// An entity that exists, or that a command will create: the id of an entity, or a [`Ticket`].
///
/// Commands accept it. It is also the type of a field of a component that refers to an entity which is spawned in the same run. From the
/// time when the commands are applied, [`entity`](Self::entity) returns the id.
///
/// With the traits of `serde`, it is saved as the id, or as `None` if the entity will never exist. Saving fails while the ticket has no
/// entity yet: save between runs, when all commands are applied.
///
/// ```
/// use schedule::columns::{Columns, EntityId};
/// use schedule::entity::{Changes, Component, EntityTarget};
/// use schedule::prelude::*;
///
/// #[derive(Component)]
/// struct Sharpness(u32);
///
/// #[derive(Columns)]
/// struct Axe { sharpness: Sharpness }
///
/// #[derive(Component)]
/// struct Weapon(EntityTarget<EntityId<Axe>>);
///
/// #[derive(Columns)]
/// struct Orc { weapon: Weapon }
///
/// #[system]
/// fn arm(mut commands: Commands<(Changes<Columns<Axe>>, Changes<Columns<Orc>>)>) {
///     let axe = commands.columns().spawn(Axe { sharpness: Sharpness(3) });
///     commands.columns().spawn(Orc { weapon: Weapon(axe.into()) });
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Columns::<Axe>::new());
/// resources.insert(Columns::<Orc>::new());
/// Schedule::builder().add::<arm>().build()?.run(&mut resources)?;
/// let orcs = resources.get_mut::<Columns<Orc>>().unwrap();
/// let axe = orcs.column::<Weapon>()[0].0.entity().unwrap();
/// assert!(resources.get::<Columns<Axe>>().unwrap().contains(axe));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EntityTarget<E>(EntityOrTicket<E>);

enum EntityOrTicket<E> {
    Entity(E),
    Ticket(Ticket<E>),
}

impl<E: Copy> EntityTarget<E> {
    /// Returns the entity. `None` if it is that of a ticket without an entity.
    #[inline]
    pub fn entity(&self) -> Option<E> {
        match &self.0 {
            EntityOrTicket::Entity(entity) => Some(*entity),
            EntityOrTicket::Ticket(ticket) => ticket.entity(),
        }
    }

    /// Replaces a ticket by its entity, if it has one, and so frees the memory of the ticket. A clone has no ticket either, if there is an
    /// entity.
    pub fn forget_ticket(&mut self) {
        if let Some(entity) = self.entity() {
            self.0 = EntityOrTicket::Entity(entity);
        }
    }

    /// Returns the entity, or the ticket if it has no entity yet.
    #[doc(hidden)]
    #[inline]
    pub fn resolve(self) -> Result<E, Ticket<E>> {
        match self.0 {
            EntityOrTicket::Entity(entity) => Ok(entity),
            // A ticket keeps its entity.
            EntityOrTicket::Ticket(ticket) => ticket.entity().ok_or(ticket),
        }
    }

    /// Returns the reason for the missing entity, or `None` if there is an entity.
    pub fn unresolved(&self) -> Option<MissedReason> {
        match &self.0 {
            EntityOrTicket::Ticket(ticket) if ticket.entity().is_none() => {
                Some(if ticket.is_dropped() {
                    MissedReason::SpawnDropped
                } else {
                    MissedReason::NotYetSpawned
                })
            }
            _ => None,
        }
    }
}

impl<E: Copy> Clone for EntityTarget<E> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            EntityOrTicket::Entity(entity) => EntityOrTicket::Entity(*entity),
            EntityOrTicket::Ticket(ticket) => match ticket.entity() {
                Some(entity) => EntityOrTicket::Entity(entity),
                None => EntityOrTicket::Ticket(ticket.clone()),
            },
        })
    }
}

/// The entity as an option. See the type.
#[cfg(any(feature = "serde", feature = "snapshot"))]
impl<E: Copy + serde::Serialize> serde::Serialize for EntityTarget<E> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.unresolved() {
            Some(reason @ MissedReason::NotYetSpawned) => Err(serde::ser::Error::custom(
                format_args!("{reason}; save when the commands are applied, between runs"),
            )),
            _ => self.entity().serialize(serializer),
        }
    }
}

#[cfg(any(feature = "serde", feature = "snapshot"))]
impl<'de, E: Copy + serde::Deserialize<'de>> serde::Deserialize<'de> for EntityTarget<E> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entity: Option<E> = serde::Deserialize::deserialize(deserializer)?;
        Ok(match entity {
            Some(entity) => entity.into(),
            // The ticket is dropped with its issuer.
            None => IssuedTickets::default().issue().into(),
        })
    }
}

impl<E: Copy + Debug> Debug for EntityTarget<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            EntityOrTicket::Entity(entity) => entity.fmt(f),
            EntityOrTicket::Ticket(ticket) => ticket.fmt(f),
        }
    }
}

impl<E> From<E> for EntityTarget<E> {
    fn from(entity: E) -> Self {
        Self(EntityOrTicket::Entity(entity))
    }
}

impl<E> From<Ticket<E>> for EntityTarget<E> {
    fn from(ticket: Ticket<E>) -> Self {
        Self(EntityOrTicket::Ticket(ticket))
    }
}

impl<E> From<&Ticket<E>> for EntityTarget<E> {
    fn from(ticket: &Ticket<E>) -> Self {
        ticket.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_of_several_blocks_get_entities_in_their_order() {
        let mut issued = IssuedTickets::default();
        let tickets: Vec<Ticket<u64>> =
            (0..3 * TICKETS_PER_BLOCK).map(|_| issued.issue()).collect();
        assert_eq!(issued.blocks.len(), 3);
        (0..3 * TICKETS_PER_BLOCK as u64).for_each(|id| issued.resolve_next(id));
        drop(issued);
        for (id, ticket) in (0..).zip(&tickets) {
            assert_eq!(ticket.entity(), Some(id));
            assert!(!ticket.is_dropped());
        }
    }

    #[test]
    fn tickets_that_are_dropped_at_once_share_a_block() {
        let mut issued = IssuedTickets::default();
        let mut kept = Vec::new();
        for id in 0..10 * TICKETS_PER_BLOCK as u64 {
            let ticket = issued.issue();
            if id % 100 == 7 {
                kept.push((id, ticket));
            }
        }
        // The last block has a ticket that is kept, as three others.
        assert_eq!(issued.blocks.iter().flatten().count(), 4);
        (0..10 * TICKETS_PER_BLOCK as u64).for_each(|id| issued.resolve_next(id));
        drop(issued);
        for (id, ticket) in kept {
            assert_eq!(ticket.entity(), Some(id));
        }
    }

    #[test]
    fn a_ticket_without_an_entity_is_dropped_with_its_buffer() {
        let mut issued = IssuedTickets::default();
        let tickets: Vec<Ticket<u32>> =
            (0..TICKETS_PER_BLOCK + 1).map(|_| issued.issue()).collect();
        issued.resolve_next(7);
        assert!(tickets.iter().all(|ticket| !ticket.is_dropped()));
        assert_eq!(format!("{:?}", tickets[1]), "Ticket(not applied)");
        drop(issued);
        assert_eq!(tickets[0].entity(), Some(7));
        assert!(!tickets[0].is_dropped());
        for ticket in &tickets[1..] {
            assert!(ticket.is_dropped() && ticket.entity().is_none());
        }
        assert_eq!(format!("{:?}", tickets[1]), "Ticket(dropped)");
    }

    #[test]
    fn tickets_after_a_clear_are_independent_of_those_before() {
        let mut issued = IssuedTickets::default();
        let before = [issued.issue(), issued.issue()];
        issued.resolve_next(1_u32);
        issued.clear();
        assert_eq!(before[0].entity(), Some(1));
        assert!(before[1].is_dropped());
        let after = issued.issue();
        assert!(!after.is_dropped());
        issued.resolve_next(2);
        assert_eq!((after.entity(), before[1].entity()), (Some(2), None));
    }

    #[test]
    fn another_thread_sees_an_entity_once_it_is_stored() {
        let mut issued = IssuedTickets::default();
        let tickets: Vec<Ticket<[u64; 2]>> = (0..50).map(|_| issued.issue()).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for (id, ticket) in (0..).zip(&tickets) {
                    while ticket.entity().is_none() {
                        std::thread::yield_now();
                    }
                    assert_eq!(ticket.entity(), Some([id, id]));
                }
            });
            (0..50).for_each(|id| issued.resolve_next([id, id]));
        });
    }

    #[test]
    #[should_panic(expected = "every ticket has an entity")]
    fn only_issued_tickets_get_an_entity() {
        IssuedTickets::default().resolve_next(1);
    }
}
