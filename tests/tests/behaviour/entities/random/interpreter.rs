//! Runs random systems one by one. A reference that shares no code with queries, the verifier and the executors.

use std::collections::{BTreeMap, BTreeSet};

use schedule_hecs::prelude::*;
use schedule_hecs::{CommandKind, MissedCommands};

use super::case::{Case, Fault, Work};
use super::changes::{Recorded, recorded};
use super::each::EACH;
use super::model::Model;
use super::parts::{N, Values, mix};
use super::pool::{CONDITIONS, POOL, Spec};
use crate::random::orders::{Commanded, Step, reachable};

/// The results of a run. Nodes are indices in the case.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// What each node computed, if it ran to its end.
    pub(super) seen: BTreeMap<usize, u64>,
    /// In the order of the schedule, like `skipped`.
    pub(super) failures: Vec<(usize, Fault)>,
    pub(super) skipped: Vec<usize>,
    /// The first commands without an effect, in the order of application.
    pub(super) missed: Vec<CommandKind>,
    /// The number of all of them.
    pub(super) n_missed: usize,
    /// All entities and their components, in the order of the world.
    pub(super) entities: Vec<(Entity, Values)>,
}

/// The access of a node.
#[derive(Default)]
struct Access {
    queries: Vec<&'static Spec>,
    reads_world: bool,
    writes_world: bool,
    is_exclusive: bool,
}

impl Access {
    fn of(work: &Work) -> Self {
        let mut access = Self::default();
        match work {
            Work::Query(nth, _) => access.queries.extend(POOL[*nth]),
            Work::Each(nth) => {
                access.queries.push(&EACH[*nth].own);
                access.queries.extend(&EACH[*nth].other);
            }
            Work::Condition(nth) => access.queries.push(&CONDITIONS[*nth]),
            Work::Count => access.reads_world = true,
            Work::Change(_) => access.writes_world = true,
            Work::ApplyCommands => access.is_exclusive = true,
            Work::Record(_) | Work::Loop(_) => {}
        }
        access.reads_world |= access.writes_world || !access.queries.is_empty();
        access
    }

    /// The components on which two nodes conflict, `N` for the world, and `N + 1` for a node that is exclusive. For each, whether
    /// the first and the second write it.
    fn conflicts(&self, other: &Self, has_filters: bool) -> Vec<(usize, bool, bool)> {
        let mut found = Vec::new();
        if self.is_exclusive || other.is_exclusive {
            found.push((N + 1, true, true));
        }
        if self.reads_world && other.reads_world {
            found.push((N, self.writes_world, other.writes_world));
        }
        let queries = self.queries.iter();
        let pairs = queries.flat_map(|a| other.queries.iter().map(move |b| (*a, *b)));
        let meets = |(a, b): &(&Spec, &Spec)| !has_filters || a.meets(b);
        let pairs: Vec<_> = pairs.filter(meets).collect();
        for part in 0..N {
            let shared = pairs
                .iter()
                .filter_map(|(a, b)| a.access()[part].zip(b.access()[part]));
            let [mut first, mut second] = [false; 2];
            for (a_writes, b_writes) in shared {
                first |= a_writes;
                second |= b_writes;
            }
            found.push((part, first, second));
        }
        found.retain(|conflict| conflict.1 || conflict.2);
        found
    }
}

/// The order of the nodes of one level.
#[derive(Debug)]
struct Level {
    steps: Vec<Step>,
    /// Declared orders, those from conditions to the nodes that have them, and those of `WritersFirst`.
    binding: Vec<(usize, usize)>,
}

/// The order of a case, and the systems that are skipped after a failure.
#[derive(Debug)]
pub(super) struct Interpreter {
    case: Case,
    /// By the loop that contains the nodes.
    levels: BTreeMap<Option<usize>, Level>,
    /// The pairs that conflict without a declared order between them, with the smaller index first.
    pub(super) races: BTreeSet<(usize, usize)>,
}

