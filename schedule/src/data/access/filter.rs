//! Filters: the entities that a query matches, as constants.
//!
//! A filter is an expression over the components that an entity has. For comparison it is expanded into alternatives. An
//! alternative is a list of literals. A literal is a component that the entity has, or does not have. Two alternatives exclude
//! each other if one contains the opposite of a literal of the other. Two filters are disjoint if each alternative of one
//! excludes each alternative of the other.

use core::hash::{Hash, Hasher};
use core::ptr;

use schedule_graph::internal::Disjoint;

use super::ResourceType;
use crate::base::identity::mix;

/// The entities that a query matches.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    term: FilterTerm,
    /// A hash: equal for filters with the same alternatives, independent of order. Other filters can have the same number,
    /// because programs choose the identities of components. So filters with equal numbers are also compared.
    id: u128,
    /// Whether [`FilterTerm::has_without`].
    has_without: bool,
    /// Whether it belongs to reads of marks, and not to a query.
    is_of_marks: bool,
}

impl Filter {
    /// The filter of this expression.
    pub(crate) const fn new(term: FilterTerm) -> Self {
        Self {
            id: term.id(),
            has_without: term.has_without(),
            is_of_marks: false,
            term,
        }
    }

    /// The filter of a component whose marks are read: all entities.
    pub(crate) const fn of_marks() -> Self {
        Self {
            is_of_marks: true,
            ..Self::new(FilterTerm::All(&[]))
        }
    }

    /// Whether it belongs to reads of marks, and not to a query.
    pub(crate) const fn is_of_marks(&self) -> bool {
        self.is_of_marks
    }

    /// The expression.
    pub const fn term(&self) -> &FilterTerm {
        &self.term
    }

    /// A hash for tables of filters, in which [`Filter::is_same`] compares those with equal numbers.
    pub(crate) const fn id(&self) -> u128 {
        self.id
    }

    /// Whether both filters match the same entities. `false` if that is not certain, or if their numbers differ.
    ///
    /// Cost: that of [`Filter::implies`] in both directions, if the numbers are equal.
    pub(crate) const fn is_same(&self, other: &Self) -> bool {
        self.id == other.id && self.implies(other) && other.implies(self)
    }

    /// Whether no entity matches both filters.
    ///
    /// Cost: O(n × m) for n and m literals in all alternatives.
    pub const fn is_disjoint(&self, other: &Self) -> bool {
        (self.has_without || other.has_without) && self.term.is_disjoint(&other.term)
    }

    /// Whether each entity that matches this filter matches the other one. `false` if that is not certain.
    ///
    /// Cost: O(n × m) for n literals in all alternatives of this filter, and m in the other filter.
    pub(crate) const fn implies(&self, other: &Self) -> bool {
        let mut nth = 0;
        while nth < self.term.n_alternatives() {
            let alternative = (&self.term, nth);
            if !self.term.contradicts(nth, alternative) && !other.term.follows_from(alternative) {
                return false;
            }
            nth += 1;
        }
        true
    }

    /// Whether no entity matches the filter.
    pub const fn never_matches(&self) -> bool {
        self.is_disjoint(self)
    }
}

/// A filter as a key of a map. Equal keys match the same entities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterKey(pub(crate) &'static Filter);

impl PartialEq for FilterKey {
    fn eq(&self, other: &Self) -> bool {
        // A filter with too many alternatives is not certainly the same as itself.
        ptr::eq(self.0, other.0) || self.0.is_same(other.0)
    }
}

impl Eq for FilterKey {}

impl Hash for FilterKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

