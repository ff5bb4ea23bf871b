//! A random schedule that can be converted to a listing and printed.

use core::fmt;
use core::panic::Location;

use super::pool::{RESOURCES, Work, ty};
use crate::base::formula::Token;
use crate::base::identity::Name;
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::data::order::{Direction, Membership, Order, Reference, Strength, TypePath};
use crate::data::settings::Settings;
use crate::declare::listing::{
    About, Anchored, Clause, Entry, Listed, ListedPolicy, Listing, Rule, RuleTarget,
};
use crate::systems::system::{Answered, Declaration, Guard};
use schedule_graph::Policy;

#[derive(Clone)]
pub(super) struct Case {
    /// Systems by number. An attribute asks only systems with smaller numbers.
    pub(super) types: Vec<Type>,
    /// The body of a loop directly follows the loop.
    pub(super) items: Vec<Item>,
    pub(super) rules: Vec<Ruling>,
}

/// A system, listed or not.
#[derive(Clone)]
pub(super) struct Type {
    pub(super) work: &'static Work,
    /// The clauses of the attribute. They name no entries.
    pub(super) clauses: Vec<CaseClause>,
}

/// An entry.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) subject: Subject,
    /// The innermost loop around the entry.
    pub(super) around: Option<usize>,
    pub(super) clauses: Vec<CaseClause>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    System(usize),
    Loop(usize),
    Checkpoint(usize),
    ApplyCommands(usize),
    Group(usize),
}

/// A clause.
#[derive(Clone)]
pub(super) enum CaseClause {
    Order(Direction, Strength, Named),
    In(usize),
    If(Formula),
    AtMost(u64),
    OnFailure(FailurePolicy),
}

/// The target of an order or a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Type(usize),
    Group(usize),
    Checkpoint(usize),
    Entry(usize),
}

#[derive(Clone)]
pub(super) enum Formula {
    Is(Leaf),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// A condition, and the required answer.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub(super) ty: usize,
    /// The entry that the leaf names. `None` if it names the type.
    pub(super) entry: Option<usize>,
    pub(super) branch: u32,
}

#[derive(Clone, Copy)]
pub(super) enum Ruling {
    Schedule(Policy),
    Resource(usize, Policy),
    Pair(Named, Named, Policy),
    Failure(FailurePolicy),
}

impl Subject {
    /// Returns the number of the system, or of the loop's condition.
    pub(super) fn ty(self) -> Option<usize> {
        match self {
            Subject::System(ty) | Subject::Loop(ty) => Some(ty),
            Subject::Checkpoint(_) | Subject::ApplyCommands(_) | Subject::Group(_) => None,
        }
    }

    /// Returns the target that names this subject by its type.
    pub(super) fn named(self) -> Named {
        match self {
            Subject::System(ty) | Subject::Loop(ty) => Named::Type(ty),
            Subject::Checkpoint(number) | Subject::ApplyCommands(number) => {
                Named::Checkpoint(number)
            }
            Subject::Group(group) => Named::Group(group),
        }
    }
}

impl Formula {
    pub(super) fn leaves(&self) -> Vec<Leaf> {
        match self {
            Formula::Is(leaf) => vec![*leaf],
            Formula::Not(one) => one.leaves(),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().flat_map(Formula::leaves).collect()
            }
        }
    }

    /// Returns the same formula with other leaves.
    pub(super) fn map(&self, leaf: &mut impl FnMut(Leaf) -> Leaf) -> Self {
        match self {
            Formula::Is(one) => Formula::Is(leaf(*one)),
            Formula::Not(one) => Formula::Not(Box::new(one.map(leaf))),
            Formula::All(parts) => Formula::All(parts.iter().map(|one| one.map(leaf)).collect()),
            Formula::Any(parts) => Formula::Any(parts.iter().map(|one| one.map(leaf)).collect()),
        }
    }
}

impl Case {
    /// Returns the levels around an entry, starting with its own level.
    pub(super) fn levels(&self, item: usize) -> Vec<Option<usize>> {
        let own = Some(self.items[item].around);
        core::iter::successors(own, |level| level.map(|outer| self.items[outer].around)).collect()
    }

    /// Returns the number of entries for this system, including loops with this condition.
    pub(super) fn n_entries(&self, ty: usize) -> usize {
        let of_type = |item: &&Item| item.subject.ty() == Some(ty);
        self.items.iter().filter(of_type).count()
    }

    /// Returns whether a guard asks this system by its type.
    pub(super) fn is_asked(&self, ty: usize) -> bool {
        let clauses = self.items.iter().flat_map(|item| &item.clauses);
        let of_attributes = self.types.iter().flat_map(|system| &system.clauses);
        clauses.chain(of_attributes).any(|clause| match clause {
            CaseClause::If(formula) => {
                let mut leaves = formula.leaves().into_iter();
                leaves.any(|leaf| leaf.ty == ty && leaf.entry.is_none())
            }
            _ => false,
        })
    }

