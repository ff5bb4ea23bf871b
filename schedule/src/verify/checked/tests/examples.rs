//! Regression tests: listings for which the builder and the compiler once found different problems.

use super::case::{Case, CaseClause, Item, Named, Ruling, Subject, Type};
use super::found::found_by_builder;
use super::pool::{CONDITIONS, HEAVY};
use super::{ListingFaultKind, check, found_by_compiler};
use crate::data::failure_policy::FailurePolicy;
use crate::data::order::{Direction, Strength};
use schedule_graph::Policy;

fn item(subject: Subject, around: Option<usize>, clauses: &[CaseClause]) -> Item {
    Item {
        subject,
        around,
        clauses: clauses.to_vec(),
    }
}

/// Returns the kinds of problems that both find.
fn kinds(case: &Case) -> Vec<ListingFaultKind> {
    let listing = case.listing();
    check(&listing).unwrap();
    let found = found_by_compiler(&listing);
    assert_eq!(found, found_by_builder(&listing));
    found.into_iter().map(|fault| fault.kind).collect()
}

fn case(items: Vec<Item>) -> Case {
    // Three writers of one resource, and a condition without parameters.
    let works = [&HEAVY[0], &HEAVY[0], &HEAVY[0], &CONDITIONS[0]];
    let types = works.map(|work| Type {
        work,
        clauses: Vec::new(),
    });
    Case {
        types: types.to_vec(),
        items,
        rules: Vec::new(),
    }
}

#[test]
fn own_failure_policy_takes_precedence_over_those_of_groups() {
    let [carry_on, stop] = [FailurePolicy::CarryOn, FailurePolicy::Stop].map(CaseClause::OnFailure);
    let mut case = case(vec![
        item(Subject::Group(0), None, std::slice::from_ref(&carry_on)),
        item(Subject::Group(1), None, &[stop, CaseClause::In(0)]),
        item(Subject::System(0), None, &[carry_on, CaseClause::In(1)]),
    ]);
    assert_eq!(kinds(&case), []);
    case.items[2].clauses.remove(0);
    assert_eq!(kinds(&case), [ListingFaultKind::TwoPolicies]);
}

#[test]
fn each_group_with_a_contradicting_failure_policy_is_reported() {
    let [carry_on, stop] = [FailurePolicy::CarryOn, FailurePolicy::Stop].map(CaseClause::OnFailure);
    let case = case(vec![
        item(Subject::Group(0), None, &[carry_on]),
        item(Subject::Group(1), None, &[stop.clone(), CaseClause::In(2)]),
        item(Subject::Group(2), None, &[stop, CaseClause::In(0)]),
        item(Subject::System(0), None, &[CaseClause::In(1)]),
    ]);
    assert_eq!(kinds(&case), [ListingFaultKind::TwoPolicies; 2]);
}

#[test]
fn policy_of_a_group_excludes_members_at_another_level() {
    let after_member = CaseClause::Order(Direction::After, Strength::Always, Named::Type(1));
    let mut case = case(vec![
        item(Subject::System(0), None, &[]),
        item(Subject::System(1), None, &[CaseClause::In(0)]),
        item(Subject::Loop(3), None, &[after_member]),
        item(Subject::System(2), Some(2), &[CaseClause::In(0)]),
    ]);
    case.rules.push(Ruling::Pair(
        Named::Type(0),
        Named::Group(0),
        Policy::InsertionOrder,
    ));
    assert_eq!(
        kinds(&case),
        [ListingFaultKind::Race, ListingFaultKind::GroupOverLevels]
    );
}
