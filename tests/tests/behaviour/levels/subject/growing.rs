//! Declares a graph to a builder.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use schedule::dynamic::DynamicSystem;
use schedule::entity::Changes;
use schedule::order::NodeId;
use schedule::param::Failures;
use schedule::prelude::*;
use schedule::{Builder, Condition, MissingPolicy, Target};

use super::super::case::{
    Answer, Asked, Case, Formula, Guard, Level, N_RESOURCES, Node, Thing, Work, typed_reads,
};
use super::super::digest::{branch, counted, digest, is_again, is_true, written};
use super::body::Body;
use super::conditions::{Three, own_conditions, typed0, typed1, typed2};
use super::probe::Probe;
use super::{Junk, Point};
use crate::gates::Gates;
use crate::numbered::{
    Cell, cell_id, group_target, join_group, speak_of_group, with_cells, with_number,
};

#[derive(Checkpoint)]
struct SyncPoint;

/// A case that is being declared to a builder.
#[derive(Clone)]
pub(super) struct Growing<'a> {
    case: &'a Case,
    pub(super) probe: Arc<Probe>,
    own: Vec<Condition>,
    /// The ids of nodes that were already added.
    pub(super) ids: Vec<Option<NodeId>>,
}

impl<'a> Growing<'a> {
    pub(super) fn new(case: &'a Case) -> Self {
        assert_eq!([0, 1, 2].map(typed_reads), [0, 1, 2]);
        let probe = Arc::new(Probe {
            log: Mutex::default(),
            n_runs: case.nodes.iter().map(|_| AtomicU64::new(0)).collect(),
            gates: Gates::default(),
        });
        Self {
            case,
            own: own_conditions(&probe),
            probe,
            ids: vec![None; case.nodes.len()],
        }
    }

    /// Declares these nodes, and all orders and policies that concern only them and earlier nodes. With the last nodes, also declares those
    /// that concern groups.
    pub(super) fn say(&mut self, builder: &mut Builder, nodes: Range<usize>) {
        let case = self.case;
        let is_last = nodes.end == case.nodes.len();
        self.add_level(builder, None, nodes.clone());
        for (group, declared) in case.groups.iter().enumerate().filter(|_| is_last) {
            for guard in &declared.guards {
                speak_of_group(builder, group);
                builder.run_if(self.condition(guard));
            }
            if declared.is_always {
                speak_of_group(builder, group);
                builder.always();
            }
        }
        let time = |thing: Thing| match thing {
            Thing::Node(idx) => idx,
            Thing::Group(_) | Thing::Implied(_) => case.nodes.len() - 1,
        };
        for &(first, then, is_weak) in &case.orders {
            if !nodes.contains(&time(first).max(time(then))) {
                continue;
            }
            let (first, then) = (self.target(first), self.target(then));
            if is_weak {
                builder.order_if_conflicting(first, then);
            } else {
                builder.order(first, then);
            }
        }
        if nodes.start == 0 {
            builder.policy(case.policy);
            builder.missing_policy(if case.refuses {
                MissingPolicy::Refuse
            } else {
                MissingPolicy::Skip
            });
            for (resource, policy) in case.resources.iter().enumerate() {
                if let Some(policy) = *policy {
                    builder.policy_for_resource(cell_id(resource), policy);
                }
            }
        }
        for &(one, other, policy) in &case.pairs {
            if !nodes.contains(&one.max(other)) {
                continue;
            }
            let (one, other) = (self.node(one), self.node(other));
            if policy == Policy::Accepted {
                builder.accept(one, other, "they say so");
            } else {
                builder.policy_between(one, other, policy);
            }
        }
        for idx in nodes {
            let node = &case.nodes[idx];
            if !matches!(node.work, Work::ApplyCommands | Work::Checkpoint) {
                builder.failure_policy_for(self.node(idx), node.on_failure);
            }
        }
    }

    /// Adds a node that will be removed again. Returns its id.
    pub(super) fn throw_in(&self, builder: &mut Builder, junk: &Junk) -> Option<NodeId> {
        let system = with_cells(DynamicSystem::new("junk", |_| true), &junk.uses);
        if junk.is_loop {
            builder.repeat_while_dynamic(system, |body| {
                body.add_closure("junk in junk", || ())
                    .run_if(Condition::of::<typed0>())
            });
        } else {
            builder.add_dynamic(system);
        }
        if junk.is_guarded {
            builder.run_if(Condition::of::<typed1>());
        }
        if let Some(group) = junk.group {
            join_group(builder, group);
        }
        let number = builder.last()?;
        let known: Vec<NodeId> = self.ids.iter().flatten().copied().collect();
        for (at, is_first) in known.iter().zip(&junk.orders) {
            match is_first {
                None => {}
                Some(true) => drop(builder.order(number, *at).accept(number, *at, "junk")),
                Some(false) => drop(builder.order(*at, number)),
            }
        }
        Some(number)
    }

