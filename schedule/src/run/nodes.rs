//! The nodes of a schedule, with operations on all of them: lookup of resources, commands, failures.

mod nested_drop;
mod refused;

use core::ops::Range;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;

use rayon::ThreadPool;

pub(crate) use self::refused::Refusal;
use crate::base::panics::drop_caught;
use crate::base::place::SystemPlace;
use crate::base::span::ParentSpan;
use crate::data::marks::Marks;
use crate::data::missed::MissedNotes;
use crate::data::param::{CommandQueue, FoldQueue, Request, Settle};
use crate::data::reported::Spare;
use crate::data::resource::{Resources, ResourcesVersion, WatchedSet};
use crate::declare::failure::{Cause, Failure, Panic, RequestError, RunError};
use crate::run::changes::{note_lent, note_written};
use crate::run::failure_log::FailureLog;
use crate::run::node::{Batch, NodesBefore, RunNode, Work};
use crate::run::outcome::{Outcome, Outcomes};
use crate::verify::plan::{Plan, PlannedLoop};

/// The nodes of a schedule, by rank.
pub(crate) struct Nodes {
    pub(crate) by_rank: Vec<RunNode>,
    pub(crate) outcomes: Arc<Outcomes>,
    /// The ranks of nodes that record commands or partial results, and of loops whose body contains such nodes, ascending.
    with_records: Vec<u32>,
    /// The ranks of the nodes that use main-thread values, ascending.
    with_main_thread: Vec<u32>,
    /// The ranks of the nodes that write or read messages, ascending.
    with_messages: Vec<u32>,
    /// Whether a run must do more than compare versions before it begins: for main-thread values and messages.
    has_preparation: bool,
    /// The version of the resources that all nodes are prepared for. `None` if a node misses a resource.
    prepared: Option<ResourcesVersion>,
    /// The watched resources whose writes the nodes note. `None` before the first lookup.
    noted: Option<WatchedSet>,
    /// The pool of the schedule, for systems that use it themselves.
    pool: Option<Arc<ThreadPool>>,
    /// The requests of this run, each with the rank of the system, in the order of a serial run.
    pub(crate) requests: Vec<(u32, Request)>,
    /// Memory for the reports of failed runs.
    spare_failures: Spare<Failure>,
    spare_skipped: Spare<Arc<SystemPlace>>,
    /// The ranks of the nodes whose commands had no effect in this run.
    with_missed: Vec<u32>,
    /// See [`Nodes::reserve`].
    is_reserved: bool,
    /// Whether the current run is refused, so that it runs only nodes that always run.
    is_refused: bool,
}

impl Nodes {
    pub(crate) fn new(by_rank: Vec<RunNode>) -> Self {
        let mut with_records = Vec::new();
        // The begins of the open loops, each with its index in `with_records`.
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (rank, node) in (0..).zip(&by_rank) {
            match &node.work {
                Work::Loop(_) => open.push((rank, with_records.len())),
                Work::LoopEnd(_) => {
                    let (begin, place) = open.pop().expect("a loop begins before it ends");
                    let has_records = with_records.len() > place;
                    if has_records && with_records[place] != begin {
                        with_records.insert(place, begin);
                    }
                }
                _ => {}
            }
            if node.about.access.has_records() {
                with_records.push(rank);
            }
        }
        let with = |is_in: fn(&RunNode) -> bool| -> Vec<u32> {
            let nodes = (0..).zip(&by_rank).filter(|(_, node)| is_in(node));
            nodes.map(|(rank, _)| rank).collect()
        };
        let with_main_thread = with(RunNode::uses_main_thread);
        let with_messages = with(|node| node.about.access.has_messages());
        Self {
            has_preparation: !(with_main_thread.is_empty() && with_messages.is_empty()),
            with_main_thread,
            with_messages,
            outcomes: Arc::new(Outcomes::new(by_rank.len(), FailureLog::of(&by_rank))),
            with_records,
            by_rank,
            prepared: None,
            noted: None,
            pool: None,
            requests: Vec::new(),
            spare_failures: Spare::new(),
            spare_skipped: Spare::new(),
            with_missed: Vec::new(),
            is_reserved: false,
            is_refused: false,
        }
    }

