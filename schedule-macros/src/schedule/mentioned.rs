//! The names in a rejected schedule, which its replacement uses.

use syn::{ExprPath, TypePath};

use super::syntax::{About, Chain, ClauseValue, Entry, Item, Link, StateChange};
use crate::generics::plain;
use crate::guard::{Guard, Leaf};

/// The names in a rejected schedule.
#[derive(Default)]
pub(super) struct Mentioned<'a> {
    /// The paths of its entries.
    pub(super) entries: Vec<&'a TypePath>,
    /// Other paths. Some of them may be names of entries.
    pub(super) others: Vec<&'a TypePath>,
    pub(super) branches: Vec<ExprPath>,
    /// The names of entries.
    pub(super) names: Vec<String>,
}

impl<'a> Mentioned<'a> {
    pub(super) fn items(&mut self, items: &'a [Item]) {
        for item in items {
            match item {
                Item::Entry(entry) => self.entry(entry),
                Item::Chain(chain) => self.chain(chain),
                Item::State(change, items) => {
                    self.state(change);
                    self.items(items);
                }
                Item::Policy(policy) => match &policy.about {
                    Some(About::Resource(resource)) => self.others.push(resource),
                    Some(About::Component(of)) => {
                        self.others.push(&of.component);
                        self.others.extend(&of.store);
                    }
                    Some(About::Pair(_, paths)) => self.others.extend(paths),
                    None => {}
                },
                Item::Setting(_) => {}
            }
        }
    }

    fn chain(&mut self, chain: &'a Chain) {
        let others = chain.others.iter().map(|(_, link)| link);
        for link in [&chain.first].into_iter().chain(others) {
            match link {
                Link::Entry(entry) => self.entry(entry),
                Link::Several(_, chains) => chains.iter().for_each(|chain| self.chain(chain)),
            }
        }
    }

    fn state(&mut self, change: &'a StateChange) {
        self.others.push(&change.ty);
        self.branches.push(change.state.clone());
    }

    fn entry(&mut self, entry: &'a Entry) {
        // Nothing is generated from a closure.
        if entry.closure.is_none() {
            self.entries.push(&entry.path);
        }
        self.names.extend(entry.name.as_ref().map(plain));
        for clause in &entry.clauses {
            match &clause.value {
                ClauseValue::Names(paths) => self.others.extend(paths),
                ClauseValue::Conditions(guards) => {
                    guards.iter().for_each(|guard| self.guard(guard))
                }
                ClauseValue::State(change) => self.state(change),
                ClauseValue::Limit(_) | ClauseValue::OnFailure(_) | ClauseValue::Mark(_) => {}
            }
        }
        self.items(&entry.block);
    }

    fn guard(&mut self, guard: &'a Guard) {
        for (_, leaf) in guard.leaves() {
            self.others.push(leaf.path());
            if let Leaf::Is(_, branch) = leaf {
                self.branches.push(branch.clone());
            }
        }
    }
}
