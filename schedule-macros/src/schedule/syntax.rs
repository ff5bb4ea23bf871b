//! The syntax tree of a schedule.

use proc_macro2::TokenStream;
use syn::token::Paren;
use syn::{Attribute, ExprPath, Ident, LitInt, LitStr, Path, Token, TypePath, Visibility};

use crate::clauses::{self, Kind, Mark};
use crate::guard::Guard;

/// The contents of `schedule!`.
pub(super) struct Declared {
    /// The attributes for the type.
    pub(super) attrs: Vec<Attribute>,
    pub(super) krate: Path,
    pub(super) vis: Visibility,
    pub(super) is_open: bool,
    pub(super) name: Ident,
    pub(super) items: Vec<Item>,
    /// Names in skipped tokens.
    pub(super) skipped_names: Vec<String>,
}

/// The tokens between two commas.
pub(super) enum Item {
    Entry(Entry),
    Chain(Chain),
    /// `on enter Phase::Night { … }`.
    State(StateChange, Vec<Item>),
    Policy(Policy),
    Setting(Setting),
}

impl Item {
    /// Returns whether it ends in a block. No comma is needed after a block.
    pub(super) fn ends_in_block(&self) -> bool {
        match self {
            Self::Entry(entry) => entry.has_block,
            Self::Chain(chain) => chain.ends_in_block(),
            Self::State(..) => true,
            Self::Policy(_) | Self::Setting(_) => false,
        }
    }
}

/// An entry: the subject that is added, and its clauses.
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// For a loop, its condition. For a closure, the hidden type that the expansion makes.
    pub(super) path: TypePath,
    pub(super) closure: Option<Closure>,
    pub(super) name: Option<Ident>,
    pub(super) clauses: Vec<Clause>,
    pub(super) has_block: bool,
    /// The items in the block.
    pub(super) block: Vec<Item>,
}

/// A closure in the place of a system.
pub(super) struct Closure {
    /// The name of its function and of its hidden type.
    pub(super) ident: Ident,
    /// The parameters of the function: patterns with their types.
    pub(super) parameters: TokenStream,
    /// The tokens `-> Type`, if there are any, and the body in its braces.
    pub(super) rest: TokenStream,
}

/// Links, each of which comes before the next one. A single entry is a chain of one link.
pub(super) struct Chain {
    pub(super) first: Link,
    pub(super) others: Vec<(Token![->], Link)>,
}

impl Chain {
    pub(super) fn ends_in_block(&self) -> bool {
        let last = self.others.last().map_or(&self.first, |(_, link)| link);
        matches!(last, Link::Entry(entry) if entry.has_block)
    }
}

/// An entry, or several chains in parentheses without orders between them.
pub(super) enum Link {
    Entry(Box<Entry>),
    Several(Paren, Vec<Chain>),
}

/// A clause of an entry.
pub(super) struct Clause {
    /// Its first word.
    pub(super) word: Ident,
    pub(super) row: &'static clauses::ClauseRow,
    pub(super) value: ClauseValue,
}

/// The value of a clause, as its row describes it.
pub(super) enum ClauseValue {
    /// The other items, and the groups of a membership.
    Names(Vec<TypePath>),
    Conditions(Vec<Guard>),
    Limit(LitInt),
    State(Box<StateChange>),
    /// A variant of `FailurePolicy`.
    OnFailure(&'static str),
    /// The mark is set.
    Mark(&'static Mark),
}

/// A setting of the schedule.
pub(super) struct Setting {
    /// Its first word.
    pub(super) word: Ident,
    pub(super) row: &'static clauses::SettingRow,
    /// The enum and the variant. `None` for `false`.
    pub(super) value: Option<(&'static str, &'static str)>,
}

/// `enter Phase::Night` or `exit Phase::Night`.
pub(super) struct StateChange {
    pub(super) is_enter: bool,
    /// `Phase::Night`.
    pub(super) state: ExprPath,
    /// `Phase`.
    pub(super) ty: TypePath,
}

/// A policy for conflicts.
pub(super) struct Policy {
    /// The word `policy`.
    pub(super) word: Ident,
    /// The last word of the policy.
    pub(super) last: Ident,
    /// A variant of `Policy`.
    pub(super) variant: &'static str,
    pub(super) reason: Option<LitStr>,
    pub(super) about: Option<About>,
}

/// The tokens after `for`.
pub(super) enum About {
    Resource(TypePath),
    Component(Component),
    Pair(Paren, Vec<TypePath>),
}

/// A component of the entities in a store: `component Position in World<Ships>`. Or the changes that commands make to it:
/// `deferred Position in World<Ships>`.
pub(super) struct Component {
    /// The function of `Rule`: `component` or `deferred`.
    pub(super) word: Ident,
    pub(super) component: TypePath,
    pub(super) store: Option<TypePath>,
}
