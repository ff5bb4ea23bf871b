//! Kernels: the loops of per-entity systems over the rows of one table, with all their addresses side by side in memory.
//!
//! A sweep runs all its members on a few rows, and then on the next ones. If a thread reads scattered data between two members, the
//! processor stops loading the columns ahead of them. So a thread first collects what the loops need in consecutive cache lines.
//!
//! Invariant: kernel i is placed at `entries[i]`, which is in `lines` or in a `Box` that is placed there, until the kernels are dropped.
//! Line `firsts[i]` begins with a function for kernels of its type.
#![expect(unsafe_code, reason = "places values of different types in one array")]

use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::NonNull;

/// The maximum number of kernels that are placed together.
pub(crate) const MOST_KERNELS: usize = 64;

/// The number of lines for all kernels. One that takes so many that the others could lack some is in a `Box`.
const N_LINES: usize = 4 * MOST_KERNELS;

/// The size of a cache line of most processors, in bytes.
const LINE_BYTES: usize = 64;

/// The loop of a system over rows, on one thread.
pub(crate) trait Kernel {
    /// Continues in another of the [`tables`](super::Blocks::tables) of the system.
    ///
    /// # Panics
    ///
    /// Panics if the system has no such table.
    fn enter(&mut self, idx: usize);

    /// Runs the function of the system for rows of the table. Those of a block may be divided among several calls, but then one thread
    /// makes them, in order, and without other rows between them.
    ///
    /// # Safety
    ///
    /// The table has these rows. No other call runs one of their blocks at the same time.
    ///
    /// # Panics
    ///
    /// Panics if the function panics, and then does not call it for the remaining rows.
    unsafe fn run(&mut self, rows: Range<usize>);

    /// Runs the function of the system for each row of these blocks, in order. Enters their tables. A block whose function fails runs to
    /// its end.
    ///
    /// # Safety
    ///
    /// No other call runs one of these blocks at the same time.
    ///
    /// # Panics
    ///
    /// Panics if a block does not exist. Panics if the function panics, and then does not call it for the remaining rows.
    unsafe fn run_blocks(&mut self, blocks: Range<usize>);
}

impl<K: Kernel + ?Sized> Kernel for Box<K> {
    fn enter(&mut self, idx: usize) {
        (**self).enter(idx);
    }

    unsafe fn run(&mut self, rows: Range<usize>) {
        // SAFETY: the conditions are the same.
        unsafe { (**self).run(rows) };
    }

    unsafe fn run_blocks(&mut self, blocks: Range<usize>) {
        // SAFETY: the conditions are the same.
        unsafe { (**self).run_blocks(blocks) };
    }
}

/// A line of memory, which can be part of a kernel.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; LINE_BYTES]);

/// The memory of kernels.
pub(crate) struct KernelLines([Line; N_LINES]);

impl KernelLines {
    /// Returns memory without kernels.
    #[inline]
    pub(crate) const fn new() -> Self {
        Self([Line([MaybeUninit::uninit(); LINE_BYTES]); N_LINES])
    }
}

/// A function for the kernel in a line.
type RunRows = unsafe fn(NonNull<Line>, Range<usize>);

/// A kernel in its lines.
#[repr(C)]
struct Placed<K> {
    run: RunRows,
    kernel: K,
}

/// The number of lines of a kernel.
const fn n_lines<K>() -> usize {
    size_of::<Placed<K>>().div_ceil(LINE_BYTES)
}

struct PlacedKernel<'a> {
    kernel: NonNull<dyn Kernel + 'a>,
    run: RunRows,
}

/// The kernels of a thread, which run in the order in which they were added. `'a`: the data of a run.
pub(crate) struct Kernels<'l, 'a> {
    /// The first line.
    lines: NonNull<Line>,
    entries: [Option<PlacedKernel<'a>>; MOST_KERNELS],
    /// The first line of each kernel, and the first line that is free.
    firsts: [u16; MOST_KERNELS + 1],
    n_kernels: usize,
    /// The kernel that runs, or that ran last.
    current: Cell<usize>,
    memory: PhantomData<&'l mut KernelLines>,
}

impl<'l, 'a> Kernels<'l, 'a> {
    #[inline]
    pub(crate) fn new(lines: &'l mut KernelLines) -> Self {
        Self {
            lines: NonNull::from(&mut lines.0).cast(),
            entries: [const { None }; MOST_KERNELS],
            firsts: [0; MOST_KERNELS + 1],
            n_kernels: 0,
            current: Cell::new(0),
            memory: PhantomData,
        }
    }

    /// Adds a kernel, which runs after the others.
    ///
    /// # Panics
    ///
    /// Panics if there are [`MOST_KERNELS`] already.
    #[inline]
    pub(crate) fn add<K: Kernel + 'a>(&mut self, kernel: K) {
        let first = usize::from(self.firsts[self.n_kernels]);
        let n_later = MOST_KERNELS.saturating_sub(self.n_kernels + 1);
        let fits = first + n_lines::<K>() + n_later <= N_LINES;
        if fits && align_of::<Placed<K>>() <= LINE_BYTES {
            self.place(kernel);
        } else {
            self.place(Box::new(kernel));
        }
    }

