//! The chosen order, compared with all orders.

use crate::cases::n_cases;
use proptest::prelude::*;

use super::*;
use crate::conflict::{AccessKind, Disjoint, Filters, Use};

#[derive(Clone, Debug)]
struct OptimizeCase {
    /// `uses[v]`: the resources of node v, and how it uses them.
    uses: Vec<Vec<(u32, AccessKind)>>,
    /// All have `from < to`.
    edges: Vec<Edge>,
    costs: Vec<u64>,
}

impl OptimizeCase {
    fn with<T>(&self, look: impl FnOnce(&OptimizeInput<'_>) -> T) -> T {
        let (mut starts, mut uses) = (vec![0], Vec::new());
        for node in &self.uses {
            let own = node.iter();
            uses.extend(own.map(|&(resource, kind)| Use::new(resource, kind)));
            starts.push(uses.len() as u32);
        }
        look(&OptimizeInput {
            n_resources: 3,
            uses: Uses::new(&starts, &uses),
            edges: &self.edges,
            costs: &self.costs,
        })
    }
}

impl OptimizeInput<'_> {
    fn score_along(&self, order: &[u32]) -> u64 {
        let found = self.evaluate(order.to_vec(), &self.bounds(order), u64::MAX);
        found.expect("no score is as high as the limit").score
    }

    /// The least score of all orders that begin with `begun` and respect the edges.
    fn least_score(&self, begun: &mut Vec<u32>) -> u64 {
        if begun.len() == self.costs.len() {
            return self.score_along(begun);
        }
        let mut least = u64::MAX;
        for node in 0..self.costs.len() as u32 {
            let mut into = self.edges.iter().filter(|edge| edge.to == node);
            if !begun.contains(&node) && into.all(|edge| begun.contains(&edge.from)) {
                begun.push(node);
                least = least.min(self.least_score(begun));
                begun.pop();
            }
        }
        least
    }
}

fn cases(n_nodes: std::ops::Range<usize>) -> impl Strategy<Value = OptimizeCase> {
    n_nodes.prop_flat_map(|n_nodes| {
        let kinds = prop::sample::select(&AccessKind::ALL[..]);
        let uses = prop::collection::btree_map(0..3_u32, kinds, 0..=2);
        let uses = uses.prop_map(|uses| uses.into_iter().collect::<Vec<_>>());
        let node = 0..n_nodes as u32;
        let edges = prop::collection::vec((node.clone(), node), 0..n_nodes);
        let cost = prop_oneof![1 => Just(0), 4 => Just(10), 1 => 1..100_u64];
        (
            prop::collection::vec(uses, n_nodes),
            edges,
            prop::collection::vec(cost, n_nodes),
        )
            .prop_map(|(uses, edges, costs)| OptimizeCase {
                uses,
                edges: edges
                    .into_iter()
                    .filter(|(from, to)| from < to)
                    .map(|(from, to)| Edge { from, to })
                    .collect(),
                costs,
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(300, 4),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_order_respects_all_edges_and_is_deterministic(case in cases(1..30)) {
        let order = case.with(|input| input.order());
        prop_assert_eq!(order.len(), case.costs.len());
        let position = |node: u32| order.iter().position(|&one| one == node);
        for &Edge { from, to } in &case.edges {
            prop_assert!(position(from) < position(to));
        }
        prop_assert_eq!(case.with(|input| input.order()), order);
    }

    #[test]
    fn runs_are_not_longer_than_in_insertion_order(case in cases(1..30)) {
        case.with(|input| {
            let insertion_order = input.score_along(&input.insertion_order());
            prop_assert!(input.score_along(&input.order()) <= insertion_order);
            Ok(())
        })?;
    }
}

/// The graphs are the same in each run of the test, so their share of optimal orders is constant.
#[test]
fn at_least_95_percent_of_small_graphs_get_an_optimal_order() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let n_graphs = if cfg!(miri) { 3 } else { 200 };
    let mut runner = TestRunner::deterministic();
    let mut n_best = 0;
    for _ in 0..n_graphs {
        let case = cases(1..7).new_tree(&mut runner).unwrap().current();
        case.with(|input| {
            let (found, least) = (
                input.score_along(&input.order()),
                input.least_score(&mut Vec::new()),
            );
            assert!(found >= least);
            assert!(
                10 * found <= 11 * least,
                "{found} against {least}: {case:?}"
            );
            n_best += usize::from(found == least);
        });
    }
    assert!(100 * n_best >= 95 * n_graphs, "{n_best} of {n_graphs}");
}

/// The start order of nodes that write one resource each, on two workers. `nodes`: resource, signature and cost of each
/// node, the most urgent one first.
fn started(nodes: &[(u32, u16, u64)]) -> Vec<u32> {
    let uses: Vec<Use> = nodes
        .iter()
        .map(|&(resource, signature, _)| Use {
            resource,
            kind: AccessKind::Write,
            signature,
        })
        .collect();
    let starts: Vec<u32> = (0..=nodes.len() as u32).collect();
    let mut disjoint = [0; Disjoint::n_blocks(4)];
    Disjoint::set(&mut disjoint, 4, 1, 2);
    let filtered = Filters::list(&uses);
    let filters = Filters::new(Disjoint::new(4, &disjoint), 2, &filtered);
    let costs: Vec<u64> = nodes.iter().map(|node| node.2).collect();
    let input = OptimizeInput {
        n_resources: 2,
        uses: Uses::new(&starts, &uses).with_filters(filters),
        edges: &[],
        costs: &costs,
    };
    let priorities: Vec<u64> = (0..nodes.len() as u64).rev().collect();
    ListSchedule::new(&input).order(&priorities, 2, Direction::Forward)
}

#[test]
fn a_list_schedule_runs_nodes_with_disjoint_filters_at_the_same_time() {
    assert_eq!(started(&[(0, 1, 9), (0, 2, 9), (1, 0, 9)]), [0, 1, 2]);
    // Signature 3 is disjoint with none.
    assert_eq!(started(&[(0, 1, 9), (0, 3, 9), (1, 0, 9)]), [0, 2, 1]);
    // Node 2 has no filter, so it waits for node 1 too.
    assert_eq!(
        started(&[(0, 1, 1), (0, 2, 9), (0, 0, 9), (1, 0, 9)]),
        [0, 1, 3, 2]
    );
}
