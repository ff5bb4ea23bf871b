//! The number of races and the listed races, compared with all pairs.

use super::*;

/// Graphs of which most have more races than are listed.
fn racing_cases() -> impl Strategy<Value = Case> {
    let n_nodes = if cfg!(miri) { 2..6 } else { 20..90_usize };
    (n_nodes, 1..=6_usize, any::<bool>()).prop_flat_map(|(n_nodes, n_resources, is_forward)| {
        let kinds = prop::sample::select(&AccessKind::ALL[..]);
        let uses = prop::collection::btree_map(0..n_resources as u32, kinds, 0..=3);
        let uses = uses.prop_map(|uses| uses.into_iter().collect::<Vec<_>>());
        let node = 0..n_nodes as u32;
        let order = (node.clone(), node.clone()).prop_filter_map("no loops", move |(a, b)| {
            let (low, high) = (a.min(b), a.max(b));
            let order = if is_forward { (low, high) } else { (high, low) };
            (a != b).then_some(order)
        });
        let pair = (node.clone(), node, policies())
            .prop_map(|(a, b, policy)| (a.min(b), a.max(b), policy));
        let resource = prop::option::weighted(0.2, policies());
        (
            prop::collection::vec(uses, n_nodes),
            prop::collection::vec(order.clone(), 0..n_nodes),
            prop::collection::vec(order, 0..3),
            prop_oneof![4 => Just(Policy::Reject), 1 => policies()],
            prop::collection::vec(resource, n_resources),
            prop::collection::vec(pair, 0..4),
            filters(n_nodes),
        )
            .prop_map(
                move |(uses, declared, weak, schedule, resources, mut pairs, filters)| {
                    pairs.sort_unstable();
                    pairs.dedup_by_key(|pair| (pair.0, pair.1));
                    Case {
                        n_nodes,
                        n_resources,
                        uses,
                        declared,
                        weak,
                        schedule,
                        resources,
                        pairs,
                        costs: vec![1; n_nodes],
                        pinned: Vec::new(),
                        filters,
                    }
                },
            )
    })
}

/// The expected summary of these races, which are sorted pairs.
pub(super) fn summary(case: &Case, all: &[(u32, u32)]) -> Races {
    let mut races = Races {
        n_pairs: all.len(),
        ..Races::default()
    };
    for resource in 0..case.n_resources as u32 {
        let is_first =
            |&&(a, b): &&(u32, u32)| case.shared(a as usize, b as usize)[0].0 == resource;
        let of_resource: Vec<_> = all.iter().filter(is_first).copied().collect();
        if !of_resource.is_empty() {
            races.by_resource.push((resource, of_resource.len()));
        }
        let listed = of_resource.into_iter();
        races.listed.extend(listed.take(Races::LISTED_OF_EACH));
    }
    if all.len() <= Races::MAX_LISTED {
        races.listed = all.to_vec();
    }
    races.listed.sort_unstable();
    races
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(100, 2),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn many_races_are_counted_and_the_first_of_each_resource_are_listed(case in racing_cases()) {
        if let (Expected::Rejected { races, .. }, Err(violations)) = (expected(&case), case.verify()) {
            prop_assert_eq!(violations.races, summary(&case, &races));
        }
    }
}

/// All nodes write one resource. Without orders and with one order against the numbering.
#[test]
fn chain_resolves_all_races_of_the_writers_of_one_resource() {
    let n_nodes = if cfg!(miri) { 50 } else { 400_u32 };
    let mut case = plain(vec![vec![(3, WRITE)]; n_nodes as usize], Policy::Reject);
    let violations = case.verify().unwrap_err();
    let n_pairs = n_nodes as usize * (n_nodes as usize - 1) / 2;
    assert_eq!(violations.races.n_pairs, n_pairs);
    assert_eq!(violations.races.by_resource, [(3, n_pairs)]);
    let chain: Vec<_> = (1..n_nodes).map(|node| (node - 1, node)).collect();
    assert_eq!(violations.remedy, chain);
    if !cfg!(miri) {
        let first: Vec<_> = (1..=20).map(|node| (0, node)).collect();
        assert_eq!(violations.races.listed, first);
    }
    // The last node is ordered before the first. The listed races are still the first ones by node.
    case.declared = vec![(n_nodes - 1, 0)];
    let reversed = case.verify().unwrap_err();
    assert_eq!(reversed.races.n_pairs, n_pairs - 1);
    assert_eq!(reversed.races.listed[..9], violations.races.listed[..9]);
}
