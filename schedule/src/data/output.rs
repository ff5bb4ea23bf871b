//! Return types of systems, and their answers.

use core::any::{Any, TypeId};
use core::error::Error;
use core::fmt;

use crate::base::identity::Identity;

/// Any error that a system returns and a run reports.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// A value that selects the systems to run: `bool`, or an enum with `#[derive(Branch)]`.
///
/// A system that returns `bool` is a condition. A system that returns another branch is a selector: its value selects
/// the branch that runs.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Branch, Clone, Copy)]
/// enum Gait {
///     Walk,
///     Run,
/// }
///
/// assert_eq!(Gait::NAMES, ["Walk", "Run"]);
/// assert_eq!(Gait::Run.index(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "the values of `{Self}` cannot be branches",
    label = "not a type with branches",
    note = "the values of `bool`, and those of an enum without fields that has `#[derive(Branch, Clone, Copy)]`, can be branches"
)]
pub trait Branch: Copy + Send + Sync + 'static {
    /// The names of the branches, by index.
    const NAMES: &'static [&'static str];

    #[doc(hidden)]
    const DECLARED: Option<&'static BranchType> = None;

    /// The index of this branch. Must be less than the number of names.
    fn index(self) -> u32;
}

/// Identifies the type of a branch in `const` code, which cannot compare a [`TypeId`].
#[derive(Clone, Copy, Debug)]
pub struct BranchType {
    /// Computed as [`Identity::ID`]. It is separate, because a branch can also be a resource.
    pub id: u128,
    /// The name of the type.
    pub name: &'static str,
}

impl Branch for bool {
    const NAMES: &'static [&'static str] = &["false", "true"];
    const DECLARED: Option<&'static BranchType> = Some(&BranchType {
        id: <bool as Identity>::ID,
        name: "bool",
    });

    fn index(self) -> u32 {
        self.into()
    }
}

/// The return type of the replacement for a system with an error. Its branches are not checked.
#[derive(Clone, Copy, Debug)]
pub struct Rejected;

impl Branch for Rejected {
    const NAMES: &'static [&'static str] = &[];

    fn index(self) -> u32 {
        0
    }
}

/// A return type of systems: `()`, a [`Branch`] such as `bool`, or a `Result` of one of these and `E`. `E` is an error,
/// or any other type that converts to `Box<dyn Error + Send + Sync>`, such as `String`.
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "not a return type of a system",
    note = "a system returns `()`, `bool`, an enum with `#[derive(Branch)]`, or `Result<T, E>` with one of these as `T`",
    note = "`E` is an error or a string: implement `core::error::Error` for your own type, which must also be `Send`, `Sync` and `'static`; instead of `Box<dyn Error>`, write `BoxError`"
)]
pub trait Output: Sized {
    /// Converts a value to an answer.
    ///
    /// This is a constant instead of a method, because the compiler then underlines the whole type in an error.
    #[doc(hidden)]
    const INTO_ANSWER: IntoAnswer<Self>;
}

/// Converts a value of type `O` to an answer. Only this crate can create one, so this crate determines the possible
/// return types.
pub struct IntoAnswer<O> {
    pub(crate) index: fn(O) -> Result<u32, BoxError>,
    pub(crate) branches: Option<Branches>,
}

impl<O: 'static> IntoAnswer<O> {
    /// Stores the index of the answer. `answer` must be 1 before, which is the index for a value without an answer.
    ///
    /// The most frequent types need no call through the address.
    #[inline]
    pub(crate) fn store(self, output: O, answer: &mut u32) -> Result<(), BoxError> {
        let any: &dyn Any = &output;
        if any.is::<()>() {
            return Ok(());
        }
        *answer = match any.downcast_ref::<bool>() {
            Some(&is_true) => is_true.into(),
            None => (self.index)(output)?,
        };
        Ok(())
    }
}

impl<O> Clone for IntoAnswer<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for IntoAnswer<O> {}

impl<O> fmt::Debug for IntoAnswer<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IntoAnswer({:?})", self.branches)
    }
}

