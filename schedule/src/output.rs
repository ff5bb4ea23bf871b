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
    note = "a system returns `()`, `bool`, `Result<(), E>` or `Result<bool, E>`, where `E` is an error that can be sent, as `BoxError`"
)]
pub trait Output: Sized + sealed::Sealed {
    /// Makes a `bool` of it: of a condition its answer, of other systems `true`.
    ///
    /// A constant and no method, since an error about a constant underlines all of the type.
    const INTO_ANSWER: fn(Self) -> Result<bool, BoxError>;
}

impl Output for () {
    const INTO_ANSWER: fn(Self) -> Result<bool, BoxError> = |()| Ok(true);
}

impl Output for bool {
    const INTO_ANSWER: fn(Self) -> Result<bool, BoxError> = Ok;
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Output for Result<(), E> {
    const INTO_ANSWER: fn(Self) -> Result<bool, BoxError> = |output| match output {
        Ok(()) => Ok(true),
        Err(error) => Err(error.into()),
    };
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> Output for Result<bool, E> {
    const INTO_ANSWER: fn(Self) -> Result<bool, BoxError> = |output| output.map_err(Into::into);
}

#[expect(unnameable_types, reason = "nobody else may implement these")]
mod sealed {
    /// Nobody else decides what a system may return.
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for bool {}
    impl<E> Sealed for Result<(), E> {}
    impl<E> Sealed for Result<bool, E> {}
}
