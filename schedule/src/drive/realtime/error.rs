//! Errors of real-time options.

use core::fmt;
use std::error::Error;
use std::io::{self, ErrorKind};

use rayon::ThreadPoolBuildError;

use super::Priority;

/// An option of a thread that could not be set.
#[derive(Debug)]
#[non_exhaustive]
pub enum RealtimeError {
    /// The priority could not be set.
    #[non_exhaustive]
    Priority {
        /// The priority.
        priority: Priority,
        /// The reason.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The processors could not be set.
    #[non_exhaustive]
    Processors {
        /// The processors.
        processors: Vec<usize>,
        /// The error of the system. `None` if the system cannot have such a processor.
        cause: Option<io::Error>,
    },
    /// The threads could not be created.
    Pool(ThreadPoolBuildError),
}

impl RealtimeError {
    pub(super) fn priority(priority: Priority, text: impl Into<String>) -> Self {
        Self::Priority {
            priority,
            cause: text.into().into(),
        }
    }

    pub(super) fn of_system(priority: Priority, error: &thread_priority::Error) -> Self {
        match error {
            thread_priority::Error::OS(code) => Self::Priority {
                priority,
                cause: io::Error::from_raw_os_error(*code).into(),
            },
            thread_priority::Error::PriorityNotInRange(range) => {
                let (first, last) = (range.start(), range.end());
                Self::priority(priority, format!("it must be from {first} to {last}"))
            }
            other => Self::priority(priority, format!("{other:?}")),
        }
    }

    pub(super) fn processors(processors: &[usize], cause: Option<io::Error>) -> Self {
        Self::Processors {
            processors: processors.to_vec(),
            cause,
        }
    }
}

impl fmt::Display for RealtimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Priority { priority, cause } => {
                write!(
                    f,
                    "the priority `{priority}` of a thread cannot be set: {cause}"
                )?;
                let io = cause.downcast_ref::<io::Error>();
                let is_permission = io.is_some_and(|io| io.kind() == ErrorKind::PermissionDenied);
                if is_permission && cfg!(target_os = "linux") {
                    f.write_str("; the process needs the capability `CAP_SYS_NICE`")?;
                    if matches!(priority, Priority::Fifo(_) | Priority::RoundRobin(_)) {
                        let value = priority.value();
                        write!(f, ", or a limit of at least {value} by `ulimit -r`")?;
                    }
                }
                Ok(())
            }
            Self::Processors { processors, cause } => {
                write!(f, "the processors {processors:?} of a thread cannot be set")?;
                match cause {
                    Some(cause) if cause.kind() == ErrorKind::Unsupported => {
                        f.write_str(": this is only possible on Linux")
                    }
                    Some(cause) => write!(
                        f,
                        ": {cause}; at least one of them must exist, and the process must be allowed to use it"
                    ),
                    None => f.write_str(": the numbers of processors must be below 1024"),
                }
            }
            Self::Pool(error) => write!(f, "the threads of a pool cannot be created: {error}"),
        }
    }
}

impl Error for RealtimeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Priority { cause, .. } => Some(&**cause),
            Self::Processors { cause, .. } => {
                cause.as_ref().map(|cause| cause as &(dyn Error + 'static))
            }
            Self::Pool(error) => Some(error),
        }
    }
}
