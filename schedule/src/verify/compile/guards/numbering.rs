//! Numbers the conditions in guards: one number for each node or type that leaves name.

use std::collections::HashMap;
use std::sync::Arc;

use schedule_graph::internal::{self, Item, NONE, Token};

use super::Tables;
use crate::base::formula::{Formula, Token as FormulaToken};
use crate::base::place::NodeId;
use crate::data::output::Branches;
use crate::data::target::{Named, Target};
use crate::declare::declarations::DeclaredGuard;
use crate::systems::condition::{Condition, Leaf, LeafSystem, Own};
use crate::verify::compile::All;
use crate::verify::compile::members::distinct_groups;
use crate::verify::compile::naming::ByName;

/// The source of an implied condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ImpliedBy {
    Type(u128),
    Own(*const Own),
}

impl ImpliedBy {
    /// Returns `None` for a condition that must be declared.
    pub(super) fn of(system: &LeafSystem) -> Option<Self> {
        match system {
            LeafSystem::Type(declaration) => Some(Self::Type(declaration.reference.id)),
            LeafSystem::Own(own) => Some(Self::Own(Arc::as_ptr(own))),
            LeafSystem::Added(_) => None,
        }
    }
}

/// The conditions that leaves name. Equal keys get the same number.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Implied(ImpliedBy),
    Type(u128),
    Node(NodeId),
    Name(String),
}

/// Assigns numbers to the conditions in guards.
pub(super) struct Numbering {
    by_id: HashMap<u128, Vec<u32>>,
    /// The first node of each type, including loops.
    first_by_id: HashMap<u128, u32>,
    by_name: ByName<usize>,
    number_of: HashMap<Key, u32>,
    /// `systems[c]`: the system of condition c.
    systems: Vec<LeafSystem>,
    tables: Tables,
}

impl Numbering {
    pub(super) fn new(all: All<'_>) -> Self {
        let mut numbering = Self {
            by_id: HashMap::new(),
            first_by_id: HashMap::new(),
            by_name: ByName::default(),
            number_of: HashMap::new(),
            systems: Vec::new(),
            tables: Tables::default(),
        };
        for (idx, node) in all.there() {
            if let Some((_, id)) = node.ty {
                numbering.first_by_id.entry(id).or_insert(idx as u32);
                // A loop has the type of its condition, but a guard cannot ask a loop.
                if !node.is_loop() {
                    numbering.by_id.entry(id).or_default().push(idx as u32);
                }
            }
        }
        let asks_name = |guard: &DeclaredGuard| {
            let mut leaves = guard.formula.leaves();
            leaves.any(|leaf| matches!(leaf.system, LeafSystem::Added(Target(Named::Name(_)))))
        };
        if all.guards().any(asks_name) {
            for (idx, node) in all.there() {
                numbering
                    .by_name
                    .insert(node.short_name(), node.module(), idx);
            }
        }
        numbering
    }

    /// Returns the tables of all guards, and the system of each condition.
    pub(super) fn tables(mut self, all: All<'_>) -> (Tables, Vec<LeafSystem>) {
        self.tables.template_starts.push(0);
        self.tables.token_starts.push(0);
        let groups = distinct_groups(all);
        let groups = (0..).zip(&groups).map(|(idx, (one, _))| (one.id, idx));
        let groups: HashMap<u128, u32> = groups.collect();
        for (template, guard) in (0..).zip(all.guards()) {
            let item = match &guard.guarded.0 {
                Named::Node(id) => Item::Node(all.index_of_subject(*id) as u32),
                Named::Type(group) => Item::Group(groups[&group.id]),
                Named::Name(_) => unreachable!("a guard is about what was added last"),
            };
            self.tables.guards.push((item, template));
            self.push_template(all, &guard.formula);
        }
        // A condition may have guards that name more conditions.
        let mut number = 0;
        while number < self.systems.len() {
            let condition = self.tables.conditions[number];
            if condition.may_be_implied
                && condition.first_candidate == condition.end_candidate
                && let LeafSystem::Type(declaration) = self.systems[number]
            {
                let first_template = self.n_templates();
                for &guard in declaration.guards {
                    self.push_template(all, &Condition::from(guard).0);
                }
                let end_template = self.n_templates();
                self.tables.conditions[number] = internal::Condition {
                    first_template,
                    end_template,
                    ..condition
                };
            }
            number += 1;
        }
        (self.tables, self.systems)
    }

