//! The interface of contenders.

use std::time::Duration;

use benches::random_graph::RandomGraph;

/// Declares and builds a graph once.
pub(crate) type Contender = fn(&RandomGraph) -> Times;

/// The duration of a build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// The duration of the call that builds, without declarations.
    pub(crate) build: Duration,
    /// The duration including all declarations.
    pub(crate) whole: Duration,
}
