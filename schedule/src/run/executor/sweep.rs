//! Runs per-entity systems chunk by chunk: all members of a sweep on one chunk of entities, then on the next chunk.
//!
//! Invariant: the caller holds the nodes of all members. A conflict between two members is about components of the same entity, and the
//! members run on each chunk in the order of their ranks. Two threads never run the same chunk. So no two items of one entity are in use
//! at the same time, if they conflict.
#![expect(
    unsafe_code,
    reason = "runs blocks of systems, whose conditions executors keep"
)]

mod chunk_run;

use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::chunk_run::{ChunkRun, Member};
use super::board::{Board, SharedWork};
use super::role::Role;
use super::step::RunContext;
use crate::base::panics::drop_caught;
use crate::base::time::Instant;
use crate::declare::failure::{Cause, Panic};
use crate::run::node::{RunNode, Work};
use crate::run::outcome::Outcome;
use crate::systems::system::Blocks;
use crate::verify::sweeps::{MOST_TOGETHER, PlannedSweep};

/// The nodes of a run, by rank. A thread accesses those that it holds.
#[derive(Clone, Copy)]
pub(super) struct HeldNodes {
    /// The node of rank 0. The nodes of the other ranks follow in memory.
    first: NonNull<RunNode>,
}

impl HeldNodes {
    /// `first`: the address of the node of rank 0, which was borrowed with all nodes.
    pub(super) fn new(first: NonNull<RunNode>) -> Self {
        Self { first }
    }

    /// Returns the node of a rank.
    ///
    /// # Safety
    ///
    /// The node exists and is borrowed for `'a`. The thread holds it during `'a`, and has no other reference to it.
    pub(super) unsafe fn node<'a>(self, rank: u32) -> &'a mut RunNode {
        // SAFETY: ranks are less than the number of nodes, and the nodes are in one allocation.
        let mut node = unsafe { self.first.add(rank as usize) };
        // SAFETY: the caller guarantees that no other reference to the node is in use.
        unsafe { node.as_mut() }
    }
}

/// How other threads can help with a sweep.
pub(super) struct Helping<'a> {
    pub(super) board: &'a Board,
    /// The role of this thread.
    pub(super) role: Role,
    /// The number of threads that can take part, including this one.
    pub(super) n_threads: usize,
    /// Asks threads to help.
    pub(super) call: &'a dyn Fn(),
}

/// Runs the members of a sweep that are due.
///
/// # Safety
///
/// - This thread holds the nodes of all members, which are prepared and do not run. They are per-entity systems of one store, and
///   conflict with each other only on components of the same entity.
/// - No system runs that conflicts with a member.
pub(super) unsafe fn run_sweep(
    run_context: RunContext<'_>,
    nodes: HeldNodes,
    planned: &PlannedSweep,
    helping: Option<&Helping<'_>>,
) {
    let n_threads = helping.map_or(1, |helping| helping.n_threads);
    // SAFETY: the conditions are the same.
    if unsafe { run_small(run_context, nodes, planned, n_threads) } {
        return;
    }
    for members in planned.together() {
        let mut due = [0; MOST_TOGETHER];
        let mut n_due = 0;
        let mut due_bits = 0;
        for (nth, &rank) in members.iter().enumerate() {
            // SAFETY: this thread holds the node, and has no other reference to it.
            let node = unsafe { nodes.node(rank) };
            if !run_context.is_due(rank, node.is_guarded) {
                continue;
            }
            if node.is_missing {
                run_context.fail_missing(node, rank);
                continue;
            }
            due[n_due] = rank;
            n_due += 1;
            due_bits |= 1_u64 << nth;
        }
        for &rank in &due[..n_due] {
            // SAFETY: this thread holds the node, and has no other reference to it.
            let node = unsafe { nodes.node(rank) };
            if let Some(stopwatch) = &mut node.about.stopwatch {
                stopwatch.start_shared();
            }
        }
        let sweep = Sweep {
            run_context,
            nodes,
            planned,
            helping,
        };
        // SAFETY: the conditions are the same. The members are due, and miss no resource.
        unsafe { sweep.with_members(&due[..n_due], None) };
        // SAFETY: this thread holds the nodes, and all threads have left the sweep.
        unsafe { stop_watches(nodes, &due[..n_due]) };
        if let Some(run) = run_context.how.recorded
            && n_due > 0
        {
            // SAFETY: this thread holds the node, and has no other reference to it.
            let first = unsafe { nodes.node(due[0]) };
            let mut times = lock(&planned.chunk_times);
            first.about.record.note_sweep(run, due_bits, &mut times);
            times.clear();
        }
    }
}

/// Ends the measured execution of these members. Of the members of a rate or a loop, the time of the first one counts.
///
/// # Safety
///
/// This thread holds the nodes, and has no reference to them.
unsafe fn stop_watches(nodes: HeldNodes, members: &[u32]) {
    for (nth, &rank) in members.iter().enumerate() {
        // SAFETY: this thread holds the node, and has no other reference to it.
        let node = unsafe { nodes.node(rank) };
        let Some(stopwatch) = &mut node.about.stopwatch else {
            continue;
        };
        stopwatch.stop_shared(|tally| {
            let is_counted = |&earlier: &u32| {
                // SAFETY: as above. It is another node, because members are distinct.
                let earlier = unsafe { nodes.node(earlier) };
                let stopwatch = earlier.about.stopwatch.as_ref();
                stopwatch.is_some_and(|stopwatch| stopwatch.counts_for(tally))
            };
            !members[..nth].iter().any(is_counted)
        });
    }
}

