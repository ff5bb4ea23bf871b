//! When a system runs, as its attribute says.

use core::fmt;
use core::panic::Location;

use super::{Declaration, System};
use crate::formula::{Token, is_postfix, write_debug};
use crate::identity::{Identity, Name};
use crate::order::{Anchor, Reference};
use crate::output::{Branch, Branches};
use crate::text::Text;

/// What an attribute says about when its system runs. See [`Condition`](crate::Condition), which a builder takes.
///
/// ```
/// use schedule::{System, prelude::*};
///
/// #[derive(Resource)]
/// struct Stamina(u32);
///
/// #[derive(Branch, Clone, Copy)]
/// enum Gait {
///     Walk,
///     Run,
/// }
///
/// #[system]
/// fn gait(stamina: &Stamina) -> Gait {
///     if stamina.0 < 3 { Gait::Walk } else { Gait::Run }
/// }
///
/// #[system]
/// fn is_asleep(stamina: &Stamina) -> bool {
///     stamina.0 == 0
/// }
///
/// #[system(if = is(gait, Gait::Run))]
/// fn tire(stamina: &mut Stamina) {
///     stamina.0 -= 1;
/// }
///
/// #[system(after = tire, if = or(is_asleep, is(gait, Gait::Walk)))]
/// fn recover(stamina: &mut Stamina) {
///     stamina.0 += 1;
/// }
///
/// assert_eq!(format!("{:?}", tire::GUARDS), "[Is(gait: Run)]");
/// assert_eq!(format!("{:?}", recover::GUARDS), "[Any([Is(is_asleep: true), Is(gait: Walk)])]");
/// ```
#[derive(Clone, Copy)]
pub struct Guard {
    /// Public for generated code only.
    #[doc(hidden)]
    pub tokens: &'static [Token<Answered>],
}

impl Guard {
    /// A guard in postfix order: each operator follows its operands.
    ///
    /// A guard under [`Token::Not`] or [`Token::Any`] needs all of its conditions to have been asked, too: see
    /// [`Condition`](crate::Condition).
    ///
    /// # Panics
    ///
    /// Panics if an operator has too few operands, or if the tokens do not have exactly one result.
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule::condition::{Answered, Guard, Token};
    ///
    /// #[system]
    /// fn is_alive() -> bool {
    ///     true
    /// }
    ///
    /// #[system]
    /// fn is_asleep() -> bool {
    ///     false
    /// }
    ///
    /// const TOKENS: &[Token<Answered>] = &[
    ///     Token::Is(Answered::of::<is_alive>()),
    ///     Token::Is(Answered::of::<is_asleep>()),
    ///     Token::Not,
    ///     Token::All(2),
    /// ];
    ///
    /// let guard = Guard::new(TOKENS);
    /// assert_eq!(format!("{guard:?}"), "All([Is(is_alive: true), Not(Is(is_asleep: true))])");
    /// ```
    #[track_caller]
    pub const fn new(tokens: &'static [Token<Answered>]) -> Self {
        assert!(
            is_postfix(tokens),
            "the tokens of a guard must be in postfix order, with exactly one result"
        );
        Self { tokens }
    }

    /// Its tokens in postfix order.
    pub const fn tokens(&self) -> &'static [Token<Answered>] {
        self.tokens
    }

    /// Fails unless the system of a leaf can give the wanted answer. `guard`: index in the list; `token`: index in the
    /// guard.
    #[doc(hidden)]
    #[track_caller]
    pub const fn ask(guards: &[Self], guard: u32, token: u32) {
        guards[guard as usize].refuse_at(token);
    }

    /// Fails unless the system of the leaf at this token can give the wanted answer.
    #[track_caller]
    pub(crate) const fn refuse_at(&self, token: u32) {
        if let Token::Is(answered) = &self.tokens[token as usize] {
            let declaration = answered.declaration;
            match answered.branches.declared {
                Some(declared) if declared.id == <bool as Identity>::ID => {
                    declaration.refuse_other_than_condition();
                }
                _ => declaration.refuse_other_than_selector(answered.branches),
            }
        }
    }

    /// The leaf of this number, counted from 0 in the order of the source.
    pub(crate) const fn find_leaf(&self, leaf: u32) -> Option<&'static Answered> {
        let (mut n_leaves, mut idx) = (0, 0);
        while idx < self.tokens.len() {
            if let Token::Is(answered) = &self.tokens[idx] {
                if n_leaves == leaf {
                    return Some(answered);
                }
                n_leaves += 1;
            }
            idx += 1;
        }
        None
    }
}

/// Prints the guard as a tree.
impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_debug(&self.tokens.iter().collect::<Vec<_>>(), f)
    }
}

impl Declaration {
    /// Refuses a system that is no condition.
    #[track_caller]
    pub(crate) const fn refuse_other_than_condition(&self) {
        let branches = self.function.branches();
        if !may_be(branches, Branches::of::<bool>()) {
            refuse_condition(self.reference.name, branches);
        }
    }

