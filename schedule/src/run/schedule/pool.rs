//! The pool of the runs.

use std::sync::Arc;

use rayon::ThreadPool;

use super::Schedule;

impl Schedule {
    /// Sets the pool that provides helper threads for the thread that calls `run`. The default is the pool of that
    /// thread, or the global pool of rayon if the thread is in no pool.
    ///
    /// With a pool of n threads, up to n systems run at once, one of them on the thread that calls `run`. A `Streaming`
    /// parameter (crate `schedule-stream`) takes its helpers from the same pool, and `Query::par_for_each` (crate
    /// `schedule-hecs`) its threads.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use schedule::prelude::*;
    ///
    /// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(4).build()?);
    /// let mut frame = Schedule::builder().build()?;
    /// frame.set_pool(pool);
    /// frame.run(&mut Resources::new())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Calls of rayon in systems
    ///
    /// A call of rayon, such as `par_iter`, uses the pool of its thread. A system on a helper uses this pool. **A system on the thread that
    /// calls `run` uses the global pool**, unless that thread belongs to another pool. rayon has no function that makes a thread use an
    /// existing pool without moving the work to another thread. Moving each system would take longer than most systems.
    ///
    /// There are three ways to use one pool for all calls of rayon:
    ///
    /// - The thread that calls `run` belongs to the pool: `ThreadPoolBuilder::use_current_thread`. This costs nothing in a run, and works
    ///   for all executors and for main-thread systems. A thread can belong to one pool only, and belongs to it until it ends.
    /// - The run moves to a thread of the pool: [`move_to_pool`](Self::move_to_pool).
    /// - The program calls `run` in [`ThreadPool::install`], for example around its whole loop.
    ///
    /// `Query::par_for_each` on the calling thread waits until a thread of this pool is free. So do not give the pool long jobs, jobs
    /// that wait for this run, or jobs that hold a lock over a rayon call if a system takes the lock.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource, Default)]
    /// struct Threads(usize);
    ///
    /// #[system(main_thread)]
    /// fn count_threads(threads: &mut Threads) {
    ///     threads.0 = rayon::current_num_threads();
    /// }
    ///
    /// let mut frame = Schedule::builder().add::<count_threads>().build()?;
    /// // Two new threads, and this one.
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(3).use_current_thread().build()?;
    /// frame.set_pool(Arc::new(pool));
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Threads>();
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Threads>().unwrap().0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.nodes.set_pool(Some(Arc::clone(&pool)));
        self.execution.set_pool(pool);
        self.moves_to_pool = false;
    }

    /// Sets the pool as [`set_pool`](Self::set_pool) does, and moves the next runs to a thread of the pool. So all calls of rayon in
    /// systems use this pool, on each executor.
    ///
    /// The thread that calls `run` waits, and a thread of the pool runs the schedule in its place. It may be another one in each run. This
    /// takes about as long as waking a thread: 5 to 50 µs per run. If all threads of the pool are busy, the run begins when one of them is
    /// free. So these end in a deadlock:
    ///
    /// - `run` is called while a lock is held that jobs of the pool take.
    /// - A job of the pool holds a lock over a rayon call, and a system takes the lock. The thread that waits in the call may run the
    ///   schedule.
    /// - The pool has one thread, which is registered by `use_current_thread`, and another thread calls `run`.
    ///
    /// **A run stays on the thread that calls `run`** if this thread belongs to the pool, or if a system or a condition must run on this
    /// thread: it takes a [main-thread](crate::Resources::main_thread) value or `&mut Resources`, or is marked `main_thread`. Such values
    /// cannot move. For these schedules, make a pool with `use_current_thread`: see
    /// [`set_pool`](Self::set_pool). Commands of a run that has moved find no main-thread
    /// values of the calling thread, and must not insert any: the value would belong to the thread of the pool.
    ///
    /// A later call of `set_pool` ends this.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use schedule::{Executor, prelude::*};
    ///
    /// #[derive(Resource, Default)]
    /// struct Threads(usize);
    ///
    /// #[system]
    /// fn count_threads(threads: &mut Threads) {
    ///     threads.0 = rayon::current_num_threads();
    /// }
    ///
    /// let mut frame = Schedule::builder().add::<count_threads>().build()?;
    /// frame.set_executor(Executor::Serial);
    /// frame.move_to_pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build()?));
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Threads>();
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Threads>().unwrap().0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn move_to_pool(&mut self, pool: Arc<ThreadPool>) {
        self.set_pool(pool);
        self.moves_to_pool = true;
    }

    /// Calls this on a thread of the pool, unless systems use values of this thread, or this thread belongs to the pool.
    #[cold]
    pub(super) fn in_pool<R: Send>(&mut self, run: impl FnOnce(&mut Self) -> R + Send) -> R {
        let other = self
            .nodes
            .pool()
            .filter(|pool| pool.current_thread_index().is_none() && !self.nodes.need_caller());
        match other.cloned() {
            Some(pool) => pool.install(|| run(self)),
            None => run(self),
        }
    }
}
