//! Failures of a run.

use core::any::Any;
use core::fmt;
use core::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::escape::shown;
use crate::base::identity::Name;
use crate::base::place::SystemPlace;
use crate::base::user_value::UserValue;
use crate::data::access::ResourceId;
use crate::data::message::MessagesFull;
use crate::data::output::BoxError;
use crate::data::param::JoinFailure;
use crate::data::reported::Reported;
use crate::declare::problem::TargetError;

/// The failure of a run. The schedule can run again.
///
/// # Panics of user code
///
/// If a system, a condition or a command panics, `run` does not panic. The panic is reported here as [`Cause::Panic`]
/// or [`Cause::CommandPanic`].
///
/// Values can panic when they are dropped, also after another panic. Examples are commands that were recorded after one
/// that panics. Other examples are events in flight when the outcome callback of a `Stream` (crate `schedule-stream`)
/// panics. The library drops such values one at a time, so this does not abort the process. The first panic is
/// reported. Later ones are dropped with their payloads.
///
/// The same holds for values that a [`Schedule`](crate::Schedule), [`Resources`](crate::Resources), or the `Records`,
/// `Inbox` and `Arrivals` of `schedule-stream` drop. All values are dropped, and then the first panic continues, unless
/// the thread already unwinds.
///
/// Rust itself still aborts if a value that your code drops panics while your code unwinds. Such values are the
/// variables of a function that panics, the elements of a `Vec` that an iterator owns, and an `Outcome` that a callback
/// owns.
///
/// ```
/// use schedule::prelude::*;
///
/// struct Fragile;
///
/// impl Drop for Fragile {
///     fn drop(&mut self) {
///         panic!("in drop");
///     }
/// }
///
/// #[system]
/// fn record(mut commands: Commands) {
///     commands.push(|_| panic!("in a command"));
///     for fragile in [Fragile, Fragile] {
///         commands.push(move |_| drop(fragile));
///     }
/// }
///
/// let mut frame = Schedule::builder().add::<record>().build()?;
/// let error = frame.run(&mut Resources::new()).unwrap_err();
/// let [failure] = error.failures() else { panic!("one system fails") };
/// assert_eq!(failure.cause.to_string(), "a command panicked: in a command");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[non_exhaustive]
pub enum RunError {
    /// The run was refused, because required resources are missing. Contains each of them once. Resources that only systems with
    /// [`MissingPolicy::Skip`](crate::MissingPolicy::Skip) require are not included.
    ///
    /// Only systems that run [`always`](crate::Builder::always) ran, if their own resources exist.
    Missing(MissingResources),
    /// All systems ran except the failed ones and the ones skipped because of them. See [`FailurePolicy`](crate::FailurePolicy).
    ///
    /// Resources hold the writes of the finished systems. A system that panicked may have left its own writes
    /// incomplete.
    Failed {
        /// The failures, in schedule order.
        failures: Reported<Failure>,
        /// The systems that did not run because another system failed, in schedule order.
        skipped: Reported<Arc<SystemPlace>>,
    },
}

impl RunError {
    /// Returns the skipped systems. Empty if the run was refused.
    pub fn skipped(&self) -> &[Arc<SystemPlace>] {
        match self {
            RunError::Missing(_) => &[],
            RunError::Failed { skipped, .. } => skipped,
        }
    }

    /// Returns the failures. If the run was refused, those of the systems that run [`always`](crate::Builder::always).
    pub fn failures(&self) -> &[Failure] {
        match self {
            RunError::Missing(missing) => &missing.failures,
            RunError::Failed { failures, .. } => failures,
        }
    }
}

impl std::error::Error for RunError {}

/// Prints the same as `Display`, because `main` prints a returned error with `Debug`.
impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Missing(missing) => missing.fmt(f),
            RunError::Failed { failures, skipped } => {
                write_failures(failures, f)?;
                write_systems("skipped", skipped, f)
            }
        }
    }
}

fn write_failures(failures: &[Failure], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match failures.len() {
        1 => write!(f, "1 system failed")?,
        n => write!(f, "{n} systems failed")?,
    }
    failures.iter().try_for_each(|one| write!(f, "\n  {one}"))
}

fn write_systems(
    heading: &str,
    systems: &[Arc<SystemPlace>],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (i, system) in systems.iter().enumerate() {
        match i {
            0 => write!(f, "\n{heading}: ")?,
            _ => f.write_str(", ")?,
        }
        write!(f, "{system}")?;
    }
    Ok(())
}