    /// Refuses a system that answers none of these.
    #[track_caller]
    const fn refuse_other_than_selector(&self, wanted: Branches) {
        let branches = self.function.branches();
        if !may_be(branches, wanted) {
            refuse_selector(self.reference.name, branches, wanted);
        }
    }
}

/// Whether a system that answers so may answer a wanted branch. Of branches implemented by hand the builder decides.
const fn may_be(branches: Option<Branches>, wanted: Branches) -> bool {
    let Some(branches) = branches else {
        return false;
    };
    match (branches.declared, wanted.declared) {
        (Some(declared), Some(wanted)) => declared.id == wanted.id,
        _ => true,
    }
}

#[track_caller]
const fn refuse_condition(name: Name, branches: Option<Branches>) -> ! {
    let text = Text::new().str("`").name(name);
    let text = text.str("` cannot be a condition: it does not return `bool`");
    let text = match branches {
        Some(Branches {
            declared: Some(declared),
            names: [first, ..],
            ..
        }) => {
            let text = text.str("; name a branch, as in `is(").name(name);
            let text = text.str(", ").str(declared.name).str("::");
            text.str(first).str(")`")
        }
        _ => text,
    };
    panic!("{}", text.as_str())
}

#[track_caller]
const fn refuse_selector(name: Name, branches: Option<Branches>, wanted: Branches) -> ! {
    let text = Text::new().str("`").name(name).str("` ");
    let text = match (branches, wanted.declared) {
        (
            Some(Branches {
                declared: Some(declared),
                ..
            }),
            Some(wanted),
        ) => {
            let text = text.str("returns `").str(declared.name);
            text.str("`, not `").str(wanted.name).str("`")
        }
        _ => text.str("cannot be a selector: it does not return a branch"),
    };
    panic!("{}", text.as_str())
}

/// A system, and the answer that is wanted of it.
#[derive(Clone, Copy)]
pub struct Answered {
    pub(crate) reference: Reference,
    pub(crate) declaration: &'static Declaration,
    /// The system is this entry of the listing that the guard stands in.
    pub(crate) entry: Option<u32>,
    /// Its path, as the listing writes it.
    pub(crate) path: Option<&'static str>,
    /// If nobody adds the system, it stands at the level of this one, and not at that of what it guards.
    pub(crate) beside: Option<&'static Reference>,
    /// Those of the answer.
    pub(crate) branches: Branches,
    pub(crate) index: u32,
    pub(crate) location: &'static Location<'static>,
}

impl Answered {
    /// The condition `C` is true.
    ///
    /// # Panics
    ///
    /// Panics if `C` does not return `bool`.
    #[track_caller]
    pub const fn of<C: System>() -> Self {
        C::DECLARATION.refuse_other_than_condition();
        Self::new::<C, bool>(1)
    }

    /// The selector `S` answers this branch, whose index is `index`.
    ///
    /// # Panics
    ///
    /// Panics if `S` does not return such branches.
    #[track_caller]
    pub const fn is<S: System, B: Branch>(_: B, index: u32) -> Self {
        S::DECLARATION.refuse_other_than_selector(Branches::of::<B>());
        Self::new::<S, B>(index)
    }

    /// As `of` and `is`, without the check, which `Guard::ask` or `Listing::ask` makes.
    #[doc(hidden)]
    #[track_caller]
    pub const fn unasked<S: System, B: Branch>(_: B, index: u32) -> Self {
        Self::new::<S, B>(index)
    }

    /// As `is`, without the check, which the builder makes.
    #[track_caller]
    pub(crate) const fn new<S: System, B: Branch>(index: u32) -> Self {
        Self {
            reference: S::REFERENCE,
            declaration: S::DECLARATION,
            entry: None,
            path: None,
            beside: None,
            branches: Branches::of::<B>(),
            index,
            location: Location::caller(),
        }
    }

    /// The same leaf, for the system at this entry of the listing.
    #[doc(hidden)]
    pub const fn at(self, entry: u32) -> Self {
        Self {
            entry: Some(entry),
            ..self
        }
    }

    /// The same leaf, with the path as the listing writes it.
    #[doc(hidden)]
    pub const fn written(self, path: &'static str) -> Self {
        Self {
            path: Some(path),
            ..self
        }
    }

    /// The same leaf. If no entry adds its system, the system stands at the level of `A`.
    #[doc(hidden)]
    pub const fn beside<A: Anchor>(self) -> Self {
        Self {
            beside: Some(const { &A::REFERENCE }),
            ..self
        }
    }

    /// Where it was named.
    pub const fn location(&self) -> &'static Location<'static> {
        self.location
    }
}

impl fmt::Debug for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let branch = self.branches.names.get(self.index as usize);
        write!(f, "{}: {}", self.reference, branch.unwrap_or(&"?"))
    }
}
