//! The identities of components, checked at run time.
//!
//! Invariant: no two component types that occur in filters have the same identity. Filters are compared by identities alone,
//! also in const evaluation, where types cannot be compared. If two types had one identity, `With<A>` and `Without<B>` would
//! seem to exclude each other, and two queries could write the same component at the same time.

use core::any::TypeId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::{FilterTerm, ResourceType};
use crate::base::identity::Name;

/// The type and the name of each component that occurred in a filter, by its identity.
static KNOWN: LazyLock<Mutex<HashMap<u128, (TypeId, Name)>>> = LazyLock::new(Mutex::default);

/// Checks the components in a filter. Called when a system is created, and when a dynamic system queries components, before
/// the filter is compared.
///
/// # Panics
///
/// If two component types have the same identity.
pub(crate) fn check(term: &FilterTerm) {
    match term {
        FilterTerm::With(component) | FilterTerm::Without(component) => check_component(component),
        FilterTerm::All(parts) | FilterTerm::Any(parts) => parts.iter().for_each(check),
    }
}

fn check_component(component: &ResourceType) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let other = match known.entry(component.id) {
        Entry::Vacant(entry) => {
            entry.insert((component.type_id, component.name));
            return;
        }
        Entry::Occupied(entry) => *entry.get(),
    };
    drop(known);
    assert!(
        other.0 == component.type_id,
        "the components `{}` and `{}` have the same `Identity::ID`: use `#[derive(Component)]` for both",
        other.1,
        component.name
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: 'static>(id: u128, name: &'static str) -> FilterTerm {
        FilterTerm::With(ResourceType {
            id,
            name: Name::new(name),
            type_id: TypeId::of::<T>(),
            ..ResourceType::BLANK
        })
    }

    #[test]
    fn one_type_is_checked_any_number_of_times() {
        for _ in 0..2 {
            check(&of::<u8>(1 << 90, "A"));
            check(&of::<u16>(2 << 90, "B"));
        }
    }

    #[test]
    #[should_panic(expected = "the components `A` and `B` have the same `Identity::ID`")]
    fn two_types_with_one_identity_are_rejected() {
        check(&of::<u8>(3 << 90, "A"));
        check(&of::<u16>(3 << 90, "B"));
    }
}
