//! Return types of handlers: answers, errors and follow-up events.

use core::convert::Infallible;

use schedule::internal::FirstPanic;
use schedule::internal::Rejected;

/// A return type of a handler: `()`, an [`Answer`], [`FollowUps`], or a `Result` of one of these.
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    label = "not a return type of a handler",
    note = "a handler returns `()`, a type that implements `Answer`, `FollowUps<Event, …>`, or a `Result` of one of these",
    note = "for an answer of this program, write `impl schedule_stream::answers::Answer for Receipt {{}}`, with its type instead of `Receipt`"
)]
pub trait Reaction: Sized + 'static {
    /// The answer.
    type Answer;
    /// The error.
    type Error;
    /// The follow-up events.
    type Next;

    #[doc(hidden)]
    fn into_parts(self) -> Result<(Self::Answer, Self::Next), Self::Error>;
}

/// The return type of a handler that cannot fail, or the `Ok` type of its `Result`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a handler",
    label = "not an answer of a handler",
    note = "write `impl schedule_stream::answers::Answer for {Self} {{}}`, or return `()`"
)]
pub trait Success: Sized + 'static {
    /// The answer.
    type Answer;
    /// The follow-up events.
    type Next;

    #[doc(hidden)]
    fn into_parts(self) -> (Self::Answer, Self::Next);
}

/// A value that handlers return and outcomes contain.
pub trait Answer: Send + Sized + 'static {}

macro_rules! answers {
    ($($ty:ty),*) => { $(impl Answer for $ty {})* };
}

answers!(
    bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, String
);

/// An answer with follow-up events, which arrive later: see [`Stream::process`](crate::Stream::process) and
/// [`Stream::process_arrivals`](crate::Stream::process_arrivals) for their positions.
///
/// ```
/// use schedule_stream::FollowUps;
///
/// let then = FollowUps::events([1, 2]);
/// assert_eq!(then.answering("done").events.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUps<E, A = ()> {
    /// The follow-up events, in order of arrival.
    pub events: Vec<E>,
    /// The answer.
    pub answer: A,
}

impl<E> FollowUps<E> {
    /// Creates follow-up events without an answer.
    pub fn events(events: impl IntoIterator<Item = E>) -> Self {
        Self {
            events: events.into_iter().collect(),
            answer: (),
        }
    }
}

impl<E, A> FollowUps<E, A> {
    /// Replaces the answer.
    pub fn answering<B>(self, answer: B) -> FollowUps<E, B> {
        FollowUps {
            events: self.events,
            answer,
        }
    }
}

/// No answer, or no follow-up events.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// An answer of this type.
#[derive(Clone, Copy, Debug)]
pub struct Given<T>(pub(crate) T);

/// An error of this type.
#[derive(Clone, Copy, Debug)]
pub struct Raised<X>(pub(crate) X);

/// Events of this type.
#[derive(Clone, Debug)]
pub struct Following<E>(pub(crate) Vec<E>);

impl<E> Drop for Following<E> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(core::mem::take(&mut self.0));
        panics.resume_from_drop();
    }
}

impl Success for () {
    type Answer = Nothing;
    type Next = Nothing;

    #[inline(always)]
    fn into_parts(self) -> (Nothing, Nothing) {
        (Nothing, Nothing)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Answer> Success for T {
    type Answer = Given<T>;
    type Next = Nothing;

    #[inline(always)]
    fn into_parts(self) -> (Given<T>, Nothing) {
        (Given(self), Nothing)
    }
}

impl<E: 'static, A: Success<Next = Nothing>> Success for FollowUps<E, A> {
    type Answer = A::Answer;
    type Next = Following<E>;

    fn into_parts(self) -> (A::Answer, Following<E>) {
        (self.answer.into_parts().0, Following(self.events))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Success> Reaction for T {
    type Answer = T::Answer;
    type Error = Infallible;
    type Next = T::Next;

    #[inline(always)]
    fn into_parts(self) -> Result<(T::Answer, T::Next), Infallible> {
        Ok(Success::into_parts(self))
    }
}

impl<T: Success, X: 'static> Reaction for Result<T, X> {
    type Answer = T::Answer;
    type Error = Raised<X>;
    type Next = T::Next;

    #[inline(always)]
    fn into_parts(self) -> Result<(T::Answer, T::Next), Raised<X>> {
        match self {
            Ok(success) => Ok(success.into_parts()),
            Err(error) => Err(Raised(error)),
        }
    }
}

impl Reaction for Rejected {
    type Answer = Infallible;
    type Error = Infallible;
    type Next = Nothing;

    fn into_parts(self) -> Result<(Infallible, Nothing), Infallible> {
        unreachable!("a rejected handler is never called")
    }
}

/// A part of a return type that converts into the answer of a stream.
#[diagnostic::on_unimplemented(
    message = "the return type of this handler cannot be converted into `{A}`, the answer of the event",
    label = "cannot be converted",
    note = "name the type that the handler returns in `#[event(answer = …)]`, or a type that implements `From` of it",
    note = "if a handler returns nothing, the answer must implement `Default`"
)]
pub trait BecomesAnswer<A> {
    #[doc(hidden)]
    fn into_answer(self) -> A;
}

#[diagnostic::do_not_recommend]
impl<A: Default> BecomesAnswer<A> for Nothing {
    #[inline(always)]
    fn into_answer(self) -> A {
        A::default()
    }
}

impl<A> BecomesAnswer<A> for Infallible {
    fn into_answer(self) -> A {
        match self {}
    }
}

#[diagnostic::do_not_recommend]
impl<T, A: From<T>> BecomesAnswer<A> for Given<T> {
    #[inline(always)]
    fn into_answer(self) -> A {
        self.0.into()
    }
}

/// A part of a return type that converts into the error of a stream.
#[diagnostic::on_unimplemented(
    message = "the error of this handler cannot be converted into `{X}`, the error of the event",
    label = "cannot be converted",
    note = "name the error of the handler in `#[event(error = …)]`, or a type that implements `From` of it"
)]
pub trait BecomesError<X> {
    #[doc(hidden)]
    fn into_error(self) -> X;
}

impl<X> BecomesError<X> for Infallible {
    fn into_error(self) -> X {
        match self {}
    }
}

#[diagnostic::do_not_recommend]
impl<T, X: From<T>> BecomesError<X> for Raised<T> {
    #[inline(always)]
    fn into_error(self) -> X {
        self.0.into()
    }
}

/// A part of a return type that converts into events of a stream.
#[diagnostic::on_unimplemented(
    message = "the follow-up events of this handler cannot be converted into `{E}`, the event of the stream",
    label = "cannot be converted",
    note = "implement `From` for `{E}`"
)]
pub trait BecomesEvents<E> {
    #[doc(hidden)]
    fn into_events(self) -> Option<Box<[E]>>;
}

impl<E> BecomesEvents<E> for Nothing {
    #[inline(always)]
    fn into_events(self) -> Option<Box<[E]>> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T, E: From<T>> BecomesEvents<E> for Following<T> {
    fn into_events(mut self) -> Option<Box<[E]>> {
        let mut panics = FirstPanic::default();
        let mut events = Vec::with_capacity(self.0.len());
        for event in core::mem::take(&mut self.0) {
            if panics.is_none() {
                events.extend(panics.call(|| E::from(event)))
            } else {
                panics.drop(event)
            }
        }
        if !panics.is_none() {
            panics.drop_each(core::mem::take(&mut events));
            panics.resume();
        }
        (!events.is_empty()).then(|| events.into_boxed_slice())
    }
}
