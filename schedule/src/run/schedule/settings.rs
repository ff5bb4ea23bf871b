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
    /// is the default: the time is unknown, and [`Executor::Auto`] [learns](Self::learn_period) it.
    ///
    /// After a pause, a helper needs 10 µs to some 100 µs to wake up, so a short run ends before it arrives. With a period, a dedicated
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

    /// Determines whether [`Executor::Auto`] learns the period of a schedule that runs at a steady rate. The default is `true`.
    ///
    /// A rate is steady if 16 runs begin on time. They may be off by a sixteenth of the period, and the period must be from 2 ms to 1 s. If
    /// helpers are expected to make the runs faster, the executor then acts as if this period were [set](Self::set_period). After 4
    /// wake-ups in a row for which no run began in time, it gives up, and learns anew from four times as many runs.
    /// [`PeriodReport::is_learned`](crate::report::PeriodReport::is_learned) tells whether the period in the report was learned.
    ///
    /// A period that is set replaces the learned one.
    pub fn learn_period(&mut self, is_learned: bool) {
        self.execution.learn_period(is_learned);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rayon::ThreadPoolBuilder;

    use super::*;
    use crate::base::cost::Cost;
    use crate::data::resource::Resources;

    #[derive(schedule_macros::Resource)]
    #[resource(crate = crate)]
    struct Count<const N: usize>(u32);

    #[schedule_macros::system(crate = crate)]
    fn count<const N: usize>(count: &mut Count<N>) {
        count.0 += 1;
    }

    const PERIOD: Duration = Duration::from_secs(1);

    impl Schedule {
        /// Sets costs of 1 ms for two systems.
        fn set_long_costs(&mut self) {
            let costs = [Cost::known(1_000_000, 1_000); 2].into_iter();
            self.execution.set_costs(costs, &self.nodes, &self.plan);
        }
    }

    /// Two systems that are known to take 1 ms each.
    fn frame() -> Schedule {
        let mut frame = Schedule::builder()
            .add::<count<0>>()
            .add::<count<1>>()
            .build()
            .unwrap();
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        frame.set_pool(Arc::new(pool));
        frame.set_long_costs();
        frame
    }

    /// Ends a run at a steady rate, without running the systems, whose costs would change. Returns the period that was learned.
    fn learned(frame: &mut Schedule) -> Option<Duration> {
        frame
            .execution
            .end_steady_run(PERIOD, &frame.nodes, &frame.plan);
        let period = frame.report().period?;
        let is_named = period.to_string().starts_with("learned period 1s: ");
        assert_eq!(is_named, period.is_learned, "{period}");
        period.is_learned.then_some(period.period)
    }

    #[test]
    fn a_steady_rate_is_learned_by_auto_only() {
        let mut frame = frame();
        assert_eq!(frame.report().period, None);
        assert_eq!(learned(&mut frame), Some(PERIOD));
        assert_eq!(learned(&mut frame), Some(PERIOD));
        for executor in [Executor::Serial, Executor::Parallel] {
            frame.set_executor(executor);
            assert_eq!(learned(&mut frame), None, "{executor:?}");
        }
    }

    #[test]
    fn systems_that_are_faster_on_one_thread_need_no_period() {
        let mut frame = frame();
        let costs = [Cost::known(10, 1_000); 2].into_iter();
        frame.execution.set_costs(costs, &frame.nodes, &frame.plan);
        assert_eq!(learned(&mut frame), None);
    }

    #[test]
    fn learning_can_be_switched_off() {
        let mut frame = frame();
        assert_eq!(learned(&mut frame), Some(PERIOD));
        frame.learn_period(false);
        assert_eq!(frame.report().period, None);
        assert_eq!(learned(&mut frame), None);
        frame.set_long_costs();
        assert_eq!(learned(&mut frame), None, "other costs");
        frame.learn_period(true);
        assert_eq!(learned(&mut frame), Some(PERIOD));
    }

    #[test]
    fn a_set_period_replaces_the_learned_one_and_stays() {
        let mut frame = frame();
        assert_eq!(learned(&mut frame), Some(PERIOD));
        frame.set_period(2 * PERIOD);
        assert_eq!(learned(&mut frame), None);
        assert_eq!(frame.report().period.unwrap().period, 2 * PERIOD);
        frame.learn_period(false);
        frame.set_executor(Executor::Serial);
        assert!(frame.report().period.is_some());
    }

    #[test]
    fn a_frame_runs_while_its_period_is_learned() {
        let mut frame = frame();
        let mut resources = Resources::new();
        resources.insert(Count::<0>(0));
        resources.insert(Count::<1>(0));
        for _ in 0..5 {
            learned(&mut frame);
            frame.run(&mut resources).unwrap();
        }
        assert_eq!(resources.get::<Count<0>>().unwrap().0, 5);
        assert_eq!(resources.get::<Count<1>>().unwrap().0, 5);
    }
}
