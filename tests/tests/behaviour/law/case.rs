//! Random cases: what nodes touch, what is ordered, and by which policies.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::prelude::*;

pub(super) const N_GROUPS: usize = 3;
pub(super) const RESOURCES: [&str; 4] = ["r0", "r1", "r2", "r3"];

/// What an order names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Thing {
    Node(usize),
    Group(usize),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) is_checkpoint: bool,
    pub(super) is_exclusive: bool,
    /// By resource: whether it is written.
    pub(super) uses: [Option<bool>; 4],
    /// Whether it writes all, and by resource whether that is excepted.
    pub(super) all: Option<(bool, [bool; 4])>,
    pub(super) groups: BTreeSet<usize>,
}

impl Node {
    /// How it touches a resource, and whether it writes it.
    pub(super) fn access(&self, resource: usize) -> Option<bool> {
        let all = self.all.filter(|(_, except)| !except[resource]);
        self.uses[resource].max(all.map(|(is_write, _)| is_write))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) nodes: Vec<Node>,
    /// Inner and outer.
    pub(super) nested: Vec<(usize, usize)>,
    /// First, then, and whether it is weak.
    pub(super) orders: Vec<(Thing, Thing, bool)>,
    pub(super) schedule: Policy,
    pub(super) resources: [Option<Policy>; 4],
    pub(super) pairs: Vec<(usize, usize, Policy)>,
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![
        3 => Just(Policy::Reject),
        2 => Just(Policy::WritersFirst),
        3 => Just(Policy::InsertionOrder),
        1 => Just(Policy::Accepted),
        3 => Just(Policy::Optimize),
    ]
}

fn nodes() -> impl Strategy<Value = Node> {
    (
        0..20_u8,
        prop::array::uniform4(prop::option::weighted(0.3, any::<bool>())),
        (any::<bool>(), prop::array::uniform4(any::<bool>())),
        prop::collection::btree_set(0..N_GROUPS, 0..2),
    )
        .prop_map(|(die, uses, all, groups)| match die {
            0 | 1 => Node {
                is_checkpoint: true,
                groups,
                ..Node::default()
            },
            die => Node {
                is_checkpoint: false,
                is_exclusive: die == 2,
                uses,
                all: (die == 3 || die == 4).then_some(all),
                groups,
            },
        })
}

pub(super) fn cases() -> impl Strategy<Value = Case> {
    let max_nodes = 8_usize;
    let resources = prop::array::uniform4(prop::option::weighted(0.3, policies()));
    let nested = prop::collection::btree_set((0..N_GROUPS, 0..N_GROUPS), 0..3);
    let order = (any::<Index>(), any::<Index>(), 0..10_u8);
    (
        prop::collection::vec(nodes(), 1..=max_nodes),
        nested,
        prop::collection::vec(order, 0..8),
        policies(),
        resources,
        prop::collection::btree_map(
            (any::<Index>(), any::<Index>())
                .prop_map(|pair| (pair.0.index(1 << 16), pair.1.index(1 << 16))),
            policies(),
            0..3,
        ),
    )
        .prop_map(|(nodes, nested, orders, schedule, resources, pairs)| {
            let n_nodes = nodes.len();
            let n_things = n_nodes + N_GROUPS;
            let thing = |idx: usize| match idx.checked_sub(n_nodes) {
                None => Thing::Node(idx),
                Some(group) => Thing::Group(group),
            };
            // Mostly forward and mostly inwards, so that not every case is a cycle.
            let orders = orders.into_iter().map(|(a, b, die)| {
                let (a, b) = (a.index(n_things), b.index(n_things));
                let (a, b) = if die == 0 {
                    (a, b)
                } else {
                    (a.min(b), a.max(b))
                };
                (thing(a), thing(b), die % 3 == 1)
            });
            let nested = nested.into_iter().filter(|(inner, outer)| inner >= outer);
            let mut pairs: Vec<_> = pairs
                .into_iter()
                .map(|((a, b), policy)| (a % n_nodes, b % n_nodes, policy))
                .filter(|(a, b, _)| a < b)
                .collect();
            pairs.sort_unstable();
            pairs.dedup_by_key(|pair| (pair.0, pair.1));
            Case {
                orders: orders.filter(|(a, b, _)| a != b).collect(),
                nested: nested
                    .filter(|(inner, outer)| inner != outer || n_nodes == 3)
                    .collect(),
                nodes,
                schedule,
                resources,
                pairs,
            }
        })
}
