//! Outcomes of events.

use core::fmt;

use crate::base::position::Position;
use crate::program::event::Event;
use crate::store::found::MissingKind;
use crate::store::limits::EventLimits;
use crate::store::reason::{ExceededLimit, Reason};
use schedule::error::Panic;
use schedule::identity::Name;

/// The outcome of an event. Reported once per event, in order of arrival.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome<E: Event> {
    /// The position of the event.
    pub position: Position,
    /// The position of the event whose handler returned this one as a follow-up event. `None` for an event of the input.
    pub cause: Option<Position>,
    /// The event.
    pub event: E,
    /// The name of the handler.
    pub handler: &'static str,
    /// The answer of the handler, or the reason why there is none.
    pub result: Result<E::Answer, EventError<E::Error>>,
}

impl<E: Event> Outcome<E> {
    /// Returns whether the handler succeeded. A handler that failed or panicked may have changed records before that, unless it
    /// has the option `atomic`: then it has changed nothing.
    pub fn is_applied(&self) -> bool {
        self.result.is_ok()
    }
}

/// The reason why an event has no answer.
#[non_exhaustive]
pub enum EventError<X> {
    /// The handler did not run: a record or resource of a parameter is missing.
    Missing {
        /// The parameter.
        parameter: &'static str,
        /// The type of the record or resource.
        of: Name,
    },
    /// The handler did not run: it would insert a record whose id is above [`Record::MAX_ID`](crate::Record::MAX_ID).
    IdTooLarge {
        /// The parameter.
        parameter: &'static str,
        /// The type of the record.
        of: Name,
        /// The maximum of that type.
        max_id: u32,
    },
    /// The handler did not run: the event names more keys for a set of records than [`EventLimits::max_set_keys`] allows.
    ///
    /// [`EventLimits::max_set_keys`]: crate::EventLimits::max_set_keys
    SetTooLarge {
        /// The parameter.
        parameter: &'static str,
        /// The type of the records.
        of: Name,
        /// The maximum number of keys.
        max: u32,
    },
    /// The handler returned more follow-up events than [`EventLimits::max_per_event`] allows. None of them arrives.
    ///
    /// [`EventLimits::max_per_event`]: crate::EventLimits::max_per_event
    TooManyFollowUps {
        /// The maximum number.
        max: u32,
    },
    /// The handler returned follow-up events, but the depth of its event is [`EventLimits::max_depth`]. None of them arrives.
    ///
    /// [`EventLimits::max_depth`]: crate::EventLimits::max_depth
    FollowUpsTooDeep {
        /// The maximum depth.
        max: u32,
    },
    /// The handler did not run: the depth of this follow-up event is above [`EventLimits::max_depth`]. Only in batches of a journal that
    /// an earlier version of this crate has written.
    ///
    /// [`EventLimits::max_depth`]: crate::EventLimits::max_depth
    TooDeep {
        /// The maximum depth.
        max: u32,
    },
    /// The handler did not run: [`EventLimits::max_follow_ups`] follow-up events come before this one in its batch. Only in batches of a
    /// journal that an earlier version of this crate has written. Now such events wait for later batches.
    ///
    /// [`EventLimits::max_follow_ups`]: crate::EventLimits::max_follow_ups
    OverBudget {
        /// The maximum number of follow-up events in a batch.
        max: u32,
    },
    /// The handler did not run: two of its parameters name the same record, and one of them writes it.
    Alias {
        /// The earlier parameter.
        first: &'static str,
        /// The later one.
        second: &'static str,
        /// The type of the record.
        of: Name,
    },
    /// The handler did not run: two of its parameters name the same record, and its option `alias = skip` skips such events.
    Skipped,
    /// The handler did not run: another handler failed, and the failure policy stops the stream.
    Stopped,
    /// The handler did not run: processes have ended while they handled this event, so it is not handled again. Only in a durable
    /// stream.
    DeadLetter,
    /// The handler returned this error.
    Failed(X),
    /// The handler panicked, or the conversion of its return value did.
    Panicked(Box<Panic>),
    /// The handler did not run: something panicked before it was called. This may be a key expression, the hash of a key, or a
    /// `tracing` subscriber.
    PanickedBeforeCall(Box<Panic>),
}

