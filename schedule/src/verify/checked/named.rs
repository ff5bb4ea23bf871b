//! Numbers the conditions that the guards of a listing name.

use schedule_graph::internal::{Condition, Item, Leaf, List, Token, UnresolvedGuards};

use super::counts::Counts;
use super::draft::Draft;
use super::memory::CheckMemory;
use super::node::{ClauseRef, NONE};
use crate::base::formula::Token as Written;
use crate::systems::system::{Answered, Guard};

/// The memory of [`NamedConditions`].
#[derive(Debug)]
pub(super) struct NamedConditionsMemory<'a> {
    guards: &'a mut [(Item, u32)],
    template_starts: &'a mut [u32],
    leaves: &'a mut [Leaf],
    sources: &'a mut [Option<&'static Answered>],
    token_starts: &'a mut [u32],
    tokens: &'a mut [Token],
    conditions: &'a mut [Condition],
    firsts: &'a mut [u32],
    candidates: &'a mut [u32],
    table: &'a mut [u32],
}

impl<'a> NamedConditionsMemory<'a> {
    pub(super) const fn take(memory: &mut CheckMemory<'a>, counts: Counts) -> Self {
        let Counts {
            n_nodes,
            n_guards,
            n_leaves,
            n_tokens,
            ..
        } = counts;
        Self {
            guards: memory.guards.take(n_guards),
            template_starts: memory.arena.words(n_guards + 1),
            leaves: memory.leaves.take(n_leaves),
            sources: memory.sources.take(n_leaves),
            token_starts: memory.arena.words(n_guards + 1),
            tokens: memory.tokens.take(n_tokens),
            conditions: memory.conditions.take(n_leaves),
            firsts: memory.arena.words(n_leaves),
            // A node is a candidate of at most one identity. A condition that names an entry adds one candidate per leaf.
            candidates: memory.arena.words(n_nodes + n_leaves),
            table: memory.arena.words((2 * n_leaves + 1).next_power_of_two()),
        }
    }
}

/// The conditions that guards name, and the leaves that name them.
pub(super) struct NamedConditions<'a> {
    guards: List<'a, (Item, u32)>,
    template_starts: List<'a, u32>,
    leaves: List<'a, Leaf>,
    /// `sources[l]`: leaf l as it is written.
    sources: List<'a, Option<&'static Answered>>,
    token_starts: List<'a, u32>,
    tokens: List<'a, Token>,
    conditions: List<'a, Condition>,
    /// `firsts[c]`: the first leaf that names condition c.
    firsts: List<'a, u32>,
    candidates: List<'a, u32>,
    /// Conditions by identity. A hash table with open addressing, whose length is a power of two.
    table: &'a mut [u32],
}

impl<'a> NamedConditions<'a> {
    pub(super) const fn of(draft: &Draft<'_>, memory: NamedConditionsMemory<'a>) -> Self {
        let mut named = Self {
            guards: List::new(memory.guards),
            template_starts: List::new(memory.template_starts),
            leaves: List::new(memory.leaves),
            sources: List::new(memory.sources),
            token_starts: List::new(memory.token_starts),
            tokens: List::new(memory.tokens),
            conditions: List::new(memory.conditions),
            firsts: List::new(memory.firsts),
            candidates: List::new(memory.candidates),
            table: memory.table,
        };
        let n_slots = named.table.len();
        let mut slot = 0;
        while slot < n_slots {
            named.table[slot] = NONE;
            slot += 1;
        }
        named.template_starts.push(0);
        named.token_starts.push(0);
        let mut idx = 0;
        while idx < draft.guards.len() {
            let clause = draft.guards.at(idx);
            named.guards.push((clause.subject, idx as u32));
            named.push_template(draft, clause, draft.guard(clause));
            idx += 1;
        }
        // A condition may have guards that name more conditions.
        let mut number = 0;
        while number < named.conditions.len() {
            let mut condition = named.conditions.at(number);
            if condition.may_be_implied && condition.first_candidate == condition.end_candidate {
                let guards = named.answered(number as u32).declaration.guards;
                condition.first_template = named.n_templates();
                let mut idx = 0;
                while idx < guards.len() {
                    named.push_template(draft, ClauseRef::BLANK, guards[idx]);
                    idx += 1;
                }
                condition.end_template = named.n_templates();
                named.conditions.set(number, condition);
            }
            number += 1;
        }
        named
    }

