//! What a thread is to a run.

/// Who asks for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The thread that called `run`. Bound nodes are for it alone.
    Caller,
    /// A thread that helps it.
    Helper,
}
