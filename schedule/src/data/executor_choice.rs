//! The executor that a user chooses for a schedule.

/// Selects how a schedule runs. The results are the same.
///
/// `executor serial` in [`schedule!`](crate::schedule!), [`Builder::executor`](crate::Builder::executor) and
/// [`Schedule::set_executor`](crate::Schedule::set_executor) set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Executor {
    /// Selects the fastest mode for each run, serial or parallel, by measured costs of systems.
    ///
    /// On `wasm32-unknown-unknown` this is `Serial`: see [`set_time_source`](crate::rate::set_time_source).
    ///
    /// A run stays on the calling thread if helpers would not make it faster. Then it costs as much as a loop over the
    /// systems. Several threads are used only if the work divided by the critical path is at least 1.1, or before costs
    /// are measured. Short systems are handed to threads in groups, since handing out each of them would cost more than
    /// it saves.
    #[default]
    Auto,
    /// One system after the other, on the thread that calls `run`.
    Serial,
    /// Each system starts as soon as its predecessors are completed. It runs on the thread that calls `run`, or on a
    /// thread of the pool that helps.
    Parallel,
}
