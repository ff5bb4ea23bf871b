//! What has to hold for a node to run: conditions, the branches of selectors, and what is made of them.

mod made;

use core::fmt;
use core::ops::{BitAnd, BitOr, Not};
use core::panic::Location;
use std::sync::Arc;

use crate::builder::{Builder, Target};
use crate::identity::Name;
use crate::order::{Anchor, Reference};
use crate::output::{Branch, Branches};
use crate::system::{Instance, System};
use crate::text::Text;

/// What an attribute says about when its system runs. See [`Condition`], which a builder takes.
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
    const fn answered<S: System, B: Branch>(index: u32) -> Self {
        Self::Is(Answered {
            reference: S::REFERENCE,
            add: add::<S>,
            branches: Branches::of::<B>(),
            index,
            location: Location::caller(),
        })
    }
}

fn add<S: System>(builder: &mut Builder) {
    builder.add::<S>();
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
    pub(crate) add: fn(&mut Builder),
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

/// What has to hold for a node to run: a condition, the branch of a selector, or something made of these by `!`, `&` and
/// `|`.
///
/// Each system that is asked is a node of its own. It is asked once in each pass of the level that it stands at (a run,
/// or an iteration of the loop around it) and its answer is shared by all that name it. What was not asked, since its
/// own condition was false or because something failed, makes all false that names it, also under `!`.
///
/// A condition that is named by its type need not be added: it then stands at the level of the node that it guards.
/// One made of a closure, or with a value as [`Condition::once`], is shared by clones of it.
///
/// ```
/// use schedule::{Condition, prelude::*};
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[derive(Resource)]
/// struct Log(Vec<&'static str>);
///
/// #[system]
/// fn is_alive(health: &Health) -> bool {
///     health.0 > 0
/// }
///
/// #[system]
/// fn play(log: &mut Log) {
///     log.0.push("play");
/// }
///
/// #[system]
/// fn mourn(log: &mut Log) {
///     log.0.push("mourn");
/// }
///
/// // They never run both, so nothing has to order them.
/// let mut frame = Schedule::builder()
///     .add::<play>()
///     .only_if::<is_alive>()
///     .add::<mourn>()
///     .guard(!Condition::of::<is_alive>())
///     .build()?;
/// # let mut resources = Resources::new();
/// # resources.insert(Health(0));
/// # resources.insert(Log(Vec::new()));
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Log>().unwrap().0, ["mourn"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Condition(pub(crate) Formula);

/// What a condition is made of.
#[derive(Clone, Debug)]
pub(crate) enum Formula<L = Leaf> {
    Is(L),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl<L: fmt::Display> fmt::Display for Formula<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, formulas: &[Self], word: &str| {
            for (i, formula) in formulas.iter().enumerate() {
                let is_simple = matches!(formula, Self::Is(_) | Self::Not(_));
                f.write_str(if i == 0 { "" } else { word })?;
                if is_simple || formulas.len() == 1 {
                    write!(f, "{formula}")?;
                } else {
                    write!(f, "({formula})")?;
                }
            }
            Ok(())
        };
        match self {
            Self::Is(leaf) => leaf.fmt(f),
            Self::Not(formula) if matches!(**formula, Self::Is(_)) => write!(f, "not {formula}"),
            Self::Not(formula) => write!(f, "not ({formula})"),
            Self::All(formulas) => join(f, formulas, " and "),
            Self::Any(formulas) => join(f, formulas, " or "),
        }
    }
}

impl<L> Formula<L> {
    /// The same, of other leaves.
    pub(crate) fn map<T>(&self, leaf: &mut impl FnMut(&L) -> T) -> Formula<T> {
        match self {
            Self::Is(one) => Formula::Is(leaf(one)),
            Self::Not(formula) => Formula::Not(Box::new(formula.map(leaf))),
            Self::All(formulas) => Formula::All(formulas.iter().map(|one| one.map(leaf)).collect()),
            Self::Any(formulas) => Formula::Any(formulas.iter().map(|one| one.map(leaf)).collect()),
        }
    }

    /// Whether it holds, if `leaf` tells it of its leaves.
    pub(crate) fn holds(&self, leaf: &impl Fn(&L) -> bool) -> bool {
        match self {
            Self::Is(one) => leaf(one),
            Self::Not(formula) => !formula.holds(leaf),
            Self::All(formulas) => formulas.iter().all(|one| one.holds(leaf)),
            Self::Any(formulas) => formulas.iter().any(|one| one.holds(leaf)),
        }
    }

    /// Calls `visit` with every leaf.
    pub(crate) fn for_each_leaf<'a>(&'a self, visit: &mut impl FnMut(&'a L)) {
        match self {
            Self::Is(one) => visit(one),
            Self::Not(formula) => formula.for_each_leaf(visit),
            Self::All(formulas) | Self::Any(formulas) => {
                formulas.iter().for_each(|one| one.for_each_leaf(visit));
            }
        }
    }
}

/// Something that is asked, and the answer that is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) asked: Asked,
    pub(crate) branches: Branches,
    pub(crate) index: u32,
    /// Where it was named.
    pub(crate) location: &'static Location<'static>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// A system by its type, which need not be added: this does it.
    Type(Reference, fn(&mut Builder)),
    /// What was added.
    Added(Target),
    /// A node that this and its clones stand for.
    Own(Arc<Own>),
}

