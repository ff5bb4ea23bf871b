//! Random worlds and schedules.

use proptest::prelude::*;
use proptest::sample::Index;

use super::interpreter::Visit;
use super::parts::N;
use super::pool::POOL;
use crate::random::orders::acyclic;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    Error,
    Panic,
}

/// A change of entities. `usize`: the entity, as a number among all of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// Creates entities with a set of components, of which each bit is one.
    Spawn(usize, u8),
    Despawn(usize),
    Insert(usize, u8),
    /// Removes a component, by number.
    Remove(usize, usize),
    /// Writes a component, by number.
    Write(usize, usize),
}

#[derive(Clone, Debug)]
pub(super) enum Work {
    /// The system of the pool with this number.
    Query(usize, Visit),
    /// Reads the ids of all entities.
    Count,
    /// Changes entities in a system that takes the world exclusively.
    Change(Vec<Change>),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) work: Work,
    pub(super) carries_on: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The changes that make the first world.
    pub(super) world: Vec<Change>,
    pub(super) nodes: Vec<Node>,
    /// The first system runs before the second.
    pub(super) orders: Vec<(usize, usize)>,
    /// The component with the policy `WritersFirst`. The policy of the others is `InsertionOrder`.
    pub(super) writers_first: Option<usize>,
}

fn change() -> impl Strategy<Value = Change> {
    let (at, part) = (|| any::<u16>().prop_map(usize::from), 0..N);
    prop_oneof![
        3 => (1..4_usize, 0..1_u8 << N).prop_map(|(n, set)| Change::Spawn(n, set)),
        2 => at().prop_map(Change::Despawn),
        3 => (at(), 0..1_u8 << N).prop_map(|(at, set)| Change::Insert(at, set)),
        2 => (at(), part.clone()).prop_map(|(at, part)| Change::Remove(at, part)),
        2 => (at(), part).prop_map(|(at, part)| Change::Write(at, part)),
    ]
}

/// Up to twelve archetypes and 200 entities.
fn world() -> impl Strategy<Value = Vec<Change>> {
    let spawn = (0..17_usize, 0..1_u8 << N).prop_map(|(n, set)| Change::Spawn(n, set));
    prop::collection::vec(spawn, 0..12)
}

fn nodes() -> impl Strategy<Value = Node> {
    let visit = prop_oneof![
        4 => Just(Visit::Next),
        2 => Just(Visit::Fold),
        2 => Just(Visit::Parallel),
        2 => Just(Visit::ById),
        1 => Just(Visit::ManyById),
        1 => Just(Visit::Single),
    ];
    let work = prop_oneof![
        12 => (0..POOL.len(), visit).prop_map(|(nth, visit)| Work::Query(nth, visit)),
        1 => Just(Work::Count),
        2 => prop::collection::vec(change(), 1..8).prop_map(Work::Change),
    ];
    (work, prop::bool::weighted(0.2)).prop_map(|(work, carries_on)| Node { work, carries_on })
}

pub(super) fn cases(max_nodes: usize) -> impl Strategy<Value = Case> {
    let nodes = prop::collection::vec((nodes(), any::<u16>()), 1..=max_nodes);
    let orders = prop::collection::vec((any::<Index>(), any::<Index>()), 0..12);
    let writers_first = prop::option::weighted(0.3, 0..N);
    let parts = (world(), nodes, orders, writers_first);
    parts.prop_map(|(world, nodes, orders, writers_first)| {
        let (nodes, keys): (Vec<Node>, Vec<u16>) = nodes.into_iter().unzip();
        Case {
            world,
            orders: acyclic(&orders, &keys),
            writers_first,
            nodes,
        }
    })
}

pub(super) fn faults(n_nodes: usize) -> impl Strategy<Value = Vec<Option<Fault>>> {
    let fault = prop_oneof![Just(Fault::Error), Just(Fault::Panic)];
    prop::collection::vec(prop::option::weighted(0.06, fault), n_nodes)
}
