//! When a system runs, as its attribute says.

use core::fmt;
use core::panic::Location;

use super::{Declaration, System};
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
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Guard {
    /// A system answers so.
    Is(Answered),
    /// This does not hold, and all that is asked in it was.
    Not(&'static Guard),
    /// All of these hold.
    All(&'static [Guard]),
    /// One of these holds, and all that is asked in them was.
    Any(&'static [Guard]),
}

impl Guard {
    /// The condition `C` is true.
    ///
    /// # Panics
    ///
    /// If it returns no `bool`.
    #[track_caller]
    pub const fn of<C: System>() -> Self {
        C::DECLARATION.refuse_other_than_condition();
        Self::answered::<C, bool>(1)
    }

    /// The selector `S` answers this branch, of this index.
    ///
    /// # Panics
    ///
    /// If it returns no such branch.
    #[track_caller]
    pub const fn is<S: System, B: Branch>(_: B, index: u32) -> Self {
        S::DECLARATION.refuse_other_than_selector(Branches::of::<B>());
        Self::answered::<S, B>(index)
    }

    /// `S` answers this branch, of this index; whether it can is left to `ask`, of guards or of a listing.
    #[doc(hidden)]
    #[track_caller]
    pub const fn unasked<S: System, B: Branch>(_: B, index: u32) -> Self {
        Self::answered::<S, B>(index)
    }

    /// Refuses a leaf that is not answered so: by numbers of the guard and of the leaf in it.
    #[doc(hidden)]
    #[track_caller]
    pub const fn ask(guards: &[Self], guard: u32, leaf: u32) {
        guards[guard as usize].refuse_leaf(leaf);
    }

    /// The same, of the system that this entry of a listing is.
    #[doc(hidden)]
    pub const fn at(self, entry: u32) -> Self {
        match self {
            Self::Is(answered) => Self::Is(Answered {
                entry: Some(entry),
                ..answered
            }),
            other => other,
        }
    }

    /// The same, by this path.
    #[doc(hidden)]
    pub const fn written(self, path: &'static str) -> Self {
        match self {
            Self::Is(answered) => Self::Is(Answered {
                path: Some(path),
                ..answered
            }),
            other => other,
        }
    }

    /// The same; if nobody lists its system, it stands at the level of `A`.
    #[doc(hidden)]
    pub const fn beside<A: Anchor>(self) -> Self {
        match self {
            Self::Is(answered) => Self::Is(Answered {
                beside: Some(const { &A::REFERENCE }),
                ..answered
            }),
            other => other,
        }
    }

    /// Refuses the leaf of this number, in the order of the source, if its system does not answer so.
    #[track_caller]
    pub(crate) const fn refuse_leaf(&self, leaf: u32) {
        if let Some(answered) = self.find_leaf(&mut { leaf }) {
            let declaration = answered.declaration;
            match answered.branches.declared {
                Some(declared) if declared.id == <bool as Identity>::ID => {
                    declaration.refuse_other_than_condition();
                }
                _ => declaration.refuse_other_than_selector(answered.branches),
            }
        }
    }

    /// The leaf behind so many others, in the order of the source.
    pub(crate) const fn find_leaf(&self, before: &mut u32) -> Option<&Answered> {
        match self {
            Self::Is(answered) if *before == 0 => Some(answered),
            Self::Is(_) => {
                *before -= 1;
                None
            }
            Self::Not(guard) => guard.find_leaf(before),
            Self::All(guards) | Self::Any(guards) => {
                let mut idx = 0;
                while idx < guards.len() {
                    if let Some(found) = guards[idx].find_leaf(before) {
                        return Some(found);
                    }
                    idx += 1;
                }
                None
            }
        }
    }

    /// The same; whether `S` answers such branches is seen when the schedule is built.
    #[track_caller]
    pub(crate) const fn answered<S: System, B: Branch>(index: u32) -> Self {
        Self::Is(Answered {
            reference: S::REFERENCE,
            declaration: S::DECLARATION,
            entry: None,
            path: None,
            beside: None,
            branches: Branches::of::<B>(),
            index,
            location: Location::caller(),
        })
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
    let text = text.str("` is no condition: it returns no `bool`");
    let text = match branches {
        Some(Branches {
            declared: Some(declared),
            names: [first, ..],
            ..
        }) => {
            let text = text.str("; ask for a branch, as in `is(").name(name);
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
            let text = text.str("answers `").str(declared.name);
            text.str("`, not `").str(wanted.name).str("`")
        }
        _ => text.str("is no selector: it returns no branch"),
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
