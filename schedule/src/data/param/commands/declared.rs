//! What the commands of a system may change, as its declarations say.

use core::any::TypeId;
use core::fmt;
use std::sync::Arc;

use crate::data::access::{AccessSet, ResourceId, StoreChange};
use crate::data::entity::EntityStore;
use crate::data::resource::Resource;

/// The access of the system that records commands. `None` if a queue belongs to no system. Then nothing is declared, and commands may
/// change everything.
#[derive(Clone, Default)]
pub(super) struct QueueDeclaration(pub(super) Option<Arc<AccessSet>>);

/// The components that commands of a system may change in one store.
#[derive(Clone, Copy, Default)]
pub struct DeclaredChanges<'q> {
    /// `None`: all components of the store.
    limited: Option<&'q AccessSet>,
}

impl QueueDeclaration {
    /// Rejects a change of a resource that the commands do not declare. Commands without a declaration may change each resource.
    #[track_caller]
    pub(super) fn check_resource<T: Resource>(&self) {
        let Some(access) = self.0.as_deref() else {
            return;
        };
        if !access.has_bare_commands && !access.inserts.contains(&ResourceId::of::<T>()) {
            undeclared(
                &format_args!("`{}`", T::NAME),
                format_args!("`Inserts<{}>`", T::NAME),
            );
        }
    }

    /// Rejects commands on a store that the commands do not declare. Returns the components that they may change.
    #[track_caller]
    pub(super) fn of_store<S: EntityStore>(&self) -> DeclaredChanges<'_> {
        let Some(access) = self.0.as_deref() else {
            return DeclaredChanges::default();
        };
        if access.has_bare_commands && S::NAME.is_default_store() {
            return DeclaredChanges::default();
        }
        let store = ResourceId::of::<S>();
        let is_all = access.changes.contains(&StoreChange::Store(store.clone()))
            || access.has_bare_commands && access.stores().any(|one| *one == store);
        let is_declared = |change: &StoreChange| matches!(change, StoreChange::Component { store: of, .. } if *of == store);
        if is_all {
            DeclaredChanges::default()
        } else if access.changes.iter().any(is_declared) {
            DeclaredChanges {
                limited: Some(access),
            }
        } else {
            undeclared(
                &format_args!("`{}`", S::NAME),
                format_args!("`Changes<{}>`", S::NAME),
            )
        }
    }
}

impl DeclaredChanges<'_> {
    /// Whether the commands may change all components.
    #[inline]
    pub fn is_all(self) -> bool {
        self.limited.is_none()
    }

    /// Rejects a change of a component that the commands do not declare. `bundle`: the components of the command, for the message.
    ///
    /// # Panics
    ///
    /// If the component is not declared.
    #[track_caller]
    pub fn check_component(self, component: TypeId, bundle: &str) {
        let is_declared = |change: &StoreChange| matches!(change, StoreChange::Component { type_id, .. } if *type_id == component);
        if self
            .limited
            .is_some_and(|access| !access.changes.iter().any(is_declared))
        {
            undeclared(
                &format_args!("a component of `{bundle}`"),
                format_args!("`Writes<C>` for each component `C`, or `Changes` of the world,"),
            );
        }
    }
}

impl fmt::Debug for DeclaredChanges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeclaredChanges")
            .field("is_all", &self.limited.is_none())
            .finish()
    }
}

#[cold]
#[track_caller]
fn undeclared(changed: &dyn fmt::Display, missing: fmt::Arguments<'_>) -> ! {
    panic!(
        "commands change {changed}, but do not declare it: add {missing} to the type of the `Commands` parameter"
    )
}
