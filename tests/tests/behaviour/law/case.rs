//! Random cases: the accesses of nodes, their orders, and policies.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::prelude::*;

pub(super) const N_GROUPS: usize = 3;
pub(super) const RESOURCES: [&str; 4] = ["r0", "r1", "r2", "r3"];

/// The target of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Thing {
    Node(usize),
    Group(usize),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) is_checkpoint: bool,
    pub(super) is_exclusive: bool,
    /// For each resource, whether it is written, or `None`.
    pub(super) uses: [Option<bool>; 4],
    /// Whether all resources are written, and which of them are excepted.
    pub(super) all: Option<(bool, [bool; 4])>,
    pub(super) groups: BTreeSet<usize>,
}

impl Node {
    /// Returns whether the node writes a resource, or `None` if it does not access it.
    pub(super) fn access(&self, resource: usize) -> Option<bool> {
        let all = self.all.filter(|(_, except)| !except[resource]);
        self.uses[resource].max(all.map(|(is_write, _)| is_write))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) nodes: Vec<Node>,
    /// The inner and the outer group.
    pub(super) nested: Vec<(usize, usize)>,
    /// The first and the second item, and whether the order is weak.
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
            // Most orders go forward and most groups inward, so that not every case has a cycle.
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
