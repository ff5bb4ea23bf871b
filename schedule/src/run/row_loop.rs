//! Loops over the rows of tables, which threads share if they are long enough.

use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};

use crate::base::time::Instant;
use crate::run::executor::processors::n_threads;
use crate::verify::sweeps::{CHUNK_NS, LEAST_SHARED_NS};

/// A loop over rows that remembers how long a row took in the last run.
#[derive(Debug, Default)]
pub struct RowLoop {
    /// The bits of an `f32`: nanoseconds per row in the last run. 0 before the first run.
    ns_per_row: AtomicU32,
}

/// A table with the number of its rows.
pub trait RowTable: Sync {
    /// The number of rows.
    fn n_rows(&self) -> usize;
}

/// The maximum number of rows of a chunk.
const MOST_ROWS: usize = 4_096;

/// Each thread should get at least this number of chunks, so that threads end at about the same time.
const CHUNKS_PER_THREAD: usize = 8;

/// Nanoseconds for which the first loop measures its rows before it decides whether threads share the others.
const PROBE_NS: u64 = 2_000;

impl RowLoop {
    /// Calls `rows` with the rows of all tables, each once. Uses all threads of the pool, unless the loop is so short that one thread is
    /// faster. `None`: the current pool of rayon. The decision uses the time of a row in the last run. The first run measures some rows before it decides.
    ///
    /// # Panics
    ///
    /// Panics if `rows` panics.
    pub fn run<T: RowTable>(
        &self,
        pool: Option<&ThreadPool>,
        tables: &[T],
        rows: impl Fn(&T, Range<usize>) + Sync,
    ) {
        if tables.iter().all(|table| table.n_rows() == 0) {
            return;
        }
        let mut loop_rest = LoopRest {
            pool,
            tables,
            first: 0,
        };
        let ns_per_row = match self.ns_per_row.load(Ordering::Relaxed) {
            0 => loop_rest.probe(&rows),
            bits => f64::from(f32::from_bits(bits)),
        };
        let measured = loop_rest.run(ns_per_row, &rows);
        // 1 ps at least, so that the bits are not 0.
        let ns_per_row = measured.unwrap_or(ns_per_row).max(1e-3) as f32;
        self.ns_per_row
            .store(ns_per_row.to_bits(), Ordering::Relaxed);
    }
}

/// The rows that are left of a loop.
struct LoopRest<'t, T> {
    pool: Option<&'t ThreadPool>,
    tables: &'t [T],
    /// The first row of the first table that is left.
    first: usize,
}

impl<T: RowTable> LoopRest<'_, T> {
    /// Runs rows until their time is known, or none is left. Returns nanoseconds per row.
    fn probe(&mut self, rows: &impl Fn(&T, Range<usize>)) -> f64 {
        let start = Instant::now();
        let (mut n_done, mut most) = (0, 1);
        while let [table, others @ ..] = self.tables {
            let end = table.n_rows().min(self.first + most);
            rows(table, self.first..end);
            n_done += end - self.first;
            self.first = end;
            if end == table.n_rows() {
                (self.tables, self.first) = (others, 0);
            }
            if start.elapsed().as_nanos() as u64 >= PROBE_NS {
                break;
            }
            most = MOST_ROWS.min(2 * most);
        }
        start.elapsed().as_nanos() as f64 / n_done.max(1) as f64
    }

    /// Runs the rows that are left. Returns nanoseconds per row, or `None` if no row is left.
    fn run(&self, ns_per_row: f64, rows: &(impl Fn(&T, Range<usize>) + Sync)) -> Option<f64> {
        let all: usize = self.tables.iter().map(RowTable::n_rows).sum();
        let n_rows = all - self.first;
        if n_rows == 0 {
            return None;
        }
        let n_threads = n_threads(self.pool);
        // The first row of a table of `tables`.
        let first_of = |nth: usize| if nth == 0 { self.first } else { 0 };
        let busy_ns = if n_threads == 1 || n_rows as f64 * ns_per_row < LEAST_SHARED_NS {
            let start = Instant::now();
            for (nth, table) in self.tables.iter().enumerate() {
                rows(table, first_of(nth)..table.n_rows());
            }
            start.elapsed().as_nanos() as u64
        } else {
            let of_thread = n_rows.div_ceil(CHUNKS_PER_THREAD * n_threads);
            let in_time = (CHUNK_NS / ns_per_row) as usize;
            let chunk_rows = of_thread.min(in_time).clamp(1, MOST_ROWS);
            let busy_ns = AtomicU64::new(0);
            let share = || {
                self.tables.par_iter().enumerate().for_each(|(nth, table)| {
                    let (first, end) = (first_of(nth), table.n_rows());
                    let chunks = 0..(end - first).div_ceil(chunk_rows);
                    chunks.into_par_iter().for_each(|chunk| {
                        let start = Instant::now();
                        let first = first + chunk * chunk_rows;
                        rows(table, first..(first + chunk_rows).min(end));
                        let ns = start.elapsed().as_nanos() as u64;
                        busy_ns.fetch_add(ns, Ordering::Relaxed);
                    });
                });
            };
            match self.pool {
                Some(pool) => pool.install(share),
                None => share(),
            }
            busy_ns.into_inner()
        };
        Some(busy_ns as f64 / n_rows as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    impl RowTable for usize {
        fn n_rows(&self) -> usize {
            *self
        }
    }

    #[test]
    fn each_row_is_visited_once_at_any_cost() {
        let row_loop = RowLoop::default();
        let tables = [1, 0, 10_000, 3, 4_096, 700];
        let n_rows: usize = tables.iter().sum();
        for ns_per_row in [0.0, 1e-3, 1.0, 1e3, 1e9] {
            row_loop
                .ns_per_row
                .store(f32::to_bits(ns_per_row), Ordering::Relaxed);
            let seen = Mutex::new(Vec::new());
            row_loop.run(None, &tables, |&table, rows| {
                seen.lock().unwrap().extend(rows.map(|row| (table, row)));
            });
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), n_rows);
        }
    }

    #[test]
    fn a_short_loop_stays_on_its_thread() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let row_loop = RowLoop::default();
        pool.unwrap().install(|| {
            let here = std::thread::current().id();
            for _ in 0..10 {
                row_loop
                    .ns_per_row
                    .store(f32::to_bits(1.0), Ordering::Relaxed);
                row_loop.run(None, &[10, 3], |_, _| {
                    assert_eq!(std::thread::current().id(), here)
                });
            }
        });
    }

    #[test]
    fn a_loop_of_slow_rows_is_shared_by_the_threads_of_the_pool() {
        for is_inside in [false, true] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(2)
                .thread_name(|nth| format!("rows {nth}"))
                .build()
                .unwrap();
            let row_loop = RowLoop::default();
            // Two rows wait for each other.
            let barrier = std::sync::Barrier::new(2);
            let names = Mutex::new(Vec::new());
            let run = || {
                row_loop
                    .ns_per_row
                    .store(f32::to_bits(1e9), Ordering::Relaxed);
                row_loop.run(Some(&pool).filter(|_| !is_inside), &[2], |_, rows| {
                    for _ in rows {
                        barrier.wait();
                        let name = std::thread::current().name().map(str::to_string);
                        names.lock().unwrap().push(name.unwrap());
                    }
                });
            };
            for _ in 0..3 {
                if is_inside {
                    pool.install(run);
                } else {
                    run();
                }
                let mut names = core::mem::take(&mut *names.lock().unwrap());
                names.sort_unstable();
                assert_eq!(names, ["rows 0", "rows 1"], "{is_inside}");
            }
        }
    }
}
