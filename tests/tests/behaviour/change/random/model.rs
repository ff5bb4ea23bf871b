//! The declarations as a list of statements. Statements about removed nodes are removed from it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::dynamic::DynamicSystem;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{Builder, Condition, FailurePolicy, Target};

use crate::numbered::{Cell, group_target, join_group, speak_of_group, with_cells};

const N_RESOURCES: usize = 3;
const N_GROUPS: usize = 3;

/// The unique number of a node, which is also its name.
pub(super) type Key = usize;

/// The steps of one change.
pub(super) type Change = Vec<Step>;

#[derive(Clone, Debug)]
pub(super) enum Step {
    Add(RawNode),
    /// A plugin with nodes, and a nested plugin with other nodes.
    Plugin([Vec<RawNode>; 2], bool),
    Remove(Index),
    RemoveGroup(usize),
    /// Declares a group. May guard it, or add it to a group with a greater number.
    Mention(usize, Option<usize>, Option<RawGuard>),
    Order(Index, Index, bool),
    Accept(Index, Index),
    CarryOn(Index),
    /// Switches a node off or on after the change.
    Switch(Index),
}

#[derive(Clone, Debug)]
pub(super) struct RawNode {
    work: Work,
    uses: [Option<bool>; N_RESOURCES],
    inside: Option<Index>,
    group: Option<usize>,
    guard: Option<RawGuard>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Work {
    System,
    Condition,
    Checkpoint,
    Loop,
}

#[derive(Clone, Debug)]
pub(super) enum RawGuard {
    Typed(usize),
    Own(usize),
    Added(Index),
}

/// Several consecutive changes.
pub(super) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let n_changes = if cfg!(miri) { 1..4 } else { 1..12 };
    prop::collection::vec(prop::collection::vec(step(), 1..6), n_changes)
}

fn step() -> impl Strategy<Value = Step> {
    use prop::collection::vec;
    let index = any::<Index>;
    prop_oneof![
        8 => raw_node().prop_map(Step::Add),
        2 => ([vec(raw_node(), 0..3), vec(raw_node(), 1..3)], any::<bool>())
            .prop_map(|(nodes, has_policy)| Step::Plugin(nodes, has_policy)),
        5 => index().prop_map(Step::Remove),
        1 => (0..N_GROUPS).prop_map(Step::RemoveGroup),
        2 => (0..N_GROUPS, prop::option::of(0..N_GROUPS), prop::option::of(raw_guard()))
            .prop_map(|(group, holder, guard)| Step::Mention(group, holder, guard)),
        4 => (index(), index(), prop::bool::weighted(0.2))
            .prop_map(|(one, other, is_weak)| Step::Order(one, other, is_weak)),
        1 => (index(), index()).prop_map(|(one, other)| Step::Accept(one, other)),
        1 => index().prop_map(Step::CarryOn),
        2 => index().prop_map(Step::Switch),
    ]
}

fn raw_node() -> impl Strategy<Value = RawNode> {
    let work = prop_oneof![
        5 => Just(Work::System),
        2 => Just(Work::Condition),
        1 => Just(Work::Checkpoint),
        2 => Just(Work::Loop),
    ];
    let one = || prop::option::weighted(0.3, any::<bool>());
    let inside = prop::option::weighted(0.3, any::<Index>());
    let group = prop::option::weighted(0.3, 0..N_GROUPS);
    let guard = prop::option::weighted(0.4, raw_guard());
    (work, [one(), one(), one()], inside, group, guard).prop_map(
        |(work, uses, inside, group, guard)| RawNode {
            work,
            uses,
            inside,
            // All members of a group are at one level.
            group: group.filter(|_| inside.is_none()),
            guard,
        },
    )
}

fn raw_guard() -> impl Strategy<Value = RawGuard> {
    prop_oneof![
        (0..2_usize).prop_map(RawGuard::Typed),
        (0..2_usize).prop_map(RawGuard::Own),
        any::<Index>().prop_map(RawGuard::Added),
    ]
}

/// The declarations.
#[derive(Clone)]
pub(super) struct Model {
    statements: Vec<Statement>,
    n_keys: usize,
    off: BTreeSet<Key>,
    own: Arc<[Condition]>,
    log: Log,
}

/// The executed nodes, each with the number of its executions so far.
type Log = Arc<Mutex<Vec<(Key, u64)>>>;

#[derive(Clone)]
enum Statement {
    Node(Node),
    Plugin(Vec<Statement>, bool),
    Mention(usize, Option<usize>, Option<Guard>),
    Order(Key, Key, bool),
    Accept(Key, Key),
    CarryOn(Key),
}

