use super::*;

const fn on(resource: u32, is_write: bool) -> Use {
    Use::new(resource, AccessKind::of_write(is_write))
}

/// Nodes 0 and 1 conflict on resources 0 and 1, and both read resource 2. Nodes 2 and 3 write resource 3, and node 4 reads it.
const STARTS: [u32; 6] = [0, 3, 6, 7, 8, 9];
const LIST: [Use; 9] = [
    on(0, true),
    on(1, false),
    on(2, false),
    on(0, false),
    on(1, true),
    on(2, false),
    on(3, true),
    on(3, true),
    on(3, false),
];
const USES: Uses<'static> = Uses::new(&STARTS, &LIST);

const ALL: [Policy; 5] = [
    Policy::Reject,
    Policy::WritersFirst,
    Policy::InsertionOrder,
    Policy::Accepted,
    Policy::Optimize,
];

const fn rules<'a>(
    schedule: Policy,
    resources: &'a [Option<Policy>],
    pairs: &'a [(u32, u32, Policy)],
) -> Rules<'a> {
    Rules {
        schedule,
        resources,
        pairs,
        groups: GroupRules::NONE,
        plugins: Plugins::NONE,
    }
}

const NONE: [Option<Policy>; 4] = [None; 4];

#[test]
fn policies_are_sorted_from_strict_to_lenient() {
    assert!(ALL.is_sorted());
    assert_eq!(Policy::default(), Policy::Reject);
    let texts = ALL.map(|policy| policy.to_string());
    assert_eq!(
        texts,
        [
            "reject",
            "writers first",
            "insertion order",
            "accepted",
            "optimize"
        ]
    );
}

#[test]
fn pair_has_the_strictest_policy_of_its_conflicting_resources() {
    for one in ALL {
        for other in ALL {
            let resources = [Some(one), Some(other), Some(Policy::Reject), None];
            let rules = rules(Policy::Reject, &resources, &[]);
            assert_eq!(rules.of_pair(USES, 0, 1), one.min(other));
            assert_eq!(rules.of_pair(USES, 1, 0), one.min(other));
        }
    }
}

#[test]
fn resource_without_a_policy_uses_that_of_the_schedule() {
    for schedule in ALL {
        let resources = [Some(Policy::InsertionOrder), None, None, None];
        let rules = rules(schedule, &resources, &[]);
        assert_eq!(
            rules.of_pair(USES, 0, 1),
            schedule.min(Policy::InsertionOrder)
        );
        assert_eq!(rules.of_pair(USES, 2, 3), schedule);
    }
}

#[test]
fn policy_of_a_pair_overrides_all_others() {
    const PAIRS: [(u32, u32, Policy); 5] = [
        (0, 1, Policy::Accepted),
        (0, 4, Policy::Reject),
        (2, 3, Policy::WritersFirst),
        (2, 4, Policy::InsertionOrder),
        (3, 4, Policy::Accepted),
    ];
    const FOUND: Policy = rules(Policy::Reject, &NONE, &PAIRS).of_pair(USES, 1, 0);
    assert_eq!(FOUND, Policy::Accepted);
    for (a, b, policy) in PAIRS {
        let rules = rules(Policy::Reject, &NONE, &PAIRS);
        assert_eq!(rules.set_for(a, b), Some(policy));
        assert_eq!(rules.set_for(b, a), Some(policy));
    }
    let rules = rules(Policy::Reject, &NONE, &PAIRS);
    for (a, b) in [(0, 0), (0, 2), (1, 4), (4, 4), (1, 2)] {
        assert_eq!(rules.set_for(a, b), None);
    }
}

#[test]
fn races_are_needed_unless_all_pairs_use_insertion_order_or_optimize() {
    const NEEDED: bool = rules(Policy::InsertionOrder, &NONE, &[]).needs_races();
    const { assert!(!NEEDED) };
    for policy in ALL {
        let is_needed = !matches!(policy, Policy::InsertionOrder | Policy::Optimize);
        let resources = [None, None, None, Some(policy)];
        let pairs = [(0, 1, Policy::InsertionOrder), (0, 2, policy)];
        assert_eq!(rules(policy, &NONE, &[]).needs_races(), is_needed);
        let of_a_resource = rules(Policy::InsertionOrder, &resources, &[]);
        assert_eq!(of_a_resource.needs_races(), is_needed);
        let of_a_pair = rules(Policy::InsertionOrder, &NONE, &pairs);
        assert_eq!(of_a_pair.needs_races(), policy != Policy::InsertionOrder);
    }
}

