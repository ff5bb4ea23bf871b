use super::*;
use crate::conflict::{AccessKind, Use};

/// The uses of one node, of five resources. `n_everything`: the number of its reads of all resources.
fn uses_of(named: &[Use], n_everything: usize) -> Vec<Use> {
    let everything = vec![Everything::NONE; n_everything];
    let accesses = Accesses {
        starts: &[0, named.len() as u32],
        named,
        everything_starts: &[0, n_everything as u32],
        everything: &everything,
        excepted: &[],
        run_kinds: &[RunKind::Concurrent],
        is_bound: &[false; 5],
    };
    let extent = UsesExtent {
        n_nodes: 1,
        n_declared: 1,
        n_named: named.len(),
        n_everything,
        n_resources: 5,
    };
    let mut heap = Heap::of(|arena| UsesMemory::take(arena, extent));
    let memory = UsesMemory::take(&mut heap.arena(), extent);
    let uses = accesses.uses(&[NodeKind::Declared(0).code()], memory);
    uses.all().to_vec()
}

fn on(resource: u32, kind: AccessKind, signature: u16) -> Use {
    Use {
        resource,
        kind,
        signature,
    }
}

#[test]
fn uses_keep_their_signature_unless_merged() {
    use AccessKind::{Fold, Read, Write};
    let named = [
        on(3, Fold, 7),
        on(0, Read, 1),
        on(1, Read, u16::MAX),
        on(0, Write, 1),
        on(2, Read, 4),
        on(2, Read, 5),
        on(4, Read, 4),
        on(4, Read, 0),
    ];
    let joined = [
        on(0, Write, 1),
        on(1, Read, u16::MAX),
        on(2, Read, 0),
        on(3, Fold, 7),
        on(4, Read, 0),
    ];
    assert_eq!(uses_of(&named, 0), joined);
    // Above the limit of insertion sort.
    assert_eq!(uses_of(&named.repeat(5), 0), joined);
    let mut list = named.to_vec();
    Use::join(&mut list);
    assert_eq!(list, joined);
}

#[test]
fn a_node_that_accesses_everything_has_no_filters() {
    let uses = uses_of(&[on(3, AccessKind::Write, 7)], 1);
    assert_eq!(uses[3], on(3, AccessKind::Write, 0));
    assert!(uses.iter().all(|one| one.signature == 0));
}