#[derive(Clone)]
struct Node {
    key: Key,
    work: Work,
    level: Option<Key>,
    uses: [Option<bool>; N_RESOURCES],
    group: Option<usize>,
    guard: Option<Guard>,
}

#[derive(Clone)]
enum Guard {
    Typed(usize),
    Own(usize),
    Added(Key),
}

#[derive(Group)]
struct Asked;

#[system(in = Asked)]
fn typed0(_: &Cell<0>) -> bool {
    true
}

#[system(if = typed0, after_if_present = typed0)]
fn typed1(_: &Cell<1>) -> bool {
    true
}

impl Default for Model {
    fn default() -> Self {
        Self {
            statements: Vec::new(),
            n_keys: 0,
            off: BTreeSet::new(),
            own: Arc::new([
                Condition::closure("own0", |_: &Cell<2>| true),
                Condition::closure("own1", || true),
            ]),
            log: Log::default(),
        }
    }
}

impl Model {
    pub(super) fn has(&self, key: Key) -> bool {
        self.nodes().iter().any(|node| node.key == key)
    }

    pub(super) fn off(&self) -> &BTreeSet<Key> {
        &self.off
    }

    pub(super) fn take_log(&self) -> Vec<(Key, u64)> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    pub(super) fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        resources.insert(Cell::<0>(0));
        resources.insert(Cell::<1>(0));
        resources.insert(Cell::<2>(0));
        resources
    }

    /// Declares everything to a new builder.
    pub(super) fn declare(&self, builder: &mut Builder, ids: &mut HashMap<Key, NodeId>) {
        builder.policy(Policy::InsertionOrder);
        for statement in &self.statements {
            self.say(builder, statement, ids);
        }
    }

    /// Applies these steps to the model and to the builder of a change.
    pub(super) fn change(
        &mut self,
        change: &Change,
        builder: &mut Builder,
        ids: &mut HashMap<Key, NodeId>,
    ) {
        for step in change {
            match step {
                Step::Remove(index) => {
                    if let Some(key) = self.pick(*index, |_| true) {
                        self.remove(key, builder, ids);
                    }
                }
                Step::RemoveGroup(group) => self.remove_group(*group, builder, ids),
                step => {
                    if let Some(statement) = self.statement(step) {
                        self.say(builder, &statement, ids);
                        self.statements.push(statement);
                    }
                }
            }
        }
    }

    /// Switches nodes after a change.
    pub(super) fn switch(
        &mut self,
        change: &Change,
        schedule: &mut Schedule,
        ids: &HashMap<Key, NodeId>,
    ) {
        let keys: BTreeSet<Key> = self.nodes().iter().map(|node| node.key).collect();
        self.off.retain(|key| keys.contains(key));
        for step in change {
            if let Step::Switch(index) = step
                && let Some(key) = self.pick(*index, |_| true)
            {
                let is_off = self.off.insert(key) || !self.off.remove(&key);
                schedule.set_enabled(ids[&key], !is_off).unwrap();
            }
        }
    }

    /// Returns all nodes in the order of addition.
    fn nodes(&self) -> Vec<&Node> {
        fn collect<'a>(statements: &'a [Statement], nodes: &mut Vec<&'a Node>) {
            for statement in statements {
                match statement {
                    Statement::Node(node) => nodes.push(node),
                    Statement::Plugin(inside, _) => collect(inside, nodes),
                    _ => {}
                }
            }
        }
        let mut nodes = Vec::new();
        collect(&self.statements, &mut nodes);
        nodes
    }

    fn pick(&self, index: Index, is_meant: impl Fn(&Node) -> bool) -> Option<Key> {
        let nodes = self.nodes();
        let keys: Vec<Key> = nodes
            .iter()
            .filter(|node| is_meant(node))
            .map(|node| node.key)
            .collect();
        (!keys.is_empty()).then(|| keys[index.index(keys.len())])
    }

    /// Returns two nodes in the order of addition.
    fn pick_two(&self, one: Index, other: Index) -> Option<(Key, Key)> {
        let (one, other) = (self.pick(one, |_| true)?, self.pick(other, |_| true)?);
        (one != other).then(|| (one.min(other), one.max(other)))
    }

    /// Returns the declaration of a step.
    fn statement(&mut self, step: &Step) -> Option<Statement> {
        Some(match step {
            Step::Add(raw) => self.node(raw),
            Step::Plugin([outer, inner], has_policy) => {
                let inner = inner.iter().map(|raw| self.node(raw)).collect();
                let outer: Vec<Statement> = outer.iter().map(|raw| self.node(raw)).collect();
                let inner = [Statement::Plugin(inner, *has_policy)];
                Statement::Plugin(inner.into_iter().chain(outer).collect(), !has_policy)
            }
            Step::Mention(group, holder, guard) => {
                let guard = guard.as_ref().and_then(|raw| self.guard(raw, None));
                Statement::Mention(*group, holder.filter(|holder| holder > group), guard)
            }
            Step::Order(one, other, is_weak) => {
                let (first, then) = self.pick_two(*one, *other)?;
                Statement::Order(first, then, *is_weak)
            }
            Step::Accept(one, other) => {
                let (one, other) = self.pick_two(*one, *other)?;
                Statement::Accept(one, other)
            }
            Step::CarryOn(index) => {
                Statement::CarryOn(self.pick(*index, |node| node.work != Work::Checkpoint)?)
            }
            Step::Remove(_) | Step::RemoveGroup(_) | Step::Switch(_) => return None,
        })
    }

    fn node(&mut self, raw: &RawNode) -> Statement {
        let level = raw
            .inside
            .and_then(|inside| self.pick(inside, |node| node.work == Work::Loop));
        let guard = raw
            .guard
            .as_ref()
            .and_then(|guard| self.guard(guard, level));
        let key = self.n_keys;
        self.n_keys += 1;
        Statement::Node(Node {
            key,
            work: raw.work,
            level,
            uses: raw.uses,
            group: raw.group.filter(|_| level.is_none()),
            guard,
        })
    }

    /// Returns a guard for an item at this level.
    fn guard(&self, raw: &RawGuard, level: Option<Key>) -> Option<Guard> {
        Some(match *raw {
            RawGuard::Typed(typed) => Guard::Typed(typed),
            RawGuard::Own(own) => Guard::Own(own),
            RawGuard::Added(index) => {
                let may_guard = |node: &Node| {
                    node.work == Work::Condition && (node.level.is_none() || node.level == level)
                };
                Guard::Added(self.pick(index, may_guard)?)
            }
        })
    }

    /// Removes the nodes that a node guards, and then the node itself.
    fn remove(&mut self, key: Key, builder: &mut Builder, ids: &HashMap<Key, NodeId>) {
        let mut gone = BTreeSet::from([key]);
        let nodes = self.nodes();
        let mut n_known = 0;
        while n_known < gone.len() {
            n_known = gone.len();
            for node in &nodes {
                let is_asked =
                    |guard: &Guard| matches!(guard, Guard::Added(key) if gone.contains(key));
                let is_inside = node.level.is_some_and(|level| gone.contains(&level));
                if is_inside || node.guard.as_ref().is_some_and(is_asked) {
                    gone.insert(node.key);
                }
            }
        }
        // A loop is removed together with its body.
        let is_first = |node: &&Node| {
            gone.contains(&node.key) && !node.level.is_some_and(|level| gone.contains(&level))
        };
        for node in nodes.into_iter().filter(is_first) {
            builder.remove(ids[&node.key]);
        }
        self.statements = left(&self.statements, &gone, &BTreeSet::new());
    }

    fn remove_group(&mut self, group: usize, builder: &mut Builder, ids: &HashMap<Key, NodeId>) {
        let mut groups = BTreeSet::from([group]);
        let mut is_there = false;
        // The group around a group has a greater number.
        for inner in (0..N_GROUPS).rev() {
            for statement in &self.statements {
                if let Statement::Mention(one, holder, _) = statement {
                    is_there |= *one == group || *holder == Some(group);
                    if *one == inner && holder.is_some_and(|holder| groups.contains(&holder)) {
                        groups.insert(inner);
                    }
                }
            }
        }
        let nodes = self.nodes();
        let members = nodes
            .iter()
            .filter(|node| node.group.is_some_and(|one| groups.contains(&one)));
        let mut gone: BTreeSet<Key> = members.map(|node| node.key).collect();
        is_there |= nodes.iter().any(|node| node.group == Some(group));
        if !is_there {
            return;
        }
        for node in &nodes {
            if node.level.is_some_and(|level| gone.contains(&level)) {
                gone.insert(node.key);
            }
        }
        let is_asked = |guard: &Guard| matches!(guard, Guard::Added(key) if gone.contains(key));
        let guarded = nodes
            .iter()
            .filter(|node| node.guard.as_ref().is_some_and(is_asked));
        let guarded: Vec<Key> = guarded.map(|node| node.key).collect();
        builder.remove(group_target(group));
        self.statements = left(&self.statements, &gone, &groups);
        for key in guarded {
            if self.has(key) {
                self.remove(key, builder, ids);
            }
        }
    }

    fn say(&self, builder: &mut Builder, statement: &Statement, ids: &mut HashMap<Key, NodeId>) {
        match statement {
            Statement::Node(node) => self.add(builder, node, ids),
            Statement::Plugin(statements, has_policy) => {
                builder.include(|builder: &mut Builder| {
                    if *has_policy {
                        builder.policy(Policy::WritersFirst);
                        builder.policy_for::<Cell<0>>(Policy::InsertionOrder);
                    }
                    for statement in statements {
                        self.say(builder, statement, ids);
                    }
                });
            }
            Statement::Mention(group, holder, guard) => {
                speak_of_group(builder, *group);
                if let Some(holder) = holder {
                    join_group(builder, *holder);
                }
                if let Some(guard) = guard {
                    builder.run_if(self.condition(guard, ids));
                }
            }
            Statement::Order(first, then, true) => {
                builder.order_if_conflicting(ids[first], ids[then]);
            }
            Statement::Order(first, then, false) => {
                builder.order(ids[first], ids[then]);
            }
            Statement::Accept(one, other) => {
                builder.accept(ids[one], ids[other], "they say so");
            }
            Statement::CarryOn(key) => {
                builder.failure_policy_for(ids[key], FailurePolicy::CarryOn);
            }
        }
    }

    fn add(&self, builder: &mut Builder, node: &Node, ids: &mut HashMap<Key, NodeId>) {
        if let Some(level) = node.level {
            let outside = Node {
                level: None,
                ..node.clone()
            };
            builder.extend_loop(ids[&level], |builder| {
                self.add(builder, &outside, ids);
                builder
            });
            return;
        }
        let (key, log) = (node.key, Arc::clone(&self.log));
        let mut n_runs = 0;
        let count = move || {
            n_runs += 1;
            log.lock().unwrap().push((key, n_runs));
            n_runs
        };
        let name = key.to_string();
        match node.work {
            Work::System => builder.add_dynamic(touching(node, name, count, |_| ())),
            Work::Condition => builder.add_dynamic(touching(node, name, count, |_| true)),
            Work::Checkpoint => builder.checkpoint::<Point>().named(name),
            Work::Loop => {
                // True and false in turn, so that the body runs once.
                let again = touching(node, name, count, |n| n % 2 == 1);
                builder.repeat_while_dynamic(again, |body| body)
            }
        };
        ids.insert(key, builder.last().expect("it was added"));
        if let Some(group) = node.group {
            join_group(builder, group);
        }
        if let Some(guard) = &node.guard {
            builder.run_if(self.condition(guard, ids));
        }
    }

    fn condition(&self, guard: &Guard, ids: &HashMap<Key, NodeId>) -> Condition {
        match guard {
            Guard::Typed(0) => Condition::of::<typed0>(),
            Guard::Typed(_) => Condition::of::<typed1>(),
            Guard::Own(own) => self.own[*own].clone(),
            Guard::Added(key) => Condition::added(
                ids.get(key)
                    .map_or_else(|| Target::from("gone"), |id| Target::from(*id)),
            ),
        }
    }
}