    /// Returns the listing. Leaks its memory.
    pub(super) fn listing(&self) -> Listing {
        let mut declarations: Vec<&'static Declaration> = Vec::new();
        for (number, system) in self.types.iter().enumerate() {
            let clauses: Vec<Clause> = system
                .clauses
                .iter()
                .map(|one| self.clause(one, &declarations))
                .collect();
            let orders = clauses.iter().filter_map(|clause| match clause {
                Clause::Order(order) => Some(*order),
                _ => None,
            });
            let groups = clauses.iter().filter_map(|clause| match clause {
                Clause::In(membership) => Some(*membership),
                _ => None,
            });
            let guards = clauses.iter().filter_map(|clause| match clause {
                Clause::If(guard) => Some(*guard),
                _ => None,
            });
            declarations.push(Box::leak(Box::new(Declaration {
                ty: ty(number),
                reference: self.reference(Named::Type(number)),
                definition: system.work.definition,
                orders: leaked(orders),
                groups: leaked(groups),
                guards: leaked(guards),
                proves: None,
                marks: Marks::NONE,
                observer: None,
            })));
        }
        let entries = self.items.iter().enumerate().map(|(idx, item)| {
            let clauses = item
                .clauses
                .iter()
                .map(|one| self.clause(one, &declarations));
            let has_name = item.subject.ty().is_some();
            Entry {
                subject: self.listed(item.subject, &declarations),
                around: item.around.map(|around| around as u32),
                name: has_name.then(|| text(format!("n{idx}"))),
                path: Some("as::written"),
                marks: marks(item.subject, idx + self.items.len()),
                clauses: leaked(clauses),
                plugin: 0,
                base: 0,
                location: Location::caller(),
            }
        });
        let entries = leaked(entries);
        let rules = self.rules.iter().filter_map(|rule| {
            Some(Rule {
                about: self.about(*rule)?,
                plugin: 0,
                base: 0,
                location: Location::caller(),
            })
        });
        let mut settings = Settings::NONE;
        for rule in &self.rules {
            settings = match *rule {
                Ruling::Schedule(policy) => settings.policy(policy),
                Ruling::Failure(policy) => settings.on_failure(policy),
                Ruling::Resource(..) | Ruling::Pair(..) => settings,
            };
        }
        Listing::new("random", entries, leaked(rules), settings)
    }

    fn listed(&self, subject: Subject, declarations: &[&'static Declaration]) -> Listed {
        let reference = self.reference(subject.named());
        let anchored = |number: usize| -> &'static Anchored {
            Box::leak(Box::new(Anchored {
                reference,
                ty: ty(150 + number),
            }))
        };
        match subject {
            Subject::System(ty) => Listed::System(declarations[ty]),
            Subject::Loop(ty) => Listed::Loop(declarations[ty]),
            Subject::Checkpoint(number) => Listed::Checkpoint(anchored(number)),
            Subject::ApplyCommands(number) => Listed::ApplyCommands(anchored(number)),
            Subject::Group(_) => Listed::Group(reference),
        }
    }