impl Interpreter {
    /// Returns `None` if `WritersFirst` causes a cycle.
    pub(super) fn new(case: &Case) -> Option<Self> {
        let n_nodes = case.nodes.len();
        let conditions = (0..n_nodes).filter_map(|idx| Some((case.nodes[idx].condition?, idx)));
        let declared = &case
            .orders
            .iter()
            .copied()
            .chain(conditions)
            .collect::<Vec<_>>();
        let accesses: Vec<Access> = case.nodes.iter().map(|one| Access::of(&one.work)).collect();
        let (mut binding, mut races) = (declared.clone(), BTreeSet::new());
        for (a, b) in (0..n_nodes).flat_map(|b| (0..b).map(move |a| (a, b))) {
            // A conflict with a node of a loop orders the loop.
            let (outer_a, outer_b) = case.of_one_level(a, b);
            let is_inside = case.nodes[a].level == case.nodes[b].level;
            let shared = accesses[a].conflicts(&accesses[b], is_inside);
            let is_ordered = reachable(declared, outer_a).contains(&outer_b)
                || reachable(declared, outer_b).contains(&outer_a);
            if is_ordered || shared.is_empty() {
                continue;
            }
            races.insert((outer_a.min(outer_b), outer_a.max(outer_b)));
            if shared.iter().any(|one| Some(one.0) == case.writers_first) {
                let first = shared.iter().filter(|one| one.1);
                binding.extend(first.map(|_| (outer_a, outer_b)));
                let second = shared.iter().filter(|one| one.2);
                binding.extend(second.map(|_| (outer_b, outer_a)));
            }
        }
        // No order connects two levels, so the nodes of each level are in the order that they have by themselves.
        let levels: Vec<Option<usize>> = case.nodes.iter().map(|node| node.level).collect();
        let guards = |idx: usize| {
            let around = case.nodes[idx]
                .level
                .and_then(|one| case.nodes[one].condition);
            [case.nodes[idx].condition, around]
        };
        let commanded = Commanded {
            levels: &levels,
            declared,
            binding: &binding,
            is_sync_point: &|idx| matches!(case.nodes[idx].work, Work::ApplyCommands),
            has_guards_of: &|point, idx| {
                let guard = case.nodes[point].condition;
                guard.is_none() || guards(idx).contains(&guard)
            },
            finds: &|a, b| {
                let has_commands = match case.nodes[a].work {
                    Work::Record(_) => true,
                    Work::Each(nth) => EACH[nth].commands,
                    _ => false,
                };
                has_commands && accesses[b].reads_world
            },
        };
        let steps = commanded.inserted()?.all_steps(&levels, &binding)?;
        let level = |(at, steps)| {
            let binding = binding.clone();
            (at, Level { steps, binding })
        };
        Some(Self {
            case: case.clone(),
            levels: steps.into_iter().map(level).collect(),
            races,
        })
    }

    /// The nodes of a level in their order.
    fn nodes(&self, at: Option<usize>) -> impl Iterator<Item = usize> {
        let steps = self.levels.get(&at).into_iter().flat_map(|one| &one.steps);
        steps.filter_map(|step| match step {
            Step::Node(idx) => Some(*idx),
            Step::Apply(_) => None,
        })
    }

    /// A node, and the nodes that it contains.
    fn with_body(&self, idx: usize) -> impl Iterator<Item = usize> {
        [idx].into_iter().chain(self.nodes(Some(idx)))
    }

    /// The systems in their order.
    pub(super) fn systems(&self) -> Vec<usize> {
        let nodes = self.nodes(None).flat_map(|idx| self.with_body(idx));
        let is_other = |&idx: &usize| {
            matches!(
                self.case.nodes[idx].work,
                Work::Loop(_) | Work::ApplyCommands
            )
        };
        nodes.filter(|idx| !is_other(idx)).collect()
    }

