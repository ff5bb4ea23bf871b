//! The verdict, compared with a reference implementation that uses matrices and tests every pair.

use std::collections::BTreeSet;

use crate::cases::n_cases;
use proptest::prelude::*;

use self::filters::{TestFilters, filters};
use super::*;
use crate::conflict::{AccessKind, Use};
use crate::policy::{GroupRules, Plugins};

const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;
const FOLD: AccessKind = AccessKind::Fold;

/// The input of a verification.
#[derive(Clone, Debug)]
struct Case {
    n_nodes: usize,
    n_resources: usize,
    /// `uses[v]`: the resources of node v, each at most once, and how the node uses them.
    uses: Vec<Vec<(u32, AccessKind)>>,
    declared: Vec<(u32, u32)>,
    weak: Vec<(u32, u32)>,
    schedule: Policy,
    resources: Vec<Option<Policy>>,
    pairs: Vec<(u32, u32, Policy)>,
    /// `costs[v]`: the run time of node v.
    costs: Vec<u64>,
    pinned: Vec<(u32, u32)>,
    filters: TestFilters,
}

impl Case {
    fn verify(&self) -> Result<Verdict, Box<Violations>> {
        self.verify_after(None)
    }

    fn verify_after(&self, previous: Option<Previous<'_>>) -> Result<Verdict, Box<Violations>> {
        self.with_input(previous, verify)
    }

