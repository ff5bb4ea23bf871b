//! The chunks of a sweep in one run, which threads share.
//!
//! Invariant: that of [`sweep`](super). A chunk is taken once, and its thread runs the members on each row in their order.
#![expect(unsafe_code, reason = "runs kernels, whose conditions executors keep")]

use core::iter::successors;
use core::ops::Range;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

use super::lock;
use crate::base::panics::{Payload, drop_caught};
use crate::base::time::Instant;
use crate::data::record::{ChunkStart, ChunkTime, RecordedRun};
use crate::run::executor::board::SharedWork;
use crate::run::executor::role::Role;
use crate::systems::system::kernels::{KernelLines, Kernels};
use crate::systems::system::{Blocks, TableBlocks, n_blocks};
use crate::verify::sweeps::{Chunks, MOST_TOGETHER, Position, SweepRows, blocks_in};

/// A member whose parameters are fetched.
pub(super) struct Member<'a> {
    blocks: &'a dyn Blocks,
    /// The next member by rank.
    later: Option<&'a Member<'a>>,
    /// The first block of the chunk in which the function panicked, or `usize::MAX`. Of several, the least.
    panicked_at: AtomicUsize,
    /// The panic of that chunk.
    panic: Mutex<Option<Payload>>,
    /// In a timed run: nanoseconds that all threads together spent on some of the rows, and the number of these.
    sampled_ns: AtomicU64,
    n_sampled: AtomicUsize,
}

impl<'a> Member<'a> {
    pub(super) fn new(blocks: &'a dyn Blocks, later: Option<&'a Member<'a>>) -> Self {
        Self {
            blocks,
            later,
            panicked_at: AtomicUsize::new(usize::MAX),
            panic: Mutex::new(None),
            sampled_ns: AtomicU64::new(0),
            n_sampled: AtomicUsize::new(0),
        }
    }

    /// This member and those of greater rank, ascending.
    pub(super) fn and_later(&self) -> impl Iterator<Item = &Member<'a>> {
        successors(Some(self), |member| member.later)
    }

    pub(super) fn tables(&self) -> &[TableBlocks] {
        self.blocks.tables()
    }

    /// In a timed run: the time of all threads together. It is that of the sampled rows, and as much for each of the others. `None` if none
    /// was sampled.
    pub(super) fn took(&self) -> Option<Duration> {
        let n_rows = n_rows_in(&(0..n_blocks(self.tables())), self.tables());
        if n_rows == 0 {
            return Some(Duration::ZERO);
        }
        // Relaxed: the threads have left.
        let n_sampled = self.n_sampled.load(Ordering::Relaxed);
        let ns = self.sampled_ns.load(Ordering::Relaxed) as f64;
        let took = || Duration::from_nanos((ns * n_rows as f64 / n_sampled as f64) as u64);
        (n_sampled > 0).then(took)
    }

    /// The number of rows that a thread samples in a chunk. `None`: it takes no sample. `is_turn`: whether it is the turn of this member.
    ///
    /// The first chunk with rows of the member is always sampled, so that each member has a sample.
    fn n_sampled_in(&self, chunk: &Range<Position>, is_turn: bool) -> Option<usize> {
        let blocks = blocks_in(chunk, self.tables());
        let is_sampled = !blocks.is_empty() && (is_turn || blocks.start == 0);
        is_sampled.then(|| n_rows_in(&blocks, self.tables()))
    }

    pub(super) fn into_panic(self) -> Option<Payload> {
        self.panic
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the function has panicked in this chunk, or in one before it. Then it does not run there, so the panic that is reported is that
    /// of a serial run.
    fn has_panicked(&self, chunk: &Range<Position>) -> bool {
        // Relaxed: this thread has seen the panic if it was in this chunk. Otherwise, the member may run one more chunk.
        self.panicked_at.load(Ordering::Relaxed) <= blocks_in(chunk, self.tables()).start
    }

    #[cold]
    fn note_panic(&self, chunk: &Range<Position>, payload: Payload) {
        let first = blocks_in(chunk, self.tables()).start;
        let mut panic = lock(&self.panic);
        // Relaxed: only written with the lock.
        let later = if first < self.panicked_at.load(Ordering::Relaxed) {
            self.panicked_at.store(first, Ordering::Relaxed);
            panic.replace(payload)
        } else {
            Some(payload)
        };
        drop(panic);
        drop_caught(later);
    }
}

/// The number of rows of these tables in a range of blocks. O(tables).
fn n_rows_in(blocks: &Range<usize>, tables: &[TableBlocks]) -> usize {
    let n_rows = tables.iter().map(|table| {
        let of_table = table.blocks();
        if of_table.end <= blocks.start || blocks.end <= of_table.start {
            0
        } else {
            table.rows_of(blocks).len()
        }
    });
    n_rows.sum()
}