    /// Whether a system or a loop condition must run on the thread that calls `run`. O(nodes).
    pub(crate) fn need_caller(&self) -> bool {
        let mut nodes = self.by_rank.iter();
        !self.with_main_thread.is_empty()
            || nodes.any(|node| node.has_runnable() && node.is_bound())
    }

    /// Looks up all resources, unless this was done for the same resources.
    ///
    /// # Errors
    ///
    /// If required resources are missing, so that the run is refused. Resources that commands are declared to insert are not
    /// included, since they may be inserted during the run.
    #[inline]
    pub(crate) fn prepare(&mut self, resources: &mut Resources) -> Result<(), Box<Refusal>> {
        if self.prepared == Some(resources.version()) && !self.has_preparation {
            Ok(())
        } else {
            self.prepare_again(resources)
        }
    }

    #[inline(never)]
    fn prepare_again(&mut self, resources: &mut Resources) -> Result<(), Box<Refusal>> {
        self.begin_messages(resources);
        if self.prepared == Some(resources.version()) && self.has_main_thread_values(resources) {
            return Ok(());
        }
        self.prepared = None;
        let refusal = self.refusal(resources);
        self.look_up(resources);
        match refusal {
            Some(refusal) => {
                self.prepared = None;
                Err(Box::new(refusal))
            }
            None => Ok(()),
        }
    }

    /// Registers the readers of messages, and then adds messages that other threads have sent.
    fn begin_messages(&mut self, resources: &mut Resources) {
        for &rank in &self.with_messages {
            let RunNode { work, about, .. } = &mut self.by_rank[rank as usize];
            if let Some(run) = work.runnable() {
                let place = &about.place;
                run.settle(&mut Settle::Register { resources, place });
            }
        }
        for &rank in &self.with_messages {
            if let Some(run) = self.by_rank[rank as usize].runnable() {
                run.settle(&mut Settle::BeginRun(resources));
            }
        }
    }

    /// Looks up all main-thread values again. Returns whether no node misses one. All nodes must be prepared for these
    /// resources.
    ///
    /// A run may be on another thread than the last one, and a main-thread value may be gone while its thread ends.
    /// Neither changes the version of the resources, so this is done for every run. All other addresses are kept.
    fn has_main_thread_values(&mut self, resources: &Resources) -> bool {
        let mut is_any_missing = false;
        for &rank in &self.with_main_thread {
            let node = &mut self.by_rank[rank as usize];
            node.prepare_main_thread(resources, self.pool.as_ref());
            is_any_missing |= node.misses_required();
        }
        // Disabled nodes need no resources.
        !is_any_missing || !self.misses_required()
    }

    /// Looks up all resources again if any was inserted or removed. A node that misses one will fail.
    pub(crate) fn refresh(&mut self, resources: &Resources) {
        if self.prepared != Some(resources.version()) {
            self.look_up(resources);
        }
    }

    fn look_up(&mut self, resources: &Resources) {
        for node in &mut self.by_rank {
            node.prepare(resources, self.pool.as_ref());
            note_lent(node, resources);
        }
        // Some of the nodes may have begun to watch a resource.
        let watched = resources.watched_set();
        if self.noted != Some(watched) {
            for node in &mut self.by_rank {
                note_written(node, resources);
            }
            self.noted = Some(watched);
        }
        self.prepared = (!self.misses_required()).then(|| resources.version());
    }

    pub(crate) fn set_pool(&mut self, pool: Option<Arc<ThreadPool>>) {
        self.pool = pool;
        self.prepared = None;
    }

    pub(crate) fn pool(&self) -> Option<&Arc<ThreadPool>> {
        self.pool.as_ref()
    }

    /// Enables or disables a node. For a loop, this includes its body.
    pub(crate) fn set_enabled(&mut self, rank: u32, is_enabled: bool) {
        self.outcomes.set_enabled(rank, is_enabled);
        let node = &self.by_rank[rank as usize];
        let last = match &node.work {
            Work::Loop(repeat) => repeat.end,
            _ => rank,
        };
        // Resources that only disabled nodes miss were not reported.
        let mut switched = self.by_rank[rank as usize..=last as usize].iter();
        if is_enabled && switched.any(RunNode::misses_required) {
            self.prepared = None;
        }
        if !self.with_messages.is_empty() {
            self.note_enabled_readers();
        }
    }