    #[inline]
    fn place<K: Kernel + 'a>(&mut self, kernel: K) {
        const { assert!(n_lines::<Box<K>>() == 1) };
        let nth = self.n_kernels;
        assert!(nth < MOST_KERNELS, "too many kernels");
        let first = self.firsts[nth];
        // SAFETY: `add` checked that there are enough lines, or the kernel is in a `Box`. It leaves one line for each later kernel.
        let line = unsafe { self.lines.add(first.into()) };
        let placed = line.cast::<Placed<K>>();
        let run = run_placed::<K>;
        // SAFETY: `add` checked size and alignment. No kernel has these lines.
        unsafe { placed.write(Placed { run, kernel }) };
        // SAFETY: the field is in the allocation.
        let kernel = unsafe { &raw mut (*placed.as_ptr()).kernel };
        // SAFETY: the address is not null, because the lines have one.
        let kernel = unsafe { NonNull::new_unchecked(kernel) };
        self.entries[nth] = Some(PlacedKernel { kernel, run });
        self.firsts[nth + 1] = first + n_lines::<K>() as u16;
        self.n_kernels += 1;
    }

    /// The number of kernels.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.n_kernels
    }

    /// Returns a kernel, which is then the [`current`](Self::current) one.
    ///
    /// # Panics
    ///
    /// Panics if there is no such kernel.
    #[inline]
    pub(crate) fn get(&mut self, nth: usize) -> &mut (dyn Kernel + 'a) {
        let entry = self.entries[nth].as_mut().expect("the kernel was added");
        self.current.set(nth);
        // SAFETY: by the invariant, a kernel of this type is there. `self` is borrowed, so nothing else accesses it.
        unsafe { entry.kernel.as_mut() }
    }

    /// Determines whether [`run`](Self::run) runs a kernel.
    ///
    /// # Panics
    ///
    /// Panics if there is no such kernel.
    #[inline]
    pub(crate) fn enable(&mut self, nth: usize, is_enabled: bool) {
        let entry = self.entries[nth].as_ref().expect("the kernel was added");
        let run = if is_enabled { entry.run } else { run_nothing };
        // SAFETY: by the invariant, the kernel has this line.
        let line = unsafe { self.lines.add(self.firsts[nth].into()) };
        // SAFETY: by the invariant, the line begins with a function.
        unsafe { line.cast::<RunRows>().write(run) };
    }

    /// Runs some of the kernels for rows of the table that they entered, in order.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run`], for all that are enabled. There are kernels of these numbers.
    ///
    /// # Panics
    ///
    /// Panics if a kernel panics. It is then the [`current`](Self::current) one.
    #[inline]
    pub(crate) unsafe fn run(&mut self, kernels: Range<usize>, rows: &Range<usize>) {
        for nth in kernels {
            self.current.set(nth);
            // SAFETY: by the invariant, the kernel has this line.
            let line = unsafe { self.lines.add(self.firsts[nth].into()) };
            // SAFETY: by the invariant, the line begins with a function.
            let run = unsafe { line.cast::<RunRows>().read() };
            // SAFETY: the function is for the kernel in this line, and the caller guarantees the rest.
            unsafe { run(line, rows.clone()) };
        }
    }

    /// The kernel that runs, or that ran last.
    #[inline]
    pub(crate) fn current(&self) -> usize {
        self.current.get()
    }
}

impl Drop for Kernels<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        for entry in self.entries[..self.n_kernels].iter_mut().flatten() {
            // SAFETY: by the invariant, a kernel of this type is there, and this is the last access to it.
            unsafe { entry.kernel.drop_in_place() };
        }
    }
}

/// Runs the kernel in a line.
///
/// # Safety
///
/// A `Placed<K>` begins in this line, and nothing else accesses it. The conditions of [`Kernel::run`] hold.
unsafe fn run_placed<K: Kernel>(line: NonNull<Line>, rows: Range<usize>) {
    let mut placed = line.cast::<Placed<K>>();
    // SAFETY: the caller guarantees that it is there, and that nothing else accesses it.
    let placed = unsafe { placed.as_mut() };
    // SAFETY: the conditions are the same.
    unsafe { placed.kernel.run(rows) };
}

/// Runs no kernel. Always safe to call.
unsafe fn run_nothing(_: NonNull<Line>, _: Range<usize>) {}

#[cfg(test)]
mod tests {
    use core::cell::RefCell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    type Log = RefCell<Vec<(usize, Range<usize>)>>;

