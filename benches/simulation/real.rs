//! Real runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::pinning::{Pinning, Seat};
use benches::quantile::median;
use benches::workload::Workload;
use rayon::ThreadPool;
use schedule::{Executor, Resources, Schedule};

/// This thread and one helper, each pinned to its own processor if possible.
pub(crate) struct Threads {
    pool: Arc<ThreadPool>,
}

/// The duration of the runs before a measurement, and of the measurement.
const WARM: Duration = Duration::from_millis(50);
const MEASURED: Duration = Duration::from_millis(300);
/// The minimum number of runs, even if they take longer.
const LEAST_RUNS: usize = 50;

impl Threads {
    pub(crate) fn new() -> Self {
        let pinning = Pinning::of_two();
        pinning.enrol(Seat::First);
        // The calling thread is a worker, so at most one thread of the pool joins it.
        let pool = pinning.pool([Seat::Second, Seat::Second]);
        pinning.set(pinning.is_possible());
        Self { pool }
    }

    /// The time of a run with one or two workers, right after other runs.
    pub(crate) fn median(
        &self,
        workload: &Workload,
        schedule: &mut Schedule,
        n_workers: usize,
    ) -> Duration {
        schedule.set_pool(Arc::clone(&self.pool));
        schedule.set_executor(match n_workers {
            1 => Executor::Serial,
            _ => Executor::Parallel,
        });
        let mut resources = Resources::new();
        for name in workload.resources() {
            resources.insert_named(name, ());
        }
        let mut run = || {
            let start = Instant::now();
            let result = schedule.run(&mut resources);
            result.expect("no resource is missing, and no system fails");
            start.elapsed()
        };
        let begin = Instant::now();
        while begin.elapsed() < WARM {
            run();
        }
        let begin = Instant::now();
        let mut times = Vec::new();
        while begin.elapsed() < MEASURED || times.len() < LEAST_RUNS {
            times.push(run());
        }
        median(times)
    }
}
