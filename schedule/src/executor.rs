//! How the nodes of a schedule come to run. `README.md` in the folder `executor` tells of several threads.

mod bits;
mod borrowed;
mod occupation;
mod parallel;
mod ready;
mod serial;
mod step;

use std::sync::Arc;

use rayon::ThreadPool;

use self::parallel::Parallel;
use crate::nodes::Nodes;
use crate::plan::Plan;
use crate::resource::Resources;

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

/// The executor of one schedule, with what it keeps from run to run.
#[derive(Default)]
pub(crate) struct Execution {
    executor: Executor,
    pool: Option<Arc<ThreadPool>>,
    /// Made by the first parallel run; `Some(None)` if there is nothing to run at once.
    parallel: Option<Option<Parallel>>,
}

impl Execution {
    pub(crate) fn set_executor(&mut self, executor: Executor) {
        self.executor = executor;
    }

    pub(crate) fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.pool = Some(pool);
        // Those who were asked for in another pool may still be about to come, and count as helpers.
        self.parallel = None;
    }

    /// There are other nodes from now on.
    pub(crate) fn renew(&mut self) {
        self.parallel = None;
    }

    /// Runs all nodes, always the same ones, which are prepared for these resources on this thread.
    pub(crate) fn run(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        if self.executor == Executor::Parallel {
            let make = || Parallel::new(nodes, plan);
            if let Some(parallel) = self.parallel.get_or_insert_with(make) {
                let n_threads = match &self.pool {
                    Some(pool) => pool.current_num_threads(),
                    None => rayon::current_num_threads(),
                };
                if n_threads > 1 {
                    let pool = self.pool.as_deref();
                    parallel.run(nodes, plan, resources, pool, n_threads as u32 - 1);
                    return;
                }
            }
        }
        serial::run(nodes, plan, resources);
    }
}
