//! A direct implementation of the rules for a run. A reference for the executors that shares no code with them.

use std::collections::BTreeSet;

use super::case::{Case, Change, Fault, N_RESOURCES, Values, Work};
use super::orders::{Commanded, Step, reachable};

/// The results of a run. Nodes are indices in the case.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// In ascending order.
    pub(super) ran: Vec<usize>,
    /// In the order of the schedule, like `skipped`.
    pub(super) failures: Vec<(usize, Fault)>,
    pub(super) skipped: Vec<usize>,
}

/// Returns the value that a system computes from the values that it reads.
pub(super) fn digest(idx: usize, found: impl IntoIterator<Item = Option<u64>>) -> u64 {
    let mix = |hash: u64, one: Option<u64>| written(hash, one.map_or(7, |value| value ^ 1));
    found.into_iter().fold(idx as u64 + 1, mix)
}

/// Returns the value of a resource after `digest` was written to it.
pub(super) fn written(digest: u64, before: u64) -> u64 {
    (digest ^ before)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

impl Change {
    /// Returns whether it panics.
    fn apply(self, idx: usize, values: &mut Values) -> bool {
        match self {
            Change::Mix(r) => values[r] = values[r].map(|old| written(idx as u64, old)),
            Change::Remove(r) => values[r] = None,
            Change::Insert(r) => values[r] = Some(idx as u64),
            Change::Panic => return true,
        }
        false
    }
}

/// The order of a case, and the systems that are skipped after a failure.
#[derive(Debug)]
pub(super) struct Interpreter {
    case: Case,
    pub(super) order: Vec<usize>,
    steps: Vec<Step>,
    /// Declared orders, and those of `WritersFirst`.
    binding: Vec<(usize, usize)>,
}

impl Interpreter {
    /// Returns `None` if `WritersFirst` causes a cycle.
    pub(super) fn new(case: &Case) -> Option<Self> {
        let (n_nodes, declared) = (case.nodes.len(), &case.orders);
        let mut binding = declared.clone();
        for (a, b) in (0..n_nodes).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let access = |idx: usize, resource| case.nodes[idx].access(resource);
            let both = (0..N_RESOURCES + 2).filter_map(|r| Some((r, access(a, r)?, access(b, r)?)));
            let shared: Vec<_> = both.filter(|&(_, a, b)| a || b).collect();
            let is_first = |one: &(usize, bool, bool)| case.writers_first.get(one.0) == Some(&true);
            let is_free =
                !reachable(declared, a).contains(&b) && !reachable(declared, b).contains(&a);
            if is_free && shared.iter().any(is_first) {
                binding.extend(shared.iter().filter(|one| one.1).map(|_| (a, b)));
                binding.extend(shared.iter().filter(|one| one.2).map(|_| (b, a)));
            }
        }
        let work = |idx: usize| &case.nodes[idx].work;
        let levels = vec![None; n_nodes];
        let commanded = Commanded {
            levels: &levels,
            declared,
            binding: &binding,
            is_sync_point: &|idx| *work(idx) == Work::ApplyCommands,
            has_guards_of: &|_, _| true,
            // Commands without a declaration may change the default store, which is one of all resources.
            finds: &|a, b| matches!(work(a), Work::Record(_)) && case.nodes[b].all.is_some(),
        };
        let inserted = commanded.inserted()?;
        let steps = inserted.all_steps(&levels, &binding)?.remove(&None)?;
        let nodes = steps.iter().filter_map(|step| match step {
            Step::Node(idx) => Some(*idx),
            Step::Apply(_) => None,
        });
        Some(Self {
            case: case.clone(),
            order: nodes.collect(),
            steps,
            binding,
        })
    }

    /// Runs the nodes sequentially. `faults[i]`: the failure of node i, if the node runs. `is_off[i]`: whether node i is switched off.
    pub(super) fn run(
        &self,
        values: &mut Values,
        faults: &[Option<Fault>],
        is_off: &[bool],
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let mut to_skip = BTreeSet::new();
        let mut recorded = Vec::new();
        for step in &self.steps {
            let idx = match step {
                Step::Node(idx) => *idx,
                Step::Apply(writers) => {
                    let is_served = |one: &(usize, Vec<Change>)| writers.contains(&one.0);
                    if recorded.iter().any(is_served) {
                        settle(&mut recorded, values, &mut outcome);
                    }
                    continue;
                }
            };
            let node = &self.case.nodes[idx];
            if is_off[idx] {
                continue;
            }
            if to_skip.contains(&idx) {
                let is_listed = node.is_system() || node.work == Work::ApplyCommands;
                outcome.skipped.extend(is_listed.then_some(idx));
            } else if node.work == Work::ApplyCommands {
                settle(&mut recorded, values, &mut outcome);
            } else if let Some(fault) = self.step(idx, values, faults[idx], &mut outcome.ran) {
                outcome.failures.push((idx, fault));
                if !node.carries_on {
                    to_skip.append(&mut reachable(&self.binding, idx));
                }
            } else if let Work::Record(changes) = &node.work {
                recorded.push((idx, changes.clone()));
            }
        }
        settle(&mut recorded, values, &mut outcome);
        let rank = |idx: usize| self.order.iter().position(|&one| one == idx);
        outcome.failures.sort_by_key(|failure| rank(failure.0));
        outcome.ran.sort_unstable();
        outcome
    }

    /// Runs one system. A failure occurs after half of its work.
    fn step(
        &self,
        idx: usize,
        values: &mut Values,
        fault: Option<Fault>,
        ran: &mut Vec<usize>,
    ) -> Option<Fault> {
        let node = &self.case.nodes[idx];
        let is_missing = |r: usize| node.uses[r].is_some() && values[r].is_none();
        if node.work == Work::Mix && (0..N_RESOURCES).any(is_missing) {
            return Some(Fault::Missing);
        }
        ran.extend(node.is_system().then_some(idx));
        if let Work::Alter(changes) = &node.work {
            for change in changes {
                change.apply(idx, values);
            }
        }
        let touched = (0..N_RESOURCES).filter(|&r| node.access(r).is_some());
        let digest = digest(idx, touched.map(|r| values[r]));
        let mut to_write = (0..N_RESOURCES).filter(|&r| node.access(r) == Some(true));
        let mut write = |r: usize| values[r] = values[r].map(|old| written(digest, old));
        to_write.next().map(&mut write);
        if fault.is_some() && node.is_system() {
            return fault;
        }
        to_write.for_each(write);
        None
    }
}

/// Applies the recorded changes. A panic drops the remaining changes of that system.
fn settle(recorded: &mut Vec<(usize, Vec<Change>)>, values: &mut Values, outcome: &mut Outcome) {
    for (idx, changes) in recorded.drain(..) {
        if changes.iter().any(|change| change.apply(idx, values)) {
            outcome.failures.push((idx, Fault::Command));
        }
    }
}
