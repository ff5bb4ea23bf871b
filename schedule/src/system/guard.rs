//! When a system runs, as its attribute says.

use core::fmt;
use core::panic::Location;

use super::{Declaration, System};
use crate::identity::Name;
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
        let branches = C::FUNCTION.branches();
        if !may_be(branches, Branches::of::<bool>()) {
            refuse_condition(C::NAME, branches);
        }
        Self::answered::<C, bool>(1)
    }

    /// The selector `S` answers this branch, of this index.
    ///
    /// # Panics
    ///
    /// If it returns no such branch.
    #[track_caller]
    pub const fn is<S: System, B: Branch>(_: B, index: u32) -> Self {
        let (branches, wanted) = (S::FUNCTION.branches(), Branches::of::<B>());
        if !may_be(branches, wanted) {
            refuse_selector(S::NAME, branches, wanted);
        }
        Self::answered::<S, B>(index)
    }

    /// The same; whether `S` answers such branches is seen when the schedule is built.
    #[track_caller]
    pub(crate) const fn answered<S: System, B: Branch>(index: u32) -> Self {
        Self::Is(Answered {
            reference: S::REFERENCE,
            declaration: Declaration::of::<S>,
            branches: Branches::of::<B>(),
            index,
            location: Location::caller(),
        })
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
    /// Of the system. A function, since conditions may name each other.
    pub(crate) declaration: fn() -> Declaration,
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
