//! Filters that are created at run time. Equal filters are stored once and are never freed, because filters of systems with
//! types are constants.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::{Filter, FilterTerm, identities};

/// A component, and whether the entity has it.
type Literal = (u128, bool);

/// The filters by their literals, in ascending order.
static KNOWN: LazyLock<Mutex<HashMap<Vec<Literal>, &'static Filter>>> =
    LazyLock::new(Mutex::default);

/// Returns the filter of the entities that match all of these literals.
///
/// # Panics
///
/// If two component types have the same identity.
pub(crate) fn interned(literals: Vec<FilterTerm>) -> &'static Filter {
    literals.iter().for_each(identities::check);
    let mut literals: Vec<_> = literals.into_iter().filter_map(literal).collect();
    literals.sort_unstable_by_key(|(key, _)| *key);
    literals.dedup_by_key(|(key, _)| *key);
    let (key, terms): (Vec<Literal>, Vec<FilterTerm>) = literals.into_iter().unzip();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(key).or_insert_with(|| {
        let term = FilterTerm::All(Vec::leak(terms));
        Box::leak(Box::new(Filter::new(term)))
    })
}

fn literal(term: FilterTerm) -> Option<(Literal, FilterTerm)> {
    match term {
        FilterTerm::With(component) => Some(((component.id, true), term)),
        FilterTerm::Without(component) => Some(((component.id, false), term)),
        FilterTerm::All(_) | FilterTerm::Any(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use core::any::TypeId;
    use core::ptr;

    use super::*;
    use crate::data::access::ResourceType;

    fn component<T: 'static>(id: u128) -> ResourceType {
        ResourceType {
            id,
            type_id: TypeId::of::<T>(),
            ..ResourceType::BLANK
        }
    }

    #[test]
    fn equal_filters_are_stored_once() {
        let with = FilterTerm::With(component::<u8>(5 << 90));
        let without = FilterTerm::Without(component::<u16>(6 << 90));
        let filter = interned(vec![with, without]);
        assert!(ptr::eq(filter, interned(vec![without, with, with])));
        assert!(!ptr::eq(filter, interned(vec![with])));
        assert!(!filter.is_disjoint(interned(vec![with])));
        assert!(filter.is_disjoint(interned(vec![FilterTerm::With(component::<u16>(6 << 90))])));
    }
}
