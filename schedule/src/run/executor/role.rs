//! The role of a thread in a run.

/// The role of a thread in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The thread that called `run`. Only the caller runs bound nodes.
    Caller,
    /// A thread of the pool that takes part.
    Helper,
}
