//! Runs on several threads: which systems run on which threads and when. The results must equal those of a serial run.

mod at_once;
mod auto;
mod bound;
mod dropping;
mod failing;
mod pool;
// Miri has too few threads, and is too slow for `par_iter`.
#[cfg(not(miri))]
mod rayon_pool;
mod thread;

use schedule_tests::on::On;

/// The executors for the tests of this folder.
const ON: &[On] = if cfg!(miri) { On::PARALLEL } else { On::ALL };

/// Number of consecutive runs for tests in which a single run can succeed by chance.
const N_RUNS: usize = if cfg!(miri) { 1 } else { 100 };

/// The numbers of threads of pools in which systems run at the same time.
const POOL_SIZES: &[usize] = if cfg!(miri) { &[2] } else { &[2, 4] };
