//! Random schedules against the law read word by word: every path looked for, every pair looked at.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::prelude::*;
use schedule::{
    BoxError, BuildError, Builder, DynamicSystem, NodeId, Problem, Relation, ResourceId, Step,
    StepOrigin, Target,
};

#[derive(Group)]
struct G0;

#[derive(Group)]
struct G1;

#[derive(Group)]
struct G2;

#[derive(Checkpoint)]
struct Point;

const N_GROUPS: usize = 3;
const RESOURCES: [&str; 4] = ["r0", "r1", "r2", "r3"];

/// What an order names.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Thing {
    Node(usize),
    Group(usize),
}

#[derive(Clone, Debug, Default)]
struct Node {
    is_checkpoint: bool,
    is_exclusive: bool,
    /// By resource: whether it is written.
    uses: [Option<bool>; 4],
    /// Whether it writes all, and by resource whether that is excepted.
    all: Option<(bool, [bool; 4])>,
    groups: BTreeSet<usize>,
}

impl Node {
    /// How it touches a resource, and whether it writes it.
    fn access(&self, resource: usize) -> Option<bool> {
        let all = self.all.filter(|(_, except)| !except[resource]);
        self.uses[resource].max(all.map(|(is_write, _)| is_write))
    }
}

#[derive(Clone, Debug)]
struct Case {
    nodes: Vec<Node>,
    /// Inner and outer.
    nested: Vec<(usize, usize)>,
    /// First, then, and whether it is weak.
    orders: Vec<(Thing, Thing, bool)>,
    schedule: Policy,
    resources: [Option<Policy>; 4],
    pairs: Vec<(usize, usize, Policy)>,
}

/// What the law says of a case.
#[derive(Debug, PartialEq)]
enum Law {
    /// Groups that cannot be.
    Groups,
    Refused {
        has_cycle: bool,
        has_writers_first: bool,
        races: BTreeSet<(usize, usize)>,
    },
    /// The systems in the order of the run. If pairs race as fits, it may be another, in which those are as here that
    /// come before each other.
    Order {
        order: Vec<usize>,
        fits: Option<BTreeSet<(usize, usize)>>,
    },
}

impl Law {
    /// Whether the systems may run in this order.
    fn allows(&self, found: &[usize]) -> bool {
        let Law::Order { order, fits } = self else {
            return false;
        };
        let Some(before) = fits else {
            return found == order;
        };
        let place = |system| found.iter().position(|&one| one == system);
        found.len() == order.len() && before.iter().all(|&(a, b)| place(a) < place(b))
    }
}

/// Points of a graph: nodes, then the begin and the end of each group.
struct Graph {
    edges: Vec<(usize, usize)>,
}

