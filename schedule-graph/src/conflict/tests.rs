use super::*;

const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;
const FOLD: AccessKind = AccessKind::Fold;

const fn on(resource: u32, kind: AccessKind) -> Use {
    Use::new(resource, kind)
}

/// The uses of nodes 0 to 4: reads 0; writes 0 and reads 2; none; writes 2; reads 0 and writes 3.
const STARTS: [u32; 6] = [0, 1, 3, 3, 4, 6];
const LIST: [Use; 6] = [
    on(0, READ),
    on(0, WRITE),
    on(2, READ),
    on(2, WRITE),
    on(0, READ),
    on(3, WRITE),
];
const USES: Uses<'static> = Uses::new(&STARTS, &LIST);

/// The number of resources on which two nodes conflict, and the last of them.
const fn conflicts(first: u32, second: u32) -> (usize, Option<Conflict>) {
    let mut shared = USES.shared(first, second);
    let mut n_conflicts = 0;
    let mut last = None;
    while let Some(conflict) = shared.next() {
        n_conflicts += 1;
        last = Some(conflict);
    }
    (n_conflicts, last)
}

#[test]
fn node_has_the_uses_between_its_start_and_end() {
    const { assert!(USES.n_nodes() == 5 && USES.n_uses() == 6) };
    assert_eq!((USES.start(1), USES.end(1)), (1, 3));
    assert_eq!(USES.start(2), USES.end(2));
    assert_eq!(USES.nth(3), on(2, WRITE));
}

#[test]
#[should_panic = "starts must have len = n_nodes + 1"]
fn starts_that_do_not_end_at_the_last_use_panic() {
    let _ = Uses::new(&[0, 1], &LIST);
}

#[test]
#[should_panic = "starts must have len = n_nodes + 1"]
fn empty_starts_panic() {
    let _ = Uses::new(&[], &[]);
}

#[test]
fn nodes_conflict_on_shared_resources_that_one_of_them_writes() {
    const ONE: (usize, Option<Conflict>) = conflicts(0, 1);
    const OTHER: (usize, Option<Conflict>) = conflicts(1, 0);
    let conflict = |first, second| Conflict {
        resource: 0,
        first,
        second,
    };
    assert_eq!(ONE, (1, Some(conflict(READ, WRITE))));
    assert_eq!(OTHER, (1, Some(conflict(WRITE, READ))));
    assert_eq!(conflicts(0, 4).0, 0, "two readers");
    assert_eq!(conflicts(3, 4).0, 0, "nothing in common");
    assert_eq!(conflicts(1, 2).0, 0, "one touches nothing");
    assert_eq!(conflicts(1, 1).0, 1, "a writer conflicts with its like");
}

#[test]
fn every_shared_resource_is_found_in_ascending_order() {
    let list: Vec<Use> = [0, 1, 3, 5, 0, 2, 3, 4, 5]
        .iter()
        .map(|&resource| on(resource, if resource == 3 { READ } else { WRITE }))
        .collect();
    let uses = Uses::new(&[0, 4, 9], &list);
    let mut shared = uses.shared(0, 1);
    let mut found = Vec::new();
    while let Some(conflict) = shared.next() {
        assert!(conflict.first.is_write() && conflict.second.is_write());
        found.push(conflict.resource);
    }
    assert_eq!(found, [0, 5]);
    assert_eq!(shared.next(), None);
}

#[test]
fn only_two_reads_and_two_folds_do_not_conflict() {
    for first in [READ, WRITE, FOLD] {
        for second in [READ, WRITE, FOLD] {
            let list = [on(1, first), on(1, second)];
            let mut shared = Uses::new(&[0, 1, 2], &list).shared(0, 1);
            let is_conflict = first != second || first == WRITE;
            let conflict = Conflict {
                resource: 1,
                first,
                second,
            };
            assert_eq!(shared.next(), is_conflict.then_some(conflict));
            assert_eq!(first.conflicts_with(second), is_conflict);
        }
    }
}

#[test]
fn uses_of_different_kinds_of_one_resource_merge_into_a_write() {
    let mut uses = vec![
        on(3, READ),
        on(1, FOLD),
        on(3, FOLD),
        on(0, READ),
        on(1, FOLD),
        on(2, WRITE),
        on(0, READ),
        on(2, READ),
    ];
    Use::join(&mut uses);
    assert_eq!(uses, [on(0, READ), on(1, FOLD), on(2, WRITE), on(3, WRITE)]);
}
