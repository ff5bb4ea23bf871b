//! Uses of resources, and their signatures.

use proptest::prelude::*;

use super::*;
use crate::conflict::{AccessKind, Disjoint, Filters, Use, Uses};
use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};

const N_RESOURCES: usize = 5;

/// Nodes without loops, and the disjoint filters of their named uses.
struct Case<'a> {
    named: Vec<Vec<Use>>,
    /// `n_everything[i]`: the number of reads of all resources by node i.
    n_everything: Vec<usize>,
    n_filters: usize,
    disjoint: Vec<(u16, u16)>,
    levels: Levels<'a>,
}

impl Case<'_> {
    /// Calls a function with the uses of the nodes.
    fn with<T>(&self, visit: impl FnOnce(Uses<'_>) -> T) -> T {
        let starts = |lens: &mut dyn Iterator<Item = usize>| {
            let mut starts = vec![0];
            for len in lens {
                starts.push(starts[starts.len() - 1] + len as u32);
            }
            starts
        };
        let n_nodes = self.named.len();
        let named = self.named.concat();
        let everything = vec![Everything::NONE; self.n_everything.iter().sum()];
        let n_numbers = self.n_filters + 1;
        let mut blocks = vec![0; Disjoint::n_blocks(n_numbers)];
        for &(a, b) in &self.disjoint {
            Disjoint::set(&mut blocks, n_numbers, a, b);
        }
        let accesses = Accesses {
            starts: &starts(&mut self.named.iter().map(Vec::len)),
            named: &named,
            everything_starts: &starts(&mut self.n_everything.iter().copied()),
            everything: &everything,
            excepted: &[],
            run_kinds: &vec![RunKind::Concurrent; n_nodes],
            is_bound: &[false; N_RESOURCES],
            filters: NamedFilters {
                disjoint: Disjoint::new(n_numbers, &blocks),
                levels: self.levels,
            },
        };
        let extent = UsesExtent {
            n_nodes,
            n_declared: n_nodes,
            n_named: named.len(),
            n_filtered: named.iter().filter(|one| one.signature != 0).count(),
            n_everything: everything.len(),
            n_resources: N_RESOURCES,
        };
        let mut heap = Heap::of(|arena| UsesMemory::take(arena, extent));
        let memory = UsesMemory::take(&mut heap.arena(), extent);
        let codes = (0..n_nodes as u32).map(|idx| NodeKind::Declared(idx).code());
        let codes: Vec<u32> = codes.collect();
        visit(accesses.uses(&codes, memory))
    }
}

fn on(resource: u32, kind: AccessKind, signature: u16) -> Use {
    Use {
        resource,
        kind,
        signature,
    }
}

fn plain(named: Vec<Vec<Use>>, n_filters: usize) -> Case<'static> {
    Case {
        n_everything: vec![0; named.len()],
        named,
        n_filters,
        disjoint: Vec::new(),
        levels: Levels::NONE,
    }
}

#[test]
fn uses_of_one_resource_are_joined() {
    use AccessKind::{Fold, Read, Write};
    let named = [
        on(3, Fold, 0),
        on(0, Read, 1),
        on(1, Read, 3),
        on(0, Write, 1),
        on(2, Read, 2),
        on(2, Read, 3),
        on(4, Read, 2),
        on(4, Write, 0),
    ];
    for n_times in [1, 5] {
        // Five times as many uses are above the limit of insertion sort.
        plain(vec![named.repeat(n_times)], 3).with(|uses| {
            let joined = [
                on(0, Write, 1),
                on(1, Read, 2),
                on(2, Read, 3),
                on(3, Fold, 0),
                on(4, Write, 0),
            ];
            assert_eq!(uses.all(), joined);
        });
    }
}

#[test]
fn equal_parts_have_one_signature() {
    let write = |filter| vec![on(0, AccessKind::Write, filter)];
    plain(vec![write(2), write(1), write(2), write(0)], 2).with(|uses| {
        let signatures: Vec<u16> = uses.all().iter().map(|one| one.signature).collect();
        assert_eq!(signatures, [1, 2, 1, 0]);
        let filtered = [1, 2].map(|signature| on(0, AccessKind::Read, signature));
        assert_eq!(uses.filters().filtered(), filtered);
    });
}

#[test]
fn a_node_that_accesses_everything_has_no_filters() {
    let mut case = plain(vec![vec![on(3, AccessKind::Write, 1)]], 1);
    case.n_everything = vec![1];
    case.with(|uses| {
        assert_eq!(uses.nth(3), on(3, AccessKind::Write, 0));
        assert!(uses.all().iter().all(|one| one.signature == 0));
    });
}

/// Node 1 begins a loop, node 2 is its body, and node 3 ends it.
#[test]
fn filters_count_only_on_one_level() {
    let write = |filter| vec![on(0, AccessKind::Write, filter)];
    let mut case = plain(vec![write(1), write(2), write(1), Vec::new()], 2);
    case.disjoint = vec![(1, 2)];
    case.levels = Levels {
        loops: &[Edge { from: 1, to: 3 }],
        around: &[NO_LOOP, NO_LOOP, 0, NO_LOOP],
        own: &[NO_LOOP, 0, NO_LOOP, 0],
    };
    case.with(|uses| {
        let conflict = |a, b| uses.shared(a, b).next().is_some();
        assert!(conflict(0, 1), "the loop is on another level");
        assert!(!conflict(1, 2), "the loop is on the level of its body");
    });
    case.levels = Levels::NONE;
    case.with(|uses| assert!(uses.shared(0, 1).next().is_none()));
}

proptest! {
    /// Two nodes conflict on a resource if any two of their parts do.
    #[test]
    fn signatures_conflict_if_their_parts_do(
        named in prop::collection::vec(prop::collection::vec(
            (0..3_u32, prop::sample::select(AccessKind::ALL.to_vec()), 0..5_u16)
                .prop_map(|(resource, kind, filter)| on(resource, kind, filter)),
            0..6,
        ), 1..8),
        disjoint in prop::collection::vec((1..5_u16, 1..5_u16), 0..6),
    ) {
        let mut case = plain(named.clone(), 4);
        case.disjoint = disjoint.clone();
        let are_disjoint = |a: Use, b: Use| {
            let pair = (a.signature, b.signature);
            disjoint.contains(&pair) || disjoint.contains(&(pair.1, pair.0))
        };
        let do_parts_conflict = |a: usize, b: usize, resource: u32| {
            let parts = |node: usize| named[node].iter().filter(move |one| one.resource == resource);
            // A part without a filter joins all parts of the node to one use without a filter.
            let is_whole = [a, b].map(|node| parts(node).any(|one| one.signature == 0));
            let kinds = [a, b].map(|node| {
                parts(node).map(|one| one.kind).reduce(AccessKind::joined)
            });
            let (Some(of_a), Some(of_b)) = (kinds[0], kinds[1]) else {
                return false;
            };
            if is_whole[0] || is_whole[1] {
                return of_a.conflicts_with(of_b);
            }
            parts(a).any(|one| {
                parts(b).any(|other| one.kind.conflicts_with(other.kind) && !are_disjoint(*one, *other))
            })
        };
        case.with(|uses| {
            prop_assert_eq!(Filters::list(uses.all()), uses.filters().filtered());
            for a in 0..named.len() {
                for b in 0..a {
                    let mut shared = uses.shared(a as u32, b as u32);
                    let found = core::iter::from_fn(|| shared.next()).map(|one| one.resource);
                    let expected = (0..3).filter(|&resource| do_parts_conflict(a, b, resource));
                    prop_assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
                }
            }
            Ok(())
        })?;
    }
}