    /// Messages are not kept for readers that are disabled. O(nodes).
    fn note_enabled_readers(&mut self) {
        let mut ranks = self.with_messages.iter().peekable();
        let are_in_use = (0..).zip(self.are_in_use());
        let of_messages = are_in_use.filter(|(rank, _)| ranks.next_if_eq(&rank).is_some());
        let of_messages: Vec<(u32, bool)> = of_messages.collect();
        for (rank, is_enabled) in of_messages {
            if let Some(run) = self.by_rank[rank as usize].runnable() {
                run.settle(&mut Settle::NoteEnabled(is_enabled));
            }
        }
    }

    /// Whether a node that may run misses a resource that it requires.
    fn misses_required(&self) -> bool {
        self.in_use().any(|(_, node)| node.misses_required())
    }

    /// The nodes that may run, with their ranks: they are enabled, and so are the loops around them.
    fn in_use(&self) -> impl Iterator<Item = (u32, &RunNode)> {
        let nodes = (0..).zip(&self.by_rank).zip(self.are_in_use());
        nodes.filter_map(|(node, is_in_use)| is_in_use.then_some(node))
    }

    /// Whether each node may run, by rank.
    pub(crate) fn are_in_use(&self) -> impl Iterator<Item = bool> {
        // All nodes up to this rank are in a disabled loop.
        let mut off_to = 0;
        (0..).zip(&self.by_rank).map(move |(rank, node)| {
            let is_off = rank < off_to || !self.outcomes.is_enabled(rank);
            if is_off && let Work::Loop(repeat) = &node.work {
                off_to = off_to.max(repeat.end);
            }
            !is_off
        })
    }

    /// Sets the parent of the spans of all executions.
    pub(crate) fn set_parent_span(&mut self, parent_span: &ParentSpan) {
        for node in &mut self.by_rank {
            node.set_parent_span(parent_span.clone());
        }
    }

    /// The ranks of a system, or of a loop with all nodes in it.
    pub(crate) fn ranks_in(&self, rank: u32) -> Range<usize> {
        let end = match &self.by_rank[rank as usize].work {
            Work::Loop(repeat) => repeat.end,
            _ => rank + 1,
        };
        rank as usize..end as usize
    }

    /// Applies the commands of the first `n_nodes` nodes, by rank, and collects their requests. Drops those of failed nodes.
    /// Returns the ranks of the nodes whose commands panicked.
    #[inline]
    pub(crate) fn apply_commands(&mut self, n_nodes: usize, resources: &mut Resources) -> Vec<u32> {
        if self.with_records.is_empty() {
            Vec::new()
        } else {
            self.apply_recorded(n_nodes, resources)
        }
    }

    /// Whether something must be done after an exclusive node. False for an inserted sync point if no node that it serves has commands.
    #[inline]
    pub(crate) fn is_sync_point_needed(&mut self, rank: u32) -> bool {
        !self.by_rank[rank as usize].is_inserted() || self.has_commands_for(rank)
    }

    fn has_commands_for(&mut self, rank: u32) -> bool {
        let served = self.by_rank[rank as usize]
            .about
            .served
            .take()
            .expect("it is an inserted sync point");
        let is_found = served.iter().any(|&rank| {
            let node = &mut self.by_rank[rank as usize];
            // The commands of a failed system are dropped.
            let is_kept = matches!(node.work, Work::Loop(_))
                || matches!(self.outcomes.get(rank), Outcome::Finished(_));
            is_kept && node.has_commands()
        });
        self.by_rank[rank as usize].about.served = Some(served);
        is_found
    }

    fn apply_recorded(&mut self, n_nodes: usize, resources: &mut Resources) -> Vec<u32> {
        let mut panicked = Vec::new();
        for idx in 0..self.with_records.len() {
            let rank = self.with_records[idx];
            if rank as usize >= n_nodes {
                break;
            }
            let mut all = Vec::new();
            take_recorded(
                &mut self.by_rank[rank as usize],
                rank,
                &self.outcomes,
                &mut all,
            );
            for recorded in all {
                let rank = recorded.rank;
                if !self.apply_batch(recorded, resources) {
                    panicked.push(rank);
                }
            }
        }
        panicked
    }