#[test]
fn writers_first_orders_the_writer_before_the_reader() {
    const CROSSED: WritersFirst = writers_first(USES, 0, 1);
    assert_eq!(
        CROSSED,
        WritersFirst {
            first_to_second: Some(0),
            second_to_first: Some(1)
        }
    );
    assert_eq!(
        writers_first(USES, 2, 3),
        WritersFirst {
            first_to_second: Some(3),
            second_to_first: Some(3)
        }
    );
    assert_eq!(
        writers_first(USES, 4, 3),
        WritersFirst {
            first_to_second: None,
            second_to_first: Some(3)
        }
    );
}

#[test]
fn writers_first_names_the_first_of_several_resources() {
    let list = [on(1, true), on(5, true), on(1, false), on(5, false)];
    let uses = Uses::new(&[0, 2, 4], &list);
    assert_eq!(writers_first(uses, 0, 1).first_to_second, Some(1));
    assert_eq!(writers_first(uses, 0, 1).second_to_first, None);
}

/// The edges of `fill_insertion_order`, and the resource of each.
fn insertion_order(uses: Uses<'_>, n_resources: usize, order: &[u32]) -> Vec<(u32, u32, u32)> {
    super::insertion_order(uses, n_resources, order)
        .map(|(edge, resource)| (edge.from, edge.to, resource))
        .collect()
}

/// Nodes that use one resource: `writes[v]`: whether node v writes it.
fn of_one(writes: &[bool]) -> (Vec<u32>, Vec<Use>) {
    let starts = (0..=writes.len() as u32).collect();
    (
        starts,
        writes.iter().map(|&is_write| on(0, is_write)).collect(),
    )
}

#[test]
fn insertion_order_links_writers_and_the_readers_between_them() {
    let (starts, list) = of_one(&[true, false, false, true, true, false]);
    let mut edges = insertion_order(Uses::new(&starts, &list), 1, &[0, 1, 2, 3, 4, 5]);
    edges.sort_unstable();
    assert_eq!(
        edges,
        [
            (0, 1, 0),
            (0, 2, 0),
            (1, 3, 0),
            (2, 3, 0),
            (3, 4, 0),
            (4, 5, 0)
        ]
    );
}

#[test]
fn insertion_order_follows_the_given_order() {
    let (starts, list) = of_one(&[true, false, true]);
    let uses = Uses::new(&starts, &list);
    assert_eq!(insertion_order(uses, 1, &[2, 1, 0]), [(2, 1, 0), (1, 0, 0)]);
    assert_eq!(insertion_order(uses, 1, &[1, 0, 2]), [(1, 0, 0), (0, 2, 0)]);
}

#[test]
fn insertion_order_treats_resources_separately_and_links_a_pair_once() {
    let mut edges = insertion_order(USES, 4, &[0, 1, 2, 3, 4]);
    edges.sort_unstable();
    assert_eq!(edges, [(0, 1, 0), (2, 3, 3), (3, 4, 3)]);
}

/// For any pattern of reads, writes and folds, two nodes have a path if they conflict or if a writer is between them.
#[test]
fn insertion_order_orders_every_conflicting_pair_with_few_edges() {
    let n_nodes = if cfg!(miri) { 4 } else { 7_u32 };
    for pattern in 0..3_u32.pow(n_nodes) {
        let kind = |node| match pattern / 3_u32.pow(node) % 3 {
            0 => AccessKind::Read,
            1 => AccessKind::Write,
            _ => AccessKind::Fold,
        };
        let kinds: Vec<AccessKind> = (0..n_nodes).map(kind).collect();
        let list: Vec<Use> = kinds.iter().map(|&kind| Use::new(0, kind)).collect();
        let starts: Vec<u32> = (0..=n_nodes).collect();
        let order: Vec<u32> = (0..n_nodes).collect();
        let edges = insertion_order(Uses::new(&starts, &list), 1, &order);
        if !kinds.contains(&AccessKind::Fold) {
            assert!(edges.len() < 2 * n_nodes as usize);
        }
        let mut path = vec![vec![false; n_nodes as usize]; n_nodes as usize];
        for to in 0..n_nodes as usize {
            for &(from, _, _) in edges.iter().filter(|edge| edge.1 as usize == to) {
                let from = from as usize;
                assert!(from < to);
                path[from][to] = true;
                for earlier in &mut path[..from] {
                    earlier[to] |= earlier[from];
                }
            }
        }
        for b in 0..n_nodes as usize {
            for a in 0..b {
                let is_alike = kinds[a] == kinds[b] && !kinds[a].is_write();
                let is_apart = kinds[a..b].iter().any(|&between| between != kinds[a]);
                assert_eq!(path[a][b], !is_alike || is_apart, "{kinds:?}");
            }
        }
    }
}

