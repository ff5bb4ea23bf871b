//! Incremental verification of a graph with few changes, compared with full verification.

use super::*;

/// The graphs that contain a node or an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Both,
    Old,
    New,
}

fn sides(n: usize) -> impl Strategy<Value = Vec<Side>> {
    let side = prop_oneof![12 => Just(Side::Both), 1 => Just(Side::Old), 1 => Just(Side::New)];
    prop::collection::vec(side, n)
}

/// The nodes and edges that are not only in the graph `other`, and the new number of each node.
fn restricted(case: &Case, other: Side, nodes: &[Side], edges: &[Side]) -> (Case, Vec<u32>) {
    let mut n_nodes = 0;
    let numbers = nodes.iter().map(|&side| {
        if side == other {
            NEW
        } else {
            n_nodes += 1;
            n_nodes - 1
        }
    });
    let numbers: Vec<u32> = numbers.collect();
    let edge = |&(a, b): &(u32, u32)| {
        let (a, b) = (numbers[a as usize], numbers[b as usize]);
        (a != NEW && b != NEW).then_some((a, b))
    };
    let declared = case
        .declared
        .iter()
        .zip(edges)
        .filter(|(_, side)| **side != other);
    let uses = case.uses.iter().zip(nodes);
    let costs = case.costs.iter().zip(nodes);
    let signatures = case.filters.signatures.iter().zip(nodes);
    let filters = TestFilters {
        signatures: signatures
            .filter(|(_, side)| **side != other)
            .map(|(signatures, _)| *signatures)
            .collect(),
        disjoint: case.filters.disjoint.clone(),
    };
    let restricted = Case {
        n_nodes: n_nodes as usize,
        uses: uses
            .filter(|(_, side)| **side != other)
            .map(|(uses, _)| uses.clone())
            .collect(),
        declared: declared.filter_map(|(one, _)| edge(one)).collect(),
        weak: Vec::new(),
        pairs: case
            .pairs
            .iter()
            .filter_map(|(a, b, policy)| edge(&(*a, *b)).map(|(a, b)| (a, b, *policy)))
            .collect(),
        resources: case.resources.clone(),
        costs: costs
            .filter(|(_, side)| **side != other)
            .map(|(cost, _)| *cost)
            .collect(),
        pinned: case.pinned.iter().filter_map(edge).collect(),
        filters,
        ..*case
    };
    (restricted, numbers)
}

/// The previous number of each node of the new graph.
fn previous_nodes(new: &[u32], old: &[u32]) -> Vec<u32> {
    let both = new.iter().zip(old);
    both.filter(|(new, _)| **new != NEW)
        .map(|(_, old)| *old)
        .collect()
}

fn edges(case: &Case) -> Vec<Edge> {
    let declared = case.declared.iter();
    declared.map(|&(from, to)| Edge { from, to }).collect()
}

/// Up to 200 nodes, of which few conflict. Most conflicting pairs are ordered.
fn large_cases() -> impl Strategy<Value = Case> {
    (2..200_usize).prop_flat_map(|n_nodes| {
        let n_resources = n_nodes / 3 + 1;
        let kinds = prop::sample::select(&AccessKind::ALL[..]);
        let uses = prop::collection::btree_map(0..n_resources as u32, kinds, 1..=2);
        let uses = uses.prop_map(|uses| uses.into_iter().collect::<Vec<_>>());
        let node = 0..n_nodes as u32;
        let order = (node.clone(), node).prop_filter("forward", |(a, b)| a < b);
        (
            prop::collection::vec(uses, n_nodes),
            prop::collection::vec(order.clone(), n_nodes / 2..3 * n_nodes),
            policies(),
            prop::collection::vec(0..100_u64, n_nodes),
            prop::collection::vec(order, 0..6),
            filters(n_nodes),
        )
            .prop_map(
                move |(uses, declared, schedule, costs, pinned, filters)| Case {
                    n_nodes,
                    n_resources,
                    uses,
                    declared,
                    weak: Vec::new(),
                    schedule,
                    resources: vec![None; n_resources],
                    pairs: Vec::new(),
                    costs,
                    pinned,
                    filters,
                },
            )
    })
}