    /// Runs the nodes one by one. `faults[i]`: the failure of node i, if the node can fail.
    pub(super) fn run(&self, model: &mut Model, faults: &[Option<Fault>]) -> Outcome {
        let mut outcome = Outcome::default();
        let mut pending = Vec::new();
        let known = model.entities();
        self.run_level(None, model, faults, &known, &mut pending, &mut outcome);
        settle(&mut pending, model, &mut outcome);
        outcome.n_missed = outcome.missed.len();
        outcome.missed.truncate(MissedCommands::CAPACITY);
        let entities = model.entities().into_iter();
        outcome.entities = entities.map(|id| (id, model.values(id))).collect();
        outcome
    }

    fn run_level(
        &self,
        at: Option<usize>,
        model: &mut Model,
        faults: &[Option<Fault>],
        known: &[Entity],
        pending: &mut Vec<(usize, Vec<Recorded>)>,
        outcome: &mut Outcome,
    ) {
        let Some(level) = self.levels.get(&at) else {
            return;
        };
        let (mut to_skip, mut is_true) = (BTreeSet::new(), BTreeSet::new());
        for step in &level.steps {
            let idx = match step {
                Step::Node(idx) => *idx,
                Step::Apply(writers) => {
                    let is_served = |(idx, commands): &(usize, Vec<Recorded>)| {
                        let around = self.case.nodes[*idx].level;
                        let is_writer = |one: &usize| *one == *idx || Some(*one) == around;
                        !commands.is_empty() && writers.iter().any(is_writer)
                    };
                    if pending.iter().any(is_served) {
                        settle(pending, model, outcome);
                    }
                    continue;
                }
            };
            let node = &self.case.nodes[idx];
            if to_skip.contains(&idx) {
                outcome.skipped.extend(self.with_body(idx));
                continue;
            }
            if node.condition.is_some_and(|one| !is_true.contains(&one)) {
                continue;
            }
            let fault = faults[idx].filter(|_| node.can_fail());
            let start = idx as u64 + 1;
            let has_failed = match &node.work {
                Work::Query(nth, visit) => {
                    let (last, first) = POOL[*nth].split_last().unwrap();
                    let seen = first.iter().fold(start, |seen, spec| {
                        model.query(spec, *visit, None, known, seen).unwrap()
                    });
                    let seen = model.query(last, *visit, fault, known, seen);
                    outcome.seen.extend(seen.map(|seen| (idx, seen)));
                    seen.is_none()
                }
                Work::Count => {
                    let ids = model.entities().into_iter();
                    let seen = ids.fold(start, |seen, id| mix(seen, id.to_bits().get()));
                    outcome.seen.insert(idx, seen);
                    false
                }
                Work::Change(changes) => {
                    model.change(changes);
                    outcome.seen.insert(idx, model.entities().len() as u64);
                    false
                }
                Work::Each(nth) => {
                    let commands = model.each(&EACH[*nth], fault);
                    let has_failed = commands.is_none();
                    pending.extend(commands.map(|commands| (idx, commands)));
                    has_failed
                }
                Work::Record(changes) => {
                    if fault.is_none() {
                        pending.push((idx, recorded(changes, known)));
                        outcome.seen.insert(idx, start);
                    }
                    fault.is_some()
                }
                Work::ApplyCommands => {
                    settle(pending, model, outcome);
                    false
                }
                Work::Condition(nth) => {
                    is_true.extend(model.holds(*nth, idx).then_some(idx));
                    false
                }
                Work::Loop(n_iterations) => {
                    for _ in 0..*n_iterations {
                        self.run_level(Some(idx), model, faults, known, pending, outcome);
                    }
                    false
                }
            };
            if has_failed {
                outcome.failures.push((idx, fault.unwrap()));
                if !node.carries_on {
                    to_skip.append(&mut reachable(&level.binding, idx));
                }
            }
        }
    }
}

/// Applies the commands of all systems that recorded some since the last time.
fn settle(pending: &mut Vec<(usize, Vec<Recorded>)>, model: &mut Model, outcome: &mut Outcome) {
    for (_, commands) in pending.drain(..) {
        model.apply(&commands, &mut outcome.missed);
    }
}