impl Graph {
    fn has_path(&self, from: usize, to: usize) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(point) = open.pop() {
            for &(_, next) in self.edges.iter().filter(|edge| edge.0 == point) {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    fn has_cycle(&self) -> bool {
        self.edges
            .iter()
            .any(|&(from, _)| self.has_path(from, from))
    }
}

impl Case {
    fn n_points(&self) -> usize {
        self.nodes.len() + 2 * N_GROUPS
    }

    fn first(&self, thing: Thing) -> usize {
        match thing {
            Thing::Node(node) => node,
            Thing::Group(group) => self.nodes.len() + 2 * group,
        }
    }

    fn last(&self, thing: Thing) -> usize {
        match thing {
            Thing::Node(node) => node,
            Thing::Group(group) => self.nodes.len() + 2 * group + 1,
        }
    }

    /// Whether a thing is in a group, directly or through others.
    fn is_in(&self, thing: Thing, group: usize, depth: usize) -> bool {
        let holders: Vec<usize> = match thing {
            Thing::Node(node) => self.nodes[node].groups.iter().copied().collect(),
            Thing::Group(inner) => {
                let of = self.nested.iter().filter(|nested| nested.0 == inner);
                of.map(|nested| nested.1).collect()
            }
        };
        let is_holder = |&holder: &usize| {
            holder == group || depth > 0 && self.is_in(Thing::Group(holder), group, depth - 1)
        };
        holders.iter().any(is_holder)
    }

    fn is_against_member(&self, first: Thing, then: Thing) -> bool {
        let is_in =
            |thing, group| matches!(group, Thing::Group(group) if self.is_in(thing, group, 3));
        is_in(first, then) || is_in(then, first)
    }

    /// The declared orders; with the weak ones, if that is asked.
    fn graph(&self, with_weak: bool) -> Graph {
        let mut edges = Vec::new();
        let mut join = |member: Thing, group: usize| {
            edges.push((self.first(Thing::Group(group)), self.first(member)));
            edges.push((self.last(member), self.last(Thing::Group(group))));
        };
        for (node, one) in self.nodes.iter().enumerate() {
            one.groups
                .iter()
                .for_each(|&group| join(Thing::Node(node), group));
        }
        for &(inner, outer) in &self.nested {
            join(Thing::Group(inner), outer);
        }
        let groups = (0..N_GROUPS).map(Thing::Group);
        edges.extend(groups.map(|group| (self.first(group), self.last(group))));
        for &(first, then, is_weak) in &self.orders {
            if !is_weak {
                edges.push((self.last(first), self.first(then)));
            } else if with_weak {
                let of = |thing| {
                    let nodes = (0..self.nodes.len()).filter(move |&node| match thing {
                        Thing::Node(other) => node == other,
                        Thing::Group(group) => self.is_in(Thing::Node(node), group, 3),
                    });
                    nodes.collect::<Vec<_>>()
                };
                for from in of(first) {
                    edges.extend(of(then).into_iter().map(|to| (from, to)));
                }
            }
        }
        Graph { edges }
    }

    /// What both touch and one writes: the policy of the resource, and who writes.
    fn shared(&self, a: usize, b: usize) -> Vec<(Option<Policy>, bool, bool)> {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        if a.is_checkpoint || b.is_checkpoint {
            return Vec::new();
        }
        let mut shared = Vec::new();
        for resource in 0..4 {
            if let (Some(a), Some(b)) = (a.access(resource), b.access(resource)) {
                shared.push((self.resources[resource], a, b));
            }
        }
        // What nobody names, and the right to run alone.
        if let (Some((a, _)), Some((b, _))) = (a.all, b.all) {
            shared.push((None, a, b));
        }
        shared.push((None, a.is_exclusive, b.is_exclusive));
        shared.retain(|&(_, a, b)| a || b);
        shared
    }

    fn conflicts(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.nodes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs
            .filter(|&(a, b)| !self.shared(a, b).is_empty())
            .collect()
    }

    fn policy(&self, a: usize, b: usize) -> Policy {
        let set = |pair: &&(usize, usize, Policy)| (pair.0, pair.1) == (a, b);
        match self.pairs.iter().find(set) {
            Some(pair) => pair.2,
            None => {
                let shared = self.shared(a, b).into_iter();
                shared
                    .map(|one| one.0.unwrap_or(self.schedule))
                    .min()
                    .unwrap()
            }
        }
    }

    fn law(&self) -> Law {
        let in_itself = (0..N_GROUPS).any(|group| self.is_in(Thing::Group(group), group, 3));
        let mut orders = self.orders.iter();
        if in_itself || orders.any(|&(first, then, _)| self.is_against_member(first, then)) {
            return Law::Groups;
        }
        let (declared, both) = (self.graph(false), self.graph(true));
        let has_cycle = both.has_cycle();
        let mut graph = self.graph(has_cycle);
        for (a, b) in self.conflicts() {
            for (from, to) in [(a, b), (b, a)] {
                if both.has_path(from, to) && !declared.has_path(from, to) {
                    graph.edges.push((from, to));
                }
            }
        }
        let (mut races, mut writers_first) = (BTreeSet::new(), Vec::new());
        let (mut as_added, mut has_fits) = (Vec::new(), false);
        for (a, b) in self.conflicts() {
            if graph.has_path(a, b) || graph.has_path(b, a) {
                continue;
            }
            match self.policy(a, b) {
                Policy::Reject => drop(races.insert((a, b))),
                Policy::WritersFirst => {
                    for (_, a_writes, b_writes) in self.shared(a, b) {
                        writers_first.extend(a_writes.then_some((a, b)));
                        writers_first.extend(b_writes.then_some((b, a)));
                    }
                }
                Policy::AsAdded | Policy::Accepted => as_added.push((a, b)),
                Policy::AsFits => has_fits = true,
            }
        }
        graph.edges.extend(writers_first);
        let has_writers_first = !has_cycle && graph.has_cycle();
        if has_cycle || has_writers_first || !races.is_empty() {
            return Law::Refused {
                has_cycle,
                has_writers_first,
                races,
            };
        }
        let order = self.order(&graph);
        let place = |system| order.iter().position(|&one| one == system);
        graph.edges.extend(
            as_added
                .into_iter()
                .map(|(a, b)| if place(a) < place(b) { (a, b) } else { (b, a) }),
        );
        let fits = has_fits.then(|| {
            let pairs = order
                .iter()
                .flat_map(|&a| order.iter().map(move |&b| (a, b)));
            pairs.filter(|&(a, b)| graph.has_path(a, b)).collect()
        });
        Law::Order { order, fits }
    }

    /// What is ready and was added first comes first; a group stands before the first that is in it.
    fn order(&self, graph: &Graph) -> Vec<usize> {
        let n_nodes = self.nodes.len();
        let key = |&point: &usize| {
            if point < n_nodes {
                return (point, n_nodes, 0);
            }
            let group = (point - n_nodes) / 2;
            let mut members = (0..n_nodes).filter(|&node| self.is_in(Thing::Node(node), group, 3));
            (members.next().unwrap_or(n_nodes), group, point)
        };
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.n_points() {
            let is_ready = |&point: &usize| {
                let mut into = graph.edges.iter().filter(|edge| edge.1 == point);
                !order.contains(&point) && into.all(|edge| order.contains(&edge.0))
            };
            order.push(
                (0..self.n_points())
                    .filter(is_ready)
                    .min_by_key(key)
                    .unwrap(),
            );
        }
        order.retain(|&point| point < n_nodes && !self.nodes[point].is_checkpoint);
        order
    }

    /// Resources after the systems ran in this order, one by one.
    fn state(&self, order: &[usize]) -> [u64; 4] {
        let mut state = [1; 4];
        for &node in order {
            let access = |resource| self.nodes[node].access(resource);
            let read: Vec<u64> = (0..4)
                .filter(|&r| access(r).is_some())
                .map(|r| state[r])
                .collect();
            for resource in (0..4).filter(|&resource| access(resource) == Some(true)) {
                state[resource] = mix(node, resource, &read);
            }
        }
        state
    }
}

/// What a system writes, of who it is and what it read.
fn mix(node: usize, resource: usize, read: &[u64]) -> u64 {
    let start = (node * 4 + resource + 1) as u64;
    read.iter().fold(start, |sum, value| {
        sum.wrapping_mul(0x9e37_79b9).rotate_left(7) ^ value
    })
}

/// A case as a builder has it, declared from the first to the last or the other way round.
struct Declared {
    builder: Builder,
    nodes: Vec<NodeId>,
}

impl Declared {
    fn new(case: &Case, is_turned: bool) -> Self {
        let mut builder = Schedule::builder();
        let mut nodes = vec![None; case.nodes.len()];
        let turned = |n: usize| -> Vec<usize> {
            if is_turned {
                (0..n).rev().collect()
            } else {
                (0..n).collect()
            }
        };
        let speak_of_groups = |builder: &mut Builder| {
            for group in turned(N_GROUPS) {
                with_group(builder, group);
                for &(_, outer) in case.nested.iter().filter(|nested| nested.0 == group) {
                    in_group(builder, outer);
                }
            }
        };
        if !is_turned {
            speak_of_groups(&mut builder);
        }
        for idx in turned(case.nodes.len()) {
            let node = &case.nodes[idx];
            if node.is_checkpoint {
                builder.checkpoint::<Point>();
            } else {
                builder.add_dynamic(system(idx, node));
            }
            nodes[idx] = builder.last();
            node.groups
                .iter()
                .for_each(|&group| in_group(&mut builder, group));
        }
        let nodes: Vec<NodeId> = nodes.into_iter().flatten().collect();
        for idx in turned(case.orders.len()) {
            let (first, then, is_weak) = case.orders[idx];
            let [first, then] = [first, then].map(|thing| target(&nodes, thing));
            if is_weak {
                builder.order_if_conflicting(first, then);
            } else {
                builder.order(first, then);
            }
        }
        for idx in turned(case.pairs.len()) {
            let (a, b, policy) = case.pairs[idx];
            let (a, b) = if is_turned { (b, a) } else { (a, b) };
            builder.policy_between(nodes[a], nodes[b], policy);
        }
        for idx in turned(4) {
            if let Some(policy) = case.resources[idx] {
                builder.policy_for_resource(RESOURCES[idx], policy);
            }
        }
        if is_turned {
            speak_of_groups(&mut builder);
        }
        builder.policy(case.schedule);
        Self { builder, nodes }
    }

    /// The schedule, or what the law would say of the error.
    fn build(&mut self) -> Result<Schedule, Law> {
        self.builder.build().map_err(|error| self.refusal(&error))
    }

    fn refusal(&self, error: &BuildError) -> Law {
        let has = |is: fn(&Problem) -> bool| error.problems().iter().any(is);
        if has(|one| {
            matches!(
                one,
                Problem::GroupInItself { .. } | Problem::GroupAgainstMember { .. }
            )
        }) {
            return Law::Groups;
        }
        let idx = |node| self.nodes.iter().position(|one| *one == node).unwrap();
        let races = error.races().map(|race| {
            let (a, b) = (idx(race.first_node), idx(race.second_node));
            (a.min(b), a.max(b))
        });
        Law::Refused {
            has_cycle: has(|one| matches!(one, Problem::Cycle(_))),
            has_writers_first: has(|one| matches!(one, Problem::WritersFirst(_))),
            races: races.collect(),
        }
    }
}

fn target(nodes: &[NodeId], thing: Thing) -> Target {
    match thing {
        Thing::Node(node) => nodes[node].into(),
        Thing::Group(0) => Target::of::<G0>(),
        Thing::Group(1) => Target::of::<G1>(),
        Thing::Group(_) => Target::of::<G2>(),
    }
}

fn with_group(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.group::<G0>(),
        1 => builder.group::<G1>(),
        _ => builder.group::<G2>(),
    };
}

fn in_group(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.in_group::<G0>(),
        1 => builder.in_group::<G1>(),
        _ => builder.in_group::<G2>(),
    };
}

