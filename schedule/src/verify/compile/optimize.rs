//! Input of the policy `Optimize` and of the model of sweeps: costs of systems and pinned choices, numbered like the nodes of the graph.

use std::collections::HashMap;

use super::All;
use super::nodes::{Graph, NumberedKind};
use crate::declare::choices::{Choice, Occurrence};
use crate::declare::declarations::DeclaredWork;
use crate::declare::problem::Warning;
use schedule_graph::Edge;
use schedule_graph::internal::Unpinned;

/// Costs and pinned choices, in terms of node numbers.
pub(crate) struct OptimizeInput {
    /// `costs_ns[v]`: cost of node `v` in nanoseconds. A system without a known cost gets the median of the known ones.
    pub(crate) costs_ns: Vec<u64>,
    pub(crate) pinned: Vec<Edge>,
    /// `choices[i]`: the choice from which `pinned[i]` was made.
    choices: Vec<Choice>,
    /// Warnings about choices that name systems that do not exist.
    absent: Vec<Warning>,
}

/// Cost of a system if no cost is known. Only the model of sweeps compares it with a duration: that of a barrier.
const DEFAULT_NS: u64 = 20_000;
/// Greatest cost of a system: about 18 minutes. It keeps the sum of all costs below the range of `u64`.
const MAX_NS: u128 = 1 << 40;

impl OptimizeInput {
    pub(crate) fn number(all: All<'_>, graph: &Graph) -> Self {
        let mut input = Self {
            costs_ns: vec![0; graph.kinds.len()],
            pinned: Vec::new(),
            choices: Vec::new(),
            absent: Vec::new(),
        };
        let mut numbers: HashMap<Occurrence, u32> = HashMap::new();
        let mut unknown = Vec::new();
        let mut known = Vec::new();
        let is_named = all.declared.cost_of.is_some() || !all.declared.pinned.is_empty();
        let mut n_called: HashMap<&str, usize> = HashMap::new();
        for (number, kind) in (0..).zip(&graph.kinds) {
            let NumberedKind::Added(idx) = *kind else {
                continue;
            };
            let declared = all.node(idx);
            if matches!(declared.work, DeclaredWork::Checkpoint) {
                continue;
            }
            let mut cost = None;
            if is_named {
                let name = &all.place(idx).name;
                let nth = n_called.entry(name).or_default();
                *nth += 1;
                let occurrence = Occurrence {
                    name: name.clone(),
                    nth: *nth,
                };
                cost = all.declared.cost_of.as_ref().and_then(|of| of(&occurrence));
                numbers.insert(occurrence, number);
            }
            match cost {
                Some(cost) => {
                    let cost_ns = cost.as_nanos().clamp(1, MAX_NS) as u64;
                    input.costs_ns[number as usize] = cost_ns;
                    known.push(cost_ns);
                }
                None if matches!(declared.work, DeclaredWork::ApplyCommands) => {}
                None => unknown.push(number),
            }
        }
        known.sort_unstable();
        let median = known.get(known.len() / 2).copied().unwrap_or(DEFAULT_NS);
        for number in unknown {
            input.costs_ns[number as usize] = median;
        }
        for choice in all.declared.pinned.iter() {
            input.pin(graph, &numbers, choice);
        }
        input
    }

    fn pin(&mut self, graph: &Graph, numbers: &HashMap<Occurrence, u32>, choice: &Choice) {
        let number = |one: &Occurrence| numbers.get(one).copied().ok_or_else(|| one.clone());
        match (number(&choice.first), number(&choice.then)) {
            (Ok(from), Ok(to)) => {
                self.pinned.push(graph.levels().lift(Edge { from, to }));
                self.choices.push(choice.clone());
            }
            (Err(absent), _) | (_, Err(absent)) => self.absent.push(Warning::AbsentChoice {
                choice: choice.clone(),
                absent,
            }),
        }
    }

    /// Returns a warning for each pinned choice that has no effect.
    pub(super) fn warnings(self, unpinned: &[(u32, Unpinned)]) -> impl Iterator<Item = Warning> {
        let unpinned = unpinned.iter().map(move |&(idx, why)| {
            let choice = self.choices[idx as usize].clone();
            match why {
                Unpinned::NoRace => Warning::IdleChoice(choice),
                Unpinned::Contradicts => Warning::ContradictedChoice(choice),
            }
        });
        self.absent.into_iter().chain(unpinned)
    }
}