/// The resources that a refused run misses, and the systems that ran nevertheless. Dereferences to the list of resources.
#[derive(Debug)]
#[non_exhaustive]
pub struct MissingResources {
    /// The missing resources, each once.
    pub resources: Vec<MissingResource>,
    /// The systems, conditions and loops that ran because they are marked [`always`](crate::Builder::always), in schedule
    /// order. Failed ones are included.
    pub ran: Vec<Arc<SystemPlace>>,
    /// Their failures, in schedule order.
    pub failures: Reported<Failure>,
}

impl Deref for MissingResources {
    type Target = Vec<MissingResource>;

    fn deref(&self) -> &Vec<MissingResource> {
        &self.resources
    }
}

impl fmt::Display for MissingResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.resources.len() {
            1 => write!(f, "1 resource is missing; ")?,
            n => write!(f, "{n} resources are missing; ")?,
        }
        f.write_str(if self.ran.is_empty() {
            "no system ran"
        } else {
            "only systems that run `always` ran"
        })?;
        let mut resources = self.resources.iter();
        resources.try_for_each(|one| write!(f, "\n{one}"))?;
        write_systems("ran", &self.ran, f)?;
        if !self.failures.is_empty() {
            f.write_str("\n")?;
            write_failures(&self.failures, f)?;
        }
        Ok(())
    }
}

/// A resource that systems require and that a run does not find.
#[derive(Debug)]
#[non_exhaustive]
pub struct MissingResource {
    /// The name of the resource.
    pub resource: String,
    /// Whether the resource is identified by a name instead of a type.
    pub is_named: bool,
    /// Whether it is a main-thread value.
    pub is_main_thread: bool,
    /// Whether it exists, but belongs to another thread than the one that called `run`.
    pub is_on_another_thread: bool,
    /// Whether a system that requires it writes it.
    pub is_written: bool,
    /// The method of [`Resources`](crate::Resources) that inserts it, if that is not `insert`:
    /// [`insert_state`](crate::Resources::insert_state).
    pub insert: Option<&'static str>,
    /// The systems that require it, each once, in schedule order.
    pub needed_by: Vec<SystemPlace>,
}

impl fmt::Display for MissingResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resource = shown(&self.resource);
        if self.is_main_thread {
            write!(f, "  main-thread value `{resource}`, needed by")?;
        } else {
            write!(f, "  `{resource}`, needed by")?;
        }
        match self.needed_by.as_slice() {
            [only] => write!(f, " {only}")?,
            several => several
                .iter()
                .try_for_each(|system| write!(f, "\n      {system}"))?,
        }
        f.write_str("\n      help: ")?;
        if self.is_on_another_thread {
            f.write_str("it is on another thread: call `run` on the thread that inserted it")
        } else if self.is_main_thread {
            write!(
                f,
                "insert it on the thread that calls `run`: `resources.main_thread().insert(…)`"
            )
        } else {
            f.write_str("insert it before the run")?;
            if let Some(method) = self.insert {
                write!(f, ", with `resources.{method}(…)`")?;
            }
            let is_of_library = self.needed_by.iter().all(SystemPlace::is_of_library);
            match (self.is_named || is_of_library, self.is_written) {
                (true, _) => Ok(()),
                (false, true) => write!(f, ", or take `Option<&mut {resource}>`"),
                (false, false) => write!(f, ", or take `Option<&{resource}>`"),
            }
        }
    }
}

/// A system that failed, and the cause.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The system.
    pub system: Arc<SystemPlace>,
    /// The cause of the failure.
    pub cause: Cause,
}

/// The source is the error that the system returned, if any. The text of the failure includes its text.
impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::Error(error) => Some(&**error),
            Cause::Panic(_)
            | Cause::CommandPanic(_)
            | Cause::MissedCommands { .. }
            | Cause::JoinPanic(_)
            | Cause::Full(_)
            | Cause::Request(_)
            | Cause::Missing(_)
            | Cause::Absent(_)
            | Cause::TooManyIterations(_) => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.system, self.cause)
    }
}

impl From<JoinFailure> for Cause {
    fn from(failure: JoinFailure) -> Self {
        match failure {
            JoinFailure::Panic(payload) => Self::JoinPanic(Panic::new(payload)),
            JoinFailure::Full(full) => Self::Full(full),
        }
    }
}