    const fn n_templates(&self) -> u32 {
        self.template_starts.len() as u32 - 1
    }

    /// Returns the first leaf that names a condition.
    pub(super) const fn answered(&self, condition: u32) -> &'static Answered {
        let leaf = self.firsts.at(condition as usize);
        match self.sources.at(leaf as usize) {
            Some(answered) => answered,
            None => panic!("every leaf is written somewhere"),
        }
    }

    /// `clause`: the clause that contains the guard. It determines the plugin whose entries the guard refers to by number.
    const fn push_template(&mut self, draft: &Draft<'_>, clause: ClauseRef, guard: Guard) {
        let tokens = guard.tokens();
        let mut idx = 0;
        while idx < tokens.len() {
            let token = match &tokens[idx] {
                Written::Is(answered) => {
                    self.push_leaf(draft, clause, answered);
                    Token::Leaf
                }
                Written::Not => Token::Not,
                Written::All(n) => Token::All(*n),
                Written::Any(n) => Token::Any(*n),
            };
            self.tokens.push(token);
            idx += 1;
        }
        self.template_starts.push(self.leaves.len() as u32);
        self.token_starts.push(self.tokens.len() as u32);
    }

    const fn push_leaf(
        &mut self,
        draft: &Draft<'_>,
        clause: ClauseRef,
        answered: &'static Answered,
    ) {
        let level_of = match answered.level_of {
            Some(node) => first_node(draft, node.id),
            None => NONE,
        };
        let branches = match answered.declaration.definition.branches() {
            Some(branches) => branches,
            None => answered.branches,
        };
        let condition = self.number(draft, clause, answered);
        self.leaves.push(Leaf {
            condition,
            level_of,
            answer: answered.index,
            n_answers: branches.n_answers() as u32,
        });
        self.sources.push(Some(answered));
    }

    /// Returns the number of a leaf's condition. Assigns a new one if the condition has none.
    const fn number(&mut self, draft: &Draft<'_>, clause: ClauseRef, answered: &Answered) -> u32 {
        let number = self.conditions.len() as u32;
        let first_candidate = self.candidates.len() as u32;
        if let Some(entry) = answered.entry
            && let Item::Node(node) = draft.named(clause, entry)
        {
            self.candidates.push(node);
            self.push_condition(first_candidate, false);
            return number;
        }
        let id = answered.reference.id;
        let slot = self.slot(id);
        if self.table[slot] != NONE {
            return self.table[slot];
        }
        self.table[slot] = number;
        let mut found = draft.first(id);
        while let Some(item) = found {
            if let Item::Node(node) = item
                && draft.node(node).is_system()
            {
                self.candidates.push(node);
            }
            found = draft.next(item);
        }
        self.push_condition(first_candidate, true);
        number
    }

    const fn push_condition(&mut self, first_candidate: u32, may_be_implied: bool) {
        self.conditions.push(Condition {
            first_candidate,
            end_candidate: self.candidates.len() as u32,
            may_be_implied,
            first_template: 0,
            end_template: 0,
        });
        self.firsts.push(self.leaves.len() as u32);
    }

    /// Returns the slot of the table that has this identity, or the free slot for it.
    const fn slot(&self, id: u128) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = (id ^ (id >> 64)) as usize & mask;
        loop {
            let number = self.table[slot];
            if number == NONE || self.answered(number).reference.id == id {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    pub(super) const fn unresolved(&self) -> UnresolvedGuards<'_> {
        UnresolvedGuards {
            guards: self.guards.as_slice(),
            template_starts: self.template_starts.as_slice(),
            leaves: self.leaves.as_slice(),
            token_starts: self.token_starts.as_slice(),
            tokens: self.tokens.as_slice(),
            conditions: self.conditions.as_slice(),
            candidates: self.candidates.as_slice(),
        }
    }
}

/// Returns the first listed node of this identity, or [`NONE`].
const fn first_node(draft: &Draft<'_>, id: u128) -> u32 {
    let mut found = draft.first(id);
    while let Some(item) = found {
        if let Item::Node(node) = item {
            return node;
        }
        found = draft.next(item);
    }
    NONE
}
