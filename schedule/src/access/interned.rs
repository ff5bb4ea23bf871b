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
    let filter = known.entry(key).or_insert_with(|| {
        let term = FilterTerm::All(Vec::leak(terms));
        Box::leak(Box::new(Filter::new(term)))
    });
    filter
}

fn literal(term: FilterTerm) -> Option<(Literal, FilterTerm)> {
    match term {
        FilterTerm::With(component) => Some(((component.id, true), term)),
        FilterTerm::Without(component) => Some(((component.id, false), term)),
        FilterTerm::All(_) | FilterTerm::Any(_) => None,
    }
}
