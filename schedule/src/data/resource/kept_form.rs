//! Copies of a resource that a program keeps in memory, in a form of their own.

use core::any::Any;
use core::fmt;

use super::{Resource, Resources};
use crate::base::snapshot::{Encoder, SnapshotError};

/// A copy of a resource, without its type.
pub(crate) type KeptValue = Box<dyn Any + Send + Sync>;

/// A copy that is a value of another type `K` than the resource `T`.
pub struct KeptForm<T: ?Sized> {
    pub(crate) new: fn() -> KeptValue,
    /// Replaces the copy, and keeps its memory.
    pub(crate) keep: fn(&T, &mut (dyn Any + Send + Sync)) -> Result<(), String>,
    /// Replaces the resource by the copy. The copy stays.
    pub(crate) restore: fn(&(dyn Any + Send + Sync), &mut T),
    /// Inserts a resource that a copy replaces.
    pub(crate) insert: fn(&mut Resources),
    /// Saves the copy, as the resource is saved.
    pub(crate) save: fn(&(dyn Any + Send + Sync), &mut Encoder) -> Result<(), SnapshotError>,
    pub(crate) clone: fn(&(dyn Any + Send + Sync)) -> KeptValue,
}

/// The copies of [`KeptForm`].
pub trait KeptCopy<T>: Clone + Default + Send + Sync + 'static {
    /// Becomes a copy of the resource.
    ///
    /// # Errors
    ///
    /// Fails with the reason.
    fn keep(&mut self, resource: &T) -> Result<(), String>;

    /// Replaces the resource.
    fn restore(&self, resource: &mut T);

    /// Writes the same bytes as for the resource.
    ///
    /// # Errors
    ///
    /// Fails if a part cannot be saved.
    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError>;
}

impl<T: Resource + Default> KeptForm<T> {
    /// The form whose copies have the type `K`.
    pub const fn of<K: KeptCopy<T>>() -> Self {
        fn copy<K: 'static>(kept: &(dyn Any + Send + Sync)) -> &K {
            kept.downcast_ref().expect("a copy of the resource")
        }

        Self {
            new: || Box::new(K::default()),
            keep: |resource, kept| {
                let kept: &mut K = kept.downcast_mut().expect("a copy of the resource");
                kept.keep(resource)
            },
            restore: |kept, resource| copy::<K>(kept).restore(resource),
            insert: |resources| _ = resources.insert(T::default()),
            save: |kept, to| copy::<K>(kept).save(to),
            clone: |kept| Box::new(copy::<K>(kept).clone()),
        }
    }
}

impl<T: ?Sized> fmt::Debug for KeptForm<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptForm")
    }
}
