//! Who builds.

use std::time::Duration;

use benches::random_graph::RandomGraph;

/// Declares and builds a graph once.
pub(crate) type Contender = fn(&RandomGraph) -> Times;

/// How long that took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Of the call that builds, when everything has been declared.
    pub(crate) build: Duration,
    /// With all declarations.
    pub(crate) whole: Duration,
}
