//! Settings of the runs: the executor and the period.

use core::time::Duration;

use super::Schedule;
use crate::data::executor_choice::Executor;

impl Schedule {
    /// Sets the executor for the next runs. The default is [`Executor::Auto`].
    ///
    /// In [`schedule!`](crate::schedule!), `executor serial` does the same. With a builder, it is
    /// [`Builder::executor`](crate::Builder::executor).
    pub fn set_executor(&mut self, executor: Executor) {
        self.execution.set_executor(executor);
    }

    /// The executor of the next runs.
    pub fn executor(&self) -> Executor {
        self.execution.executor()
    }

    /// Sets the time from the begin of a run to the begin of the next one, for a schedule that runs at a steady rate. `None`
    /// is the default: the time is unknown.
    ///
    /// After a pause, a helper needs 10 to 100 µs to wake up, so a short run ends before it arrives. With a period, a dedicated
    /// thread wakes helpers shortly before the next run is due, if the run is expected to be faster with them. They wait for
    /// the run. If it does not begin in time, they leave, and the late run wakes helpers itself.
    ///
    /// Each waiting helper polls, at most for half of a period. It polls longer if the time between runs varies.
    /// [`Report::period`](crate::report::Report::period) contains the total processor time. The helpers are threads of the
    /// pool of [`set_pool`](Self::set_pool), or of the global pool of rayon. Without `set_pool`, no helper is woken early if
    /// `run` is called on a thread of a rayon pool.
    ///
    /// Without threads, as on `wasm32-unknown-unknown`, a period has no effect.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::prelude::*;
    ///
    /// let mut frame = Schedule::builder().build()?;
    /// frame.set_period(Duration::from_micros(16_667));
    /// frame.run(&mut Resources::new())?;
    /// let period = frame.report().period.unwrap();
    /// assert_eq!((period.n_runs, period.n_awaited), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_period(&mut self, period: impl Into<Option<Duration>>) {
        self.execution.set_period(period.into());
    }
}
