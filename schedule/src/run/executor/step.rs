//! Executes one node, in the same way for all executors.
//!
//! Invariant: an executor holds a node from the completion of all predecessors until the completion of the node. The
//! holder of the begin or the end of a loop holds both. The holder of the end also holds all nodes of the body.
//! Executors call the functions of this module only for nodes that they hold, and [`after_exclusive`] only while no
//! system runs. Any two nodes that conflict are ordered, even if they never run both. So prepared nodes fulfil all
//! requirements of [`Runnable::run`](crate::systems::system::Runnable::run).
#![expect(unsafe_code, reason = "calls systems, whose conditions executors keep")]

use core::time::Duration;

use crate::declare::failure::Cause;

use crate::base::panics::drop_caught;
use crate::base::span::InsideSpan;
use crate::base::time::Instant;
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::data::param::state::FailureLists;
use crate::data::param::{CommandQueue, FetchFrom, FoldQueue, Join, Requests, Settle};
use crate::data::record::RecordedRun;
use crate::run::node::{Batch, DirectStep, NodeInfo, NodesBefore, RunNode, Work};
use crate::run::nodes::Nodes;
use crate::run::outcome::{Outcome, Outcomes, Skipping};
use crate::verify::plan::{Plan, PlannedLoop};

/// The options of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunOptions<'a> {
    /// The rank of the first node to run. A serial part of the same run has completed all nodes of lower rank.
    pub(super) first: u32,
    /// Whether the run follows a pause, so that the caches are cold.
    pub(super) is_cold: bool,
    /// Whether the clock is read before and after each node: the run is timed, recorded or both.
    pub(super) is_watched: bool,
    /// Whether the time of each node is added to its total.
    pub(super) is_timed: bool,
    /// The recorded run, if executions are recorded (thread, start and end).
    pub(super) recorded: Option<&'a RecordedRun>,
}

impl<'a> RunOptions<'a> {
    /// Sets whether the run is timed, and whether it is recorded.
    pub(super) fn watched(self, is_timed: bool, recorded: Option<&'a RecordedRun>) -> Self {
        Self {
            is_watched: is_timed || recorded.is_some(),
            is_timed,
            recorded,
            ..self
        }
    }
}

/// The part of the state of a run that all threads share.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'a> {
    pub(super) plan: &'a Plan,
    pub(super) outcomes: &'a Outcomes,
    pub(super) from: FetchFrom<'a>,
    pub(super) how: RunOptions<'a>,
    /// Whether no other thread runs nodes.
    pub(super) is_alone: bool,
}

