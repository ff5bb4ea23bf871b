//! What a system may return, and what it answers by that.

use core::any::TypeId;
use core::error::Error;
use core::fmt;

use crate::identity::Identity;

/// Any error, as systems return it and runs report it.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// A value of few, which says what is to run: `bool`, or an enum with `#[derive(Branch)]`.
///
/// A system that returns a `bool` is a condition; one that returns another branch is a selector: its value names the
/// branch that runs.
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
    message = "`{Self}` cannot be a branch",
    label = "not a branch",
    note = "a branch is a `bool`, or an enum without fields and with `#[derive(Branch)]`"
)]
pub trait Branch: Copy + Send + Sync + 'static {
    /// What the branches are called, by their index.
    const NAMES: &'static [&'static str];

    #[doc(hidden)]
    const DECLARED: Option<&'static BranchType> = None;

    /// Which of them this is; less than the number of names.
    fn index(self) -> u32;
}

/// What tells the types of branches apart in `const` code, which cannot compare a [`TypeId`].
#[derive(Clone, Copy, Debug)]
pub struct BranchType {
    /// As [`Identity::ID`]; not that, since a branch may be a resource as well.
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

/// What the stand-in for a system with an error returns: nobody asks whether that is the branch that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Rejected;

impl Branch for Rejected {
    const NAMES: &'static [&'static str] = &[];

    fn index(self) -> u32 {
        0
    }
}

/// A type that a system may return: `()`, a [`Branch`] as `bool` is one, or a `Result` of these and `E`, where `E` is an
/// error, or anything else that becomes a `Box<dyn Error + Send + Sync>`, as `String` does.
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "not a return type of a system",
    note = "a system returns `()`, `bool`, an enum with `#[derive(Branch)]`, or a `Result` of one of these and `E`, where `E` is an error that can be sent, as `BoxError`"
)]
pub trait Output: Sized {
    /// What it answers.
    ///
    /// A constant and no method, since an error about a constant underlines all of the type.
    const INTO_ANSWER: IntoAnswer<Self>;
}

/// What answer a value of type `O` is. Nobody else can make one, and so nobody else decides what a system may return.
pub struct IntoAnswer<O> {
    pub(crate) index: fn(O) -> Result<u32, BoxError>,
    pub(crate) branches: Option<Branches>,
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

/// The branches that a system may answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branches {
    /// Of the [`Branch`].
    pub(crate) ty: TypeId,
    pub(crate) type_name: fn() -> &'static str,
    pub(crate) names: &'static [&'static str],
    /// Unless it was implemented by hand.
    pub(crate) declared: Option<&'static BranchType>,
    /// The system may also answer none of them.
    pub(crate) may_be_none: bool,
}

/// That a node of this name answers so, in words.
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

    /// How many answers there are: no branch counts as one, behind the others.
    pub(crate) const fn n_answers(self) -> usize {
        self.names.len() + self.may_be_none as usize
    }
}

/// The index of a branch: whoever implements [`Branch`] by hand may answer what there is not.
fn checked<B: Branch>(branch: B) -> Result<u32, BoxError> {
    let index = branch.index();
    if (index as usize) < B::NAMES.len() {
        return Ok(index);
    }
    let ty = core::any::type_name::<B>();
    let n = B::NAMES.len();
    Err(format!("`{ty}` has {n} branches, and answers number {index}").into())
}

impl Output for () {
    const INTO_ANSWER: IntoAnswer<Self> = IntoAnswer {
        index: |()| Ok(1),
        branches: None,
    };
}

/// The return type of a function pointer: names `!`, which has no name of its own on the stable compiler.
trait Returns {
    type Type;
}

impl<T> Returns for fn() -> T {
    type Type = T;
}

/// What a closure may return: as a function, or nothing at all, as `|| panic!()`.
///
/// Apart from [`Output`], which users implement: the compiler takes `!`, which has no name, for any type of theirs.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "not a return type of a system",
    note = "a system returns `()`, `bool`, an enum with `#[derive(Branch)]`, or a `Result` of one of these and `E`, where `E` is an error that can be sent, as `BoxError`"
)]
pub trait ClosureOutput: Sized {
    /// What becomes of it.
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

/// A branch, or none of them: then nothing runs that waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maybe<B>(pub(crate) Option<B>);

impl<B> Maybe<B> {
    /// The branch, if there is one.
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