/// A system that does what [`Case::state`] says, and is called by its number.
fn system(idx: usize, node: &Node) -> DynamicSystem {
    let own = node.clone();
    let mut system = DynamicSystem::new(idx.to_string(), move |view| {
        let touched = (0..4).filter(|&resource| own.access(resource).is_some());
        let read = touched.map(|resource| view.get_named(RESOURCES[resource]).copied());
        let read = read.collect::<Result<Vec<u64>, _>>()?;
        for resource in (0..4).filter(|&resource| own.access(resource) == Some(true)) {
            *view.get_named_mut(RESOURCES[resource])? = mix(idx, resource, &read);
        }
        Ok::<(), BoxError>(())
    });
    for (name, is_write) in RESOURCES.into_iter().zip(node.uses) {
        system = match is_write {
            Some(true) => system.writes(name),
            Some(false) => system.reads(name),
            None => system,
        };
    }
    if let Some((is_write, except)) = node.all {
        let except = RESOURCES.into_iter().zip(except).filter(|one| one.1);
        let except = except.map(|one| ResourceId::named(one.0));
        system = if is_write {
            system.writes_all_except(except)
        } else {
            system.reads_all_except(except)
        };
    }
    if node.is_exclusive {
        system.exclusive()
    } else {
        system
    }
}