/// The chunks of a sweep in one run.
pub(super) struct ChunkRun<'a> {
    chunks: Chunks<'a>,
    first: &'a Member<'a>,
    /// The chunks that are not taken: the first one in the lower half, and the one after the last in the upper half.
    left: AtomicU64,
    /// Nanoseconds that threads spent on chunks.
    busy_ns: AtomicU64,
    /// Whether a member has panicked.
    has_panicked: AtomicBool,
    is_timed: bool,
    recorded: Option<&'a RecordedRun>,
    /// In a recorded run: when the threads ran chunks.
    times: &'a Mutex<Vec<ChunkTime>>,
}

impl<'a> ChunkRun<'a> {
    /// `recorded`, `times`: in a recorded run, where the threads note when they run chunks.
    pub(super) fn new(
        chunks: Chunks<'a>,
        first: &'a Member<'a>,
        is_timed: bool,
        recorded: Option<&'a RecordedRun>,
        times: &'a Mutex<Vec<ChunkTime>>,
    ) -> Self {
        Self {
            chunks,
            first,
            left: AtomicU64::new(packed(0..chunks.len() as u32)),
            busy_ns: AtomicU64::new(0),
            has_panicked: AtomicBool::new(false),
            is_timed,
            recorded,
            times,
        }
    }

    /// The time that threads spent on chunks, added up.
    pub(super) fn into_busy(self) -> Duration {
        Duration::from_nanos(self.busy_ns.into_inner())
    }

    /// Takes a chunk that no thread has taken. The caller takes numbers from the front, and helpers from the back. So in the next sweep
    /// a thread gets chunks that are still in its cache.
    fn take(&self, role: Role) -> Option<usize> {
        let mut left = self.left.load(Ordering::Relaxed);
        loop {
            let (first, end) = (left as u32, (left >> 32) as u32);
            if first == end {
                return None;
            }
            let (nth, rest) = match role {
                Role::Caller => (first, first + 1..end),
                Role::Helper => (end - 1, first..end - 1),
            };
            // Relaxed: a number is taken once. The data of a chunk is written before threads enter, and read after they have left.
            let taken = self.left.compare_exchange_weak(
                left,
                packed(rest),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match taken {
                Ok(_) => return Some(nth as usize),
                Err(now) => left = now,
            }
        }
    }
}

/// The value of [`ChunkRun::left`].
fn packed(left: Range<u32>) -> u64 {
    u64::from(left.end) << 32 | u64::from(left.start)
}

impl SharedWork for ChunkRun<'_> {
    fn take_part(&self, role: Role) {
        let mut taken = self.take(role);
        // A helper can come again before the others have left. It is not recorded twice.
        if taken.is_none() && self.chunks.len() > 0 {
            return;
        }
        let recorded = self.recorded.map(ChunkStart::now);
        let start = Instant::now();
        let mut lines = KernelLines::new();
        let mut thread = ThreadRun::new(self, &mut lines);
        while let Some(nth) = taken {
            thread.run_chunk(nth);
            taken = self.take(role);
        }
        drop(thread);
        let end = Instant::now();
        let ns = end.duration_since(start).as_nanos() as u64;
        self.busy_ns.fetch_add(ns, Ordering::Relaxed);
        if let Some(recorded) = recorded {
            lock(self.times).push(recorded.end());
        }
    }
}

/// A thread that runs chunks.
struct ThreadRun<'l, 'r> {
    run: &'r ChunkRun<'r>,
    kernels: Kernels<'l, 'r>,
    /// The member of each kernel. Members without rows have no kernel.
    members: [Option<&'r Member<'r>>; MOST_TOGETHER],
    /// The table that all kernels entered that have it. The others are disabled.
    entered: Option<usize>,
}

/// Where the kernels of a thread are in a chunk.
struct Progress {
    /// The part of the chunk after `rows`.
    rest: Range<Position>,
    rows: Option<SweepRows>,
    /// The next kernel on the first of these rows.
    next: usize,
}

impl<'l, 'r> ThreadRun<'l, 'r> {
    fn new(run: &'r ChunkRun<'r>, lines: &'l mut KernelLines) -> Self {
        let mut kernels = Kernels::new(lines);
        let mut members = [None; MOST_TOGETHER];
        for member in run.first.and_later() {
            let nth = kernels.len();
            member.blocks.add_kernel(&mut kernels);
            if kernels.len() > nth {
                members[nth] = Some(member);
            }
        }
        Self {
            run,
            kernels,
            members,
            entered: None,
        }
    }

    fn member(&self, nth: usize) -> &'r Member<'r> {
        self.members[nth].expect("each kernel has a member")
    }

    fn run_chunk(&mut self, nth: usize) {
        let chunk = self.run.chunks.nth(nth);
        let n_kernels = self.kernels.len();
        if !self.run.is_timed {
            self.run_kernels(0..n_kernels, &chunk);
            return;
        }
        // A sample is one kernel on the whole chunk, because reading the clock takes as long as a strip. The kernels take turns.
        let n_turns = n_kernels.min(self.run.chunks.len());
        let mut first = 0;
        for kernel in 0..n_kernels {
            let member = self.member(kernel);
            let is_turn = kernel % n_turns == nth % n_turns;
            let Some(n_rows) = member.n_sampled_in(&chunk, is_turn) else {
                continue;
            };
            self.run_kernels(first..kernel, &chunk);
            first = kernel + 1;
            let start = Instant::now();
            self.run_kernels(kernel..first, &chunk);
            let ns = start.elapsed().as_nanos() as u64;
            member.sampled_ns.fetch_add(ns, Ordering::Relaxed);
            member.n_sampled.fetch_add(n_rows, Ordering::Relaxed);
        }
        self.run_kernels(first..n_kernels, &chunk);
    }