/// The branches that a system can answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branches {
    /// The type of the [`Branch`].
    pub(crate) ty: TypeId,
    pub(crate) type_name: fn() -> &'static str,
    pub(crate) names: &'static [&'static str],
    /// `None` for a manual implementation.
    pub(crate) declared: Option<&'static BranchType>,
    /// Whether the system can also answer that no branch runs.
    pub(crate) may_be_none: bool,
}

/// Describes the answer of a node with this name.
pub(crate) fn answer_text(branches: Option<Branches>, name: &str, answer: u32) -> String {
    match branches.map(|branches| branches.names) {
        Some(["false", "true"]) if answer == 1 => name.to_string(),
        Some(["false", "true"]) => format!("not {name}"),
        branches => {
            let branch = branches.and_then(|names| names.get(answer as usize));
            format!("{name} is {}", branch.unwrap_or(&"?"))
        }
    }
}

impl Branches {
    pub(crate) const fn of<B: Branch>() -> Self {
        Self {
            ty: TypeId::of::<B>(),
            type_name: core::any::type_name::<B>,
            names: B::NAMES,
            declared: B::DECLARED,
            may_be_none: false,
        }
    }

    /// The number of answers. "No branch" counts as one answer, after the others.
    pub(crate) const fn n_answers(self) -> usize {
        self.names.len() + self.may_be_none as usize
    }
}

/// Checks the index of a branch, because a manual [`Branch`] can return an index without a name.
fn checked<B: Branch>(branch: B) -> Result<u32, BoxError> {
    let index = branch.index();
    if (index as usize) < B::NAMES.len() {
        return Ok(index);
    }
    let ty = core::any::type_name::<B>();
    let n = B::NAMES.len();
    Err(format!("`{ty}` has {n} branches, but returned branch {index}").into())
}

impl Output for () {
    const INTO_ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: |()| Ok(1),
        branches: None,
    };
}

/// The return type of a function pointer. This makes it possible to name `!`, which has no name on stable Rust.
trait Returns {
    type Type;
}

impl<T> Returns for fn() -> T {
    type Type = T;
}

/// A return type of closures: any return type of functions, or `!`, as in `|| panic!()`.
///
/// This is separate from [`Output`], which users can implement: in that trait, the compiler could not distinguish `!`
/// from their types.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "not a return type of a system",
    note = "a system returns `()`, `bool`, an enum with `#[derive(Branch)]`, or `Result<T, E>` with one of these as `T`",
    note = "`E` is an error or a string: implement `core::error::Error` for your own type, which must also be `Send`, `Sync` and `'static`; instead of `Box<dyn Error>`, write `BoxError`"
)]
pub trait ClosureOutput: Sized {
    /// Converts a value to an answer.
    const ANSWER: IntoAnswer<Self>;
}

#[diagnostic::do_not_recommend]
impl<O: Output> ClosureOutput for O {
    const ANSWER: IntoAnswer<Self> = O::INTO_ANSWER;
}

#[expect(private_interfaces, reason = "the type that this names is public")]
#[diagnostic::do_not_recommend]
impl ClosureOutput for <fn() -> ! as Returns>::Type {
    const ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: |never| never,
        branches: None,
    };
}

#[diagnostic::do_not_recommend]
impl<B: Branch> Output for B {
    const INTO_ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: checked,
        branches: Some(Branches::of::<B>()),
    };
}

/// A branch, or `None` if no branch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maybe<B>(pub(crate) Option<B>);

impl<B> Maybe<B> {
    /// Returns the branch, if any.
    pub fn get(self) -> Option<B> {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<B: Branch> Output for Maybe<B> {
    const INTO_ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: |Self(branch)| match branch {
            Some(branch) => checked(branch),
            None => Ok(B::NAMES.len() as u32),
        },
        branches: Some(Branches {
            may_be_none: true,
            ..Branches::of::<B>()
        }),
    };
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Output for Result<(), E> {
    const INTO_ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: |output| match output {
            Ok(()) => Ok(1),
            Err(error) => Err(error.into()),
        },
        branches: None,
    };
}

#[diagnostic::do_not_recommend]
impl<B: Branch, E: Into<BoxError>> Output for Result<B, E> {
    const INTO_ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: |output| match output {
            Ok(branch) => checked(branch),
            Err(error) => Err(error.into()),
        },
        branches: Some(Branches::of::<B>()),
    };
}