/// The cause of a failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The system returned this error.
    Error(BoxError),
    /// The system panicked.
    Panic(Panic),
    /// A command of the system panicked. Earlier commands were applied, and later ones were dropped.
    CommandPanic(Panic),
    /// Commands of the system had no effect, and the policy is [`MissedCommandPolicy::Fail`](crate::MissedCommandPolicy::Fail). Its other commands were applied.
    MissedCommands {
        /// The number of these commands.
        n: usize,
        /// Describes the first one.
        first: String,
    },
    /// [`Foldable::join`](crate::param::Foldable::join) of a partial result of the system panicked.
    JoinPanic(Panic),
    /// The queue of the messages that the system wrote is full. They were dropped. No system is skipped because of this, so that readers
    /// can make room.
    Full(MessagesFull),
    /// The system has requested something that the schedule does not have, for its next run. Contains the errors of all of its requests.
    /// See [`NextRun`](crate::param::NextRun).
    Request(Vec<RequestError>),
    /// A resource is missing that existed at the start of the run, or that commands should have inserted. The system
    /// did not run.
    Missing(ResourceId),
    /// A resource is missing, and the system is skipped without it: [`MissingPolicy::Skip`](crate::MissingPolicy::Skip). The system did not run.
    Absent(ResourceId),
    /// The condition of a loop was still true after this number of iterations. See
    /// [`Builder::at_most`](crate::Builder::at_most).
    TooManyIterations(u64),
}

impl Cause {
    /// Whether the system did not run, because it misses a resource.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Cause::Missing(_) | Cause::Absent(_))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Error(error) => error.fmt(f),
            Cause::Panic(panic) => write!(f, "panicked: {}", panic.message()),
            Cause::CommandPanic(panic) => write!(f, "a command panicked: {}", panic.message()),
            Cause::MissedCommands { n, first } => match n - 1 {
                0 => f.write_str(first),
                n_more => write!(f, "{first}, and {n_more} more"),
            },
            Cause::Full(full) => full.fmt(f),
            Cause::JoinPanic(panic) => write!(f, "joining a fold panicked: {}", panic.message()),
            Cause::Request(errors) => {
                for (i, error) in errors.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "\n    " })?;
                    error.fmt(f)?;
                }
                Ok(())
            }
            Cause::Missing(name) => write!(
                f,
                "resource {name:?} is missing: it was removed during the run, or the system that should insert it did not"
            ),
            Cause::Absent(name) => write!(
                f,
                "resource {name:?} is missing: the system does not run until it is inserted"
            ),
            Cause::TooManyIterations(1) => f.write_str("the loop reached its limit of 1 iteration"),
            Cause::TooManyIterations(n) => {
                write!(f, "the loop reached its limit of {n} iterations")
            }
        }
    }
}

/// The error of a request of [`NextRun`](crate::param::NextRun).
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// The target of `enable`, `disable` or `set_enabled` matches no node of the schedule, or several nodes.
    Target(TargetError),
    /// The rate of `set_period` is not a resource.
    MissingRate(Name),
}

impl std::error::Error for RequestError {}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Target(error) => error.fmt(f),
            RequestError::MissingRate(rate) => write!(
                f,
                "`{}` is not a resource, so its period cannot be set for the next run",
                shown(rate)
            ),
        }
    }
}

/// The payload of a panic.
pub struct Panic {
    payload: PanicValue,
}

/// The original payload. Its text is not copied.
enum PanicValue {
    Literal(&'static str),
    Text(String),
    /// In a mutex, so that threads can share errors. A payload need not be `Sync`.
    Other(Mutex<UserValue<Box<dyn Any + Send>>>),
}

impl Panic {
    pub(crate) fn new(payload: Box<dyn Any + Send>) -> Self {
        let payload = payload
            .downcast()
            .map(|text| PanicValue::Literal(*text))
            .or_else(|payload| payload.downcast().map(|text| PanicValue::Text(*text)))
            .unwrap_or_else(|payload| PanicValue::Other(Mutex::new(UserValue::new(payload))));
        Self { payload }
    }

    /// Returns the panic message, if it is a text.
    pub fn message(&self) -> &str {
        match &self.payload {
            PanicValue::Literal(text) => text,
            PanicValue::Text(text) => text,
            PanicValue::Other(_) => "the panic value is not a string",
        }
    }

    /// Returns the payload, for [`resume_unwind`](std::panic::resume_unwind).
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        match self.payload {
            PanicValue::Literal(text) => Box::new(text),
            PanicValue::Text(text) => Box::new(text),
            PanicValue::Other(payload) => {
                let payload = payload.into_inner();
                payload.unwrap_or_else(PoisonError::into_inner).into_inner()
            }
        }
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panic({:?})", self.message())
    }
}