/// Checks that both verdicts are equal, if the old graph has one.
fn check(case: &Case, nodes: &[Side], declared: &[Side]) -> Result<(), TestCaseError> {
    let (mut old, old_numbers) = restricted(case, Side::New, nodes, declared);
    let (new, new_numbers) = restricted(case, Side::Old, nodes, declared);
    // The old graph must not be rejected.
    old.schedule = Policy::Accepted;
    old.resources.fill(None);
    old.pairs.clear();
    let Ok(Verdict {
        free: Some(free), ..
    }) = old.verify()
    else {
        return Ok(());
    };
    let previous = Previous {
        previous_nodes: &previous_nodes(&new_numbers, &old_numbers),
        n_nodes: old.n_nodes,
        declared: &edges(&old),
        free: &free,
        has_changed_needs: &[],
    };
    match (new.verify(), new.verify_after(Some(previous))) {
        (Ok(new), Ok(incremental)) => {
            prop_assert_eq!(incremental.edges, new.edges);
            prop_assert_eq!(incremental.origins, new.origins);
            prop_assert_eq!(incremental.order, new.order);
            prop_assert_eq!(incremental.accepted, new.accepted);
            prop_assert_eq!(incremental.unpinned, new.unpinned);
            let sorted = |free: Option<Vec<(u32, u32)>>| {
                free.map(|free| free.into_iter().collect::<BTreeSet<_>>())
            };
            prop_assert_eq!(sorted(incremental.free), sorted(new.free));
        }
        (Err(new), Err(incremental)) => prop_assert_eq!(incremental, new),
        (new, incremental) => prop_assert!(false, "{:?} against {:?}", incremental, new),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(5000, 8),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_incremental_verdict_equals_a_full_one(
        (case, nodes, declared) in cases().prop_flat_map(|case| {
            let (nodes, declared) = (sides(case.n_nodes), sides(case.declared.len()));
            (Just(case), nodes, declared)
        }),
    ) {
        check(&case, &nodes, &declared)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(200, 1),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_incremental_verdict_on_many_nodes_equals_a_full_one(
        (case, nodes, declared) in large_cases().prop_flat_map(|case| {
            let (nodes, declared) = (sides(case.n_nodes), sides(case.declared.len()));
            (Just(case), nodes, declared)
        }),
    ) {
        check(&case, &nodes, &declared)?;
    }
}

impl Draft {
    fn rows(&self, input: &VerifyInput<'_>, previous: &Previous<'_>) -> Vec<u32> {
        let order = sort(self.n_nodes, &self.edges).expect("no cycle");
        let lists = Lists::of_successors(self.n_nodes, &self.edges);
        self.rows_of(input, previous, &order, &lists)
    }
}

/// The rows of a search in a chain of writers of one resource. The old graph has `n_old` nodes. `previous_nodes`: the previous
/// numbers of the nodes of the new graph.
fn rows_of_chain(n_old: u32, previous_nodes: &[u32]) -> Vec<u32> {
    let chain = |n_nodes: u32| Case {
        n_nodes: n_nodes as usize,
        n_resources: 1,
        uses: vec![vec![(0, WRITE)]; n_nodes as usize],
        costs: vec![1; n_nodes as usize],
        pinned: Vec::new(),
        filters: TestFilters::default(),
        declared: (1..n_nodes).map(|node| (node - 1, node)).collect(),
        weak: Vec::new(),
        schedule: Policy::Reject,
        resources: vec![None],
        pairs: Vec::new(),
    };
    let (old, new) = (chain(n_old), chain(previous_nodes.len() as u32));
    let previous = Previous {
        previous_nodes,
        n_nodes: n_old as usize,
        declared: &edges(&old),
        free: &[],
        has_changed_needs: &[],
    };
    new.with_input(Some(previous), |input| {
        declared(input).rows(input, &previous)
    })
}

#[test]
fn only_added_nodes_get_rows() {
    let previous_nodes: Vec<u32> = (0..99).chain([NEW]).collect();
    assert_eq!(rows_of_chain(99, &previous_nodes), [99]);
    let between: Vec<u32> = (0..50).chain([NEW]).chain(50..99).collect();
    assert_eq!(rows_of_chain(99, &between), [50]);
}

#[test]
fn removed_nodes_need_no_rows_if_their_neighbours_are_ordered() {
    let previous_nodes: Vec<u32> = (0..50).chain(51..100).collect();
    assert_eq!(rows_of_chain(100, &previous_nodes), Vec::<u32>::new());
    let ends: Vec<u32> = (1..99).collect();
    assert_eq!(rows_of_chain(100, &ends), Vec::<u32>::new());
}

#[test]
fn a_removed_order_needs_rows_on_the_side_with_fewer_nodes() {
    let case = |declared: Vec<(u32, u32)>| Case {
        n_nodes: 100,
        n_resources: 1,
        uses: vec![vec![(0, WRITE)]; 100],
        declared,
        weak: Vec::new(),
        schedule: Policy::Reject,
        resources: vec![None],
        pairs: Vec::new(),
        costs: vec![1; 100],
        pinned: Vec::new(),
        filters: TestFilters::default(),
    };
    let links = || (1..100).map(|node| (node - 1, node));
    let previous_nodes: Vec<u32> = (0..100).collect();
    for (removed, rows) in [(10, 0..10), (95, 95..100)] {
        let (old, new) = (
            case(links().collect()),
            case(links().filter(|link| link.1 != removed).collect()),
        );
        let previous = Previous {
            previous_nodes: &previous_nodes,
            n_nodes: 100,
            declared: &edges(&old),
            free: &[],
            has_changed_needs: &[],
        };
        let found = new.with_input(Some(previous), |input| {
            declared(input).rows(input, &previous)
        });
        assert_eq!(found, rows.collect::<Vec<u32>>());
        let races = new.verify().unwrap_err().races;
        assert_eq!(new.verify_after(Some(previous)).unwrap_err().races, races);
    }
}

/// The graph of the declared edges.
fn declared(input: &VerifyInput<'_>) -> Draft {
    Draft {
        n_inserted: 0,
        n_nodes: input.n_planned,
        edges: input.declared.to_vec(),
        origins: Vec::new(),
    }
}