fn order_of(schedule: &Schedule) -> Vec<usize> {
    schedule
        .systems()
        .map(|name| name.parse().unwrap())
        .collect()
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![
        3 => Just(Policy::Reject),
        2 => Just(Policy::WritersFirst),
        3 => Just(Policy::AsAdded),
        1 => Just(Policy::Accepted),
        3 => Just(Policy::AsFits),
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

fn cases() -> impl Strategy<Value = Case> {
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

const N_CASES: u32 = 1500;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Of groups that cannot be, which one of the tests leaves out.
        max_global_rejects: 10 * N_CASES,
        ..ProptestConfig::with_cases(N_CASES)
    })]

    #[test]
    fn a_schedule_is_built_and_runs_as_the_law_says(case in cases()) {
        let law = case.law();
        match Declared::new(&case, false).build() {
            Err(refusal) => prop_assert_eq!(refusal, law),
            Ok(mut schedule) => {
                let order = order_of(&schedule);
                prop_assert!(law.allows(&order), "{order:?} against {law:?}");
                for _ in 0..2 {
                    let mut resources = Resources::new();
                    for name in RESOURCES {
                        resources.insert_named(name, 1_u64);
                    }
                    schedule.run(&mut resources).unwrap();
                    let state = RESOURCES.map(|name| *resources.get_named::<u64>(name).unwrap());
                    prop_assert_eq!(state, case.state(&order));
                }
            }
        }
    }

    #[test]
    fn the_order_of_declarations_does_not_change_the_verdict(case in cases()) {
        let (one, other) = (
            Declared::new(&case, false).build(),
            Declared::new(&case, true).build(),
        );
        prop_assert_eq!(one.err(), other.err());
    }

    #[test]
    fn the_remedy_ends_all_races_and_no_order_of_it_can_be_left_out(case in cases()) {
        let Err(error) = Declared::new(&case, false).builder.build() else {
            return Ok(());
        };
        let law = case.law();
        let Law::Refused { has_cycle: false, has_writers_first, races } = law else {
            return Ok(());
        };
        let orders = error.remedy().map_or(&[][..], |remedy| remedy.orders());
        prop_assert_eq!(orders.is_empty(), races.is_empty());
        let build_without = |left_out: Option<usize>| {
            let mut declared = Declared::new(&case, false);
            for (idx, order) in orders.iter().enumerate() {
                if Some(idx) != left_out {
                    declared.builder.order(order.first_node, order.then_node);
                }
            }
            declared.build()
        };
        match build_without(None) {
            Ok(_) => {}
            // Of writers, those that writers first cannot order are left.
            Err(Law::Refused { has_cycle, races, .. }) => {
                prop_assert!(has_writers_first && !has_cycle && races.is_empty());
            }
            Err(Law::Groups | Law::Order { .. }) => unreachable!("groups are as they were"),
        }
        for (left_out, order) in orders.iter().enumerate() {
            let refusal = build_without(Some(left_out)).err();
            let has_race =
                matches!(&refusal, Some(Law::Refused { races, .. }) if !races.is_empty());
            prop_assert!(has_race, "{order:?} can be left out: {refusal:?}");
        }
    }

    #[test]
    fn why_two_systems_are_in_order_is_as_the_law_says(case in cases()) {
        let mut declared = Declared::new(&case, false);
        let Ok(schedule) = declared.build() else {
            return Ok(());
        };
        let order = order_of(&schedule);
        let place = |system| order.iter().position(|&one| one == system);
        let (graph, conflicts) = (case.graph(false), case.conflicts());
        for b in 0..case.nodes.len() {
            for a in 0..b {
                let why = schedule.why(declared.nodes[a], declared.nodes[b]).unwrap();
                let (steps, ends) = match &why.relation {
                    Relation::Before(steps) => (steps.as_slice(), (a, b)),
                    Relation::After(steps) => (steps.as_slice(), (b, a)),
                    Relation::AtOnce { .. } => (&[][..], (a, b)),
                    other => panic!("{other:?}"),
                };
                let is_declared = |step: &Step| matches!(
                    step.origin,
                    StepOrigin::Declared(_) | StepOrigin::Group(_)
                );
                let has_path = graph.has_path(a, b) || graph.has_path(b, a);
                prop_assert_eq!(has_path, !steps.is_empty() && steps.iter().all(is_declared));
                let conflict = conflicts.contains(&(a, b));
                prop_assert_eq!(why.conflict.is_some(), conflict);
                prop_assert!(!(conflict && steps.is_empty()));
                let is_system = !case.nodes[a].is_checkpoint && !case.nodes[b].is_checkpoint;
                if !steps.is_empty() && is_system {
                    prop_assert!(place(ends.0) < place(ends.1));
                }
                for step in steps.windows(2) {
                    prop_assert_eq!(&step[0].to, &step[1].from);
                }
            }
        }
    }

    #[test]
    fn an_order_is_refused_if_it_contradicts_and_then_nothing_has_changed(
        case in cases(),
        ends in any::<(Index, Index)>(),
    ) {
        prop_assume!(case.law() != Law::Groups);
        let thing = |idx: usize| match idx.checked_sub(case.nodes.len()) {
            None => Thing::Node(idx),
            Some(group) => Thing::Group(group),
        };
        let n_things = case.nodes.len() + N_GROUPS;
        let (first, then) = (thing(ends.0.index(n_things)), thing(ends.1.index(n_things)));
        let (from, to) = (case.last(first), case.first(then));
        let is_refused = case.is_against_member(first, then)
            || first == then
            || case.graph(true).has_path(to, from);
        let mut declared = Declared::new(&case, false);
        let [first_target, then_target] = [first, then].map(|one| target(&declared.nodes, one));
        let result = declared.builder.try_order(first_target, then_target);
        prop_assert_eq!(result.is_err(), is_refused, "{:?} before {:?}", first, then);
        let mut expected = case.clone();
        if !is_refused {
            expected.orders.push((first, then, false));
        }
        match declared.build() {
            Err(refusal) => prop_assert_eq!(refusal, expected.law()),
            Ok(schedule) => prop_assert!(expected.law().allows(&order_of(&schedule))),
        }
    }
}