impl<X> EventError<X> {
    /// Adds the names of the parameters to a reason. `case` is the index of the variant of the event.
    #[cold]
    pub(crate) fn new<E: Event<Error = X>>(
        reason: Reason,
        case: u16,
        limits: &EventLimits,
    ) -> Self {
        let arguments = E::HANDLERS[usize::from(case)].arguments.all;
        match reason {
            Reason::Missing(missing) => {
                let argument = &arguments[missing.argument()];
                let (parameter, of) = (argument.name, argument.of);
                match missing.kind() {
                    MissingKind::Absent => EventError::Missing { parameter, of },
                    MissingKind::IdTooLarge => EventError::IdTooLarge {
                        parameter,
                        of,
                        max_id: argument.max_id,
                    },
                    MissingKind::SetTooLarge => EventError::SetTooLarge {
                        parameter,
                        of,
                        max: limits.max_set_keys,
                    },
                }
            }
            Reason::Alias(first, second) => {
                let first = &arguments[first];
                EventError::Alias {
                    first: first.name,
                    second: arguments[second].name,
                    of: first.of,
                }
            }
            Reason::Exceeds(ExceededLimit::Depth) => EventError::TooDeep {
                max: limits.max_depth,
            },
            Reason::Exceeds(ExceededLimit::FollowUps) => EventError::OverBudget {
                max: limits.max_follow_ups,
            },
            Reason::Exceeds(ExceededLimit::PerEvent) => EventError::TooManyFollowUps {
                max: limits.max_per_event,
            },
            Reason::Exceeds(ExceededLimit::FollowUpDepth) => EventError::FollowUpsTooDeep {
                max: limits.max_depth,
            },
            Reason::Skipped => EventError::Skipped,
            Reason::Stopped => EventError::Stopped,
            Reason::DeadLetter => EventError::DeadLetter,
            Reason::Panicked(panic) => EventError::Panicked(panic),
            Reason::PanickedBeforeCall(panic) => EventError::PanickedBeforeCall(panic),
        }
    }

    /// Returns whether the handler failed or panicked, or code that ran before it, or whether it has ended processes.
    #[cfg(feature = "durable")]
    pub(crate) fn is_failure(&self) -> bool {
        self.has_run()
            || matches!(
                self,
                EventError::PanickedBeforeCall(_) | EventError::DeadLetter
            )
    }

    /// Describes a refusal by numbers and names that do not change between builds.
    #[cfg(feature = "durable")]
    pub(crate) fn refusal(&self) -> (u8, &'static str, &'static str) {
        match self {
            EventError::Missing { parameter, .. } => (0, parameter, ""),
            EventError::IdTooLarge { parameter, .. } => (1, parameter, ""),
            EventError::Alias { first, second, .. } => (2, first, second),
            EventError::Skipped => (3, "", ""),
            EventError::Stopped => (4, "", ""),
            EventError::SetTooLarge { parameter, .. } => (6, parameter, ""),
            EventError::TooDeep { .. } => (7, "", ""),
            EventError::OverBudget { .. } => (8, "", ""),
            EventError::TooManyFollowUps { .. } => (9, "", ""),
            EventError::FollowUpsTooDeep { .. } => (10, "", ""),
            EventError::DeadLetter => (11, "", ""),
            EventError::Failed(_) | EventError::Panicked(_) | EventError::PanickedBeforeCall(_) => {
                (5, "", "")
            }
        }
    }

    /// Returns whether the handler was called. Changes that it made before it failed or panicked remain, unless it has the
    /// option `atomic`.
    ///
    /// Returns `false` if a key expression, or other code before the call, panicked.
    pub fn has_run(&self) -> bool {
        matches!(
            self,
            EventError::Failed(_)
                | EventError::Panicked(_)
                | EventError::TooManyFollowUps { .. }
                | EventError::FollowUpsTooDeep { .. }
        )
    }

    /// Returns the error of the handler, if it returned one.
    pub fn error(&self) -> Option<&X> {
        match self {
            EventError::Failed(error) => Some(error),
            _ => None,
        }
    }
}