/// Runs the members one after the other, if there are so few rows that chunks would cost more than they save. Returns whether it did.
///
/// # Safety
///
/// As for [`run_sweep`].
unsafe fn run_small(
    run_context: RunContext<'_>,
    nodes: HeldNodes,
    planned: &PlannedSweep,
    n_threads: usize,
) -> bool {
    // The most rows of a member, since members can match different entities. `None` if no member has run.
    let mut n_rows = None;
    for &rank in &planned.members {
        // SAFETY: this thread holds the node, and has no other reference to it.
        n_rows = n_rows.max(unsafe { nodes.node(rank) }.n_rows());
    }
    let Some(n_rows) = n_rows else { return false };
    let mut memory = planned.take_memory();
    if !memory.is_small(n_rows, n_threads) {
        planned.memory.put(memory);
        return false;
    }
    let start = memory.times_small(n_threads).then(Instant::now);
    let mut members = planned.members.iter();
    let mut rank = 0;
    loop {
        // One call around all members, and one more after each that fails.
        let result = catch_unwind(AssertUnwindSafe(|| {
            for &member in members.by_ref() {
                rank = member;
                // SAFETY: this thread holds the node, and has no other reference to it.
                let node = unsafe { nodes.node(rank) };
                if run_context.is_due(rank, node.is_guarded) {
                    // SAFETY: the node is due and prepared. The members before it are completed, and no other system that
                    // conflicts with it runs.
                    unsafe { run_context.step(node, rank) }?;
                }
            }
            Ok(())
        }));
        let cause = match result {
            Ok(Ok(())) => break,
            Ok(Err(cause)) => cause,
            Err(payload) => Cause::Panic(Panic::new(payload)),
        };
        // SAFETY: as above.
        run_context.fail(unsafe { nodes.node(rank) }, rank, cause);
    }
    if let Some(start) = start {
        memory.note_time(n_rows, start.elapsed());
    }
    planned.memory.put(memory);
    true
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The data that all members of a run share.
struct Sweep<'a> {
    run_context: RunContext<'a>,
    nodes: HeldNodes,
    planned: &'a PlannedSweep,
    helping: Option<&'a Helping<'a>>,
}

impl Sweep<'_> {
    /// Fetches the parameters of the members, from the last one to the first one, and runs all chunks. Then ends the members, from the
    /// first one to the last one.
    ///
    /// `later`: the members whose parameters are fetched.
    ///
    /// # Safety
    ///
    /// As for [`run_sweep`].
    unsafe fn with_members(&self, members: &[u32], later: Option<&Member<'_>>) {
        let Some((&rank, earlier)) = members.split_last() else {
            if let Some(first) = later {
                self.run_chunks(first);
            }
            return;
        };
        // SAFETY: the caller holds the node, and `earlier` contains other nodes.
        let node = unsafe { self.nodes.node(rank) };
        let Work::System(system) = &mut node.work else {
            unreachable!("a member is a system");
        };
        let blocks = system.blocks().expect("a member runs in blocks");
        let mut has_run = false;
        let mut panicked = None;
        let mut took = None;
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut run_all = |blocks: &dyn Blocks| {
                has_run = true;
                let member = Member::new(blocks, later);
                // SAFETY: the conditions are the same.
                unsafe { self.with_members(earlier, Some(&member)) };
                took = member.took();
                panicked = member.into_panic();
                panicked.is_none() && self.run_context.outcome(rank) != Outcome::Skipped
            };
            // SAFETY: the caller guarantees that the system is prepared, and that no system outside of the sweep conflicts with it. Those
            // inside access other entities at the same time, or run before or after it on the same entity.
            unsafe { blocks.with_blocks(self.run_context.from, &mut run_all) }
        }));
        if !has_run {
            // Fetching the parameters panicked. The others run without this member.
            // SAFETY: the conditions are the same.
            unsafe { self.with_members(earlier, later) };
        }
        self.run_context.end_member(node, took);
        let cause = match (panicked, result) {
            (Some(payload), _) | (None, Err(payload)) => Cause::Panic(Panic::new(payload)),
            (None, Ok(Err(error))) => Cause::Error(error),
            (None, Ok(Ok(()))) => return self.run_context.finish_member(rank),
        };
        // A member that is skipped has not run, whatever its function did meanwhile.
        match self.run_context.outcome(rank) {
            Outcome::Skipped => drop_caught(cause),
            _ => self.run_context.fail(node, rank, cause),
        }
    }

    fn run_chunks(&self, first: &Member<'_>) {
        let mut memory = self.planned.take_memory();
        let n_threads = self.helping.map_or(1, |helping| helping.n_threads);
        let tables = || first.and_later().map(Member::tables);
        let chunks = memory.divide(tables, n_threads);
        let how = self.run_context.how;
        let times = &self.planned.chunk_times;
        let run = ChunkRun::new(chunks, first, how.is_timed, how.recorded, times);
        match self.helping {
            Some(helping) if chunks.are_worth_sharing() => {
                helping.board.share(&run, helping.role, helping.call)
            }
            _ => run.take_part(Role::Caller),
        }
        let busy = run.into_busy();
        let n_rows = memory.n_rows();
        memory.note_time(n_rows, busy);
        self.planned.memory.put(memory);
    }
}
