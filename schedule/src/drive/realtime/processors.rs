//! Sets the processors of a thread.

use super::RealtimeError;

#[cfg(all(target_os = "linux", not(any(loom, miri))))]
pub(super) fn set(processors: &[usize]) -> Result<(), RealtimeError> {
    use rustix::thread::{CpuSet, sched_setaffinity};

    let mut set = CpuSet::new();
    for &processor in processors {
        if processor >= CpuSet::MAX_CPU {
            return Err(RealtimeError::processors(processors, None));
        }
        set.set(processor);
    }
    let result = sched_setaffinity(None, &set);
    result.map_err(|error| RealtimeError::processors(processors, Some(error.into())))
}

#[cfg(not(all(target_os = "linux", not(any(loom, miri)))))]
pub(super) fn set(processors: &[usize]) -> Result<(), RealtimeError> {
    let unsupported = std::io::ErrorKind::Unsupported.into();
    Err(RealtimeError::processors(processors, Some(unsupported)))
}
