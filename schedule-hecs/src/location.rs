//! Where an entity is: its archetype and its row.
//!
//! Invariant: the query accesses no component. hecs calls `get` with the row of the entity in the archetype of the fetch.
#![expect(
    unsafe_code,
    reason = "implements traits of hecs, whose queries are the only functions that know rows"
)]

use core::any::TypeId;
use core::ptr;

use hecs::{Access, Archetype, Entity, EntityMeta, Fetch, Query};

/// The place of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The number of the archetype.
    pub(crate) archetype: usize,
    pub(crate) row: usize,
}

impl Location {
    /// Returns the place of an entity, if it exists. O(1).
    pub(crate) fn of(world: &hecs::World, entity: Entity) -> Option<Self> {
        let Found {
            archetype: address,
            row,
            ..
        } = world.query_one::<Place>(entity).get().ok()?;
        let first = ptr::from_ref(world.archetypes().next()?).addr();
        let archetype = (address - first) / size_of::<Archetype>();
        // The archetypes are in one list. If that changes, this fails at the first use.
        let found = world.archetypes().nth(archetype).map(ptr::from_ref);
        assert_eq!(
            found.map(<*const _>::addr),
            Some(address),
            "a list of archetypes"
        );
        Some(Self { archetype, row })
    }
}

/// Returns the number of ids that a world has used, without reserved new ones. `live`: an entity that exists.
pub(crate) fn n_ids(world: &hecs::World, live: Entity) -> Option<usize> {
    let found = world.query_one::<Place>(live).get().ok()?;
    Some(found.n_ids)
}

/// The query of a place.
struct Place;

struct Found {
    /// The address of the archetype.
    archetype: usize,
    row: usize,
    /// The number of ids of the world.
    n_ids: usize,
}

/// The address of an archetype.
#[derive(Clone)]
struct FetchPlace(usize);

impl Query for Place {
    type Item<'q> = Found;
    type Fetch = FetchPlace;

    unsafe fn get<'q>(
        ids: &[EntityMeta],
        &FetchPlace(archetype): &FetchPlace,
        row: usize,
    ) -> Self::Item<'q> {
        Found {
            archetype,
            row,
            n_ids: ids.len(),
        }
    }
}

// SAFETY: it accesses no component, so it needs no borrows.
unsafe impl Fetch for FetchPlace {
    type State = ();

    fn dangling() -> Self {
        Self(0)
    }

    fn access(_: &Archetype) -> Option<Access> {
        Some(Access::Iterate)
    }

    fn borrow(_: &Archetype, (): ()) {}

    fn prepare(_: &Archetype) -> Option<()> {
        Some(())
    }

    fn execute(archetype: &Archetype, (): ()) -> Self {
        Self(ptr::from_ref(archetype).addr())
    }

    fn release(_: &Archetype, (): ()) {}

    fn for_each_borrow(_: impl FnMut(TypeId, bool)) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entity_is_at_its_row() {
        let mut world = hecs::World::new();
        let all: Vec<Entity> = (0..50_u32)
            .map(|n| match n % 3 {
                0 => world.spawn(()),
                1 => world.spawn((n,)),
                _ => world.spawn((n, 'x')),
            })
            .collect();
        world.despawn(all[4]).unwrap();
        world.insert(all[7], ('y',)).unwrap();
        for (archetype, found) in world.archetypes().enumerate() {
            for (row, &id) in found.ids().iter().enumerate() {
                let entity = *all.iter().find(|entity| entity.id() == id).unwrap();
                let expected = Location { archetype, row };
                assert_eq!(Location::of(&world, entity), Some(expected));
            }
        }
        assert_eq!(Location::of(&world, all[4]), None);
    }
}