impl RunContext<'_> {
    /// Whether a node runs now that its predecessors are completed. If not, this stores its outcome.
    #[inline]
    pub(super) fn is_due(self, rank: u32, is_guarded: bool) -> bool {
        self.has_no_skips() && !is_guarded || self.is_due_if(rank, is_guarded)
    }

    /// Whether every node is due unless its guard does not hold. This is the case in a whole run without disabled
    /// nodes, until a node fails.
    #[inline]
    pub(super) fn has_no_skips(self) -> bool {
        self.how.first == 0 && self.outcomes.has_no_skips()
    }

    fn is_due_if(self, rank: u32, is_guarded: bool) -> bool {
        if rank < self.how.first {
            return false;
        }
        if matches!(
            self.outcomes.get(rank),
            Outcome::Skipped | Outcome::Disabled
        ) {
            return false;
        }
        if self.outcomes.is_stopped() && !self.plan.is_always(rank) {
            self.outcomes.set(rank, Outcome::Skipped);
            return false;
        }
        if is_guarded && !self.guard_holds(rank) {
            let outcome = if !self.has_no_skips() && self.is_guard_lost(rank) {
                Outcome::Skipped
            } else {
                Outcome::GuardFalse
            };
            self.outcomes.set(rank, outcome);
            return false;
        }
        true
    }

    /// Whether a condition in the guard of a node failed or was skipped, so that the guard has no answer. Usually the node is
    /// marked already, but not if the failure policy of the condition is to carry on, or if the node always runs.
    #[cold]
    fn is_guard_lost(self, rank: u32) -> bool {
        let formula = self.plan.formula(rank);
        formula.is_some_and(|guard| {
            let mut leaves = guard.leaves();
            leaves.any(|leaf| {
                let outcome = self.outcomes.get(leaf.rank);
                matches!(outcome, Outcome::Failed | Outcome::Skipped)
            })
        })
    }

    /// Whether the guard of a node holds. Conditions that did not finish have no answer.
    #[inline]
    pub(super) fn guard_holds(self, rank: u32) -> bool {
        let Some(guard) = self.plan.guard(rank) else {
            return true;
        };
        guard.holds(|condition| match self.outcomes.get(condition) {
            Outcome::Finished(answer) => Some(answer),
            _ => None,
        })
    }

    /// Whether a loop whose body has run may evaluate its condition again.
    pub(super) fn may_repeat(self, begin: u32) -> bool {
        let is_stopped = self.outcomes.is_stopped() && !self.plan.is_always(begin);
        !is_stopped && self.outcomes.get(begin) != Outcome::Failed
    }

    /// Runs the system of a node.
    ///
    /// # Errors
    ///
    /// The reason why the node failed.
    ///
    /// # Safety
    ///
    /// - The node is due.
    /// - It was prepared for these resources, and no resource was inserted or removed since.
    /// - No system that conflicts with it runs.
    /// - If it [`is_bound`](RunNode::is_bound), this is the thread that called `run`.
    #[inline]
    pub(super) unsafe fn step(self, node: &mut RunNode, rank: u32) -> Result<(), Cause> {
        if let Work::System(system) = &mut node.work
            && node.direct == DirectStep::Plain
            && !self.how.is_watched
        {
            // SAFETY: the caller guarantees that the node was prepared for these resources, that no conflicting system
            // runs, and that this is the right thread. `Runnable::run` requires nothing else.
            let result = unsafe { system.run(self.from, &mut 1) };
            return result.map_err(Cause::Error);
        }
        // SAFETY: the requirements of `step_checked` are those of this function, and nothing ran since the call.
        unsafe { self.step_checked(node, rank) }
    }

    /// Like `step`, for a node that is not plain or is watched. The span encloses the measured time, so costs do not
    /// include the time of subscribers.
    ///
    /// # Safety
    ///
    /// As for [`step`](Self::step).
    unsafe fn step_checked(self, node: &mut RunNode, rank: u32) -> Result<(), Cause> {
        if node.is_missing {
            return Err(missing(node));
        }
        if node.reads_failures {
            self.note_failures(node, rank);
        }
        if let Work::System(system) = &mut node.work {
            let span = node.parent_span.system(&node.about.place.name);
            let start = self.start(&mut node.about, false);
            let mut answer = 1;
            // SAFETY: the node misses no resource. The caller guarantees that it was prepared for these resources, that
            // no conflicting system runs, and that this is the right thread.
            let result = unsafe { system.run(self.from, &mut answer) };
            self.end(&mut node.about, start);
            InsideSpan::leave(span);
            result.map_err(Cause::Error)?;
            // The outcome of a plain node is `Finished(1)` already. A write could delay threads that use the same cache line.
            if node.direct != DirectStep::Plain {
                self.outcomes.set(rank, Outcome::Finished(answer));
            }
        } else {
            // `after_exclusive` records the end, after the commands are applied.
            self.reach_sync_point(node, rank);
        }
        Ok(())
    }

    fn reach_sync_point(self, node: &mut RunNode, rank: u32) {
        let guards = node.about.guards.iter().flat_map(|guards| &**guards);
        guards.for_each(|memory| memory.start());
        if let Some(run) = self.how.recorded {
            node.about.record.begin(run, false);
        }
        self.outcomes.set(rank, Outcome::Finished(1));
    }

    /// Executes an inserted sync point that has no commands to apply.
    pub(super) fn pass_sync_point(self, node: &mut RunNode, rank: u32) {
        self.reach_sync_point(node, rank);
        if let Some(run) = self.how.recorded {
            node.about.record.end(run);
        }
    }

    /// Gives a node that takes them the failures before it.
    #[cold]
    fn note_failures(self, node: &mut RunNode, rank: u32) {
        // A refused run is stopped without a failure.
        let has_not_run = self.outcomes.has_failed() || self.outcomes.is_stopped();
        let Some(log) = self.outcomes.log().filter(|_| has_not_run) else {
            if let Some(run) = node.runnable() {
                run.settle(&mut Settle::NoteFailures(&FailureLists::default()));
            }
            return;
        };
        let mut before = match node.about.before.take() {
            Some(before) => before,
            None => Box::new(NodesBefore::new(self.plan.before(rank))),
        };
        let NodesBefore { ranks, lists } = &mut *before;
        let not_run = |rank| {
            let outcome = self.outcomes.get(rank);
            (outcome == Outcome::Skipped, outcome == Outcome::Disabled)
        };
        log.list(rank, ranks, not_run, lists);
        if let Some(run) = node.runnable() {
            run.settle(&mut Settle::NoteFailures(lists));
        }
        // The system shares the texts, but this memory must not.
        lists.clear();
        node.about.before = Some(before);
    }

    /// Begins the execution of a node. Returns its start time if the run is timed. `is_repeat`: a loop evaluates its condition again.
    ///
    /// The measured time of the node contains neither the recording nor the spans.
    fn start(self, about: &mut NodeInfo, is_repeat: bool) -> Option<Instant> {
        if let Some(run) = self.how.recorded {
            about.record.begin(run, is_repeat);
        }
        if let Some(stopwatch) = &mut about.stopwatch {
            stopwatch.start();
        }
        self.how.is_timed.then(Instant::now)
    }

    /// Ends the execution of a node that started at this time.
    #[inline]
    fn end(self, about: &mut NodeInfo, start: Option<Instant>) {
        if start.is_some() || about.stopwatch.is_some() || self.how.recorded.is_some() {
            self.end_measured(about, start);
        }
    }

    #[inline(never)]
    fn end_measured(self, about: &mut NodeInfo, start: Option<Instant>) {
        if let Some(start) = start {
            about.note_time(start.elapsed());
        }
        about.stop_watch();
        if let Some(run) = self.how.recorded {
            about.record.end(run);
        }
    }

    /// Evaluates the condition of a loop. Returns whether the body runs next.
    ///
    /// # Errors
    ///
    /// The reason why the condition failed.
    ///
    /// # Safety
    ///
    /// As for [`step`](Self::step), with the begin of the loop as the node.
    pub(super) unsafe fn evaluate(self, begin: &mut RunNode, rank: u32) -> Result<bool, Cause> {
        if begin.is_missing {
            return Err(missing(begin));
        }
        if begin.reads_failures {
            self.note_failures(begin, rank);
        }
        let Work::Loop(repeat) = &mut begin.work else {
            unreachable!("the begin of a loop");
        };
        let span = begin.parent_span.system(&begin.about.place.name);
        let start = self.start(&mut begin.about, repeat.n_iterations > 0);
        let mut answer = 1;
        // SAFETY: the begin misses no resource. The caller guarantees that it was prepared for these resources, that no
        // conflicting system runs, and that this is the right thread.
        let result = unsafe { repeat.condition.run(self.from, &mut answer) };
        self.end(&mut begin.about, start);
        InsideSpan::leave(span);
        result.map_err(Cause::Error)?;
        if answer != 0
            && let Some(at_most) = repeat.at_most
            && repeat.n_iterations == at_most
        {
            return Err(Cause::TooManyIterations(at_most));
        }
        for group in self.plan.folds.of_condition(rank) {
            // SAFETY: the group consists of this condition, so nothing else accesses its resource: the loop accesses it, and no
            // node of the body runs.
            let mut join = unsafe { Join::new(group.resource) };
            repeat.condition.settle(&mut Settle::JoinFolds(&mut join));
            if let Some(failure) = join.into_failure() {
                return Err(failure.into());
            }
        }
        self.outcomes.set(rank, Outcome::Finished(1));
        if answer != 0 {
            repeat.n_iterations += 1;
            if self.how.recorded.is_some() {
                begin.about.record.go_on();
            }
        }
        if begin.about.access.has_records() {
            // These precede the records of the body in the next iteration.
            let mut commands = CommandQueue::new();
            let mut folds = FoldQueue::default();
            let condition = &mut *repeat.condition;
            condition.settle(&mut Settle::TakeCommands(&mut commands));
            condition.settle(&mut Settle::TakeFolds(&mut folds));
            let mut requests = Requests::new();
            condition.settle(&mut Settle::TakeRequests(&mut requests));
            repeat.recorded.push(Batch {
                rank,
                commands,
                folds,
                requests,
            });
        }
        Ok(answer != 0)
    }

    /// Records the failure of a node, and marks the nodes that are skipped because of it. The loops around the node
    /// fail as well.
    ///
    /// None of the marked nodes has started, and no other thread marks the node itself.
    #[cold]
    pub(super) fn fail(self, node: &mut RunNode, rank: u32, cause: Cause) {
        // A system that missed a resource did not run. It may have partial results of earlier iterations.
        if !cause.is_missing()
            && let Some(run) = node.runnable()
        {
            run.settle(&mut Settle::DropFolds);
        }
        // The condition of a loop wrote too many messages. Its readers must run to make room.
        let on_failure = match cause {
            Cause::Full(_) => FailurePolicy::CarryOn,
            _ => node.on_failure,
        };
        if node.about.cause.is_none() {
            self.outcomes.log_failure(rank, &cause);
        }
        add_cause(node, cause);
        // A system that panicked has not recorded its end.
        node.about.stop_watch();
        if let Some(run) = self.how.recorded {
            node.about.record.end(run);
        }
        self.outcomes.note_failure();
        if on_failure == FailurePolicy::Stop {
            self.outcomes.stop();
        }
        self.outcomes.set(rank, Outcome::Failed);
        if on_failure == FailurePolicy::SkipDependents {
            self.skip_dependents(rank);
        }
        self.fail_enclosing_loops(rank, on_failure);
    }

    /// Marks the loops that contain both a node and a sync point as failed: a command of the node panicked there. Dependents of the
    /// node are not skipped, because they may have run.
    #[cold]
    fn fail_commands(self, rank: u32, sync_point: u32, on_failure: FailurePolicy) {
        if on_failure == FailurePolicy::Stop {
            self.outcomes.stop();
        }
        let has_node = |one: &PlannedLoop| (one.begin..one.end).contains(&rank);
        self.fail_loops(
            self.enclosing_loops(sync_point).filter(has_node),
            on_failure,
        );
    }

    /// Marks the loops around a node as failed.
    pub(super) fn fail_enclosing_loops(self, rank: u32, on_failure: FailurePolicy) {
        self.fail_loops(self.enclosing_loops(rank), on_failure);
    }

    fn fail_loops(self, loops: impl Iterator<Item = PlannedLoop>, on_failure: FailurePolicy) {
        for one in loops {
            self.outcomes.set(one.begin, Outcome::Failed);
            if on_failure == FailurePolicy::SkipDependents {
                self.skip_dependents(one.begin);
            }
        }
    }

    /// The loops around a node, the innermost one first.
    fn enclosing_loops(self, rank: u32) -> impl Iterator<Item = PlannedLoop> {
        let enclosing = move |rank| Some(self.plan.loops[self.plan.enclosing_loop(rank)?]);
        core::iter::successors(enclosing(rank), move |one| enclosing(one.begin))
    }

    /// The outcome of a node.
    pub(super) fn outcome(self, rank: u32) -> Outcome {
        self.outcomes.get(rank)
    }

    /// Records that a due node misses a resource.
    #[cold]
    pub(super) fn fail_missing(self, node: &mut RunNode, rank: u32) {
        let cause = missing(node);
        self.fail(node, rank, cause);
    }

    /// Adds the time of a member of a sweep. `took`: the sum over all threads, in a timed run.
    pub(super) fn end_member(self, node: &mut RunNode, took: Option<Duration>) {
        if let Some(took) = took.filter(|_| self.how.is_timed) {
            node.about.note_time(took);
        }
    }

    /// Records that a member of a sweep has finished.
    pub(super) fn finish_member(self, rank: u32) {
        if self.outcomes.get(rank) != Outcome::Skipped {
            self.outcomes.set(rank, Outcome::Finished(1));
        }
    }

    /// Marks the nodes that are skipped because this node failed. The node is not completed yet.
    ///
    /// Several threads can mark nodes at the same time. If one finds a node that another has marked, it leaves the dependents of that node
    /// to the other thread. These cannot start before both failed nodes are completed.
    pub(super) fn skip_dependents(self, failed: u32) {
        let dependents = self.plan.dependents().links();
        let mut skipping = self.outcomes.take_skipping();
        let Skipping { open, passed } = &mut *skipping;
        passed.clear();
        open.push(failed);
        while let Some(rank) = open.pop() {
            for link in dependents.start(rank as usize)..dependents.end(rank as usize) {
                let dependent = dependents.target(link);
                let is_new = match self.outcomes.get(dependent) {
                    // A disabled node keeps its mark, and a node that always runs gets none. Their dependents are skipped
                    // nevertheless.
                    Outcome::Disabled => passed.insert(dependent),
                    _ if self.plan.is_always(dependent) => passed.insert(dependent),
                    Outcome::Skipped => false,
                    _ => {
                        self.outcomes.set(dependent, Outcome::Skipped);
                        true
                    }
                };
                if is_new {
                    open.push(dependent);
                }
            }
        }
        self.outcomes.put_skipping(skipping);
    }
}

