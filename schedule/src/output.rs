//! What a system may return.

use core::error::Error;

/// Any error, as systems return it and runs report it.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// A type that a system may return: `()`, `bool`, `Result<(), E>` or `Result<bool, E>`, where `E` is an error, or
/// anything else that becomes a `Box<dyn Error + Send + Sync>`, as `String` does.
///
/// A system that returns a `bool` is a condition.
#[diagnostic::on_unimplemented(
    message = "a system cannot return `{Self}`",
    label = "not a return type of a system",
    note = "a system returns `()`, `bool`, `Result<(), E>` or `Result<bool, E>`, where `E` is an error"
)]
pub trait Output: Sized + sealed::Output {
    /// What is left when errors are out of the way.
    type Answer: Answer;

    /// The answer as a `bool`, whatever its type.
    fn into_answer(self) -> Result<bool, BoxError>;
}

/// What a system returns when it does not fail: `()` or `bool`.
pub trait Answer: sealed::Answer + Send {
    #[doc(hidden)]
    const IS_CONDITION: bool;
    #[doc(hidden)]
    fn from_bool(answer: bool) -> Self;
}

impl Answer for () {
    const IS_CONDITION: bool = false;

    fn from_bool(_: bool) -> Self {}
}

impl Answer for bool {
    const IS_CONDITION: bool = true;

    fn from_bool(answer: bool) -> Self {
        answer
    }
}

impl Output for () {
    type Answer = ();

    fn into_answer(self) -> Result<bool, BoxError> {
        Ok(true)
    }
}

impl Output for bool {
    type Answer = bool;

    fn into_answer(self) -> Result<bool, BoxError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Output for Result<(), E> {
    type Answer = ();

    fn into_answer(self) -> Result<bool, BoxError> {
        self.map(|()| true).map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Output for Result<bool, E> {
    type Answer = bool;

    fn into_answer(self) -> Result<bool, BoxError> {
        self.map_err(Into::into)
    }
}

#[expect(unnameable_types, reason = "nobody else may implement these")]
mod sealed {
    /// Nobody else decides what a system may return.
    pub trait Output {}
    impl Output for () {}
    impl Output for bool {}
    impl<E> Output for Result<(), E> {}
    impl<E> Output for Result<bool, E> {}

    /// Nobody else decides what an answer is.
    pub trait Answer {}
    impl Answer for () {}
    impl Answer for bool {}
}
