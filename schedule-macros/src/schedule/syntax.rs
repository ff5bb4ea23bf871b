//! The syntax tree of a schedule.

use proc_macro2::TokenStream;
use syn::token::Paren;
use syn::{Attribute, ExprPath, Ident, LitInt, LitStr, Path, Token, TypePath, Visibility};

use crate::guard::Guard;
use crate::messages;

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
    /// The failure policy of the schedule, and its first word.
    Failure(Ident, Failure),
    /// The effect of missing resources, and its first word.
    Missing(Ident, Missing),
    /// The effect of commands without effect: its first word, and a variant of `MissedCommandPolicy`.
    MissedCommands(Ident, &'static str),
    /// The word of `sweep false`.
    NoSweeps(Ident),
    /// The word `executor`, and a variant of `Executor`.
    Executor(Ident, &'static str),
}

impl Item {
    /// Returns whether it ends in a block. No comma is needed after a block.
    pub(super) fn ends_in_block(&self) -> bool {
        match self {
            Self::Entry(entry) => entry.has_block,
            Self::Chain(chain) => chain.ends_in_block(),
            Self::State(..) => true,
            Self::Policy(_)
            | Self::Failure(..)
            | Self::Missing(..)
            | Self::MissedCommands(..)
            | Self::NoSweeps(_)
            | Self::Executor(..) => false,
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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    System,
    Loop,
    Checkpoint,
    ApplyCommands,
    Group,
    Plugin,
}

impl Kind {
    /// Returns the noun for messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::System => messages::A_SYSTEM,
            Self::Loop => messages::A_LOOP,
            Self::Checkpoint => messages::A_CHECKPOINT,
            Self::ApplyCommands => messages::A_SYNC_POINT,
            Self::Group => messages::A_GROUP,
            Self::Plugin => messages::A_PLUGIN,
        }
    }
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

/// A clause of an entry, and its first word.
pub(super) struct Clause {
    pub(super) word: Ident,
    pub(super) kind: ClauseKind,
}

pub(super) enum ClauseKind {
    /// A function of `Order`, and the other items.
    Order(&'static str, Vec<TypePath>),
    In(Vec<TypePath>),
    If(Vec<Guard>),
    AtMost(LitInt),
    OnFailure(Failure),
    /// The entry runs on the thread that calls `run`.
    MainThread,
    /// Failures of other systems do not skip the entry.
    Always,
    /// The entry fails alone if it misses a resource.
    SkipMissing,
    /// The entry shares no sweep.
    NoSweep,
    /// The entry runs when a state is entered or left.
    State(Box<StateChange>),
}

/// `enter Phase::Night` or `exit Phase::Night`.
pub(super) struct StateChange {
    pub(super) is_enter: bool,
    /// `Phase::Night`.
    pub(super) state: ExprPath,
    /// `Phase`.
    pub(super) ty: TypePath,
}

/// A variant of `FailurePolicy`.
pub(super) struct Failure(pub(super) &'static str);

/// The effect of missing resources.
pub(super) struct Missing {
    /// The last word.
    pub(super) word: Ident,
    /// A variant of `MissingPolicy`.
    pub(super) variant: &'static str,
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