/// How to make a node that nobody adds.
pub(crate) struct Own {
    pub(crate) name: String,
    pub(crate) location: &'static Location<'static>,
    /// Makes an instance: one for each level at which it is asked.
    pub(crate) instantiate: Box<dyn Fn() -> Instance + Send + Sync>,
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own")
            .field("name", &self.name)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

impl Condition {
    /// This condition is true: a system that returns `bool`.
    #[track_caller]
    pub fn of<C: System>() -> Self {
        Self::from(Guard::answered::<C, bool>(1))
    }

    /// This selector answers this branch.
    ///
    /// ```
    /// use schedule::{Condition, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Speed(f32);
    ///
    /// #[derive(Branch, Clone, Copy)]
    /// enum Gait {
    ///     Walk,
    ///     Run,
    /// }
    ///
    /// #[system]
    /// fn gait(speed: &Speed) -> Gait {
    ///     if speed.0 < 2.0 { Gait::Walk } else { Gait::Run }
    /// }
    ///
    /// #[system]
    /// fn tire(speed: &mut Speed) {
    ///     speed.0 *= 0.5;
    /// }
    ///
    /// let mut frame = Schedule::builder()
    ///     .add::<tire>()
    ///     .guard(Condition::chosen::<gait, _>(Gait::Run))
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Speed(3.0));
    /// frame.run(&mut resources)?;
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Speed>().unwrap().0, 1.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn chosen<S: System, B: Branch>(branch: B) -> Self {
        Self::from(Guard::answered::<S, B>(branch.index()))
    }

    /// What was added answers `true`: a node by [`Builder::last`](crate::Builder::last), or a system by its name.
    #[track_caller]
    pub fn added(target: impl Into<Target>) -> Self {
        Self::added_chosen(target, true)
    }

    /// What was added answers this branch.
    #[track_caller]
    pub fn added_chosen<B: Branch>(target: impl Into<Target>, branch: B) -> Self {
        Self::leaf(Asked::Added(target.into()), branch)
    }

    #[track_caller]
    fn leaf<B: Branch>(asked: Asked, branch: B) -> Self {
        Self(Formula::Is(Leaf {
            asked,
            branches: Branches::of::<B>(),
            index: branch.index(),
            location: Location::caller(),
        }))
    }
}

impl From<Guard> for Condition {
    fn from(guard: Guard) -> Self {
        fn formula(guard: Guard) -> Formula {
            let all = |guards: &[Guard]| guards.iter().copied().map(formula).collect();
            match guard {
                Guard::Is(answered) => Formula::Is(Leaf {
                    asked: Asked::Type(answered.reference, answered.add),
                    branches: answered.branches,
                    index: answered.index,
                    location: answered.location,
                }),
                Guard::Not(guard) => Formula::Not(Box::new(formula(*guard))),
                Guard::All(guards) => Formula::All(all(guards)),
                Guard::Any(guards) => Formula::Any(all(guards)),
            }
        }
        Self(formula(guard))
    }
}

impl Not for Condition {
    type Output = Self;

    fn not(self) -> Self {
        Self(Formula::Not(Box::new(self.0)))
    }
}

impl BitAnd for Condition {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(Formula::All(vec![self.0, other.0]))
    }
}

impl BitOr for Condition {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(Formula::Any(vec![self.0, other.0]))
    }
}