    fn n_templates(&self) -> u32 {
        self.tables.template_starts.len() as u32 - 1
    }

    fn push_template(&mut self, all: All<'_>, formula: &Formula<Leaf>) {
        for token in formula.tokens() {
            let token = match token {
                FormulaToken::Is(leaf) => {
                    self.push_leaf(all, leaf);
                    Token::Leaf
                }
                FormulaToken::Not => Token::Not,
                FormulaToken::All(n) => Token::All(*n),
                FormulaToken::Any(n) => Token::Any(*n),
            };
            self.tables.tokens.push(token);
        }
        self.tables
            .template_starts
            .push(self.tables.leaves.len() as u32);
        self.tables
            .token_starts
            .push(self.tables.tokens.len() as u32);
    }

    fn push_leaf(&mut self, all: All<'_>, leaf: &Leaf) {
        let condition = self.number(all, &leaf.system);
        let branches = self.branches(all, condition).unwrap_or(leaf.branches);
        let level_of = leaf.level_of.as_ref();
        let level_of = level_of.and_then(|node| self.first_by_id.get(&node.id));
        self.tables.leaves.push(internal::Leaf {
            condition,
            level_of: level_of.copied().unwrap_or(NONE),
            answer: leaf.index,
            n_answers: branches.n_answers() as u32,
        });
        self.tables.sources.push(leaf.clone());
    }

    /// Returns the answers of a condition. There may be more answers than the leaf's type has.
    fn branches(&self, all: All<'_>, condition: u32) -> Option<Branches> {
        if let LeafSystem::Type(declaration) = self.systems[condition as usize] {
            return declaration.definition.branches();
        }
        let first = self.tables.conditions[condition as usize].first_candidate as usize;
        let candidate = *self.tables.candidates.get(first)?;
        all.node(candidate as usize).system()?.branches
    }

    /// Returns the number of a condition. Assigns a new one if the condition has none.
    fn number(&mut self, all: All<'_>, system: &LeafSystem) -> u32 {
        let key = match system {
            LeafSystem::Added(Target(Named::Node(id))) => Key::Node(*id),
            LeafSystem::Added(Target(Named::Type(reference))) => Key::Type(reference.id),
            LeafSystem::Added(Target(Named::Name(name))) => Key::Name(name.to_string()),
            LeafSystem::Type(_) | LeafSystem::Own(_) => {
                Key::Implied(ImpliedBy::of(system).expect("it is implied, not added"))
            }
        };
        if let Some(&number) = self.number_of.get(&key) {
            return number;
        }
        let of_id = |id: u128| self.by_id.get(&id).cloned().unwrap_or_default();
        let candidates = match &key {
            Key::Implied(ImpliedBy::Type(id)) | Key::Type(id) => of_id(*id),
            Key::Node(id) => all
                .index_of(*id)
                .map(|idx| idx as u32)
                .into_iter()
                .collect(),
            Key::Implied(ImpliedBy::Own(_)) => Vec::new(),
            Key::Name(name) => {
                let found = self.by_name.find(name).into_iter();
                found.map(|idx| idx as u32).collect()
            }
        };
        let number = self.systems.len() as u32;
        let first_candidate = self.tables.candidates.len() as u32;
        self.tables.candidates.extend(candidates);
        self.tables.conditions.push(internal::Condition {
            first_candidate,
            end_candidate: self.tables.candidates.len() as u32,
            may_be_implied: matches!(key, Key::Implied(_)),
            first_template: 0,
            end_template: 0,
        });
        self.systems.push(system.clone());
        self.number_of.insert(key, number);
        number
    }
}