/// An expression over the components of an entity.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FilterTerm {
    /// Entities that have the component.
    With(ResourceType),
    /// Entities that do not have the component.
    Without(ResourceType),
    /// Entities that match each of these filters. Without filters, all entities.
    All(&'static [FilterTerm]),
    /// Entities that match at least one of these filters. Without filters, no entity.
    Any(&'static [FilterTerm]),
}

impl FilterTerm {
    /// The maximum number of alternatives. Parts of a filter that would need more are left out of the comparison, so they
    /// prove nothing.
    pub const MAX_ALTERNATIVES: usize = 16;

    /// A hash that is equal for filters with the same alternatives, independent of order.
    const fn id(&self) -> u128 {
        let mut id = 0_u128;
        let mut nth = 0;
        while nth < self.n_alternatives() {
            id = id.wrapping_add(mix(1, self.sum(nth)));
            nth += 1;
        }
        id
    }

    /// Whether the filter contains [`FilterTerm::Without`] or an empty [`FilterTerm::Any`]. Two filters without these are not
    /// disjoint, because an entity with all components matches both.
    const fn has_without(&self) -> bool {
        match self {
            Self::With(_) => false,
            Self::Without(_) => true,
            Self::Any([]) => true,
            Self::All(parts) | Self::Any(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    if parts[idx].has_without() {
                        return true;
                    }
                    idx += 1;
                }
                false
            }
        }
    }

    /// Whether no entity matches both expressions.
    const fn is_disjoint(&self, other: &Self) -> bool {
        let mut nth = 0;
        while nth < self.n_alternatives() {
            let mut nth_other = 0;
            while nth_other < other.n_alternatives() {
                let (own, others) = ((self, nth), (other, nth_other));
                let never_match =
                    self.contradicts(nth, own) || other.contradicts(nth_other, others);
                if !never_match && !self.contradicts(nth, others) {
                    return false;
                }
                nth_other += 1;
            }
            nth += 1;
        }
        true
    }

    /// The number of alternatives, at most [`Self::MAX_ALTERNATIVES`].
    const fn n_alternatives(&self) -> usize {
        match self {
            Self::With(_) | Self::Without(_) => 1,
            Self::All(parts) => {
                let mut n = 1;
                let mut idx = 0;
                while idx < parts.len() {
                    n *= n_counted(n, &parts[idx]);
                    idx += 1;
                }
                n
            }
            Self::Any(parts) => match n_of_any(parts) {
                Some(n) => n,
                None => 1,
            },
        }
    }

    /// The sum of the numbers of the literals of an alternative.
    const fn sum(&self, nth: usize) -> u128 {
        match self {
            Self::With(component) => mix(component.id, 1),
            Self::Without(component) => mix(component.id, 2),
            Self::All(parts) => {
                let mut sum = 0_u128;
                let (mut n, mut rest) = (1, nth);
                let mut idx = 0;
                while idx < parts.len() {
                    if let Some(nth) = take_digit(&mut n, &mut rest, &parts[idx]) {
                        sum = sum.wrapping_add(parts[idx].sum(nth));
                    }
                    idx += 1;
                }
                sum
            }
            Self::Any(parts) => match part_of_any(parts, nth) {
                Some((idx, nth)) => parts[idx].sum(nth),
                None => 0,
            },
        }
    }

    /// Whether a literal of alternative `nth` is the opposite of a literal of an alternative of another filter.
    const fn contradicts(&self, nth: usize, other: (&Self, usize)) -> bool {
        match self {
            Self::With(component) => other.0.contains(other.1, component.id, false),
            Self::Without(component) => other.0.contains(other.1, component.id, true),
            Self::All(parts) => {
                let (mut n, mut rest) = (1, nth);
                let mut idx = 0;
                while idx < parts.len() {
                    if let Some(nth) = take_digit(&mut n, &mut rest, &parts[idx])
                        && parts[idx].contradicts(nth, other)
                    {
                        return true;
                    }
                    idx += 1;
                }
                false
            }
            Self::Any(parts) => match part_of_any(parts, nth) {
                Some((idx, nth)) => parts[idx].contradicts(nth, other),
                None => false,
            },
        }
    }

    /// Whether each entity that matches the alternative of another filter matches this one. `false` if that is not certain.
    const fn follows_from(&self, other: (&Self, usize)) -> bool {
        match self {
            Self::With(component) => other.0.contains(other.1, component.id, true),
            Self::Without(component) => other.0.contains(other.1, component.id, false),
            Self::All(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    if !parts[idx].follows_from(other) {
                        return false;
                    }
                    idx += 1;
                }
                true
            }
            Self::Any(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    if parts[idx].follows_from(other) {
                        return true;
                    }
                    idx += 1;
                }
                false
            }
        }
    }

    /// Whether alternative `nth` has this literal.
    const fn contains(&self, nth: usize, component: u128, is_with: bool) -> bool {
        match self {
            Self::With(one) => is_with && one.id == component,
            Self::Without(one) => !is_with && one.id == component,
            Self::All(parts) => {
                let (mut n, mut rest) = (1, nth);
                let mut idx = 0;
                while idx < parts.len() {
                    if let Some(nth) = take_digit(&mut n, &mut rest, &parts[idx])
                        && parts[idx].contains(nth, component, is_with)
                    {
                        return true;
                    }
                    idx += 1;
                }
                false
            }
            Self::Any(parts) => match part_of_any(parts, nth) {
                Some((idx, nth)) => parts[idx].contains(nth, component, is_with),
                None => false,
            },
        }
    }
}