    /// Adds these nodes of a level with their contents.
    fn add_level(&mut self, builder: &mut Builder, level: Level, nodes: Range<usize>) {
        let is_first = level.is_some() || nodes.start == 0;
        for (idx, group) in self.case.groups.iter().enumerate() {
            if is_first && group.level == level {
                speak_of_group(builder, idx);
                for &holder in &group.holders {
                    join_group(builder, holder);
                }
            }
        }
        for idx in nodes {
            let node = &self.case.nodes[idx];
            if node.level == level {
                self.add(builder, idx, node);
                node.groups
                    .iter()
                    .for_each(|&group| join_group(builder, group));
                for guard in &node.guards {
                    builder.run_if(self.condition(guard));
                }
                if node.is_always {
                    builder.always();
                }
            }
        }
    }

    fn add(&mut self, builder: &mut Builder, idx: usize, node: &Node) {
        let accesses = node
            .uses
            .iter()
            .enumerate()
            .filter_map(|(one, is_write)| Some((one, (*is_write)?)));
        let body = Body {
            idx,
            accesses: accesses.chain([(N_RESOURCES, node.is_exclusive)]).collect(),
            fault: node.fault,
            probe: Arc::clone(&self.probe),
        };
        match node.work {
            Work::System => {
                builder.add_dynamic(body.into_system(node, |done| done.map(drop)));
            }
            Work::Recorder(resource) => {
                // It records before it may fail. In case of a failure, the recorded command is dropped and the count stays unchanged.
                let mut count = 0;
                let digest = digest(idx, None);
                with_number!(resource, N => builder.add_closure(
                    idx.to_string(),
                    move |mut commands: Commands<Changes<Cell<N>>>, failures: Failures| {
                        body.note(failures);
                        let mut next = count;
                        let written_to_it = counted(&mut next, digest);
                        commands.push(move |resources| {
                            if let Some(cell) = resources.get_mut::<Cell<N>>() {
                                cell.0 = written(written_to_it, cell.0);
                            }
                        });
                        body.run_untouching()?;
                        count = next;
                        Ok::<(), String>(())
                    },
                ));
            }
            Work::ApplyCommands => {
                builder.apply_commands::<SyncPoint>().named(idx.to_string());
            }
            Work::Checkpoint => {
                builder.checkpoint::<Point>().named(idx.to_string());
            }
            Work::Condition => {
                let mut count = 0;
                let answer = move |done: Result<u64, String>| {
                    done.map(|digest| is_true(counted(&mut count, digest)))
                };
                builder.add_dynamic(body.into_system(node, answer));
            }
            Work::Selector => {
                let mut count = 0;
                let answer = move |done: Result<u64, String>| {
                    done.map(|digest| Three::of(branch(counted(&mut count, digest))))
                };
                builder.add_dynamic(body.into_system(node, answer));
            }
            Work::Typed(typed) => {
                match typed {
                    0 => builder.add::<typed0>(),
                    1 => builder.add::<typed1>(),
                    _ => builder.add::<typed2>(),
                };
                builder.named(idx.to_string());
            }
            Work::Loop(limit, at_most) => {
                let mut count = 0;
                let answer = move |done: Result<u64, String>| {
                    done.map(|digest| is_again(&mut count, limit, digest))
                };
                builder.repeat_while_dynamic(body.into_system(node, answer), |body| {
                    self.add_level(body, Some(idx), 0..self.case.nodes.len());
                    body
                });
                if let Some(at_most) = at_most {
                    builder.at_most(at_most);
                }
            }
        }
        self.ids[idx] = builder.last();
    }

    /// Names a node by id if it was added, or else by name.
    fn node(&self, idx: usize) -> Target {
        self.ids[idx].map_or_else(|| idx.to_string().as_str().into(), Target::from)
    }

    fn target(&self, thing: Thing) -> Target {
        match thing {
            Thing::Node(idx) => self.node(idx),
            Thing::Group(group) => group_target(group),
            Thing::Implied(_) => unreachable!("nothing names it"),
        }
    }

    fn condition(&self, guard: &Guard) -> Condition {
        match guard {
            Formula::Not(one) => !self.condition(one),
            Formula::All(two) => self.condition(&two[0]) & self.condition(&two[1]),
            Formula::Any(two) => self.condition(&two[0]) | self.condition(&two[1]),
            &Formula::Is((asked, answer)) => match (asked, answer) {
                (Asked::Node(idx), Answer::Bool(true)) => Condition::added(self.node(idx)),
                (Asked::Node(idx), Answer::Bool(false)) => {
                    Condition::added_chosen(self.node(idx), false)
                }
                (Asked::Node(idx), Answer::Branch(branch)) => {
                    Condition::added_chosen(self.node(idx), Three::of(branch))
                }
                (Asked::Typed(0), _) => Condition::of::<typed0>(),
                (Asked::Typed(1), _) => Condition::of::<typed1>(),
                (Asked::Typed(_), Answer::Branch(branch)) => {
                    Condition::chosen::<typed2, _>(Three::of(branch))
                }
                (Asked::Typed(_), Answer::Bool(_)) => unreachable!("it is a selector"),
                (Asked::Own(own), _) => self.own[own].clone(),
            },
        }
    }
}