    /// Runs some of the kernels on a chunk. One that panics does not run on the rest of the chunk.
    fn run_kernels(&mut self, kernels: Range<usize>, chunk: &Range<Position>) {
        let mut progress = Progress {
            rest: chunk.clone(),
            rows: None,
            next: kernels.start,
        };
        loop {
            let result = catch_unwind(AssertUnwindSafe(|| {
                self.continue_chunk(&mut progress, kernels.clone(), chunk);
            }));
            let Err(payload) = result else { return };
            // Only the function of a member panics.
            let nth = self.kernels.current();
            self.member(nth).note_panic(chunk, payload);
            self.run.has_panicked.store(true, Ordering::Relaxed);
            self.kernels.enable(nth, false);
            progress.next = nth + 1;
        }
    }

    /// Runs some of the kernels on the rest of a chunk.
    #[inline]
    fn continue_chunk(
        &mut self,
        progress: &mut Progress,
        kernels: Range<usize>,
        chunk: &Range<Position>,
    ) {
        let chunks = self.run.chunks;
        loop {
            match &mut progress.rows {
                None => {}
                Some(SweepRows::OfTable { rows, .. }) => {
                    while rows.start < rows.end {
                        let end = rows.end.min(rows.start + chunks.strip_rows());
                        let strip = rows.start..end;
                        // SAFETY: all enabled kernels entered the table, which has these rows. This thread took the chunk, so no
                        // other one runs its blocks.
                        unsafe { self.kernels.run(progress.next..kernels.end, &strip) };
                        progress.next = kernels.start;
                        rows.start = end;
                    }
                }
                Some(SweepRows::OfTables(range)) => {
                    for nth in progress.next..kernels.end {
                        let member = self.member(nth);
                        let blocks = blocks_in(range, member.tables());
                        if !blocks.is_empty() && !member.has_panicked(chunk) {
                            // SAFETY: this thread took the chunk, so no other one runs its blocks.
                            unsafe { self.kernels.get(nth).run_blocks(blocks) };
                        }
                    }
                    progress.next = kernels.start;
                }
            }
            progress.rows = chunks.take_rows(&mut progress.rest);
            match progress.rows {
                None => return,
                Some(SweepRows::OfTable { table, .. }) => self.enter(table, chunk),
                Some(SweepRows::OfTables(_)) => self.entered = None,
            }
        }
    }

    /// Continues in a table. Disables the kernels that do not have it, or have panicked in this chunk or before it.
    fn enter(&mut self, table: usize, chunk: &Range<Position>) {
        let has_panicked = self.run.has_panicked.load(Ordering::Relaxed);
        if self.entered == Some(table) && !has_panicked {
            return;
        }
        self.entered = Some(table);
        for nth in 0..self.kernels.len() {
            let member = self.member(nth);
            let tables = member.tables();
            let found = tables.binary_search_by_key(&table, |one| one.table);
            if let Ok(idx) = found {
                self.kernels.get(nth).enter(idx);
            }
            let is_enabled = found.is_ok() && !(has_panicked && member.has_panicked(chunk));
            self.kernels.enable(nth, is_enabled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::system::BLOCK_ROWS;

    /// Blocks that cannot run.
    struct Tables([TableBlocks; 1]);

    impl Blocks for Tables {
        fn tables(&self) -> &[TableBlocks] {
            &self.0
        }

        fn add_kernel<'a>(&'a self, _: &mut Kernels<'_, 'a>) {}
    }

    fn at(table: usize, block: usize) -> Position {
        Position { table, block }
    }

    #[test]
    fn each_member_has_a_sample_which_counts_for_all_its_rows() {
        let tables = Tables([TableBlocks {
            table: 1,
            n_rows: 2 * BLOCK_ROWS + 100,
            first_block: 0,
        }]);
        let member = Member::new(&tables, None);
        assert_eq!(member.took(), None);
        // Its first chunk, although it is not its turn.
        let first = at(0, 7)..at(1, 1);
        assert_eq!(member.n_sampled_in(&first, false), Some(BLOCK_ROWS));
        let last = at(1, 1)..at(usize::MAX, 0);
        assert_eq!(member.n_sampled_in(&last, false), None);
        assert_eq!(member.n_sampled_in(&last, true), Some(BLOCK_ROWS + 100));
        // No rows of the member.
        assert_eq!(member.n_sampled_in(&(at(0, 0)..at(1, 0)), true), None);

        member.n_sampled.store(100, Ordering::Relaxed);
        member.sampled_ns.store(1_000, Ordering::Relaxed);
        let n_rows = 2 * BLOCK_ROWS as u64 + 100;
        assert_eq!(member.took(), Some(Duration::from_nanos(10 * n_rows)));
    }
}