/// Marks the disjoint filters in a relation, in which filter i of the list has the number i + 1.
///
/// O(n²), but without [`FilterTerm::Without`] in one of two filters their comparison is one step.
pub(crate) const fn mark_disjoint(filters: &[Option<&Filter>], blocks: &mut [usize]) {
    let n_numbers = filters.len() + 1;
    let mut a = 0;
    while a < filters.len() {
        let mut b = 0;
        while b <= a {
            if let (Some(one), Some(other)) = (filters[a], filters[b])
                && one.is_disjoint(other)
            {
                Disjoint::set(blocks, n_numbers, a as u16 + 1, b as u16 + 1);
            }
            b += 1;
        }
        a += 1;
    }
}

/// The number of alternatives of a part of [`FilterTerm::All`], after parts with `n` alternatives. 1 if the part is left out.
const fn n_counted(n: usize, part: &FilterTerm) -> usize {
    let n_of_part = part.n_alternatives();
    if n * n_of_part > FilterTerm::MAX_ALTERNATIVES {
        1
    } else {
        n_of_part
    }
}

/// The alternative of a part of [`FilterTerm::All`] in an alternative of the whole, or `None` if the part is left out.
///
/// `n`: the number of alternatives of the parts before. `rest`: the number of the alternative of the remaining parts.
const fn take_digit(n: &mut usize, rest: &mut usize, part: &FilterTerm) -> Option<usize> {
    let n_of_part = part.n_alternatives();
    if *n * n_of_part > FilterTerm::MAX_ALTERNATIVES {
        return None;
    }
    *n *= n_of_part;
    let nth = *rest % n_of_part;
    *rest /= n_of_part;
    Some(nth)
}

/// The number of alternatives of [`FilterTerm::Any`], or `None` if there are too many. They then prove nothing.
const fn n_of_any(parts: &[FilterTerm]) -> Option<usize> {
    let mut n = 0;
    let mut idx = 0;
    while idx < parts.len() {
        n += parts[idx].n_alternatives();
        idx += 1;
    }
    if n > FilterTerm::MAX_ALTERNATIVES {
        None
    } else {
        Some(n)
    }
}

/// The part of [`FilterTerm::Any`] that contains an alternative of the whole, and the number of the alternative in the part.
const fn part_of_any(parts: &[FilterTerm], nth: usize) -> Option<(usize, usize)> {
    if n_of_any(parts).is_none() {
        return None;
    }
    let mut nth = nth;
    let mut idx = 0;
    while idx < parts.len() {
        let n = parts[idx].n_alternatives();
        if nth < n {
            return Some((idx, nth));
        }
        nth -= n;
        idx += 1;
    }
    None
}

// Safe code, and too many random filters for Miri.
#[cfg(all(test, not(miri)))]
mod tests;
