//! The entities that lost a component, and the parameter that reads them.
//!
//! Invariant: the state of the parameter declares that it reads the store and filters by the component. So while a system has the
//! parameter, no row is removed, and the log only gets readers.
#![expect(unsafe_code, reason = "implements `Fetch` by that of its parts")]

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::removed_log::LogReader;
use super::{Component, Components, EntityTables, StoreRef, With};
use crate::data::access::AccessSet;
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed, Seeds, Settle};

/// The entities that lost the component `C` since this system last ran, as a parameter of systems.
///
/// An entity loses a component when it is despawned, or when the component is removed. The parameter is a slice of ids, in the order of the
/// losses. An entity that lost the component several times is in it several times, and it may have the component again. When a system runs
/// for the first time, the slice is empty.
///
/// The access is that of a query with the filter `With<C>`: the system conflicts with systems that take the store exclusively, but not with
/// those that write `C`. An order after a system whose commands remove `C` includes its commands.
///
/// It is not a filter, because a despawned entity has no row. `schedule-hecs` has the short form `Removed<C>` for its `World`.
///
/// The store keeps the ids until each system with the parameter has run. A system that is disabled keeps them, and one whose schedule is
/// dropped does not.
///
/// ```
/// use schedule::columns::{Columns, EntityId};
/// use schedule::entity::{Component, Removed};
/// use schedule::prelude::*;
///
/// #[derive(Component)]
/// struct Name(&'static str);
///
/// #[derive(Columns)]
/// struct Player {
///     name: Name,
/// }
///
/// #[derive(Resource, Default)]
/// struct Departed(Vec<EntityId<Player>>);
///
/// #[system]
/// fn say_goodbye(removed: Removed<Name, Columns<Player>>, departed: &mut Departed) {
///     departed.0.extend(&*removed);
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Departed::default());
/// resources.insert(Columns::from_iter(["Ann", "Bob"].map(|name| Player { name: Name(name) })));
/// let mut frame = Schedule::builder().add::<say_goodbye>().build()?;
/// frame.run(&mut resources)?;
///
/// let players = resources.get_mut::<Columns<Player>>().unwrap();
/// let bob = players.ids()[1];
/// players.despawn(bob);
/// frame.run(&mut resources)?;
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Departed>().unwrap().0, [bob]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Removed<'r, C, S: EntityTables> {
    entities: &'r [S::Entity],
    component: PhantomData<fn() -> C>,
}

impl<'r, C, S: EntityTables> Removed<'r, C, S> {
    /// Creates the parameter from ids, to call a system as a plain function.
    pub fn new(entities: &'r [S::Entity]) -> Self {
        Self {
            entities,
            component: PhantomData,
        }
    }
}

impl<C, S: EntityTables> Deref for Removed<'_, C, S> {
    type Target = [S::Entity];

    fn deref(&self) -> &[S::Entity] {
        self.entities
    }
}

impl<'r, C, S: EntityTables> IntoIterator for Removed<'r, C, S> {
    type Item = S::Entity;
    type IntoIter = core::iter::Copied<core::slice::Iter<'r, S::Entity>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entities.iter().copied()
    }
}

impl<'a, C, S: EntityTables> IntoIterator for &'a Removed<'_, C, S> {
    type Item = S::Entity;
    type IntoIter = core::iter::Copied<core::slice::Iter<'a, S::Entity>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entities.iter().copied()
    }
}

impl<C, S: EntityTables> fmt::Debug for Removed<'_, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entities.fmt(f)
    }
}

/// The parts of [`Removed`].
type RemovedParts<C, S> = (StoreRef<'static, S>, Components<'static, S, (), With<C>>);

/// The state of [`Removed`].
pub struct RemovedState<C: Component, S: EntityTables> {
    parts: <RemovedParts<C, S> as Param>::State,
    reader: LogReader,
}

// SAFETY: `fetch` reads only the store, and the parts declare that they read it.
unsafe impl<C: Component, S: EntityTables> Fetch for RemovedState<C, S> {
    type Item<'r> = Removed<'r, C, S>;

    fn access(&self, access: &mut AccessSet) {
        self.parts.access(access);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.parts.prepare(lookup);
    }

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Removed<'r, C, S> {
        // SAFETY: `access` and `prepare` pass on to the same state, so the guarantees of the caller hold for it.
        let (store, _) = unsafe { self.parts.fetch(from) };
        // SAFETY: the value has only the log of the store.
        let store = unsafe { store.get() };
        let log = store.removed::<C>();
        Removed::new(self.reader.read(log))
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::ResetLocals(_) => self.reader = LogReader::default(),
            #[cfg(feature = "snapshot")]
            Settle::SaveLocals(to) => to.n_looks += 1,
            _ => {}
        }
        self.parts.settle(settle);
    }
}

impl<C: Component, S: EntityTables> fmt::Debug for RemovedState<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RemovedState")
    }
}

impl<C: Component, S: EntityTables> Param for Removed<'_, C, S> {
    type State = RemovedState<C, S>;
    const SEED: Seed<Self::State> = {
        assert!(
            S::HAS_MARKS,
            "this store does not note removed components; use `Columns` or the `World` of `schedule-hecs`"
        );
        Seed::new(<RemovedParts<C, S> as Param>::SEED.access(), || {
            RemovedState {
                parts: Seeds::grow(&<RemovedParts<C, S> as Param>::SEED),
                reader: LogReader::default(),
            }
        })
    };
}
