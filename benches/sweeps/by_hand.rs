//! Loops that are written by hand, on one thread and with rayon.

mod heavy;
mod light;

use std::sync::Arc;

use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::contender::{Contender, sample};
use crate::digest::Digest;
use crate::pools::Pools;
use crate::workload::{Shape, Workload};

use self::heavy::Agents;
use self::light::Bodies;

/// Entities in vectors.
trait Entities: Send + 'static {
    /// Slices of the vectors, all from the same rows.
    type Rows<'a>: Send;

    /// The systems. Each returns the number that it adds to the sum.
    const SYSTEMS: &'static [fn(&mut Self::Rows<'_>) -> u64];

    fn rows(&mut self) -> Self::Rows<'_>;

    fn chunks<'a>(rows: Self::Rows<'a>, n_rows: usize) -> impl Iterator<Item = Self::Rows<'a>>;

    fn par_chunks<'a>(
        rows: Self::Rows<'a>,
        n_rows: usize,
    ) -> impl IndexedParallelIterator<Item = Self::Rows<'a>>;

    fn add_to_sum(&mut self, number: u64);

    fn digest(&self) -> Digest;
}

/// The order of the loops, and the threads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// System by system.
    Plain,
    /// All systems on a chunk of rows, then on the next chunk.
    Fused,
    /// System by system, each in parallel.
    ParSystems,
    /// All systems on a chunk of rows, and the chunks in parallel.
    ParChunks,
}

/// The number of rows of a chunk. The rows of `light` use 22 kB, so they stay in the first cache.
const N_ROWS_OF_CHUNK: usize = 512;

/// The same for parallel loops over one system. Tasks are longer.
const N_ROWS_OF_TASK: usize = 4_096;

struct ByHand<E> {
    entities: E,
    way: Way,
    pool: Arc<ThreadPool>,
}

impl Way {
    pub(crate) fn of(self, workload: Workload, pools: &Pools) -> Box<dyn Contender> {
        let pool = Arc::clone(&pools.peers);
        let n_entities = workload.n_entities;
        match workload.shape {
            Shape::Light => Box::new(ByHand {
                entities: Bodies::new(n_entities),
                way: self,
                pool,
            }),
            Shape::Heavy { mean_depth } => Box::new(ByHand {
                entities: Agents::new(n_entities, mean_depth),
                way: self,
                pool,
            }),
        }
    }
}

impl<E: Entities> ByHand<E> {
    fn run_here(&mut self) {
        let all = |mut rows: E::Rows<'_>| -> u64 {
            E::SYSTEMS.iter().map(|system| system(&mut rows)).sum()
        };
        let sum = match self.way {
            Way::Plain => all(self.entities.rows()),
            Way::Fused => {
                let chunks = E::chunks(self.entities.rows(), N_ROWS_OF_CHUNK);
                chunks.map(all).sum()
            }
            Way::ParSystems => {
                let systems = E::SYSTEMS.iter().map(|system| {
                    let tasks = E::par_chunks(self.entities.rows(), N_ROWS_OF_TASK);
                    tasks.map(|mut rows| system(&mut rows)).sum::<u64>()
                });
                systems.sum()
            }
            Way::ParChunks => {
                let chunks = E::par_chunks(self.entities.rows(), N_ROWS_OF_CHUNK);
                chunks.map(all).sum()
            }
        };
        self.entities.add_to_sum(sum);
    }

    /// Calls a function, in a thread of the pool if the loops use it.
    fn install<T: Send>(&mut self, call: impl FnOnce(&mut Self) -> T + Send) -> T {
        match self.way {
            Way::Plain | Way::Fused => call(self),
            Way::ParSystems | Way::ParChunks => {
                let pool = Arc::clone(&self.pool);
                pool.install(|| call(self))
            }
        }
    }
}

impl<E: Entities> Contender for ByHand<E> {
    fn run(&mut self) {
        self.install(Self::run_here);
    }

    fn digest(&mut self) -> Digest {
        self.entities.digest()
    }

    /// All runs are in one thread of the pool, as if the whole program were there.
    fn sample(&mut self, n_runs: u32) -> Vec<f64> {
        self.install(|by_hand| sample(n_runs, || by_hand.run_here()))
    }
}
