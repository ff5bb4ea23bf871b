//! Random schedules: the accesses, the work and the failures of their nodes.

use std::ops::RangeInclusive;

use proptest::prelude::*;
use proptest::sample::Index;

use super::orders::acyclic;

pub(super) const N_RESOURCES: usize = 6;

/// Indexed by resource. `None` for a missing resource.
pub(super) type Values = [Option<u64>; N_RESOURCES];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    /// Writes a mix of all accessed values. Fails if a named resource is missing.
    Mix,
    /// Reads or writes the named resources that exist, and records changes.
    Record(Vec<Change>),
    /// Makes these changes immediately and exclusively, followed by a mix of everything.
    Alter(Vec<Change>),
    ApplyCommands,
    Checkpoint,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    Mix(usize),
    Remove(usize),
    Insert(usize),
    Panic,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) work: Work,
    /// For each resource, whether it is written, or `None` if it is not named.
    pub(super) uses: [Option<bool>; N_RESOURCES],
    /// Whether all resources are written, or `None` if not all are accessed.
    pub(super) all: Option<bool>,
    pub(super) is_exclusive: bool,
    pub(super) is_main_thread: bool,
    pub(super) carries_on: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) nodes: Vec<Node>,
    /// The first system runs before the second.
    pub(super) orders: Vec<(usize, usize)>,
    /// For each resource, whether its policy is `WritersFirst`. Otherwise it is `InsertionOrder`.
    pub(super) writers_first: [bool; N_RESOURCES],
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    Error,
    Panic,
    Missing,
    Command,
}

impl Node {
    pub(super) fn is_system(&self) -> bool {
        !matches!(self.work, Work::ApplyCommands | Work::Checkpoint)
    }

    /// Returns whether the node writes a resource, or `None` without access. The last two numbers represent unnamed resources and exclusive
    /// access.
    pub(super) fn access(&self, resource: usize) -> Option<bool> {
        match resource.checked_sub(N_RESOURCES) {
            None => self.uses[resource].max(self.all),
            Some(0) => self.all,
            Some(_) => (self.work != Work::Checkpoint).then_some(self.is_exclusive),
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        5 => (0..N_RESOURCES).prop_map(Change::Mix),
        1 => (0..N_RESOURCES).prop_map(Change::Remove),
        1 => (0..N_RESOURCES).prop_map(Change::Insert),
        1 => Just(Change::Panic),
    ];
    prop::collection::vec(change, 1..4)
}

fn nodes() -> impl Strategy<Value = Node> {
    let uses = prop::array::uniform6(prop::option::weighted(0.25, any::<bool>()));
    let flags = [0.08, 0.15, 0.3].map(prop::bool::weighted);
    (0..20_u8, uses, any::<bool>(), flags, changes()).prop_map(
        |(die, mut uses, is_write, [is_exclusive, is_main_thread, carries_on], mut changes)| {
            let (mut all, mut exclusive) = (None, is_exclusive);
            let work = match die {
                0..6 => {
                    let mut is_first = true;
                    uses = uses.map(|one| one.filter(|_| std::mem::take(&mut is_first)));
                    exclusive = false;
                    Work::Record(changes)
                }
                6 => {
                    changes.retain(|&change| change != Change::Panic);
                    (uses, all, exclusive) = ([None; N_RESOURCES], Some(true), true);
                    Work::Alter(changes)
                }
                7 => {
                    (uses, exclusive) = ([None; N_RESOURCES], true);
                    Work::ApplyCommands
                }
                8 => {
                    uses = [None; N_RESOURCES];
                    Work::Checkpoint
                }
                9 => {
                    all = Some(is_write);
                    Work::Mix
                }
                _ => Work::Mix,
            };
            Node {
                work,
                uses,
                all,
                is_exclusive: exclusive,
                is_main_thread,
                carries_on,
            }
        },
    )
}

pub(super) fn cases(n_nodes: RangeInclusive<usize>) -> impl Strategy<Value = Case> {
    let nodes = prop::collection::vec((nodes(), any::<u16>()), n_nodes);
    let order = (any::<Index>(), any::<Index>());
    let first = prop::option::weighted(0.4, 0..N_RESOURCES);
    (nodes, prop::collection::vec(order, 0..16), first).prop_map(|(nodes, orders, first)| {
        let (nodes, keys): (Vec<Node>, Vec<u16>) = nodes.into_iter().unzip();
        Case {
            orders: acyclic(&orders, &keys),
            writers_first: std::array::from_fn(|resource| Some(resource) == first),
            nodes,
        }
    })
}

pub(super) fn faults(n_nodes: usize) -> impl Strategy<Value = Vec<Option<Fault>>> {
    let fault = prop_oneof![Just(Fault::Error), Just(Fault::Panic)];
    prop::collection::vec(prop::option::weighted(0.1, fault), n_nodes)
}

/// The nodes that are switched off. In half of the cases there are none.
pub(super) fn switched_off(n_nodes: usize) -> impl Strategy<Value = Vec<bool>> {
    let none = Just(vec![false; n_nodes]);
    let some = prop::collection::vec(prop::bool::weighted(0.25), n_nodes);
    prop_oneof![none, some]
}

/// Up to forty nodes: many readers and a few writers, systems without accesses, commands, a sync point in the middle, and an exclusive
/// system.
pub(super) fn large_case(n_nodes: usize) -> Case {
    let node = |idx: usize| {
        let mut node = Node {
            work: Work::Mix,
            uses: [None; N_RESOURCES],
            all: None,
            is_exclusive: idx == 32,
            is_main_thread: idx % 9 == 4,
            carries_on: idx.is_multiple_of(4),
        };
        let resource = idx * 5 % N_RESOURCES;
        match idx % 5 {
            _ if idx == 20 => (node.work, node.is_exclusive) = (Work::ApplyCommands, true),
            _ if idx == 10 => node.work = Work::Checkpoint,
            0 => {
                node.work = Work::Record(vec![Change::Mix(resource), Change::Insert(0)]);
                node.uses[resource] = Some(false);
            }
            1 => node.uses[resource] = Some(true),
            2 => node.uses[resource] = Some(false),
            3 => {
                node.uses[resource] = Some(false);
                node.uses[idx % N_RESOURCES] = Some(idx.is_multiple_of(2));
            }
            _ => {}
        }
        node
    };
    Case {
        nodes: (0..n_nodes).map(node).collect(),
        orders: (0..8)
            .map(|idx| (idx * 5 + 4, idx * 11 % 40))
            .filter(|&(a, b)| a != b && a.max(b) < n_nodes)
            .collect(),
        writers_first: [false; N_RESOURCES],
    }
}
