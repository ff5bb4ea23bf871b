//! How the nodes of a schedule come to run.

mod bits;
mod borrowed;
mod occupation;
pub(crate) mod parallel;
mod ready;
pub(crate) mod serial;
mod step;

/// How a schedule runs: see [`Schedule::set_executor`](crate::Schedule::set_executor). The results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Executor {
    /// One system after the other, on the thread that calls `run`.
    Serial,
    /// Every system as soon as what comes before it is done, on the thread that calls `run` and on threads of a pool
    /// that help it.
    #[default]
    Parallel,
}
