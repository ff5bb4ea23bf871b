//! What a schedule lists, as it is written.

use syn::token::Paren;
use syn::{Attribute, Ident, LitInt, LitStr, Path, Token, TypePath, Visibility};

use crate::guard::Guard;

/// What the brackets of `schedule!` hold.
pub(super) struct Declared {
    /// Those that go on the type.
    pub(super) attrs: Vec<Attribute>,
    pub(super) krate: Path,
    pub(super) vis: Visibility,
    pub(super) is_open: bool,
    pub(super) name: Ident,
    pub(super) items: Vec<Item>,
    /// Names that are given in what could not be read.
    pub(super) lost: Vec<String>,
}

/// What stands between two commas.
pub(super) enum Item {
    Entry(Entry),
    Chain(Chain),
    Policy(Policy),
    /// The failure policy of the schedule, and the first word of it.
    Failure(Ident, Failure),
}

/// What is added, and what is said about it.
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// Of a loop, its condition.
    pub(super) path: TypePath,
    pub(super) name: Option<Ident>,
    pub(super) clauses: Vec<Clause>,
    pub(super) has_block: bool,
    /// What is in the block.
    pub(super) parts: Vec<Item>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    System,
    Loop,
    Checkpoint,
    Flush,
    Group,
    Part,
}

impl Kind {
    /// How messages call one.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::System => "a system",
            Self::Loop => "a loop",
            Self::Checkpoint => "a checkpoint",
            Self::Flush => "a flush",
            Self::Group => "a group",
            Self::Part => "a part",
        }
    }
}

/// Links, each of which comes before the next.
pub(super) struct Chain {
    pub(super) first: Link,
    pub(super) others: Vec<(Token![->], Link)>,
}

/// One system, or several that are not ordered by the chain.
pub(super) struct Link {
    pub(super) brackets: Option<Paren>,
    pub(super) entries: Vec<Entry>,
}

/// What is said about an entry, and the word that it begins with.
pub(super) struct Clause {
    pub(super) word: Ident,
    pub(super) said: Said,
}

pub(super) enum Said {
    /// A function of `Order`, and the others.
    Order(&'static str, Vec<TypePath>),
    In(Vec<TypePath>),
    If(Vec<Guard>),
    AtMost(LitInt),
    OnFailure(Failure),
    /// It runs on the thread that calls `run`.
    MainThread,
}

/// A variant of `FailurePolicy`.
pub(super) struct Failure(pub(super) &'static str);

/// What becomes of conflicts.
pub(super) struct Policy {
    /// `policy`.
    pub(super) word: Ident,
    /// The last word of the policy.
    pub(super) last: Ident,
    /// A variant of `Policy`.
    pub(super) variant: &'static str,
    pub(super) reason: Option<LitStr>,
    pub(super) about: Option<About>,
}

/// What stands behind `for`.
pub(super) enum About {
    Resource(TypePath),
    Pair(Paren, Vec<TypePath>),
}
