//! Copied and saved worlds.

mod component;
mod kept;
#[cfg(any(feature = "snapshot", feature = "serde"))]
mod names;
mod registry;
#[cfg(feature = "serde")]
mod serialized;
#[cfg(feature = "snapshot")]
mod snapshot;

#[doc(hidden)]
pub use inventory::submit;
#[cfg(feature = "snapshot")]
use schedule::internal::KeptForm;
use schedule::internal::Loans;
use schedule::{Identity, Resource};

#[doc(hidden)]
pub use self::component::{
    CopyColumn, Implemented, Otherwise, SaveColumn, SavedEntry, SerializeColumn,
};
use self::kept::Refusal;
pub use self::kept::{CopyError, KeptWorld};
pub(crate) use self::registry::NoteNames;
#[cfg(feature = "snapshot")]
pub use self::snapshot::SavedTag;
use crate::world::World;

/// Here, because a resource knows the form of its copies.
impl<T: Identity + 'static> Resource for World<T> {
    const __IS_STORE: bool = true;
    #[cfg(feature = "snapshot")]
    const __KEPT_FORM: Option<KeptForm<Self>> = Some(KeptForm::of::<KeptWorld>());

    fn __loans(&self) -> Option<&Loans> {
        Some(self.loans())
    }
}

impl<T> World<T> {
    /// Returns the ids, and permits to read all components, unless a system has a shared reference to the world.
    #[cfg(any(feature = "snapshot", feature = "serde"))]
    fn read_all(&self) -> Result<kept::Ids, Refusal> {
        self.refuse_loans()?;
        let mut ids = kept::Ids::default();
        ids.set(self.hecs())?;
        Ok(ids)
    }

    fn refuse_loans(&self) -> Result<(), Refusal> {
        // A system that gets the world counts as a loan. Without one, this reference is from outside of a run, or from a system that has
        // exclusive access.
        if self.loans().are_any() {
            return Err(Refusal::OnLoan);
        }
        Ok(())
    }
}

/// Copies all entities, if all components implement `Clone` and have `#[derive(SavedComponent)]`. The copy has the same ids and the same order of
/// entities, and gives the same ids to new entities.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component, SavedComponent, Clone)]
/// struct Fuel(u32);
///
/// let mut world = World::new();
/// let rocket = world.spawn((Fuel(1),));
/// let mut copy = world.clone();
/// assert_eq!(copy.get_mut::<Fuel>(rocket).unwrap().0, 1);
/// assert_eq!(copy.spawn((Fuel(2),)), world.spawn((Fuel(2),)));
/// ```
///
/// A system that watches components finds all of them changed in its next run with a copy. [`Removed`](crate::Removed) finds no entity.
///
/// # Panics
///
/// Panics if a component cannot be copied, also if only entities that were despawned had it. It panics in a system that takes `&World` or
/// `&Resources`, because other systems may write components at the same time. A system that takes `&mut World` can copy it.
impl<T> Clone for World<T> {
    fn clone(&self) -> Self {
        let mut kept = KeptWorld::new();
        kept.save(self).unwrap_or_else(|error| panic!("{error}"));
        kept.into_world().into()
    }
}

/// Declares that a component takes part in copied and saved worlds, as `#[derive(SavedComponent)]` does. For types with parameters:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component, Clone)]
/// struct Timer<T>(T);
///
/// schedule_hecs::saved_component!(Timer<u32>);
///
/// let mut world = World::new();
/// let entity = world.spawn((Timer(3_u32),));
/// assert_eq!(world.clone().get_mut::<Timer<u32>>(entity).unwrap().0, 3);
/// ```
#[macro_export]
macro_rules! saved_component {
    ($component:ty) => {
        const _: () = {
            #[allow(unused_imports, reason = "constants of the type itself come first")]
            use $crate::saved::Otherwise as _;
            $crate::saved::submit! {
                $crate::saved::SavedEntry::new::<$component>(
                    <$crate::saved::Implemented<$component>>::COPY,
                    <$crate::saved::Implemented<$component>>::SAVE,
                    <$crate::saved::Implemented<$component>>::SERIALIZE,
                )
            }
        };
    };
}