    /// Calls a function with this input.
    fn with_input<T>(
        &self,
        previous: Option<Previous<'_>>,
        visit: impl FnOnce(&VerifyInput<'_>) -> T,
    ) -> T {
        let mut starts = vec![0];
        let mut uses = Vec::new();
        for (node, of_node) in self.uses.iter().enumerate() {
            uses.extend(of_node.iter().map(|&(resource, kind)| Use {
                resource,
                kind,
                signature: self.filters.signature(node, resource),
            }));
            starts.push(uses.len() as u32);
        }
        let uses = Uses::new(&starts, &uses);
        self.filters.with(uses, self.n_resources, |uses| {
            self.with_input_of(uses, previous, visit)
        })
    }

    fn with_input_of<T>(
        &self,
        uses: Uses<'_>,
        previous: Option<Previous<'_>>,
        visit: impl FnOnce(&VerifyInput<'_>) -> T,
    ) -> T {
        let edge = |&(from, to): &(u32, u32)| Edge { from, to };
        visit(&VerifyInput {
            uses,
            n_planned: self.uses.len(),
            n_resources: self.n_resources,
            levels: crate::graph::levels::Levels::NONE,
            needs: crate::exclusion::Needs::NONE,
            commands: &[],
            is_idle: &[],
            previous,
            roles: &[],
            declared: &self.declared.iter().map(edge).collect::<Vec<_>>(),
            weak: &self.weak.iter().map(edge).collect::<Vec<_>>(),
            is_weak_order: &vec![true; self.weak.len()],
            is_messages: &[],
            rules: Rules {
                schedule: self.schedule,
                resources: &self.resources,
                pairs: &self.pairs,
                groups: GroupRules::NONE,
                plugins: Plugins::NONE,
            },
            costs: &self.costs,
            pinned: &self.pinned.iter().map(edge).collect::<Vec<_>>(),
        })
    }

    /// The resources on which two nodes conflict, each with the kinds in which the two use it. A pair conflicts if one node
    /// writes, or if exactly one folds, unless filters exempt the pair.
    fn shared(&self, a: usize, b: usize) -> Vec<(u32, AccessKind, AccessKind)> {
        let mut shared = Vec::new();
        for &(resource, of_a) in &self.uses[a] {
            for &(other, of_b) in &self.uses[b] {
                let one_writes = of_a == WRITE || of_b == WRITE;
                let one_folds = (of_a == FOLD) != (of_b == FOLD);
                if resource == other
                    && (one_writes || one_folds)
                    && !self.filters.exempt(resource, a, b)
                {
                    shared.push((resource, of_a, of_b));
                }
            }
        }
        shared
    }

    fn policy(&self, a: usize, b: usize) -> Policy {
        let pair = (a.min(b) as u32, a.max(b) as u32);
        if let Some(set) = self.pairs.iter().find(|set| (set.0, set.1) == pair) {
            return set.2;
        }
        let shared = self.shared(a, b).into_iter();
        shared
            .map(|(resource, ..)| self.resources[resource as usize].unwrap_or(self.schedule))
            .min()
            .expect("a conflict")
    }

    fn conflicts(&self) -> Vec<(usize, usize)> {
        let mut conflicts = Vec::new();
        for a in 0..self.n_nodes {
            for b in a + 1..self.n_nodes {
                if !self.shared(a, b).is_empty() {
                    conflicts.push((a, b));
                }
            }
        }
        conflicts
    }
}

type Matrix = Vec<Vec<bool>>;

/// Paths of at least one edge (Warshall 1962).
fn closure(n_nodes: usize, edges: &[(u32, u32)]) -> Matrix {
    let mut path = vec![vec![false; n_nodes]; n_nodes];
    for &(from, to) in edges {
        path[from as usize][to as usize] = true;
    }
    for middle in 0..n_nodes {
        for from in 0..n_nodes {
            for to in 0..n_nodes {
                path[from][to] |= path[from][middle] && path[middle][to];
            }
        }
    }
    path
}

fn has_cycle(path: &Matrix) -> bool {
    (0..path.len()).any(|node| path[node][node])
}

/// The result of the reference implementation.
#[derive(Debug, PartialEq)]
enum Expected {
    Cycle,
    Rejected {
        races: Vec<(u32, u32)>,
        has_writers_first_cycle: bool,
    },
    Built(Built),
}

#[derive(Debug, PartialEq)]
struct Built {
    /// The topological order of the edges of phases 1 to 4, smallest index first.
    order: Vec<u32>,
    /// The edges of phases 1 to 5.
    edges: Vec<(u32, u32)>,
    /// Whether a pair races under `optimize`.
    has_optimize: bool,
}

/// The pinned edges that are followed, and the others with the reason.
type Pins = (Vec<(u32, u32)>, Vec<(u32, Unpinned)>);

impl Built {
    fn pins(&self, case: &Case) -> Pins {
        let before = closure(case.n_nodes, &self.edges);
        let (mut followed, mut unpinned) = (Vec::new(), Vec::new());
        for (idx, &(from, to)) in (0..).zip(&case.pinned) {
            let (a, b) = (from as usize, to as usize);
            let is_race = a != b
                && !case.shared(a, b).is_empty()
                && case.policy(a, b) == Policy::Optimize
                && !(before[a][b] || before[b][a]);
            let edges = [self.edges.as_slice(), &followed].concat();
            if !is_race {
                unpinned.push((idx, Unpinned::NoRace));
            } else if closure(case.n_nodes, &edges)[b][a] {
                unpinned.push((idx, Unpinned::Contradicts));
            } else {
                followed.push((from, to));
            }
        }
        (followed, unpinned)
    }
}

fn expected(case: &Case) -> Expected {
    let n_nodes = case.n_nodes;
    let declared = closure(n_nodes, &case.declared);
    let mut edges = case.declared.clone();
    edges.extend(&case.weak);
    let both = closure(n_nodes, &edges);
    if has_cycle(&declared) || has_cycle(&both) {
        return Expected::Cycle;
    }
    let mut edges = case.declared.clone();
    for (a, b) in case.conflicts() {
        for (from, to) in [(a, b), (b, a)] {
            if both[from][to] && !declared[from][to] {
                edges.push((from as u32, to as u32));
            }
        }
    }
    let path = closure(n_nodes, &edges);
    let mut races = Vec::new();
    let mut policy_edges = Vec::new();
    let (mut insertion_order, mut has_optimize) = (Vec::new(), false);
    for (a, b) in case.conflicts() {
        if path[a][b] || path[b][a] {
            continue;
        }
        match case.policy(a, b) {
            Policy::Reject => races.push((a as u32, b as u32)),
            Policy::WritersFirst => {
                for (_, of_a, of_b) in case.shared(a, b) {
                    if of_a != READ {
                        policy_edges.push((a as u32, b as u32));
                    }
                    if of_b != READ {
                        policy_edges.push((b as u32, a as u32));
                    }
                }
            }
            Policy::InsertionOrder | Policy::Accepted => insertion_order.push((a as u32, b as u32)),
            Policy::Optimize => has_optimize = true,
        }
    }
    edges.extend(&policy_edges);
    let path = closure(n_nodes, &edges);
    if !races.is_empty() || has_cycle(&path) {
        return Expected::Rejected {
            races,
            has_writers_first_cycle: has_cycle(&path),
        };
    }
    let mut order: Vec<u32> = Vec::new();
    while order.len() < n_nodes {
        let is_ready = |&node: &u32| {
            !order.contains(&node)
                && (0..n_nodes as u32)
                    .all(|other| !path[other as usize][node as usize] || order.contains(&other))
        };
        let next = (0..n_nodes as u32).find(is_ready).expect("no cycle");
        order.push(next);
    }
    let rank = |node: u32| order.iter().position(|&one| one == node);
    for (a, b) in insertion_order {
        edges.push(if rank(a) < rank(b) { (a, b) } else { (b, a) });
    }
    Expected::Built(Built {
        order,
        edges,
        has_optimize,
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::Reject),
        Just(Policy::WritersFirst),
        Just(Policy::InsertionOrder),
        Just(Policy::Accepted),
        Just(Policy::Optimize),
    ]
}

fn cases() -> impl Strategy<Value = Case> {
    let max_nodes = if cfg!(miri) { 5_usize } else { 9 };
    (1..=max_nodes, 1..=4_usize).prop_flat_map(|(n_nodes, n_resources)| {
        let node = 0..n_nodes as u32;
        let kinds = prop::sample::select(&AccessKind::ALL[..]);
        let uses = prop::collection::btree_map(0..n_resources as u32, kinds, 0..=2);
        let uses = uses.prop_map(|uses| uses.into_iter().collect::<Vec<_>>());
        // Mostly forward, so that not every case is a cycle.
        let order = (node.clone(), node.clone(), 0..12_u8)
            .prop_map(|(a, b, die)| {
                if die == 0 {
                    (a, b)
                } else {
                    (a.min(b), a.max(b))
                }
            })
            .prop_filter("mostly no loops", |(a, b)| a != b);
        let pair = (node.clone(), node, policies())
            .prop_map(|(a, b, policy)| (a.min(b), a.max(b), policy));
        let orders = if n_nodes > 1 { 0..n_nodes } else { 0..1 };
        (
            prop::collection::vec(uses, n_nodes),
            if n_nodes > 1 {
                prop::collection::vec(order.clone(), orders).boxed()
            } else {
                Just(vec![]).boxed()
            },
            if n_nodes > 1 {
                prop::collection::vec(order, 0..3).boxed()
            } else {
                Just(vec![]).boxed()
            },
            policies(),
            prop::collection::vec(prop::option::weighted(0.3, policies()), n_resources),
            prop::collection::vec(pair, 0..3),
            prop::collection::vec(0..100_u64, n_nodes),
            prop::collection::vec((0..n_nodes as u32, 0..n_nodes as u32), 0..6),
            filters(n_nodes),
        )
            .prop_map(
                move |(
                    uses,
                    declared,
                    weak,
                    schedule,
                    resources,
                    mut pairs,
                    costs,
                    pinned,
                    filters,
                )| {
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
                        costs,
                        pinned,
                        filters,
                    }
                },
            )
    })
}

fn edges_of(verdict: &Verdict) -> Vec<(u32, u32)> {
    verdict
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_cases(3000, 8),
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_verdict_agrees_with_the_reference(case in cases()) {
        match (expected(&case), case.verify()) {
            (Expected::Cycle, Err(violations)) => prop_assert!(!violations.cycles.is_empty()),
            (Expected::Rejected { races, has_writers_first_cycle }, Err(violations)) => {
                prop_assert!(violations.cycles.is_empty());
                prop_assert_eq!(violations.races, races::summary(&case, &races));
                prop_assert_eq!(!violations.writers_first.is_empty(), has_writers_first_cycle);
            }
            (Expected::Built(built), Ok(verdict)) => {
                if !built.has_optimize {
                    prop_assert_eq!(&verdict.order, &built.order);
                }
                let (followed, unpinned) = built.pins(&case);
                prop_assert_eq!(&verdict.unpinned, &unpinned);
                let path = closure(case.n_nodes, &edges_of(&verdict));
                for (from, to) in built.edges.into_iter().chain(followed) {
                    prop_assert!(path[from as usize][to as usize], "{from} -> {to}");
                }
            }
            (expected, verdict) => prop_assert!(false, "{expected:?} against {verdict:?}"),
        }
    }

    #[test]
    fn a_verdict_orders_every_conflicting_pair_without_cycles(case in cases()) {
        let Ok(verdict) = case.verify() else { return Ok(()) };
        let path = closure(case.n_nodes, &edges_of(&verdict));
        prop_assert!(!has_cycle(&path));
        for (a, b) in case.conflicts() {
            prop_assert!(path[a][b] || path[b][a], "{a} and {b}");
        }
        let ranks: Vec<_> = (0..case.n_nodes as u32)
            .map(|node| verdict.order.iter().position(|&one| one == node).unwrap())
            .collect();
        for edge in &verdict.edges {
            prop_assert!(ranks[edge.from as usize] < ranks[edge.to as usize]);
        }
        prop_assert_eq!(verdict.edges.len(), verdict.origins.len());
    }

    #[test]
    fn races_of_a_graph_with_cycles_are_the_pairs_without_a_path(case in cases()) {
        let mut case = case;
        case.schedule = Policy::Reject;
        case.resources.fill(None);
        case.pairs.clear();
        let Err(violations) = case.verify() else { return Ok(()) };
        let mut edges = case.declared.clone();
        if !violations.cycles.is_empty() {
            edges.extend(&case.weak);
            let path = closure(case.n_nodes, &edges);
            let races: Vec<_> = case
                .conflicts()
                .into_iter()
                .filter(|&(a, b)| !path[a][b] && !path[b][a])
                .map(|(a, b)| (a as u32, b as u32))
                .collect();
            prop_assert_eq!(violations.races.listed, races);
        }
    }

    #[test]
    fn cycles_are_closed_and_shortest_through_their_first_node(case in cases()) {
        let Err(violations) = case.verify() else { return Ok(()) };
        for cycle in violations.cycles.iter().chain(&violations.writers_first) {
            let nodes: BTreeSet<u32> = cycle.iter().map(|(edge, _)| edge.from).collect();
            prop_assert_eq!(nodes.len(), cycle.len(), "a node must not occur twice");
            for (i, (edge, _)) in cycle.iter().enumerate() {
                prop_assert_eq!(edge.to, cycle[(i + 1) % cycle.len()].0.from);
            }
        }
    }

    #[test]
    fn the_races_do_not_depend_on_insertion_order(case in cases()) {
        // Node v becomes n - 1 - v.
        let mut reversed = case.clone();
        let last = case.n_nodes as u32 - 1;
        reversed.uses.reverse();
        reversed.filters.signatures.reverse();
        let reverse_all = |edges: &mut Vec<(u32, u32)>| {
            edges.iter_mut().for_each(|edge| *edge = (last - edge.0, last - edge.1));
            edges.reverse();
        };
        reverse_all(&mut reversed.declared);
        reverse_all(&mut reversed.weak);
        for pair in &mut reversed.pairs {
            *pair = (last - pair.1, last - pair.0, pair.2);
        }
        reversed.pairs.sort_unstable();
        match (case.verify(), reversed.verify()) {
            (Ok(_), Ok(_)) => {}
            (Err(a), Err(b)) => {
                let mut races = b.races.listed;
                races.iter_mut().for_each(|race| *race = (last - race.1, last - race.0));
                races.sort_unstable();
                prop_assert_eq!(a.races.listed, races);
                prop_assert_eq!(a.cycles.len(), b.cycles.len());
                prop_assert_eq!(a.writers_first.is_empty(), b.writers_first.is_empty());
            }
            (a, b) => prop_assert!(false, "{a:?} against {b:?}"),
        }
    }
}

/// The graph has more nodes than a block has bits, and several windows.
#[test]
fn races_are_found_across_blocks() {
    let n_nodes = if cfg!(miri) { 70 } else { 300 };
    let case = Case {
        n_nodes,
        n_resources: 3,
        uses: (0..n_nodes as u32)
            .map(|node| vec![(node % 3, AccessKind::of_write(node % 7 == 0))])
            .collect(),
        declared: (0..n_nodes as u32 - 5)
            .filter(|node| node % 2 == 0)
            .map(|node| (node, node + 5))
            .collect(),
        weak: vec![(3, 200 % n_nodes as u32), (64, 65)],
        schedule: Policy::Reject,
        resources: vec![None; 3],
        pairs: Vec::new(),
        costs: vec![1; n_nodes],
        pinned: Vec::new(),
        filters: TestFilters::default(),
    };
    let Expected::Rejected { races, .. } = expected(&case) else {
        panic!("there are races");
    };
    assert!(races.len() > 50);
    let races_found = case.verify().unwrap_err().races;
    assert_eq!(races_found, races::summary(&case, &races));
}

fn plain(uses: Vec<Vec<(u32, AccessKind)>>, schedule: Policy) -> Case {
    Case {
        n_nodes: uses.len(),
        costs: vec![1; uses.len()],
        pinned: Vec::new(),
        filters: TestFilters::default(),
        n_resources: 4,
        uses,
        declared: Vec::new(),
        weak: Vec::new(),
        schedule,
        resources: vec![None; 4],
        pairs: Vec::new(),
    }
}

mod examples;
mod filters;
mod incremental;
mod inserted;
mod races;
mod remedy;
