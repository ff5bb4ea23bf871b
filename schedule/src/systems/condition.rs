//! Conditions: decide whether a system, a checkpoint, a group or a loop runs.

mod made;

pub use self::made::{added, changed, every, exists, once, removed};
#[doc(hidden)]
pub use crate::base::formula::Token;
#[doc(hidden)]
pub use crate::systems::system::{Answered, Guard, Proof};

use core::fmt;
use core::ops::{BitAnd, BitOr, Not};
use core::panic::Location;
use std::sync::Arc;

use crate::base::formula::Formula;
use crate::base::user_value::UserValue;
use crate::data::order::{Anchor, Reference};
use crate::data::output::{Branch, Branches};
use crate::data::target::Target;
use crate::systems::system::{Declaration, Instance, System};

/// A run condition: a system that returns `bool`, a branch of a selector, or a combination of these by `!`, `&` and
/// `|`.
///
/// Each condition system is a node of its own. It is evaluated once in each pass of its level, which is a run or an
/// iteration of the loop around it. All guards that name it share its answer. If it was not evaluated, because its own
/// condition was false or because a system failed, every guard that names it is false, also under `!`.
///
/// A condition that is named by its type need not be added. It then belongs to the level of the node that it guards. It
/// runs after each [sync point](crate::Builder::apply_commands) that comes before all nodes that it guards and before
/// all nodes that its attribute orders it before. So it sees the same commands as those nodes.
///
/// Clones of a condition share one node if it was made from a closure, or by a constructor with a value such as
/// [`Condition::once`].
///
/// The stack does not limit the size of a condition. `a & b` and `a | b` take time proportional to the shorter operand.
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
/// // They never both run, so nothing has to order them.
/// let mut frame = Schedule::builder()
///     .add::<play>()
///     .run_if(Condition::of::<is_alive>())
///     .add::<mourn>()
///     .run_if(!Condition::of::<is_alive>())
///     .build()?;
/// # let mut resources = Resources::new();
/// # resources.insert(Health(0));
/// # resources.insert(Log(Vec::new()));
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Log>().unwrap().0, ["mourn"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Condition(pub(crate) Formula<Leaf>);

/// A condition system or selector, and the answer that makes the leaf true.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) system: LeafSystem,
    pub(crate) branches: Branches,
    pub(crate) index: u32,
    /// The source location of the condition.
    pub(crate) location: &'static Location<'static>,
    /// If the system is not added explicitly, it belongs to the level of this node instead of the level of the guarded
    /// node.
    pub(crate) level_of: Option<Reference>,
}

/// The system of a leaf.
#[derive(Clone, Debug)]
pub(crate) enum LeafSystem {
    /// A system by its type, which need not be added.
    Type(&'static Declaration),
    /// A node that was added.
    Added(Target),
    /// A node that only this leaf and its clones use.
    Own(Arc<Own>),
}

/// The recipe for a node that is not added explicitly.
pub(crate) struct Own {
    pub(crate) name: String,
    pub(crate) location: &'static Location<'static>,
    /// Creates an instance, once for each level that uses the condition.
    pub(crate) instantiate: UserValue<Box<dyn Fn() -> Instance + Send + Sync>>,
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
    /// True if this system returns `true`.
    #[track_caller]
    pub fn of<C: System>() -> Self {
        Self::of_answered(Answered::new::<C, bool>(1))
    }

    /// True if this selector returns this branch.
    ///
    /// # Panics
    ///
    /// Panics if the type has no name for the index of the branch. A derived [`Branch`] has a name for every index.
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
    ///     .run_if(Condition::chosen::<gait, _>(Gait::Run))
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
        assert_is_named::<B>(branch.index());
        Self::of_answered(Answered::new::<S, B>(branch.index()))
    }

    /// True if the node that was added returns `true`. The target is a node from
    /// [`Builder::last`](crate::Builder::last), or a system by its name.
    #[track_caller]
    pub fn added(target: impl Into<Target>) -> Self {
        Self::added_chosen(target, true)
    }

    /// True if the node that was added returns this branch.
    #[track_caller]
    pub fn added_chosen<B: Branch>(target: impl Into<Target>, branch: B) -> Self {
        Self::leaf(LeafSystem::Added(target.into()), branch)
    }

    /// The same condition. Systems that are not added explicitly belong to the level of `A`.
    pub(crate) fn at_level_of<A: Anchor>(mut self) -> Self {
        for leaf in self.0.leaves_mut() {
            leaf.level_of = Some(A::REFERENCE);
        }
        self
    }

    #[track_caller]
    fn leaf<B: Branch>(system: LeafSystem, branch: B) -> Self {
        assert_is_named::<B>(branch.index());
        Self(Formula::leaf(Leaf {
            system,
            branches: Branches::of::<B>(),
            index: branch.index(),
            location: Location::caller(),
            level_of: None,
        }))
    }
}

#[track_caller]
fn assert_is_named<B: Branch>(index: u32) {
    let ty = core::any::type_name::<B>();
    let n = B::NAMES.len();
    assert!(
        (index as usize) < n,
        "`{ty}` has {n} branches, but no branch {index}"
    );
}

impl Condition {
    /// Converts a guard of a listing. `entry(i)` returns entry i of the listing.
    pub(crate) fn of_guard(guard: Guard, entry: &impl Fn(u32) -> Target) -> Self {
        let tokens = guard.tokens().iter().map(|token| match *token {
            Token::Is(answered) => Token::Is(Leaf::new(answered, entry)),
            Token::Not => Token::Not,
            Token::All(n) => Token::All(n),
            Token::Any(n) => Token::Any(n),
        });
        Self(Formula::of_tokens(tokens.collect()))
    }

    fn of_answered(answered: Answered) -> Self {
        Self(Formula::leaf(Leaf::new(answered, &no_entry)))
    }
}

impl Leaf {
    fn new(answered: Answered, entry: &impl Fn(u32) -> Target) -> Self {
        Self {
            system: match answered.entry {
                Some(listed) => LeafSystem::Added(entry(listed)),
                None => LeafSystem::Type(answered.declaration),
            },
            branches: answered.branches,
            index: answered.index,
            location: answered.location,
            level_of: answered.level_of.copied(),
        }
    }
}

fn no_entry(_: u32) -> Target {
    unreachable!("only `schedule!` names its entries")
}

impl From<Guard> for Condition {
    fn from(guard: Guard) -> Self {
        Self::of_guard(guard, &no_entry)
    }
}

impl Not for Condition {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAnd for Condition {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }
}

impl BitOr for Condition {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}