    /// The nodes of a loop body that record commands or partial results, ascending.
    pub(crate) fn recorders_in(&self, one: PlannedLoop) -> &[u32] {
        &self.with_records[self.indices_in(one)]
    }

    /// Their indices in `with_records`.
    fn indices_in(&self, one: PlannedLoop) -> Range<usize> {
        let all = &self.with_records;
        let first = all.partition_point(|&rank| rank <= one.begin);
        let behind = all.partition_point(|&rank| rank < one.end);
        first..behind
    }

    /// Moves what the body of a loop recorded in this iteration to the loop, after the records of earlier iterations.
    pub(crate) fn collect_loop_records(&mut self, one: PlannedLoop) {
        let mut collected: Vec<Batch> = Vec::new();
        for idx in self.indices_in(one) {
            let rank = self.with_records[idx];
            let inner = &mut self.by_rank[rank as usize];
            take_recorded(inner, rank, &self.outcomes, &mut collected);
        }
        if !collected.is_empty() {
            self.by_rank[one.begin as usize].keep_recorded(collected);
        }
    }

    /// Returns `false` if a command panicked, or had no effect and its system fails because of this.
    fn apply_batch(&mut self, recorded: Batch, resources: &mut Resources) -> bool {
        let Batch {
            rank,
            mut commands,
            folds,
            mut requests,
        } = recorded;
        debug_assert!(
            folds.is_empty(),
            "folds are joined before commands are applied"
        );
        let outer = resources.collect_missed();
        let result = catch_unwind(AssertUnwindSafe(|| commands.apply(resources)));
        let missed = resources.take_missed(outer);
        if commands.has_emptied()
            && let Some(run) = self.by_rank[rank as usize].runnable()
        {
            run.settle(&mut Settle::ReuseCommands(&mut commands));
        }
        let mut cause = None;
        if missed.n > 0 {
            cause = self.note_missed(rank, missed);
        }
        if let Err(payload) = result {
            cause = Some(Cause::CommandPanic(Panic::new(payload)));
        }
        let is_applied = cause.is_none();
        if let Some(cause) = cause {
            requests.clear();
            let about = &mut self.by_rank[rank as usize].about;
            if about.cause.is_none() {
                self.outcomes.log_failure(rank, &cause);
                about.cause = Some(cause);
                self.outcomes.note_failure();
            } else {
                // The failure of the system itself came first.
                drop_caught(cause);
            }
        }
        let requests = requests.drain().map(|request| (rank, request));
        self.requests.extend(requests);
        is_applied
    }

    /// Records that commands of a node had no effect. Returns the cause of its failure, if it fails because of this.
    #[cold]
    fn note_missed(&mut self, rank: u32, notes: MissedNotes) -> Option<Cause> {
        let about = &mut self.by_rank[rank as usize].about;
        let cause = about
            .marks
            .has(Marks::FAIL_IF_MISSED)
            .then(|| Cause::MissedCommands {
                n: notes.n,
                first: notes.first.clone(),
            });
        if about.missed.get_or_insert_default().add(notes) {
            self.with_missed.push(rank);
        }
        cause
    }

    /// Warns of the commands that had no effect in this run.
    #[inline]
    pub(crate) fn warn_missed(&mut self, schedule: &str) {
        if !self.with_missed.is_empty() {
            self.warn_all_missed(schedule);
        }
    }

    #[cold]
    fn warn_all_missed(&mut self, schedule: &str) {
        for rank in self.with_missed.drain(..) {
            let about = &mut self.by_rank[rank as usize].about;
            if let Some(missed) = &mut about.missed {
                missed.end_run(schedule, &about.place);
            }
        }
    }