    /// A kernel with data of some type. It notes each call.
    struct Noted<'a, T> {
        nth: usize,
        log: &'a Log,
        n_dropped: &'a Cell<usize>,
        data: T,
        idx: usize,
    }

    impl<T: PartialEq<T> + Default> Kernel for Noted<'_, T> {
        fn enter(&mut self, idx: usize) {
            self.idx = idx;
        }

        unsafe fn run(&mut self, rows: Range<usize>) {
            assert!(self.data == T::default());
            assert_ne!((self.nth, rows.start), (1, 7), "one at seven");
            self.log
                .borrow_mut()
                .push((self.nth + 100 * self.idx, rows));
        }

        unsafe fn run_blocks(&mut self, blocks: Range<usize>) {
            self.log.borrow_mut().push((1_000 + self.nth, blocks));
        }
    }

    impl<T> Drop for Noted<'_, T> {
        fn drop(&mut self) {
            self.n_dropped.set(self.n_dropped.get() + 1);
        }
    }

    #[derive(PartialEq, Default)]
    #[repr(align(256))]
    struct Aligned(u8);

    fn add_all<'a>(kernels: &mut Kernels<'_, 'a>, log: &'a Log, n_dropped: &'a Cell<usize>) {
        fn add<'a, T: PartialEq<T> + Default + 'a>(
            kernels: &mut Kernels<'_, 'a>,
            log: &'a Log,
            n_dropped: &'a Cell<usize>,
        ) {
            kernels.add(Noted {
                nth: kernels.len(),
                log,
                n_dropped,
                data: T::default(),
                idx: 0,
            });
        }
        add::<()>(kernels, log, n_dropped);
        add::<[u64; 16]>(kernels, log, n_dropped);
        // These two are in boxes.
        add::<[[[u64; 32]; 16]; 4]>(kernels, log, n_dropped);
        add::<Aligned>(kernels, log, n_dropped);
        add::<u8>(kernels, log, n_dropped);
    }

    fn run(kernels: &mut Kernels<'_, '_>, range: Range<usize>, rows: Range<usize>) {
        // SAFETY: the kernels use no rows.
        unsafe { kernels.run(range, &rows) };
    }

    #[test]
    fn kernels_of_any_size_run_in_order_and_are_dropped() {
        let (log, n_dropped) = (Log::default(), Cell::new(0));
        let mut lines = KernelLines::new();
        let mut kernels = Kernels::new(&mut lines);
        add_all(&mut kernels, &log, &n_dropped);
        run(&mut kernels, 0..5, 1..3);
        assert_eq!(log.take(), [0, 1, 2, 3, 4].map(|nth| (nth, 1..3)));
        (0..5).for_each(|nth| kernels.get(nth).enter(nth));
        kernels.enable(1, false);
        kernels.enable(3, false);
        run(&mut kernels, 1..5, 7..8);
        assert_eq!(log.take(), [(202, 7..8), (404, 7..8)]);
        kernels.enable(3, true);
        // SAFETY: the kernels use no rows.
        unsafe { kernels.get(1).run_blocks(0..1) };
        run(&mut kernels, 2..4, 9..9);
        assert_eq!(log.take(), [(1_001, 0..1), (202, 9..9), (303, 9..9)]);
        drop(kernels);
        assert_eq!(n_dropped.get(), 5);
    }

    #[test]
    fn a_kernel_that_panics_is_the_current_one() {
        let (log, n_dropped) = (Log::default(), Cell::new(0));
        let mut lines = KernelLines::new();
        let mut kernels = Kernels::new(&mut lines);
        add_all(&mut kernels, &log, &n_dropped);
        let result = catch_unwind(AssertUnwindSafe(|| run(&mut kernels, 0..5, 7..8)));
        assert!(result.is_err());
        assert_eq!(kernels.current(), 1);
        assert_eq!(log.take(), [(0, 7..8)]);
        run(&mut kernels, 2..3, 7..8);
        assert_eq!(log.take(), [(2, 7..8)]);
    }

    #[test]
    fn all_kernels_have_lines_or_boxes() {
        /// Adds as many kernels as can run together. Returns the number of lines that they take.
        fn fill<const N: usize>() -> usize
        where
            [u64; N]: Default,
        {
            let (log, n_dropped) = (Log::default(), Cell::new(0));
            let mut lines = KernelLines::new();
            let mut kernels = Kernels::new(&mut lines);
            for nth in 0..MOST_KERNELS {
                kernels.add(Noted {
                    nth,
                    log: &log,
                    n_dropped: &n_dropped,
                    data: <[u64; N]>::default(),
                    idx: 0,
                });
            }
            run(&mut kernels, 0..MOST_KERNELS, 0..1);
            assert_eq!(log.take().len(), MOST_KERNELS);
            let n_lines = kernels.firsts[MOST_KERNELS].into();
            drop(kernels);
            assert_eq!(n_dropped.get(), MOST_KERNELS);
            n_lines
        }
        assert_eq!(fill::<0>(), MOST_KERNELS);
        assert_eq!(fill::<24>(), 4 * MOST_KERNELS);
        // 48 kernels of 5 lines leave one line for each of the others.
        assert_eq!(fill::<32>(), 48 * 5 + 16);
    }
}
