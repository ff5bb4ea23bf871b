//! Checks all rules that need only tokens, and numbers the entries. The compiler and the verifier in the expansion check the other rules.

use core::fmt::Display;
use std::collections::HashMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::token::Paren;
use syn::{Error, Ident, LitInt, LitStr, TypePath};

use super::syntax::{
    self, About, Chain, Clause, ClauseValue, Closure, Component, Declared, Item, Link, Policy,
    Setting, StateChange,
};
use crate::clauses::{Bearers, Kind, Value};
use crate::errors::Errors;
use crate::generics::plain;
use crate::guard::Guard;
use crate::messages;
use crate::spans::ends;

/// A schedule that fulfils all rules.
pub(super) struct Schedule<'a> {
    /// In the order of the source. A block follows its entry.
    pub(super) entries: Vec<CheckedEntry<'a>>,
    pub(super) rules: Vec<Rule<'a>>,
    pub(super) settings: Vec<CheckedSetting>,
    pub(super) names: Names<'a>,
    /// The closures, with their names.
    pub(super) closures: Vec<(&'a Closure, String)>,
}

/// An entry to add.
pub(super) struct CheckedEntry<'a> {
    pub(super) kind: Kind,
    pub(super) path: &'a TypePath,
    pub(super) name: Option<&'a Ident>,
    /// The entry of the innermost loop around it.
    pub(super) around: Option<u32>,
    /// Whether the path is generated from a closure.
    pub(super) is_closure: bool,
    /// The constants of `Marks`.
    pub(super) marks: Vec<&'static str>,
    /// The word of the clause that applies only to `for_each` systems, which the compiler checks.
    pub(super) for_each_only: Option<&'a Ident>,
    pub(super) clauses: Vec<CheckedClause<'a>>,
}

