//! Random worlds and schedules.

use proptest::prelude::*;
use proptest::sample::Index;

use super::each::EACH;
use super::parts::N;
use super::pool::{CONDITIONS, POOL};
use crate::random::orders::acyclic;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    Error,
    Panic,
}

/// How a system visits the entities of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Visit {
    Next,
    Fold,
    Parallel,
    /// By the ids that are known before the run.
    ById,
    ManyById,
    Single,
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
    /// The `for_each` system with this number.
    Each(usize),
    /// Changes entities by commands.
    Record(Vec<Change>),
    /// A checkpoint that applies commands.
    ApplyCommands,
    /// The condition of the pool with this number.
    Condition(usize),
    /// A loop with this number of iterations.
    Loop(u64),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) work: Work,
    pub(super) carries_on: bool,
    /// The node that is its condition.
    pub(super) condition: Option<usize>,
    /// The loop that contains the node.
    pub(super) level: Option<usize>,
}

impl Node {
    /// Whether a failure of the node is part of a case. Other nodes do not fail.
    pub(super) fn can_fail(&self) -> bool {
        let is_fallible = matches!(self.work, Work::Query(..) | Work::Each(_) | Work::Record(_));
        is_fallible && self.level.is_none()
    }
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

impl Case {
    /// Returns two nodes, or the loops that contain them if their levels differ.
    pub(super) fn of_one_level(&self, a: usize, b: usize) -> (usize, usize) {
        let level = |idx: usize| self.nodes[idx].level;
        if level(a) == level(b) {
            (a, b)
        } else {
            (level(a).unwrap_or(a), level(b).unwrap_or(b))
        }
    }
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

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..8)
}

/// Up to twelve archetypes and 200 entities. Fewer under Miri.
fn world() -> impl Strategy<Value = Vec<Change>> {
    let (max_entities, max_archetypes) = if cfg!(miri) { (3_usize, 4) } else { (17, 12) };
    let spawn = (0..max_entities, 0..1_u8 << N).prop_map(|(n, set)| Change::Spawn(n, set));
    prop::collection::vec(spawn, 0..max_archetypes)
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
        2 => changes().prop_map(Work::Change),
        5 => (0..EACH.len()).prop_map(Work::Each),
        3 => changes().prop_map(Work::Record),
        1 => Just(Work::ApplyCommands),
        3 => (0..CONDITIONS.len()).prop_map(Work::Condition),
        1 => (0..3_u64).prop_map(Work::Loop),
    ];
    (work, prop::bool::weighted(0.2)).prop_map(|(work, carries_on)| Node {
        work,
        carries_on,
        condition: None,
        level: None,
    })
}

/// Moves up to three nodes after a loop into the loop. Loops contain neither loops nor nodes with commands.
fn fill_loops(nodes: &mut [Node]) {
    let mut open = None;
    for (idx, node) in nodes.iter_mut().enumerate() {
        match node.work {
            Work::Loop(_) => open = Some((idx, 3)),
            Work::ApplyCommands | Work::Record(_) => open = None,
            Work::Each(nth) if EACH[nth].commands => open = None,
            _ => {
                if let Some((level, left)) = open {
                    node.level = Some(level);
                    open = (left > 1).then_some((level, left - 1));
                }
            }
        }
    }
}

/// Gives some nodes a condition: a node of their level with a smaller key, so that no cycle results.
fn add_conditions(nodes: &mut [Node], chosen: &[Option<Index>], keys: &[u16]) {
    for (idx, chosen) in chosen.iter().enumerate() {
        let is_condition = |&one: &usize| {
            matches!(nodes[one].work, Work::Condition(_))
                && nodes[one].level == nodes[idx].level
                && (keys[one], one) < (keys[idx], idx)
        };
        let conditions: Vec<usize> = (0..nodes.len()).filter(is_condition).collect();
        if let Some(chosen) = chosen
            && !conditions.is_empty()
            && !matches!(nodes[idx].work, Work::ApplyCommands)
        {
            nodes[idx].condition = Some(conditions[chosen.index(conditions.len())]);
        }
    }
}

pub(super) fn cases(max_nodes: usize) -> impl Strategy<Value = Case> {
    let nodes = (
        nodes(),
        any::<u16>(),
        prop::option::weighted(0.3, any::<Index>()),
    );
    let nodes = prop::collection::vec(nodes, 1..=max_nodes);
    let orders = prop::collection::vec((any::<Index>(), any::<Index>()), 0..12);
    let writers_first = prop::option::weighted(0.3, 0..N);
    let parts = (world(), nodes, orders, writers_first);
    parts.prop_map(|(world, nodes, orders, writers_first)| {
        let keys: Vec<u16> = nodes.iter().map(|one| one.1).collect();
        let conditions: Vec<Option<Index>> = nodes.iter().map(|one| one.2).collect();
        let mut nodes: Vec<Node> = nodes.into_iter().map(|one| one.0).collect();
        fill_loops(&mut nodes);
        add_conditions(&mut nodes, &conditions, &keys);
        let mut orders = acyclic(&orders, &keys);
        orders.retain(|&(first, then)| nodes[first].level == nodes[then].level);
        Case {
            world,
            orders,
            writers_first,
            nodes,
        }
    })
}

pub(super) fn faults(n_nodes: usize) -> impl Strategy<Value = Vec<Option<Fault>>> {
    let fault = prop_oneof![Just(Fault::Error), Just(Fault::Panic)];
    prop::collection::vec(prop::option::weighted(0.06, fault), n_nodes)
}