    fn clause(&self, clause: &CaseClause, declarations: &[&'static Declaration]) -> Clause {
        let location = Location::caller();
        match clause {
            &CaseClause::Order(direction, strength, other) => Clause::Order(Order {
                direction,
                strength,
                other: self.reference(other),
                entry: entry(other),
                is_of_state: false,
                path: None,
                location,
            }),
            &CaseClause::In(group) => Clause::In(Membership {
                group: self.reference(Named::Group(group)),
                location,
            }),
            CaseClause::If(formula) => Clause::If(guard(formula, declarations)),
            &CaseClause::AtMost(n) => Clause::AtMost(n),
            &CaseClause::OnFailure(policy) => Clause::OnFailure(policy),
        }
    }

    fn about(&self, rule: Ruling) -> Option<About> {
        let choice = |policy: Policy| ListedPolicy {
            policy,
            reason: (policy == Policy::Accepted).then_some("they say so"),
        };
        let listee = |named: Named| RuleTarget {
            reference: self.reference(named),
            entry: entry(named),
        };
        match rule {
            Ruling::Resource(resource, policy) => {
                Some(About::Resource(RESOURCES[resource], choice(policy)))
            }
            Ruling::Pair(one, other, policy) => {
                Some(About::Pair(listee(one), listee(other), choice(policy)))
            }
            Ruling::Schedule(_) | Ruling::Failure(_) => None,
        }
    }

    fn reference(&self, named: Named) -> Reference {
        let (first, number) = match named {
            Named::Type(number) => (1000, number),
            Named::Group(number) => (2000, number),
            Named::Checkpoint(number) => (3000, number),
            Named::Entry(idx) => return self.reference(self.items[idx].subject.named()),
        };
        Reference {
            id: first + number as u128,
            name: Name::new(text(format!("{named:?}"))),
            path: TypePath::NONE,
        }
    }
}

fn entry(named: Named) -> Option<u32> {
    match named {
        Named::Entry(idx) => Some(idx as u32),
        _ => None,
    }
}

fn guard(formula: &Formula, declarations: &[&'static Declaration]) -> Guard {
    let mut tokens = Vec::new();
    push_tokens(formula, declarations, &mut tokens);
    Guard::new(tokens.leak())
}

fn push_tokens(
    formula: &Formula,
    declarations: &[&'static Declaration],
    tokens: &mut Vec<Token<Answered>>,
) {
    let mut push_all = |parts: &[Formula]| {
        for one in parts {
            push_tokens(one, declarations, tokens);
        }
        parts.len() as u32
    };
    let token = match formula {
        Formula::Is(leaf) => {
            let declaration = declarations[leaf.ty];
            Token::Is(Answered {
                reference: declaration.reference,
                declaration,
                level_of: None,
                path: Some("as::written"),
                entry: leaf.entry.map(|entry| entry as u32),
                branches: declaration.definition.branches().expect("it answers"),
                index: leaf.branch,
                location: Location::caller(),
            })
        }
        Formula::Not(one) => {
            push_all(core::slice::from_ref(one));
            Token::Not
        }
        Formula::All(parts) => Token::All(push_all(parts)),
        Formula::Any(parts) => Token::Any(push_all(parts)),
    };
    tokens.push(token);
}

fn leaked<T>(parts: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(parts.collect())
}

fn text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// Prints a line for each entry, indented by its depth, then one for each attribute and each rule.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, item) in self.items.iter().enumerate() {
            let depth = 4 * self.levels(idx).len();
            write!(f, "{:depth$}n{idx}: ", "")?;
            match item.subject {
                Subject::System(ty) => write!(f, "t{ty}({})", self.types[ty].work.takes)?,
                Subject::Loop(ty) => write!(f, "loop t{ty}({})", self.types[ty].work.takes)?,
                Subject::Checkpoint(number) => write!(f, "checkpoint p{number}")?,
                Subject::ApplyCommands(number) => write!(f, "apply_commands p{number}")?,
                Subject::Group(group) => write!(f, "group g{group}")?,
            }
            writeln!(f, "{}", Clauses(&item.clauses))?;
        }
        for (ty, Type { work, clauses }) in self.types.iter().enumerate() {
            let is_implied = self.n_entries(ty) == 0 && self.is_asked(ty);
            if is_implied || !clauses.is_empty() {
                writeln!(f, "    fn t{ty}({}){}", work.takes, Clauses(clauses))?;
            }
        }
        for rule in &self.rules {
            match rule {
                Ruling::Schedule(policy) => writeln!(f, "    policy: {policy}")?,
                Ruling::Resource(resource, policy) => {
                    writeln!(f, "    policy of {}: {policy}", RESOURCES[*resource].name)?;
                }
                Ruling::Pair(one, other, policy) => {
                    writeln!(f, "    policy of {one:?} and {other:?}: {policy}")?;
                }
                Ruling::Failure(policy) => writeln!(f, "    on failure: {policy}")?,
            }
        }
        Ok(())
    }
}

struct Clauses<'a>(&'a [CaseClause]);

impl fmt::Display for Clauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for clause in self.0 {
            match clause {
                CaseClause::Order(direction, strength, other) => {
                    let word = match direction {
                        Direction::After => "after",
                        Direction::Before => "before",
                    };
                    let when = match strength {
                        Strength::Always => "",
                        Strength::IfPresent => " if present",
                        Strength::IfConflicting => " if conflicting",
                        Strength::WithoutCommands => " without commands",
                    };
                    write!(f, ", {word}{when} {other:?}")?;
                }
                CaseClause::In(group) => write!(f, ", in g{group}")?,
                CaseClause::If(formula) => write!(f, ", if {formula:?}")?,
                CaseClause::AtMost(n) => write!(f, ", at most {n}")?,
                CaseClause::OnFailure(policy) => write!(f, ", on failure {policy}")?,
            }
        }
        Ok(())
    }
}

/// Prints the name of a type, or the name of an entry in the schedule.
impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Named::Type(number) => write!(f, "t{number}"),
            Named::Group(number) => write!(f, "g{number}"),
            Named::Checkpoint(number) => write!(f, "p{number}"),
            Named::Entry(idx) => write!(f, "n{idx}"),
        }
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Is(Leaf { ty, entry, branch }) => {
                match entry {
                    Some(idx) => write!(f, "n{idx}")?,
                    None => write!(f, "t{ty}")?,
                }
                write!(f, "={branch}")
            }
            Formula::Not(one) => write!(f, "!{one:?}"),
            Formula::All(parts) => write!(f, "all{parts:?}"),
            Formula::Any(parts) => write!(f, "any{parts:?}"),
        }
    }
}

/// Returns marks that an item can have: all sets of them occur.
fn marks(subject: Subject, number: usize) -> Marks {
    let all = match subject {
        Subject::System(_) | Subject::Loop(_) => {
            &[Marks::MAIN_THREAD, Marks::ALWAYS, Marks::SKIP_IF_MISSING][..]
        }
        Subject::Group(_) => &[Marks::ALWAYS, Marks::SKIP_IF_MISSING],
        Subject::Checkpoint(_) | Subject::ApplyCommands(_) => &[],
    };
    let set = (0..).zip(all).filter(|(bit, _)| number >> bit & 1 == 1);
    set.fold(Marks::NONE, |set, (_, mark)| set.and(*mark))
}
