//! Checks all rules that need only tokens, and numbers the entries. The compiler and the verifier in the expansion check the other rules.

use std::collections::HashMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::token::Paren;
use syn::{Error, Ident, LitInt, LitStr, TypePath};

use super::syntax::{
    self, About, Chain, ClauseKind, Closure, Component, Declared, Failure, Item, Kind, Link,
    Policy, StateChange,
};
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
    /// Whether only the thread that calls `run` may run it.
    pub(super) is_main_thread: bool,
    /// Whether failures of other systems do not skip it.
    pub(super) is_always: bool,
    /// Whether it fails alone if it misses a resource.
    pub(super) skips_missing: bool,
    /// The word of the clause that keeps it out of sweeps.
    pub(super) no_sweep: Option<&'a Ident>,
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

/// A rule for the schedule, or for a resource, a component or a pair of systems.
pub(super) enum Rule<'a> {
    Schedule(&'a Ident, &'static str),
    Resource(&'a TypePath, Choice<'a>),
    Component(&'a Component, Choice<'a>),
    Pair(&'a TypePath, &'a TypePath, Choice<'a>),
    Failure(&'a Ident, &'static str),
    Missing(&'a Ident, &'static str),
    MissedCommands(&'a Ident, &'static str),
    NoSweeps(&'a Ident),
    /// A variant of `Executor`.
    Executor(&'a Ident, &'static str),
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
        names: Names::default(),
        closures: Vec::new(),
    };
    let mut analyser = Analyser {
        schedule: &mut schedule,
        errors: &mut errors,
        has_policy: false,
        has_failure_policy: false,
        has_missing_policy: false,
        has_missed_command_policy: false,
        has_no_sweeps: false,
        has_executor: false,
    };
    analyser.items(&declared.items, &Around::default());
    analyser.plugins();
    analyser.names();
    errors.finish()?;
    Ok(schedule)
}

/// The surroundings of an item.
#[derive(Clone, Default)]
struct Around<'a> {
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
    has_policy: bool,
    has_failure_policy: bool,
    has_missing_policy: bool,
    has_missed_command_policy: bool,
    has_no_sweeps: bool,
    has_executor: bool,
}