/// Stores the cause of a failure, unless another failure of the same node came first: commands or partial results of an earlier
/// iteration of a loop panicked.
pub(super) fn add_cause(node: &mut RunNode, cause: Cause) {
    match &node.about.cause {
        None => node.about.cause = Some(cause),
        Some(_) => drop_caught(cause),
    }
}

#[cold]
fn missing(node: &RunNode) -> Cause {
    let missing = node
        .about
        .missing
        .clone()
        .expect("noted when it was prepared");
    if node.about.marks.has(Marks::SKIP_IF_MISSING) {
        Cause::Absent(missing)
    } else {
        Cause::Missing(missing)
    }
}

/// Completes an exclusive node: applies commands if it is a sync point that finished, and refreshes the resource
/// addresses of all nodes.
///
/// # Safety
///
/// No system runs, and this is the thread that called `run`.
pub(super) unsafe fn after_exclusive(
    nodes: &mut Nodes,
    rank: u32,
    plan: &Plan,
    from: FetchFrom<'_>,
    how: RunOptions<'_>,
) {
    if !nodes.is_sync_point_needed(rank) {
        if let Some(run) = how.recorded {
            nodes.by_rank[rank as usize].about.record.end(run);
        }
        return;
    }
    let node = &nodes.by_rank[rank as usize];
    // SAFETY: the caller guarantees that no system runs, so no reference into the resources is in use.
    let resources = unsafe { from.get_mut() };
    if matches!(node.work, Work::ApplyCommands)
        && matches!(nodes.outcomes.get(rank), Outcome::Finished(_))
    {
        let panicked = nodes.apply_commands(rank as usize, resources);
        if let Some(run) = how.recorded {
            nodes.by_rank[rank as usize].about.record.end(run);
        }
        let run_context = RunContext {
            plan,
            outcomes: &nodes.outcomes,
            from,
            how,
            is_alone: false,
        };
        for system in panicked {
            let on_failure = nodes.by_rank[system as usize].on_failure;
            run_context.fail_commands(system, rank, on_failure);
        }
    }
    nodes.refresh(resources);
}