#[test]
fn insertion_order_runs_in_const_evaluation() {
    const N_EDGES: usize = {
        let (mut scratch, mut edges, mut resources) =
            ([0; 31], [Edge { from: 0, to: 0 }; 18], [0; 18]);
        fill_insertion_order(
            USES,
            4,
            &[0, 1, 2, 3, 4],
            &mut scratch,
            &mut edges,
            &mut resources,
        )
    };
    assert_eq!(N_EDGES, 3);
}

/// Random sets of nodes, and rules for pairs of sets.
struct Random {
    members: Vec<Vec<u32>>,
    rules: Vec<GroupRule>,
    pairs: Vec<(u32, u32, Policy)>,
}

const N_NODES: u32 = 6;

fn random(seed: u64) -> Random {
    let mut state = 2 * seed + 1;
    let mut below = |n: u64| {
        state = state.wrapping_mul(0xd134_2543_de82_ef95) | 1;
        ((state >> 33) % n) as u32
    };
    for _ in 0..8 {
        below(2);
    }
    let members: Vec<Vec<u32>> = (0..4)
        .map(|_| (0..N_NODES).filter(|_| below(2) == 0).collect())
        .collect();
    let mut rules: Vec<GroupRule> = (0..1 + below(4))
        .map(|rank| {
            let (one, other) = (below(4), below(4));
            GroupRule {
                one: one.min(other),
                other: one.max(other),
                policy: ALL[below(5) as usize],
                rank,
            }
        })
        .collect();
    rules.sort_by_key(|rule| (rule.one, rule.other));
    let all = (0..N_NODES).flat_map(|a| (a + 1..N_NODES).map(move |b| (a, b)));
    let pairs = all.filter(|_| below(4) == 0);
    Random {
        members,
        rules,
        pairs: pairs.map(|(a, b)| (a, b, Policy::Reject)).collect(),
    }
}

impl Random {
    /// Whether a rule applies to a pair of different nodes.
    fn concerns(&self, rule: &GroupRule, a: u32, b: u32) -> bool {
        let is_in = |node: u32, set: u32| self.members[set as usize].contains(&node);
        a != b
            && (is_in(a, rule.one) && is_in(b, rule.other)
                || is_in(b, rule.one) && is_in(a, rule.other))
    }
}

#[test]
fn policy_of_two_groups_applies_to_each_pair_of_their_nodes() {
    for seed in 0..500 {
        let random = random(seed);
        let mut starts = vec![0];
        let mut sets = Vec::new();
        for node in 0..N_NODES {
            sets.extend((0..4).filter(|&set| random.members[set as usize].contains(&node)));
            starts.push(sets.len() as u32);
        }
        let groups = GroupRules {
            starts: &starts,
            sets: &sets,
            rules: &random.rules,
        };
        let all = || (0..N_NODES).flat_map(|a| (0..N_NODES).map(move |b| (a, b)));
        for (a, b) in all() {
            let concerning = random
                .rules
                .iter()
                .filter(|rule| random.concerns(rule, a, b));
            let first = concerning.min_by_key(|rule| rule.rank);
            let found = groups.of_pair(a, b).map(|rule| rule.rank);
            assert_eq!(found, first.map(|rule| rule.rank), "{seed}: {a} {b}");
            let with_groups = Rules {
                groups,
                ..rules(Policy::Reject, &[], &random.pairs)
            };
            let own = find_pair(&random.pairs, a, b);
            let wanted = own.or(first.map(|rule| rule.policy));
            assert_eq!(with_groups.set_for(a, b), wanted, "{seed}: {a} {b}");
        }
        for one in &random.rules {
            for other in &random.rules {
                let is_common = |a, b| {
                    random.concerns(one, a, b)
                        && random.concerns(other, a, b)
                        && find_pair(&random.pairs, a, b).is_none()
                };
                match groups.common(*one, *other, &random.pairs) {
                    Some((a, b)) => assert!(is_common(a, b), "{seed}: {a} {b}"),
                    None => assert!(!all().any(|(a, b)| is_common(a, b)), "{seed}"),
                }
            }
        }
    }
}