    /// Records that a system has made a request that cannot be fulfilled.
    #[cold]
    pub(crate) fn fail_request(&mut self, rank: u32, error: RequestError) {
        match &mut self.by_rank[rank as usize].about.cause {
            Some(Cause::Request(errors)) => errors.push(error),
            // Another failure of the system came first.
            Some(_) => {}
            none => {
                *none = Some(Cause::Request(vec![error]));
                self.outcomes.note_failure();
            }
        }
    }

    /// Takes the memory that a failure needs, so that the first one allocates nothing. O(1) after the first call, which is O(nodes + edges)
    /// for each node that takes failures.
    #[inline]
    pub(crate) fn reserve(&mut self, plan: &Plan) {
        if !core::mem::replace(&mut self.is_reserved, true) {
            self.reserve_all(plan);
        }
    }

    #[cold]
    fn reserve_all(&mut self, plan: &Plan) {
        let n_nodes = self.by_rank.len();
        self.outcomes.reserve(n_nodes);
        // The lists return their memory when they are dropped.
        self.spare_failures.list().reserve(n_nodes);
        self.spare_skipped.list().reserve(n_nodes);
        plan.dependents();
        for (rank, node) in (0..).zip(&mut self.by_rank) {
            if !node.reads_failures {
                continue;
            }
            let before = NodesBefore::new(plan.before(rank));
            if let Some(run) = node.runnable() {
                run.settle(&mut Settle::NoteFailures(&before.lists));
            }
            node.about.before = Some(Box::new(before));
        }
    }

    /// Returns the failures of this run and the systems that were skipped because of them. Resets the outcomes.
    ///
    /// O(1) if no node failed.
    #[inline]
    pub(crate) fn take_result(&mut self) -> Result<(), RunError> {
        if self.outcomes.has_failed() {
            Err(self.take_failures())
        } else {
            Ok(())
        }
    }

    #[cold]
    #[inline(never)]
    fn take_failures(&mut self) -> RunError {
        let mut failures = self.spare_failures.list();
        let mut skipped = self.spare_skipped.list();
        // All nodes up to this rank are in a skipped loop.
        let mut skipped_to = 0;
        // All nodes up to this rank are in a disabled loop, so they would not have run anyway.
        let mut off_to = 0;
        for (rank, node) in (0..).zip(&mut self.by_rank) {
            if let Some(failure) = node.take_failure() {
                failures.push(failure);
            }
            let is_skipped = rank < skipped_to || self.outcomes.get(rank) == Outcome::Skipped;
            let is_off = rank < off_to || !self.outcomes.is_enabled(rank);
            if let Work::Loop(repeat) = &node.work {
                if is_skipped {
                    skipped_to = skipped_to.max(repeat.end);
                }
                if is_off {
                    off_to = off_to.max(repeat.end);
                }
            }
            if is_skipped && !is_off && node.has_work() {
                skipped.push(Arc::clone(&node.about.place));
            }
        }
        self.outcomes.reset();
        RunError::Failed { failures, skipped }
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        nested_drop::drop_nodes(core::mem::take(&mut self.by_rank));
    }
}

/// Moves the commands, requests and partial results of a node to `to`. For a loop, moves those of its body as well. Drops the
/// commands and requests of a failed execution. Its partial results are dropped already.
pub(crate) fn take_recorded(
    node: &mut RunNode,
    rank: u32,
    outcomes: &Outcomes,
    to: &mut Vec<Batch>,
) {
    let is_loop = if let Work::Loop(repeat) = &mut node.work {
        to.append(&mut repeat.recorded);
        true
    } else {
        false
    };
    let mut commands = CommandQueue::new();
    let mut folds = FoldQueue::default();
    if let Some(run) = node.runnable() {
        run.settle(&mut Settle::TakeCommands(&mut commands));
        run.settle(&mut Settle::TakeFolds(&mut folds));
    }
    let requests = node.take_requests();
    if commands.is_empty() && folds.is_empty() && requests.is_empty() {
        return;
    }
    // `RunContext::evaluate` takes the commands of a loop condition that succeeded. Commands that are left are those of a
    // failure.
    if !is_loop && matches!(outcomes.get(rank), Outcome::Finished(_)) {
        to.push(Batch {
            rank,
            commands,
            folds,
            requests,
        });
        return;
    }
    drop_caught(commands);
}

#[cfg(test)]
mod tests;
