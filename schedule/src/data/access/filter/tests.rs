//! Filters against all sets of components.

use proptest::prelude::*;

use super::*;
use crate::base::identity::Name;

const N_COMPONENTS: u32 = 4;

fn component(number: u32) -> ResourceType {
    ResourceType {
        id: number.into(),
        name: Name::new("C"),
        ..ResourceType::BLANK
    }
}

/// Whether an entity with these components, one bit each, matches.
fn matches(term: &FilterTerm, components: u32) -> bool {
    match term {
        FilterTerm::With(one) => components >> one.id & 1 == 1,
        FilterTerm::Without(one) => components >> one.id & 1 == 0,
        FilterTerm::All(parts) => parts.iter().all(|part| matches(part, components)),
        FilterTerm::Any(parts) => parts.iter().any(|part| matches(part, components)),
    }
}

fn all_components() -> impl Iterator<Item = u32> {
    0..1 << N_COMPONENTS
}

fn literal() -> impl Strategy<Value = FilterTerm> {
    (0..N_COMPONENTS, any::<bool>()).prop_map(|(number, is_with)| {
        if is_with {
            FilterTerm::With(component(number))
        } else {
            FilterTerm::Without(component(number))
        }
    })
}

fn terms() -> impl Strategy<Value = FilterTerm> {
    literal().prop_recursive(3, 12, 4, |inner| {
        // Terms are constants in programs, so tests leak them.
        let parts = prop::collection::vec(inner, 0..4).prop_map(|parts| &*parts.leak());
        (parts, any::<bool>()).prop_map(|(parts, is_all)| {
            if is_all {
                FilterTerm::All(parts)
            } else {
                FilterTerm::Any(parts)
            }
        })
    })
}

/// The number of alternatives if none were left out.
fn n_needed(term: &FilterTerm) -> usize {
    match term {
        FilterTerm::With(_) | FilterTerm::Without(_) => 1,
        FilterTerm::All(parts) => parts.iter().map(n_needed).product(),
        FilterTerm::Any(parts) => parts.iter().map(n_needed).sum(),
    }
}

/// Whether some part has too many alternatives to be compared.
fn is_cut(term: &FilterTerm) -> bool {
    let (FilterTerm::All(parts) | FilterTerm::Any(parts)) = term else {
        return false;
    };
    n_needed(term) > FilterTerm::MAX_ALTERNATIVES || parts.iter().any(is_cut)
}

proptest! {
    #[test]
    fn disjoint_filters_match_no_common_entity(one in terms(), other in terms()) {
        let (filter, other_filter) = (Filter::new(one), Filter::new(other));
        let meet = all_components().any(|set| matches(&one, set) && matches(&other, set));
        let is_disjoint = filter.is_disjoint(&other_filter);
        prop_assert_eq!(is_disjoint, other_filter.is_disjoint(&filter));
        prop_assert!(!(is_disjoint && meet), "an entity matches both filters");
        if !is_cut(&one) && !is_cut(&other) {
            prop_assert_eq!(is_disjoint, !meet);
            prop_assert_eq!(filter.never_matches(), !all_components().any(|set| matches(&one, set)));
        }
    }

    #[test]
    fn implied_filters_match_all_entities_of_the_other(one in terms(), other in terms()) {
        let is_implied = Filter::new(one).implies(&Filter::new(other));
        let is_subset = all_components().all(|set| !matches(&one, set) || matches(&other, set));
        prop_assert!(!is_implied || is_subset);
    }

    #[test]
    fn all_implied_lists_of_literals_are_found(
        one in terms(),
        literals in prop::collection::vec(literal(), 0..4),
    ) {
        let other = FilterTerm::All(literals.leak());
        let is_implied = Filter::new(one).implies(&Filter::new(other));
        let is_subset = all_components().all(|set| !matches(&one, set) || matches(&other, set));
        prop_assert!(!is_implied || is_subset);
        if !is_cut(&one) {
            prop_assert_eq!(is_implied, is_subset);
        }
    }

    #[test]
    fn filters_of_one_number_are_the_same_if_they_match_the_same_entities(
        one in terms(),
        other in terms(),
    ) {
        let of_one_number = |term| Filter { id: 7, ..Filter::new(term) };
        let is_same = of_one_number(one).is_same(&of_one_number(other));
        let is_equal = all_components().all(|set| matches(&one, set) == matches(&other, set));
        prop_assert!(!is_same || is_equal);
        let has_one_alternative = [one, other].iter().all(|term| n_needed(term) == 1 && !is_cut(term));
        if has_one_alternative {
            prop_assert_eq!(is_same, is_equal);
        }
    }

    #[test]
    fn the_order_of_parts_does_not_change_a_filter(parts in prop::collection::vec(terms(), 0..4)) {
        let reversed: Vec<FilterTerm> = parts.iter().rev().copied().collect();
        let (parts, reversed): (&[_], &[_]) = (parts.leak(), reversed.leak());
        if n_needed(&FilterTerm::All(parts)) <= FilterTerm::MAX_ALTERNATIVES {
            let [one, other] = [parts, reversed].map(|parts| Filter::new(FilterTerm::All(parts)));
            prop_assert!(one.is_same(&other) || is_cut(&one.term));
            prop_assert_eq!(one.id(), other.id());
        }
        if n_needed(&FilterTerm::Any(parts)) <= FilterTerm::MAX_ALTERNATIVES {
            let [one, other] = [parts, reversed].map(|parts| Filter::new(FilterTerm::Any(parts)));
            prop_assert!(one.is_same(&other) || is_cut(&one.term));
            prop_assert_eq!(one.id(), other.id());
        }
    }
}

#[test]
fn a_seventeenth_alternative_proves_nothing() {
    let without = [FilterTerm::Without(component(0))];
    let with: &'static [_] = vec![FilterTerm::With(component(0)); 17].leak();
    let without = Filter::new(FilterTerm::All(Vec::from(without).leak()));
    let any = |n: usize| Filter::new(FilterTerm::Any(&with[..n]));
    assert!(any(16).is_disjoint(&without));
    assert!(!any(17).is_disjoint(&without));
    let rest = FilterTerm::All(vec![FilterTerm::Any(with), with[0]].leak());
    assert!(
        Filter::new(rest).is_disjoint(&without),
        "the other parts still prove it"
    );
}
