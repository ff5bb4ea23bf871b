//! What a build goes by under [`Policy::Optimize`](crate::Policy::Optimize): what systems cost, and what was pinned, by number
//! of node.

use std::collections::HashMap;

use super::All;
use super::nodes::{Graph, Kind};
use crate::choices::{Choice, Occurrence};
use crate::declarations::DeclaredWork;
use crate::problem::Warning;
use schedule_graph::Edge;
use schedule_graph::internal::Unpinned;

/// Costs and pinned choices by number.
pub(super) struct Fitting {
    /// By node: nanoseconds; those of all others, where one is not known, are of the same kind.
    pub(super) costs_ns: Vec<u64>,
    pub(super) pinned: Vec<Edge>,
    /// `choices[i]`: what pinned edge i stands for; len = n_pinned.
    choices: Vec<Choice>,
    /// Those that name what is not there.
    absent: Vec<Warning>,
}

/// What a system costs if nobody knows of any; no system is free.
const SOME_NS: u64 = 1_000;
/// What it costs at most, some twenty minutes: so that the sum of all is a number.
const MOST_NS: u128 = 1 << 40;

impl Fitting {
    pub(super) fn number(all: All<'_>, graph: &Graph) -> Self {
        let mut fitting = Self {
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
            let Kind::Added(idx) = *kind else { continue };
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
                    let cost_ns = cost.as_nanos().clamp(1, MOST_NS) as u64;
                    fitting.costs_ns[number as usize] = cost_ns;
                    known.push(cost_ns);
                }
                None if matches!(declared.work, DeclaredWork::ApplyCommands) => {}
                None => unknown.push(number),
            }
        }
        known.sort_unstable();
        let median = known.get(known.len() / 2).copied().unwrap_or(SOME_NS);
        for number in unknown {
            fitting.costs_ns[number as usize] = median;
        }
        for choice in all.declared.pinned.iter() {
            fitting.pin(graph, &numbers, choice);
        }
        fitting
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

    /// What is odd about what was pinned.
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
