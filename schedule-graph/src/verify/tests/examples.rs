//! Single graphs.

use super::*;

#[test]
fn a_path_through_a_weak_order_has_a_weak_origin() {
    let mut case = plain(
        vec![vec![(0, WRITE)], vec![], vec![(0, WRITE)]],
        Policy::Reject,
    );
    case.declared = vec![(0, 1)];
    case.weak = vec![(1, 2)];
    let verdict = case.verify().unwrap();
    assert_eq!(verdict.edges[1], Edge { from: 0, to: 2 });
    assert_eq!(verdict.origins[1], Origin::Weak(0));
}

#[test]
fn edges_of_a_policy_do_not_order_a_rejected_pair() {
    // Node 0 writes A, node 1 reads A and writes B, node 2 reads B and writes A. The policy adds the path 0 -> 1 -> 2.
    let mut case = plain(
        vec![
            vec![(0, WRITE)],
            vec![(0, READ), (1, WRITE)],
            vec![(0, WRITE), (1, READ)],
        ],
        Policy::InsertionOrder,
    );
    case.pairs = vec![(0, 2, Policy::Reject)];
    assert_eq!(case.verify().unwrap_err().races.listed, [(0, 2)]);
}

#[test]
fn two_writers_under_writers_first_are_a_cycle_with_the_resource_as_origin() {
    let case = plain(
        vec![vec![(2, WRITE)], vec![(2, WRITE)]],
        Policy::WritersFirst,
    );
    let violations = case.verify().unwrap_err();
    assert_eq!(violations.writers_first.len(), 1);
    let origins: Vec<_> = violations.writers_first[0]
        .iter()
        .map(|step| step.1)
        .collect();
    assert_eq!(origins, [Origin::WritersFirst(2), Origin::WritersFirst(2)]);
}

#[test]
fn nodes_that_fold_race_with_readers_and_writers_only() {
    let one_each = vec![vec![(0, FOLD)], vec![(0, FOLD)], vec![(0, READ)]];
    let violations = plain(one_each.clone(), Policy::Reject)
        .verify()
        .unwrap_err();
    assert_eq!(violations.races.listed, [(0, 2), (1, 2)]);
    assert_eq!(violations.remedy, [(0, 2), (1, 2)]);
    let verdict = plain(one_each, Policy::WritersFirst).verify().unwrap();
    assert_eq!(edges_of(&verdict)[..2], [(0, 2), (1, 2)]);
    let violations = plain(vec![vec![(0, FOLD)], vec![(0, WRITE)]], Policy::Reject).verify();
    assert_eq!(violations.unwrap_err().races.listed, [(0, 1)]);
}

#[test]
fn mutually_ordered_groups_are_one_cycle() {
    let mut case = plain(vec![vec![]; 100], Policy::Reject);
    for a in 0..100_u32 {
        for b in 0..100 {
            if a / 10 != b / 10 {
                case.declared.push((a, b));
            }
        }
    }
    let violations = case.verify().unwrap_err();
    assert_eq!(violations.cycles.len(), 1);
    assert_eq!(violations.cycles[0].len(), 2);
}
