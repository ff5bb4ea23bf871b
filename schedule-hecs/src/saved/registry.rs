//! The components of this program that take part in copied and saved worlds.

use core::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use hecs::Component;

use super::component::SavedEntry;
use crate::filter::HasComponents;

/// Returns the entry of a component.
pub(super) fn find(component: TypeId) -> Option<&'static SavedEntry> {
    static ENTRIES: OnceLock<HashMap<TypeId, &SavedEntry>> = OnceLock::new();
    let entries = ENTRIES.get_or_init(|| {
        let entries = inventory::iter::<SavedEntry>();
        entries.map(|entry| (entry.component, entry)).collect()
    });
    entries.get(&component).copied()
}

/// The Rust names of the components that queries have read, for errors about components that are not in the registry: hecs does not know
/// their names.
static QUERIED: Mutex<Option<HashMap<TypeId, &'static str>>> = Mutex::new(None);

/// Returns the Rust name of a component, if it is known.
pub(super) fn type_name(component: TypeId) -> Option<&'static str> {
    let queried = QUERIED.lock().unwrap_or_else(PoisonError::into_inner);
    queried.as_ref()?.get(&component).copied()
}

/// Notes the names of the components that a query needs.
#[derive(Clone, Copy)]
pub(crate) struct NoteNames;

impl HasComponents for NoteNames {
    fn has<C: Component>(self) -> bool {
        let mut queried = QUERIED.lock().unwrap_or_else(PoisonError::into_inner);
        let queried = queried.get_or_insert_default();
        queried.insert(TypeId::of::<C>(), core::any::type_name::<C>());
        true
    }
}
