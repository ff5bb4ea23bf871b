//! Real runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::pinning::{Pinning, Seat};
use benches::quantile::median;
use benches::workload::Workload;
use rayon::ThreadPool;
use schedule::{Executor, Resources, Schedule};

/// This thread and one that helps it, each on a processor of its own where that can be had.
pub(crate) struct Threads {
    pool: Arc<ThreadPool>,
}

/// How long a schedule is run before it is measured, and then how long it is.
const WARM: Duration = Duration::from_millis(50);
const MEASURED: Duration = Duration::from_millis(300);
/// Even if that takes longer.
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

    /// What a run takes with one worker or with two, right after other runs.
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
            result.expect("nothing is missing, and nothing fails");
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