#[derive(Checkpoint)]
struct Point;

fn touching<T: schedule::system::Output>(
    node: &Node,
    name: String,
    mut count: impl FnMut() -> u64 + Send + 'static,
    answer: impl Fn(u64) -> T + Send + 'static,
) -> DynamicSystem {
    let system = DynamicSystem::new(name, move |_| answer(count()));
    with_cells(system, &node.uses)
}

/// Returns the statements without those about removed nodes and groups.
fn left(
    statements: &[Statement],
    gone: &BTreeSet<Key>,
    groups: &BTreeSet<usize>,
) -> Vec<Statement> {
    let left = statements.iter().filter_map(|statement| match statement {
        Statement::Node(node) => (!gone.contains(&node.key)).then(|| statement.clone()),
        Statement::Plugin(inside, has_policy) => {
            let inside = left(inside, gone, groups);
            (!inside.is_empty()).then_some(Statement::Plugin(inside, *has_policy))
        }
        Statement::Mention(group, ..) => (!groups.contains(group)).then(|| statement.clone()),
        Statement::Order(one, other, _) | Statement::Accept(one, other) => {
            let is_left = !gone.contains(one) && !gone.contains(other);
            is_left.then(|| statement.clone())
        }
        Statement::CarryOn(key) => (!gone.contains(key)).then(|| statement.clone()),
    });
    left.collect()
}
