//! What went wrong in a run.

use core::any::Any;
use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::ResourceId;
use crate::escape::shown;
use crate::output::BoxError;
use crate::place::SystemPlace;
use crate::reported::Reported;
use crate::user_value::UserValue;

/// What a failed system means for the others: for a schedule, or for a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum FailurePolicy {
    /// What comes after it by an order, or was to read what it writes, is skipped; everything else runs.
    #[default]
    SkipDependents,
    /// Everything else runs.
    CarryOn,
    /// Nothing starts once the failure is seen. With several threads, what else has run by then may vary.
    Stop,
}

impl fmt::Display for FailurePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FailurePolicy {
    /// Its name in messages.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            FailurePolicy::SkipDependents => "skip dependents",
            FailurePolicy::CarryOn => "carry on",
            FailurePolicy::Stop => "stop",
        }
    }
}

/// Why a run did not go as declared. The schedule can run again.
///
/// # Panics of user code
///
/// A system, a condition or a command that panics does not panic out of `run`: the panic is reported here, as
/// [`Cause::Panic`] or [`Cause::CommandPanic`].
///
/// Values can panic as they are dropped, also after another panic: commands that were recorded after one that panics,
/// or events that are in flight when the outcome callback of a `Stream` (crate `schedule-stream`) panics. The library drops such values one
/// at a time, so this does not abort the process. The first panic is reported. Later ones are dropped, with their payloads.
/// The same holds for what a [`Schedule`](crate::Schedule), [`Resources`](crate::Resources), and the
/// `Records`, `Inbox` and `Arrivals` of `schedule-stream` drop: all values are dropped, and then the first panic goes on, unless the
/// thread unwinds already.
///
/// Rust itself still aborts if a value that your code drops panics while your code unwinds. Such values are the variables of
/// a function that panics, the elements of a `Vec` that an iterator owns, and an `Outcome` that a callback has.
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
    /// Nothing ran: some resources that systems need are not there. All of them, each once.
    Missing(Vec<MissingResource>),
    /// Everything ran but the systems that failed and those skipped on their account; see [`FailurePolicy`].
    ///
    /// Resources hold what the finished systems wrote; a system that panicked may have left its own work half done.
    Failed {
        /// In the order of the schedule.
        failures: Reported<Failure>,
        /// What did not run, since another system failed; in the order of the schedule.
        skipped: Reported<Arc<SystemPlace>>,
    },
}

impl RunError {
    /// What was skipped, if anything ran.
    pub fn skipped(&self) -> &[Arc<SystemPlace>] {
        match self {
            RunError::Missing(_) => &[],
            RunError::Failed { skipped, .. } => skipped,
        }
    }

    /// The failures, if anything ran.
    pub fn failures(&self) -> &[Failure] {
        match self {
            RunError::Missing(_) => &[],
            RunError::Failed { failures, .. } => failures,
        }
    }
}

impl std::error::Error for RunError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Missing(missing) => {
                match missing.len() {
                    1 => write!(f, "1 resource is missing; nothing has run")?,
                    n => write!(f, "{n} resources are missing; nothing has run")?,
                }
                missing.iter().try_for_each(|one| write!(f, "\n{one}"))
            }
            RunError::Failed { failures, skipped } => {
                match failures.len() {
                    1 => write!(f, "1 system failed")?,
                    n => write!(f, "{n} systems failed")?,
                }
                failures.iter().try_for_each(|one| write!(f, "\n  {one}"))?;
                for (i, system) in skipped.iter().enumerate() {
                    f.write_str(if i == 0 { "\nskipped: " } else { ", " })?;
                    system.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

/// A resource that systems need and a run does not find.
#[derive(Debug)]
#[non_exhaustive]
pub struct MissingResource {
    /// What it is called.
    pub resource: String,
    /// Known by its name, and not by its type.
    pub is_named: bool,
    /// A main-thread value.
    pub is_main_thread: bool,
    /// It is there, but belongs to another thread than the one that called `run`.
    pub is_on_another_thread: bool,
    /// One of those who need it writes it.
    pub is_written: bool,
    /// The method of [`Resources`](crate::Resources) that inserts it, if that is not `insert`:
    /// [`insert_state`](crate::Resources::insert_state).
    pub insert: Option<&'static str>,
    /// Who needs it, each once, in the order of the schedule.
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

/// A system that failed, and how.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// Which system.
    pub system: Arc<SystemPlace>,
    /// How it failed.
    pub cause: Cause,
}

/// The source is the error that the system returned, if it did; its text is in that of the failure, too.
impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::Error(error) => Some(&**error),
            Cause::Panic(_)
            | Cause::CommandPanic(_)
            | Cause::Missing(_)
            | Cause::TooManyPasses(_) => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.system, self.cause)
    }
}

/// How a system failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// It returned this error.
    Error(BoxError),
    /// It panicked.
    Panic(Panic),
    /// One of its commands panicked; those before it are done, the rest were dropped.
    CommandPanic(Panic),
    /// A resource that was there, or was to be inserted, is not there now; the system did not run.
    Missing(ResourceId),
    /// It is a loop, and its condition asked for more iterations than this limit: see [`Builder::at_most`](crate::Builder::at_most).
    TooManyPasses(u64),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Error(error) => error.fmt(f),
            Cause::Panic(panic) => write!(f, "panicked: {}", panic.message()),
            Cause::CommandPanic(panic) => write!(f, "a command panicked: {}", panic.message()),
            Cause::Missing(name) => write!(f, "resource {name:?} is missing by now"),
            Cause::TooManyPasses(1) => f.write_str("the loop was to run more than once"),
            Cause::TooManyPasses(n) => write!(f, "the loop was to run more than {n} times"),
        }
    }
}

/// What a panic carried.
pub struct Panic {
    payload: PanicValue,
}

/// As the panic carried it: its text is not copied.
enum PanicValue {
    Literal(&'static str),
    Text(String),
    /// In a mutex, so that errors can be shared between threads; a payload need not be `Sync`.
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

    /// What `panic!` was given, if it was a text.
    pub fn message(&self) -> &str {
        match &self.payload {
            PanicValue::Literal(text) => text,
            PanicValue::Text(text) => text,
            PanicValue::Other(_) => "with a value that is not a string",
        }
    }

    /// What the panic carried, for [`resume_unwind`](std::panic::resume_unwind).
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