impl<X: fmt::Display> fmt::Display for EventError<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventError::Missing { parameter, of } => {
                write!(
                    f,
                    "the {of:?} for `{parameter}` is missing: insert it first, or use an `Option` parameter"
                )
            }
            EventError::IdTooLarge {
                parameter,
                of,
                max_id,
            } => {
                write!(
                    f,
                    "the id for `{parameter}` is above {max_id}, the maximum id of `{of}`: raise it with `max_id`, or use \
                     `key` instead of `id`"
                )
            }
            EventError::SetTooLarge { parameter, of, max } => {
                write!(
                    f,
                    "the event names more than {max} keys of `{of}` for `{parameter}`: name fewer keys, or raise the limit \
                     with `EventLimits::max_set_keys`"
                )
            }
            EventError::TooManyFollowUps { max } => {
                write!(
                    f,
                    "the handler returned more than {max} follow-up events: return fewer of them, or raise the limit with \
                     `EventLimits::max_per_event`"
                )
            }
            EventError::FollowUpsTooDeep { max } => {
                write!(
                    f,
                    "the handler returned follow-up events at depth {max}, the maximum: end the chain of follow-up events, or raise \
                     the limit with `EventLimits::max_depth`"
                )
            }
            EventError::TooDeep { max } => {
                write!(
                    f,
                    "the depth of the follow-up event is above {max}: end the chain of follow-up events, or raise the limit \
                     with `EventLimits::max_depth`"
                )
            }
            EventError::OverBudget { max } => {
                write!(
                    f,
                    "the batch has more than {max} follow-up events: return fewer of them, or raise the limit with \
                     `EventLimits::max_follow_ups`"
                )
            }
            EventError::Alias { first, second, of } => {
                write!(
                    f,
                    "`{first}` and `{second}` name the same {of:?}, and one of them writes it: to allow this, set the option `alias` of \
                     `#[handler]`"
                )
            }
            EventError::Skipped => f.write_str(
                "skipped: two parameters name the same record, and `alias = skip` is set",
            ),
            EventError::Stopped => {
                f.write_str("not handled: another event failed, and the failure policy is `Stop`")
            }
            EventError::DeadLetter => f.write_str(
                "not handled: processes have ended while they handled this event; correct the handler, and submit a new event",
            ),
            EventError::Failed(error) => error.fmt(f),
            EventError::Panicked(panic) => write!(f, "panicked: {}", panic.message()),
            EventError::PanickedBeforeCall(panic) => {
                write!(
                    f,
                    "panicked before the handler was called: {}",
                    panic.message()
                )
            }
        }
    }
}

impl<X: fmt::Debug> fmt::Debug for EventError<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventError::Missing { parameter, of } => {
                write!(f, "Missing({parameter:?}, {of:?})")
            }
            EventError::IdTooLarge {
                parameter,
                of,
                max_id,
            } => {
                write!(f, "IdTooLarge({parameter:?}, {of:?}, {max_id})")
            }
            EventError::SetTooLarge { parameter, of, max } => {
                write!(f, "SetTooLarge({parameter:?}, {of:?}, {max})")
            }
            EventError::TooManyFollowUps { max } => write!(f, "TooManyFollowUps({max})"),
            EventError::FollowUpsTooDeep { max } => write!(f, "FollowUpsTooDeep({max})"),
            EventError::TooDeep { max } => write!(f, "TooDeep({max})"),
            EventError::OverBudget { max } => write!(f, "OverBudget({max})"),
            EventError::Alias { first, second, of } => {
                write!(f, "Alias({first:?}, {second:?}, {of:?})")
            }
            EventError::Skipped => f.write_str("Skipped"),
            EventError::Stopped => f.write_str("Stopped"),
            EventError::DeadLetter => f.write_str("DeadLetter"),
            EventError::Failed(error) => write!(f, "Failed({error:?})"),
            EventError::Panicked(panic) => write!(f, "Panicked({:?})", panic.message()),
            EventError::PanickedBeforeCall(panic) => {
                write!(f, "PanickedBeforeCall({:?})", panic.message())
            }
        }
    }
}

impl<X: std::error::Error> std::error::Error for EventError<X> {}
