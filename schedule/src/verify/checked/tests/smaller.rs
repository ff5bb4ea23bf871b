//! Random cases that proptest can shrink.

use std::vec;

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::case::{Case, CaseClause, Formula, Leaf, Named, Ruling};
use super::dice::Dice;
use super::pool::{CONDITIONS, LIGHT, SELECTORS};
use super::random::case;

/// Random cases. Proptest removes elements of a failing case one by one, until no more can be removed.
#[derive(Debug)]
pub(super) struct Cases;

/// A case, and smaller cases to try instead.
pub(super) struct Tree {
    current: Case,
    /// The smallest case that is known to fail.
    failed: Case,
    /// Cases with one element less than `failed` that were not tried yet.
    smaller: vec::IntoIter<Case>,
}

impl Strategy for Cases {
    type Tree = Tree;
    type Value = Case;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let case = case(Dice(runner.new_rng()));
        Ok(Tree {
            current: case.clone(),
            failed: case,
            smaller: Vec::new().into_iter(),
        })
    }
}

impl Tree {
    fn try_next(&mut self) -> bool {
        let next = self.smaller.next();
        let is_left = next.is_some();
        self.current = next.unwrap_or_else(|| self.failed.clone());
        is_left
    }
}

impl ValueTree for Tree {
    type Value = Case;

    fn current(&self) -> Case {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.failed = self.current.clone();
        self.smaller = smaller(&self.failed).into_iter();
        self.try_next()
    }

    fn complicate(&mut self) -> bool {
        self.try_next()
    }
}

/// Returns all cases with one element less.
fn smaller(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    for idx in (0..case.items.len()).rev() {
        if !is_named(case, idx) {
            push(&|case| remove(case, idx));
        }
    }
    for rule in 0..case.rules.len() {
        push(&|case| {
            case.rules.remove(rule);
        });
    }
    for (idx, item) in case.items.iter().enumerate() {
        for (nth, clause) in item.clauses.iter().enumerate() {
            push(&|case| drop(case.items[idx].clauses.remove(nth)));
            for simpler in simpler(clause) {
                push(&|case| case.items[idx].clauses[nth] = simpler.clone());
            }
        }
        if item
            .around
            .is_some_and(|around| !is_last_inside(case, around, idx))
        {
            continue;
        }
        if let Some(around) = item.around {
            let outside = case.items[around].around;
            push(&|case| case.items[idx].around = outside);
        }
    }
    for (ty, system) in case.types.iter().enumerate() {
        for (nth, clause) in system.clauses.iter().enumerate() {
            push(&|case| drop(case.types[ty].clauses.remove(nth)));
            for simpler in simpler(clause) {
                push(&|case| case.types[ty].clauses[nth] = simpler.clone());
            }
        }
        if !system.work.takes.is_empty() {
            let of_same_answer = match system.work.definition.branches() {
                None => LIGHT,
                Some(branches) if branches.names.len() == 2 => CONDITIONS,
                Some(_) => SELECTORS,
            };
            push(&|case| case.types[ty].work = &of_same_answer[0]);
        }
    }
    all
}

/// Returns whether no later entry is in this loop. Such an entry can leave the loop without a gap.
fn is_last_inside(case: &Case, around: usize, item: usize) -> bool {
    (item + 1..case.items.len()).all(|later| !case.levels(later).contains(&Some(around)))
}

/// Returns whether an entry is named by its number, or is a loop with a body.
fn is_named(case: &Case, idx: usize) -> bool {
    let mut is_named = case.items.iter().any(|item| item.around == Some(idx));
    each_entry(&mut case.clone(), &mut |entry| is_named |= *entry == idx);
    is_named
}

fn remove(case: &mut Case, idx: usize) {
    case.items.remove(idx);
    let behind = |entry: &mut usize| *entry -= usize::from(*entry > idx);
    each_entry(case, &mut { behind });
    for around in case
        .items
        .iter_mut()
        .filter_map(|item| item.around.as_mut())
    {
        behind(around);
    }
}

/// Calls `visit` with each entry that an order, a guard or a rule names.
fn each_entry(case: &mut Case, visit: &mut dyn FnMut(&mut usize)) {
    fn of_name(named: &mut Named, visit: &mut dyn FnMut(&mut usize)) {
        if let Named::Entry(entry) = named {
            visit(entry);
        }
    }
    for clause in case.items.iter_mut().flat_map(|item| &mut item.clauses) {
        match clause {
            CaseClause::Order(_, _, named) => of_name(named, visit),
            CaseClause::If(formula) => {
                *formula = formula.map(&mut |mut leaf: Leaf| {
                    leaf.entry.as_mut().map(&mut *visit);
                    leaf
                });
            }
            CaseClause::In(_) | CaseClause::AtMost(_) | CaseClause::OnFailure(_) => {}
        }
    }
    for rule in &mut case.rules {
        if let Ruling::Pair(one, other, _) = rule {
            of_name(one, visit);
            of_name(other, visit);
        }
    }
}

/// Returns guards with one operation less.
fn simpler(clause: &CaseClause) -> Vec<CaseClause> {
    let CaseClause::If(formula) = clause else {
        return Vec::new();
    };
    let simpler = simpler_formulas(formula).into_iter();
    simpler.map(CaseClause::If).collect()
}

fn simpler_formulas(formula: &Formula) -> Vec<Formula> {
    let of_parts = |parts: &[Formula], of: fn(Vec<Formula>) -> Formula| {
        let mut all = parts.to_vec();
        for (nth, part) in parts.iter().enumerate() {
            for simpler in simpler_formulas(part) {
                let mut parts = parts.to_vec();
                parts[nth] = simpler;
                all.push(of(parts));
            }
        }
        all
    };
    match formula {
        Formula::Is(_) => Vec::new(),
        Formula::Not(one) => {
            let inside = simpler_formulas(one)
                .into_iter()
                .map(|one| Formula::Not(Box::new(one)));
            core::iter::once((**one).clone()).chain(inside).collect()
        }
        Formula::All(parts) => of_parts(parts, Formula::All),
        Formula::Any(parts) => of_parts(parts, Formula::Any),
    }
}
