//! Filters of uses, and conflicts that they exempt.

use super::*;
use crate::conflict::{Disjoint, Filters};

/// Filters of uses.
#[derive(Clone, Debug, Default)]
pub(super) struct TestFilters {
    /// `signatures[v]`: two bits for each resource, the signature with which node v uses it. Missing nodes have no filters.
    pub(super) signatures: Vec<u32>,
    /// Pairs of disjoint signatures, from 1 to 3.
    pub(super) disjoint: Vec<(u16, u16)>,
}

const N_SIGNATURES: usize = 4;

impl TestFilters {
    pub(super) fn signature(&self, node: usize, resource: u32) -> u16 {
        let of_node = self.signatures.get(node).copied().unwrap_or(0);
        (of_node >> (resource % 8 * 2) & 3) as u16
    }

    /// Whether the filters of two nodes exempt a resource from their conflicts.
    pub(super) fn exempt(&self, resource: u32, a: usize, b: usize) -> bool {
        let (a, b) = (self.signature(a, resource), self.signature(b, resource));
        self.disjoint.contains(&(a, b)) || self.disjoint.contains(&(b, a))
    }

    /// Calls a function with these uses and these filters.
    pub(super) fn with<T>(
        &self,
        uses: Uses<'_>,
        n_resources: usize,
        visit: impl FnOnce(Uses<'_>) -> T,
    ) -> T {
        let filtered = Filters::list(uses.all());
        let mut disjoint = vec![0; Disjoint::n_blocks(N_SIGNATURES)];
        for &(a, b) in &self.disjoint {
            Disjoint::set(&mut disjoint, N_SIGNATURES, a, b);
        }
        let filters = Filters::new(
            Disjoint::new(N_SIGNATURES, &disjoint),
            n_resources,
            &filtered,
        );
        visit(uses.with_filters(filters))
    }
}

/// No filters, or random signatures of which few are disjoint, some with themselves.
pub(super) fn filters(n_nodes: usize) -> impl Strategy<Value = TestFilters> {
    let signature = 1..N_SIGNATURES as u16;
    let disjoint = prop::collection::vec((signature.clone(), signature), 0..4);
    let signatures = prop::collection::vec(0..1_u32 << 16, n_nodes);
    let filters = (signatures, disjoint).prop_map(|(signatures, disjoint)| TestFilters {
        signatures,
        disjoint,
    });
    prop_oneof![1 => Just(TestFilters::default()), 3 => filters]
}

/// Writers of one resource with three signatures, of which two are disjoint, in several windows.
#[test]
fn filters_exempt_pairs_from_races_across_blocks() {
    let n_nodes = if cfg!(miri) { 70 } else { 300 };
    let mut case = plain(vec![vec![(0, WRITE)]; n_nodes], Policy::Reject);
    case.filters = TestFilters {
        signatures: (0..n_nodes as u32).map(|node| node % 3).collect(),
        disjoint: vec![(1, 2)],
    };
    let Expected::Rejected { races, .. } = expected(&case) else {
        panic!("there are races");
    };
    let violations = case.verify().unwrap_err();
    assert_eq!(violations.races, races::summary(&case, &races));
    assert_eq!(violations.races.n_pairs, races.len());
    case.filters.disjoint.push((1, 1));
    case.filters.disjoint.push((2, 2));
    case.filters.signatures = (0..n_nodes as u32).map(|node| node % 2 + 1).collect();
    assert!(case.verify().unwrap().edges.is_empty());
}

#[test]
fn nodes_with_disjoint_filters_have_no_edge_under_any_policy() {
    let writers = [0, 0, 1, 1].map(|resource| vec![(resource, WRITE)]);
    let mut case = plain(writers.to_vec(), Policy::Optimize);
    case.resources[0] = Some(Policy::InsertionOrder);
    // The same edge may occur twice.
    let edges: BTreeSet<_> = edges_of(&case.verify().unwrap()).into_iter().collect();
    assert_eq!(edges.len(), 2);
    case.filters = TestFilters {
        signatures: vec![0b01_01, 0b10_10, 0b01_01, 0b10_10],
        disjoint: vec![(1, 2)],
    };
    assert!(case.verify().unwrap().edges.is_empty());
}
