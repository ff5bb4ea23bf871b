//! Random cases: two schedules as trees of nodes, and the actions of the program.

use core::fmt;

use proptest::prelude::*;
use proptest::sample::Index;

pub(super) const N_TYPES: usize = 3;

/// The number of conditions that guards name by their type.
pub(super) const N_ANSWERS: usize = 2;

/// How a node uses the messages of a type.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct MessageUse {
    pub(super) writes: bool,
    /// Whether it reads them, and the number of messages that are kept for it. `Some(None)`: all.
    pub(super) reads: Option<Option<usize>>,
}

/// Short, because a case contains many.
impl fmt::Debug for MessageUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes = if self.writes { "writes" } else { "" };
        match self.reads {
            None => f.write_str(writes),
            Some(None) => write!(f, "{writes} reads"),
            Some(Some(n)) => write!(f, "{writes} reads {n}"),
        }
    }
}

impl MessageUse {
    const WRITE: Self = Self {
        writes: true,
        reads: None,
    };
    const READ: Self = Self {
        writes: false,
        reads: Some(None),
    };
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    Error,
    Panic,
}

/// The answer of which a node needs one value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    /// The typed condition of this number, at the top level.
    Typed(usize),
    /// A gate of the same level, by its index there.
    Gate(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Work {
    System,
    /// A system that returns whether it saw messages.
    Gate,
    /// A typed closure that uses only messages of the first type.
    Closure,
    /// A system for each entity, which writes a message for some of them.
    EachWriter,
    /// A system for each entity, which reads.
    EachReader,
    /// A loop with this number of iterations. The node is its condition.
    Loop(u32, Vec<Node>),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The path in the tree, after a letter for the schedule.
    pub(super) name: String,
    pub(super) work: Work,
    pub(super) uses: [MessageUse; N_TYPES],
    /// Whether it writes the plain resource, or `None` if it does not use it.
    pub(super) cell: Option<bool>,
    /// The fault, and the execution in which it occurs.
    pub(super) fault: Option<(Fault, u32)>,
    /// A factor for the number of messages.
    pub(super) scale: u64,
    /// The indices of nodes of the same level that it is declared to run after.
    pub(super) after: Vec<usize>,
    pub(super) guard: Option<(Asked, bool)>,
}

impl Node {
    pub(super) fn body(&self) -> &[Node] {
        match &self.work {
            Work::Loop(_, body) => body,
            _ => &[],
        }
    }

    /// Whether the node, with its body, uses the messages of a type only to write them.
    pub(super) fn only_writes(&self, of_type: usize) -> bool {
        self.uses[of_type].reads.is_none()
            && self.body().iter().all(|node| node.only_writes(of_type))
    }
}

/// What the program does between two runs, or a run.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Run(usize),
    /// Sends messages of a type, itself or by a sender.
    Send(usize, usize, bool),
    Clear(usize),
    SetBound(usize, usize),
    /// Enables or disables a node of a schedule.
    Switch(usize, Index, bool),
    Answer(usize, bool),
    Save,
    /// Restores what was saved last. `is_new`: into a new program. `is_state_first`: the states of schedules before the resources.
    Restore {
        is_new: bool,
        is_state_first: bool,
    },
    /// Drops a schedule, and builds it again.
    Rebuild(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The nodes of both schedules.
    pub(super) schedules: [Vec<Node>; 2],
    pub(super) skips_dependents: bool,
    pub(super) bounds: [usize; N_TYPES],
    pub(super) n_entities: u32,
    pub(super) actions: Vec<Action>,
}

/// A node before its place in the tree is known.
#[derive(Clone, Debug)]
struct RawNode {
    dice: [u8; N_TYPES],
    form: u8,
    cell: Option<bool>,
    fault: Option<(Fault, u32)>,
    scale: u64,
    after: Vec<Index>,
    guard: Option<(u8, Index, bool)>,
    looped: Option<(u32, RawLevel)>,
}

/// The nodes of a level. For each type, readers come mostly before or after an index, and writers on the other side.
#[derive(Clone, Debug)]
struct RawLevel {
    nodes: Vec<RawNode>,
    border: [Index; N_TYPES],
    are_readers_last: [bool; N_TYPES],
}

fn levels(
    nodes: impl Strategy<Value = RawNode>,
    n_nodes: core::ops::Range<usize>,
) -> impl Strategy<Value = RawLevel> {
    (
        prop::collection::vec(nodes, n_nodes),
        prop::array::uniform3(any::<Index>()),
        prop::array::uniform3(prop::bool::weighted(0.75)),
    )
        .prop_map(|(nodes, border, are_readers_last)| RawLevel {
            nodes,
            border,
            are_readers_last,
        })
}

fn nodes() -> impl Strategy<Value = RawNode> {
    let fault = prop_oneof![Just(Fault::Error), Just(Fault::Panic)];
    let leaf = (
        prop::array::uniform3(any::<u8>()),
        any::<u8>(),
        prop::option::weighted(0.2, any::<bool>()),
        prop::option::weighted(0.12, (fault, 1..5_u32)),
        prop_oneof![9 => Just(1_u64), 1 => Just(150)],
        prop::collection::vec(any::<Index>(), 0..2),
        prop::option::weighted(0.35, (any::<u8>(), any::<Index>(), any::<bool>())),
    )
        .prop_map(|(dice, form, cell, fault, scale, after, guard)| RawNode {
            dice,
            form,
            cell,
            fault,
            scale,
            after,
            guard,
            looped: None,
        })
        .boxed();
    let looped = leaf.clone();
    leaf.prop_recursive(2, 16, 4, move |inner| {
        let body = (0..4_u32, levels(inner, 0..4));
        (looped.clone(), body).prop_map(|(mut node, body)| {
            node.looped = Some(body);
            node
        })
    })
}

fn actions() -> impl Strategy<Value = Action> {
    prop_oneof![
        12 => (0..2_usize).prop_map(Action::Run),
        3 => (0..N_TYPES, 1..4_usize, any::<bool>())
            .prop_map(|(of_type, n, by_sender)| Action::Send(of_type, n, by_sender)),
        1 => (0..N_TYPES).prop_map(Action::Clear),
        1 => (0..N_TYPES, 1..12_usize).prop_map(|(of_type, n)| Action::SetBound(of_type, n)),
        3 => (0..2_usize, any::<Index>(), any::<bool>())
            .prop_map(|(of_schedule, node, is_on)| Action::Switch(of_schedule, node, is_on)),
        2 => (0..N_ANSWERS, any::<bool>()).prop_map(|(nth, is_on)| Action::Answer(nth, is_on)),
        1 => Just(Action::Save),
        1 => (any::<bool>(), any::<bool>())
            .prop_map(|(is_new, is_state_first)| Action::Restore { is_new, is_state_first }),
        1 => (0..2_usize).prop_map(Action::Rebuild),
    ]
}

pub(super) fn cases() -> impl Strategy<Value = Case> {
    let bound = prop_oneof![3 => 1..12_usize, 2 => Just(3000)];
    (
        (levels(nodes(), 1..8), levels(nodes(), 0..4)),
        any::<bool>(),
        prop::array::uniform3(bound),
        prop_oneof![3 => 0..20_u32, 1 => 2000..5000_u32],
        prop::collection::vec(actions(), 1..16),
    )
        .prop_map(|((a, b), skips_dependents, bounds, n_entities, actions)| {
            let mut has = [false; 2];
            Case {
                schedules: [a.resolved("a", &mut has), b.resolved("b", &mut has)]
                    .map(without_reads_between),
                skips_dependents,
                bounds,
                n_entities,
                actions,
            }
        })
}

impl RawLevel {
    /// `has`: whether there is a writer and a reader for each entity already.
    fn resolved(self, path: &str, has: &mut [bool; 2]) -> Vec<Node> {
        let n_nodes = self.nodes.len();
        let borders = self.border.map(|border| border.index(n_nodes + 1));
        let are_readers_last = self.are_readers_last;
        let mut nodes: Vec<Node> = Vec::new();
        for (idx, raw) in self.nodes.into_iter().enumerate() {
            let name = format!("{path}{idx}");
            let uses = [0, 1, 2].map(|of_type| {
                let is_last = idx >= borders[of_type];
                message_use(raw.dice[of_type], is_last == are_readers_last[of_type])
            });
            let gates = |node: &Node| matches!(node.work, Work::Gate);
            let gates: Vec<usize> = (0..idx).filter(|&idx| gates(&nodes[idx])).collect();
            let guard = raw.guard.map(|(die, index, answer)| {
                let asked = if die % 2 == 0 && !gates.is_empty() {
                    Asked::Gate(gates[index.index(gates.len())])
                } else {
                    Asked::Typed(index.index(N_ANSWERS))
                };
                (asked, answer)
            });
            let after = raw.after.iter().filter(|_| idx > 0);
            let mut node = Node {
                work: Work::System,
                uses,
                cell: raw.cell,
                fault: raw.fault,
                scale: raw.scale,
                after: after.map(|index| index.index(idx)).collect(),
                guard,
                name: name.clone(),
            };
            node.set_work(raw.form, raw.looped, has);
            nodes.push(node);
        }
        nodes
    }
}

impl Node {
    fn set_work(&mut self, form: u8, looped: Option<(u32, RawLevel)>, has: &mut [bool; 2]) {
        let name = self.name.clone();
        if let Some((n_iterations, body)) = looped {
            // If the condition wrote several types, the order of their joins would decide which messages a failure drops.
            let mut writes_any = false;
            for one in &mut self.uses {
                one.writes &= !writes_any;
                writes_any |= one.writes;
            }
            self.work = Work::Loop(n_iterations, body.resolved(&format!("{name}."), has));
            return;
        }
        let use_of_first = self.uses[0];
        let mut becomes_single = |work: Work, of_first: MessageUse| {
            self.work = work;
            self.uses = [of_first, MessageUse::default(), MessageUse::default()];
            self.cell = None;
        };
        match form % 8 {
            0 if use_of_first.writes && !has[0] => {
                has[0] = true;
                becomes_single(Work::EachWriter, MessageUse::WRITE);
                self.fault = None;
            }
            1 if use_of_first.reads.is_some() && !has[1] => {
                has[1] = true;
                becomes_single(Work::EachReader, MessageUse::READ);
                self.fault = None;
            }
            2 => self.work = Work::Gate,
            3 => {
                let keep = |keep: Option<usize>| keep.map(|_| 2);
                let reads = use_of_first.reads.map(keep);
                becomes_single(
                    Work::Closure,
                    MessageUse {
                        reads,
                        ..use_of_first
                    },
                )
            }
            _ => {}
        }
    }
}

fn message_use(die: u8, is_reader: bool) -> MessageUse {
    let keep = if die.is_multiple_of(2) {
        Some(usize::from(die % 3) + 1)
    } else {
        None
    };
    match (is_reader, die) {
        (_, 0..100) => MessageUse::default(),
        (true, 100..230) => MessageUse {
            writes: false,
            reads: Some(keep),
        },
        (true, 230..246) => MessageUse {
            writes: true,
            reads: Some(keep),
        },
        (true, _) => MessageUse::WRITE,
        (false, 100..240) => MessageUse::WRITE,
        (false, _) => MessageUse::READ,
    }
}

/// The position of a node in the tree, the conditions that it needs, and what it does.
struct Place {
    path: Vec<usize>,
    /// The names of conditions with their answers, for the node and the loops around it.
    needs: Vec<(String, bool)>,
    uses: [MessageUse; N_TYPES],
}

/// Removes each use that reads messages between other nodes that write them.
fn without_reads_between(mut nodes: Vec<Node>) -> Vec<Node> {
    let mut places = Vec::new();
    list(&nodes, &[], &[], &mut places);
    let mut removed = Vec::new();
    for of_type in 0..N_TYPES {
        for reader in &places {
            if reader.uses[of_type].reads.is_none() {
                continue;
            }
            let mut sides = [false; 2];
            for writer in places.iter().filter(|place| place.uses[of_type].writes) {
                // The condition of a loop is on no side of its body, and a node on no side of itself.
                let is_around =
                    reader.path.starts_with(&writer.path) || writer.path.starts_with(&reader.path);
                if !is_around && !reader.excludes(writer) {
                    sides[usize::from(writer.path < reader.path)] = true;
                }
            }
            if sides == [true; 2] {
                removed.push((reader.path.clone(), of_type));
            }
        }
    }
    for (path, of_type) in removed {
        remove_read(&mut nodes, &path, of_type);
    }
    nodes
}

impl Place {
    /// Whether the two never both run.
    fn excludes(&self, other: &Self) -> bool {
        self.needs
            .iter()
            .any(|(name, answer)| other.needs.contains(&(name.clone(), !answer)))
    }
}

fn list(nodes: &[Node], path: &[usize], needs: &[(String, bool)], places: &mut Vec<Place>) {
    for (idx, node) in nodes.iter().enumerate() {
        let mut path = path.to_vec();
        path.push(idx);
        let mut needs = needs.to_vec();
        match &node.guard {
            Some((Asked::Typed(nth), answer)) => needs.push((nth.to_string(), *answer)),
            Some((Asked::Gate(gate), answer)) => needs.push((nodes[*gate].name.clone(), *answer)),
            None => {}
        }
        list(node.body(), &path, &needs, places);
        places.push(Place {
            path,
            needs,
            uses: node.uses,
        });
    }
}

fn remove_read(nodes: &mut [Node], path: &[usize], of_type: usize) {
    let node = &mut nodes[path[0]];
    match (&mut node.work, &path[1..]) {
        (Work::Loop(_, body), inner @ [_, ..]) => remove_read(body, inner, of_type),
        (work, _) => {
            node.uses[of_type].reads = None;
            // A system for each entity has its use in its type.
            if matches!(work, Work::EachReader) {
                *work = Work::System;
            }
        }
    }
}
