//! Ways to run all blocks of a system.
#![expect(unsafe_code, reason = "runs blocks without an executor")]

use core::ops::Range;
use std::thread;

use crate::systems::system::blocks::{BLOCK_ROWS, Blocks, n_blocks};
use crate::systems::system::kernels::{KernelLines, Kernels};

/// Runs some blocks. The tests run each block once.
pub(super) fn run_range(blocks: &dyn Blocks, range: Range<usize>) {
    with_kernel(blocks, |kernels| {
        // SAFETY: no other call runs these blocks at the same time.
        unsafe { kernels.get(0).run_blocks(range) };
    });
}

/// Calls a function with the kernel of a system, if there are rows.
fn with_kernel(blocks: &dyn Blocks, run: impl FnOnce(&mut Kernels<'_, '_>)) {
    let mut lines = KernelLines::new();
    let mut kernels = Kernels::new(&mut lines);
    blocks.add_kernel(&mut kernels);
    if kernels.len() > 0 {
        run(&mut kernels);
    }
}

/// Runs parts of blocks, of which some are as long as a block.
pub(super) fn run_strips(blocks: &dyn Blocks) {
    with_kernel(blocks, |kernels| {
        for (idx, table) in blocks.tables().iter().enumerate() {
            kernels.get(0).enter(idx);
            let strip_rows = BLOCK_ROWS >> (idx % 4);
            for first in (0..table.n_rows).step_by(strip_rows) {
                let strip = first..table.n_rows.min(first + strip_rows);
                // SAFETY: the kernel entered the table, and no other call runs these rows at the same time.
                unsafe { kernels.run(0..1, &strip) };
            }
        }
    });
}

pub(super) fn run_all(blocks: &dyn Blocks) {
    run_range(blocks, 0..n_blocks(blocks.tables()));
}

pub(super) fn run_backwards(blocks: &dyn Blocks) {
    for block in (0..n_blocks(blocks.tables())).rev() {
        run_range(blocks, block..block + 1);
    }
}

pub(super) fn run_tables_backwards(blocks: &dyn Blocks) {
    for table in blocks.tables().iter().rev() {
        run_range(blocks, table.blocks());
    }
}

/// One thread runs the blocks with an even number, another one the others.
pub(super) fn run_on_two_threads(blocks: &dyn Blocks) {
    let run_every_second = |first: usize| {
        for block in (first..n_blocks(blocks.tables())).step_by(2) {
            run_range(blocks, block..block + 1);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| run_every_second(1));
        run_every_second(0);
    });
}