impl<'a> Analyser<'_, 'a> {
    fn items(&mut self, items: &'a [Item], around: &Around<'a>) {
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
                Item::Failure(word, Failure(variant)) => {
                    self.refuse_in_block(word, messages::FAILURE_POLICY_IN_BLOCK, around);
                    if !around.is_block && !self.schedule.entries.is_empty() {
                        // Otherwise an extra comma would silently turn the policy of the entry into one of the schedule.
                        let message = messages::FAILURE_POLICY_AFTER_ENTRY;
                        self.errors.at(word, message);
                    }
                    if core::mem::replace(&mut self.has_failure_policy, true) {
                        self.errors.at(word, messages::FAILURE_POLICY_TWICE);
                    }
                    self.schedule.rules.push(Rule::Failure(word, variant));
                }
                Item::Missing(word, missing) => {
                    self.refuse_in_block(word, messages::MISSING_POLICY_IN_BLOCK, around);
                    if !around.is_block && !self.schedule.entries.is_empty() {
                        // As for a failure policy: it may be meant for the entry before the comma.
                        self.errors.at(word, messages::MISSING_POLICY_AFTER_ENTRY);
                    }
                    if core::mem::replace(&mut self.has_missing_policy, true) {
                        let message = messages::given_twice(messages::ON_MISSING);
                        self.errors.at(word, message);
                    }
                    let rule = Rule::Missing(word, missing.variant);
                    self.schedule.rules.push(rule);
                }
                &Item::MissedCommands(ref word, variant) => {
                    self.refuse_in_block(word, messages::MISSED_COMMANDS_IN_BLOCK, around);
                    if !around.is_block && !self.schedule.entries.is_empty() {
                        // As for a failure policy: it may be meant for the entry before the comma.
                        self.errors.at(word, messages::MISSED_COMMANDS_AFTER_ENTRY);
                    }
                    if core::mem::replace(&mut self.has_missed_command_policy, true) {
                        let message = messages::given_twice(messages::ON_MISSED_COMMANDS);
                        self.errors.at(word, message);
                    }
                    self.schedule
                        .rules
                        .push(Rule::MissedCommands(word, variant));
                }
                Item::NoSweeps(word) => {
                    self.refuse_in_block(word, messages::SWEEP_IN_BLOCK, around);
                    if !around.is_block && !self.schedule.entries.is_empty() {
                        // As for a failure policy: it may be meant for the entry before the comma.
                        self.errors.at(word, messages::SWEEP_AFTER_ENTRY);
                    }
                    if core::mem::replace(&mut self.has_no_sweeps, true) {
                        let message = messages::given_twice(messages::SWEEP_CLAUSE);
                        self.errors.at(word, message);
                    }
                    self.schedule.rules.push(Rule::NoSweeps(word));
                }
                Item::Executor(word, variant) => {
                    self.refuse_in_block(word, messages::EXECUTOR_IN_BLOCK, around);
                    if core::mem::replace(&mut self.has_executor, true) {
                        self.errors.at(word, messages::given_twice("executor"));
                    }
                    self.schedule.rules.push(Rule::Executor(word, variant));
                }
            }
        }
    }

    fn refuse_in_block(&mut self, word: &Ident, message: &str, around: &Around<'_>) {
        if around.is_block {
            self.errors.at(word, message);
        }
    }

    /// Adds an entry. Returns its index.
    fn entry(&mut self, entry: &'a syntax::Entry, around: &Around<'a>) -> u32 {
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
        let (mut has_limit, mut has_failure_policy) = (false, false);
        let (mut is_main_thread, mut is_always, mut skips_missing) = (false, false, false);
        let mut no_sweep = None;
        for clause in &entry.clauses {
            let word = &clause.word;
            match &clause.kind {
                ClauseKind::Order(kind, others) => {
                    clauses.extend(others.iter().map(|other| CheckedClause::Order(kind, other)));
                }
                ClauseKind::In(groups) => clauses.extend(groups.iter().map(CheckedClause::In)),
                ClauseKind::If(guards) => clauses.extend(guards.iter().map(CheckedClause::If)),
                ClauseKind::AtMost(n) => {
                    if kind != Kind::Loop {
                        let message = messages::not_a_loop(kind.noun());
                        self.errors.at(word, message);
                    } else if core::mem::replace(&mut has_limit, true) {
                        self.errors
                            .at(word, messages::given_twice(messages::AT_MOST));
                    }
                    if let Err(error) = n.base10_parse::<u64>() {
                        self.errors.push(error);
                    }
                    clauses.push(CheckedClause::AtMost(n));
                }
                ClauseKind::State(state) => {
                    clauses.push(CheckedClause::Transition(state));
                    clauses.push(CheckedClause::IfState(state));
                }
                ClauseKind::MainThread => {
                    if !matches!(kind, Kind::System | Kind::Loop) {
                        let message = messages::not_on_main_thread(kind.noun());
                        self.errors.at(word, message);
                    } else if core::mem::replace(&mut is_main_thread, true) {
                        let message = messages::given_twice("main_thread");
                        self.errors.at(word, message);
                    }
                }
                ClauseKind::Always => {
                    if !matches!(kind, Kind::System | Kind::Loop | Kind::Group) {
                        self.errors.at(word, messages::not_always(kind.noun()));
                    } else if core::mem::replace(&mut is_always, true) {
                        self.errors.at(word, messages::given_twice("always"));
                    }
                }
                ClauseKind::SkipMissing => {
                    if !matches!(kind, Kind::System | Kind::Loop | Kind::Group) {
                        let message = messages::misses_nothing(kind.noun());
                        self.errors.at(word, message);
                    } else if core::mem::replace(&mut skips_missing, true) {
                        self.errors
                            .at(word, messages::given_twice(messages::ON_MISSING));
                    }
                }
                ClauseKind::NoSweep => {
                    if kind != Kind::System {
                        self.errors.at(word, messages::not_swept(kind.noun()));
                    } else if no_sweep.replace(word).is_some() {
                        let message = messages::given_twice(messages::SWEEP_CLAUSE);
                        self.errors.at(word, message);
                    }
                }
                ClauseKind::OnFailure(Failure(variant)) => {
                    if !matches!(kind, Kind::System | Kind::Loop | Kind::Group) {
                        let message = messages::cannot_fail(kind.noun());
                        self.errors.at(word, message);
                    } else if core::mem::replace(&mut has_failure_policy, true) {
                        self.errors
                            .at(word, messages::given_twice(messages::ON_FAILURE));
                    }
                    clauses.push(CheckedClause::OnFailure(variant));
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
            is_main_thread,
            is_always,
            skips_missing,
            no_sweep,
            clauses,
        });
        let inside = match kind {
            Kind::Loop => Around {
                repeat: Some(idx),
                group: None,
                is_block: true,
                states: Vec::new(),
            },
            _ => Around {
                repeat: around.repeat,
                group: Some(&entry.path),
                is_block: true,
                states: Vec::new(),
            },
        };
        self.items(&entry.block, &inside);
        idx
    }

    fn chain(&mut self, chain: &'a Chain, around: &Around<'a>) -> Ends {
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

    fn link(&mut self, link: &'a Link, around: &Around<'a>) -> Ends {
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
                if core::mem::replace(&mut self.has_policy, true) {
                    self.errors.at(word, messages::POLICY_TWICE);
                }
                self.schedule.rules.push(Rule::Schedule(word, variant));
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
