//! Guards in attributes: the condition under which a system runs.

use core::fmt;
use core::panic::Location;

use super::{Declaration, System};
use crate::base::formula::{Token, is_postfix, write_debug};
use crate::base::identity::{Identity, Name};
use crate::base::text::Text;
use crate::data::order::{Anchor, Reference};
use crate::data::output::{Branch, Branches};

/// The run condition in the attribute of a system. A builder takes a [`Condition`](crate::Condition) instead.
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
    /// Under [`Token::Not`] or [`Token::Any`], a guard also requires that all of its conditions were evaluated. See
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

    /// Returns the tokens in postfix order.
    pub const fn tokens(&self) -> &'static [Token<Answered>] {
        self.tokens
    }

    /// Fails to compile unless the system of a leaf can return the wanted answer. `guard` is the index in the list,
    /// `token` the index in the guard.
    #[doc(hidden)]
    #[track_caller]
    pub const fn check_answer(guards: &[Self], guard: u32, token: u32) {
        guards[guard as usize].refuse_at(token);
    }

    /// Fails to compile unless the system of the leaf at this token can return the wanted answer.
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

    /// Returns the leaf with this number, counted from 0 in source order.
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
    /// Rejects a system that is not a condition.
    #[track_caller]
    pub(crate) const fn refuse_other_than_condition(&self) {
        let branches = self.definition.branches();
        if !may_be(branches, Branches::of::<bool>()) {
            refuse_condition(self.reference.name, branches);
        }
    }

    /// Rejects a system that does not return `bool`, including one with a manual implementation of `Branch`.
    #[track_caller]
    pub(crate) const fn refuse_other_than_bool(&self) {
        match self.definition.branches() {
            Some(Branches {
                declared: Some(declared),
                ..
            }) if declared.id == <bool as Identity>::ID => {}
            branches => refuse_condition(self.reference.name, branches),
        }
    }

    /// Rejects a system that does not return these branches.
    #[track_caller]
    const fn refuse_other_than_selector(&self, wanted: Branches) {
        let branches = self.definition.branches();
        if !may_be(branches, wanted) {
            refuse_selector(self.reference.name, branches, wanted);
        }
    }
}

/// Whether a system with these answers can return a wanted branch. The builder checks manual implementations of
/// `Branch`.
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
    let text = Text::new()
        .str("`")
        .name(name)
        .str("` cannot be a condition: it does not return `bool`");
    let text = match branches {
        Some(Branches {
            declared: Some(declared),
            names: [first, ..],
            ..
        }) => {
            let text = text
                .str("; compare it with a branch, as in `is(")
                .name(name)
                .str(", ")
                .str(declared.name)
                .str("::");
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

/// A system, and its wanted answer.
#[derive(Clone, Copy)]
pub struct Answered {
    pub(crate) reference: Reference,
    pub(crate) declaration: &'static Declaration,
    /// The entry of the listing that adds the system, if the guard is in a listing.
    pub(crate) entry: Option<u32>,
    /// The path of the system as the listing writes it.
    pub(crate) path: Option<&'static str>,
    /// If the system is not added explicitly, it belongs to the level of this node instead of the level of the guarded
    /// node.
    pub(crate) level_of: Option<&'static Reference>,
    /// The branches of the wanted answer.
    pub(crate) branches: Branches,
    pub(crate) index: u32,
    pub(crate) location: &'static Location<'static>,
}

impl Answered {
    /// True if the condition `C` returns `true`.
    ///
    /// # Panics
    ///
    /// Panics if `C` does not return `bool`.
    #[track_caller]
    pub const fn of<C: System>() -> Self {
        C::DECLARATION.refuse_other_than_condition();
        Self::new::<C, bool>(1)
    }

    /// True if the selector `S` returns this branch, which has the index `index`.
    ///
    /// # Panics
    ///
    /// Panics if `S` does not return branches of this type.
    #[track_caller]
    pub const fn is<S: System, B: Branch>(_: B, index: u32) -> Self {
        S::DECLARATION.refuse_other_than_selector(Branches::of::<B>());
        Self::new::<S, B>(index)
    }

    /// As `of` and `is`, without the check. `Guard::check_answer` or `Listing::check_answer` checks it.
    #[doc(hidden)]
    #[track_caller]
    pub const fn unchecked<S: System, B: Branch>(_: B, index: u32) -> Self {
        Self::new::<S, B>(index)
    }

    /// As `is`, without the check. The builder checks it.
    #[track_caller]
    pub(crate) const fn new<S: System, B: Branch>(index: u32) -> Self {
        Self {
            reference: S::REFERENCE,
            declaration: S::DECLARATION,
            entry: None,
            path: None,
            level_of: None,
            branches: Branches::of::<B>(),
            index,
            location: Location::caller(),
        }
    }

    /// The same leaf, with the system at this entry of the listing.
    #[doc(hidden)]
    pub const fn at(self, entry: u32) -> Self {
        Self {
            entry: Some(entry),
            ..self
        }
    }

    /// The same leaf, with the path that the listing writes.
    #[doc(hidden)]
    pub const fn written(self, path: &'static str) -> Self {
        Self {
            path: Some(path),
            ..self
        }
    }

    /// The same leaf. If the system is not added explicitly, it belongs to the level of `A`.
    #[doc(hidden)]
    pub const fn at_level_of<A: Anchor>(self) -> Self {
        Self {
            level_of: Some(const { &A::REFERENCE }),
            ..self
        }
    }

    /// The source location of the leaf.
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