/// A clause of an entry. Each clause is one constant and names one item.
pub(super) enum CheckedClause<'a> {
    /// A function of `Order`, and the other item.
    Order(&'static str, &'a TypePath),
    /// The entry comes after the entry of this index. The spans are those of the arrow.
    Chained(u32, &'a TypePath, (Span, Span)),
    In(&'a TypePath),
    If(&'a Guard),
    AtMost(&'a LitInt),
    /// A variant of `FailurePolicy`.
    OnFailure(&'static str),
    /// The entry is ordered relative to the transition of this state.
    Transition(&'a StateChange),
    /// The entry runs only if this state is entered or left.
    IfState(&'a StateChange),
}

/// A rule for a resource, a component or a pair of systems.
pub(super) enum Rule<'a> {
    Resource(&'a TypePath, Choice<'a>),
    Component(&'a Component, Choice<'a>),
    Pair(&'a TypePath, &'a TypePath, Choice<'a>),
}

/// A setting of the schedule: a function of `Settings`, and its argument.
pub(super) struct CheckedSetting {
    pub(super) function: &'static str,
    /// The enum and the variant. `None` for `false`.
    pub(super) value: Option<(&'static str, &'static str)>,
}

/// A policy and its reason.
pub(super) struct Choice<'a> {
    /// A variant of `Policy`.
    pub(super) variant: &'static str,
    pub(super) reason: Option<&'a LitStr>,
}

/// The entries that have a name of their own.
#[derive(Default)]
pub(super) struct Names<'a> {
    entries: HashMap<String, (u32, &'a TypePath)>,
}

impl<'a> Names<'a> {
    /// Returns the entry of this name, and the path of its type.
    pub(super) fn find(&self, path: &TypePath) -> Option<(u32, &'a TypePath)> {
        let ident = single(path)?;
        self.entries.get(&plain(ident)).copied()
    }
}

/// Returns the identifier if a path consists of only one.
pub(super) fn single(path: &TypePath) -> Option<&Ident> {
    match path.qself {
        None => path.path.get_ident(),
        Some(_) => None,
    }
}

/// # Errors
///
/// Fails with all broken rules and `errors`.
pub(super) fn analyse(declared: &Declared, mut errors: Errors) -> syn::Result<Schedule<'_>> {
    let mut schedule = Schedule {
        entries: Vec::new(),
        rules: Vec::new(),
        settings: Vec::new(),
        names: Names::default(),
        closures: Vec::new(),
    };
    let mut analyser = Analyser {
        schedule: &mut schedule,
        errors: &mut errors,
    };
    analyser.items(&declared.items, &Enclosing::default());
    analyser.plugins();
    analyser.names();
    errors.finish()?;
    Ok(schedule)
}

/// The surroundings of an item.
#[derive(Clone, Default)]
struct Enclosing<'a> {
    /// The entry of the innermost loop.
    repeat: Option<u32>,
    group: Option<&'a TypePath>,
    is_block: bool,
    /// The state changes on which all direct entries run.
    states: Vec<&'a StateChange>,
}

/// The indices of the first and the last entries of a chain.
#[derive(Default)]
struct Ends {
    heads: Vec<u32>,
    tails: Vec<u32>,
}

struct Analyser<'s, 'a> {
    schedule: &'s mut Schedule<'a>,
    errors: &'s mut Errors,
}

impl<'a> Analyser<'_, 'a> {
    fn items(&mut self, items: &'a [Item], around: &Enclosing<'a>) {
        for item in items {
            match item {
                Item::Entry(entry) => {
                    self.entry(entry, around);
                }
                Item::Chain(chain) => {
                    if let (Link::Several(brackets, _), []) =
                        (&chain.first, chain.others.as_slice())
                    {
                        let message = messages::CHAIN_OF_ONE;
                        self.errors.push(Error::new(brackets.span.join(), message));
                    }
                    self.chain(chain, around);
                }
                Item::State(state, items) => {
                    let mut around = around.clone();
                    around.is_block = true;
                    around.states.push(state);
                    self.items(items, &around);
                }
                Item::Policy(policy) => {
                    self.refuse_in_block(&policy.word, messages::POLICY_IN_BLOCK, around);
                    self.policy(policy);
                }
                Item::Setting(setting) => self.setting(setting, around),
            }
        }
    }

    fn setting(&mut self, setting: &Setting, around: &Enclosing<'_>) {
        let Setting { word, row, value } = setting;
        let has_entries = !self.schedule.entries.is_empty();
        if around.is_block {
            self.errors.at(word, messages::setting_in_block(row));
        } else if row.is_before_entries && has_entries {
            // With an extra comma, a clause of the entry would silently become a setting of the schedule.
            self.errors.at(word, messages::setting_after_entry(row));
        }
        let twice = messages::given_twice(row.listed());
        self.set(word, row.function, *value, twice);
    }

    /// Adds a setting. `twice`: the message if it was added before.
    fn set(
        &mut self,
        word: &Ident,
        function: &'static str,
        value: Option<(&'static str, &'static str)>,
        twice: impl Display,
    ) {
        let settings = &mut self.schedule.settings;
        if settings.iter().any(|known| known.function == function) {
            self.errors.at(word, twice);
        }
        settings.push(CheckedSetting { function, value });
    }

    fn refuse_in_block(&mut self, word: &Ident, message: &str, around: &Enclosing<'_>) {
        if around.is_block {
            self.errors.at(word, message);
        }
    }

    /// Adds an entry. Returns its index.
    fn entry(&mut self, entry: &'a syntax::Entry, around: &Enclosing<'a>) -> u32 {
        let kind = entry.kind;
        let idx = self.schedule.entries.len() as u32;
        if let Some(name) = &entry.name
            && !matches!(kind, Kind::System | Kind::Loop)
        {
            let message = messages::named(kind.noun());
            self.errors.at(name, message);
        }
        if let Some(closure) = &entry.closure {
            match &entry.name {
                Some(name) => self.schedule.closures.push((closure, plain(name))),
                None => self
                    .errors
                    .at(&closure.ident, messages::CLOSURE_WITHOUT_NAME),
            }
        }
        let mut clauses = Vec::new();
        let (mut marks, mut for_each_only) = (Vec::new(), None);
        for (nth, clause) in entry.clauses.iter().enumerate() {
            let Clause { word, row, value } = clause;
            let is_same = |other: &Clause| core::ptr::eq(other.row, *row);
            if !row.bearers.include(kind) {
                let message =
                    messages::wrong_bearer(row.listed(), row.bearers.nouns(), kind.noun());
                self.errors.at(word, message);
            } else if row.is_single() && entry.clauses[..nth].iter().any(is_same) {
                self.errors.at(word, messages::given_twice(row.listed()));
            }
            match value {
                ClauseValue::Names(groups) if matches!(row.value, Value::Groups) => {
                    clauses.extend(groups.iter().map(CheckedClause::In));
                }
                ClauseValue::Names(others) => {
                    let order = row.words();
                    clauses.extend(
                        others
                            .iter()
                            .map(|other| CheckedClause::Order(order, other)),
                    );
                }
                ClauseValue::Conditions(guards) => {
                    clauses.extend(guards.iter().map(CheckedClause::If));
                }
                ClauseValue::Limit(n) => {
                    if let Err(error) = n.base10_parse::<u64>() {
                        self.errors.push(error);
                    }
                    clauses.push(CheckedClause::AtMost(n));
                }
                ClauseValue::State(state) => {
                    clauses.push(CheckedClause::Transition(state));
                    clauses.push(CheckedClause::IfState(state));
                }
                ClauseValue::OnFailure(variant) => clauses.push(CheckedClause::OnFailure(variant)),
                ClauseValue::Mark(mark) => {
                    marks.push(mark.constant);
                    if row.bearers == Bearers::ForEachSystems {
                        for_each_only = Some(word);
                    }
                }
            }
        }
        // Implicit clauses come last, so that the written clauses keep their numbers.
        clauses.extend(around.group.map(CheckedClause::In));
        for state in &around.states {
            clauses.push(CheckedClause::Transition(state));
            clauses.push(CheckedClause::IfState(state));
        }
        self.schedule.entries.push(CheckedEntry {
            kind,
            path: &entry.path,
            name: entry.name.as_ref(),
            around: around.repeat,
            is_closure: entry.closure.is_some(),
            marks,
            for_each_only,
            clauses,
        });
        let inside = match kind {
            Kind::Loop => Enclosing {
                repeat: Some(idx),
                group: None,
                is_block: true,
                states: Vec::new(),
            },
            _ => Enclosing {
                repeat: around.repeat,
                group: Some(&entry.path),
                is_block: true,
                states: Vec::new(),
            },
        };
        self.items(&entry.block, &inside);
        idx
    }

    fn chain(&mut self, chain: &'a Chain, around: &Enclosing<'a>) -> Ends {
        let Ends {
            heads,
            tails: mut before,
        } = self.link(&chain.first, around);
        for (arrow, link) in &chain.others {
            let place = ends(&arrow.to_token_stream());
            let these = self.link(link, around);
            for &this in &these.heads {
                for &first in &before {
                    let path = self.schedule.entries[first as usize].path;
                    let clauses = &mut self.schedule.entries[this as usize].clauses;
                    clauses.push(CheckedClause::Chained(first, path, place));
                }
            }
            before = these.tails;
        }
        Ends {
            heads,
            tails: before,
        }
    }

    fn link(&mut self, link: &'a Link, around: &Enclosing<'a>) -> Ends {
        let mut all = Ends::default();
        match link {
            Link::Entry(entry) => {
                let idx = self.entry(entry, around);
                all.heads.push(idx);
                all.tails.push(idx);
            }
            Link::Several(_, chains) => {
                for chain in chains {
                    let ends = self.chain(chain, around);
                    all.heads.extend(ends.heads);
                    all.tails.extend(ends.tails);
                }
            }
        }
        all
    }

    fn policy(&mut self, policy: &'a Policy) {
        let Policy {
            word,
            last,
            variant,
            reason,
            about,
        } = policy;
        if *variant == "Accepted" {
            let is_empty = |reason: &LitStr| reason.value().trim().is_empty();
            match (reason, about) {
                (None, None) => self.errors.at(last, messages::ACCEPTED_ALONE),
                (None, Some(_)) => {
                    self.errors.at(last, messages::ACCEPTED_WITHOUT_REASON);
                }
                (Some(reason), _) if is_empty(reason) => {
                    self.errors.at(reason, messages::ACCEPTED_WITH_EMPTY_REASON);
                }
                (Some(_), None) => self.errors.at(last, messages::ACCEPTED_WITHOUT_SUBJECT),
                (Some(_), Some(_)) => {}
            }
        } else if let Some(reason) = reason {
            self.errors.at(reason, messages::REASON_OF_POLICY);
        }
        let choice = Choice {
            variant,
            reason: reason.as_ref(),
        };
        match about {
            None if *variant == "Accepted" => {}
            None => {
                let value = Some(("Policy", *variant));
                self.set(word, "policy", value, messages::POLICY_TWICE);
            }
            Some(About::Resource(resource)) => {
                self.schedule.rules.push(Rule::Resource(resource, choice));
            }
            Some(About::Component(component)) => {
                self.schedule.rules.push(Rule::Component(component, choice));
            }
            Some(About::Pair(brackets, paths)) => match paths.as_slice() {
                [one, other] => self.schedule.rules.push(Rule::Pair(one, other, choice)),
                _ => self.refuse_pair(*brackets),
            },
        }
    }

    fn refuse_pair(&mut self, brackets: Paren) {
        let message = messages::NOT_A_PAIR;
        self.errors.push(Error::new(brackets.span.join(), message));
    }

    /// Rejects a plugin that is included twice, because orders between its entries would be ambiguous.
    fn plugins(&mut self) {
        let plugins = self.schedule.entries.iter();
        let mut known: Vec<String> = Vec::new();
        for plugin in plugins.filter(|entry| entry.kind == Kind::Plugin) {
            let text = plugin.path.to_token_stream().to_string();
            if known.contains(&text) {
                let message = messages::PLUGIN_TWICE;
                self.errors.at(plugin.path, message);
            }
            known.push(text);
        }
    }

    /// Collects the names. Rejects names that several entries have.
    fn names(&mut self) {
        let Schedule { entries, names, .. } = &mut *self.schedule;
        for (idx, entry) in entries.iter().enumerate() {
            let Some(name) = entry.name else {
                continue;
            };
            let text = plain(name);
            if names.entries.contains_key(&text) {
                let message = messages::name_of_two(&text);
                self.errors.at(name, message);
                continue;
            }
            let mut others = entries
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != idx);
            if others.any(|(_, other)| last_name(other.path) == text) {
                let message = messages::name_of_another(&text);
                self.errors.at(name, message);
            }
            names.entries.insert(text, (idx as u32, entry.path));
        }
        for rule in &self.schedule.rules {
            if let Rule::Resource(path, _) = rule
                && let Some(ident) = single(path)
                && self.schedule.names.find(path).is_some()
            {
                let message = messages::entry_as_resource(ident);
                self.errors.at(ident, message);
            }
        }
    }
}

impl StateChange {
    /// Returns the place of the state.
    fn place(&self) -> (Span, Span) {
        ends(&self.state.to_token_stream())
    }
}

/// Returns the last segment of a path.
fn last_name(path: &TypePath) -> String {
    let last = path.path.segments.last();
    last.map_or(String::new(), |segment| plain(&segment.ident))
}

impl CheckedClause<'_> {
    /// Returns the places of the names in a clause. Only a guard has several.
    pub(super) fn places(&self) -> Vec<(Span, Span)> {
        match self {
            Self::Order(_, path) | Self::In(path) => vec![ends(&path.to_token_stream())],
            Self::Chained(_, _, place) => vec![*place],
            Self::If(guard) => {
                let places = guard
                    .leaves()
                    .map(|(_, leaf)| ends(&leaf.path().to_token_stream()));
                places.collect()
            }
            Self::Transition(state) => vec![state.place()],
            // One for each leaf.
            Self::IfState(state) => vec![state.place(); 2],
            Self::AtMost(_) | Self::OnFailure(_) => Vec::new(),
        }
    }
}
