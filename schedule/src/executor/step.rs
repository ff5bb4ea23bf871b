//! One node, run: what all executors do with it.
//!
//! Invariant: the executor holds a node from the time at which everything that comes before it is decided, until it is
//! decided itself; who holds the begin or the end of a loop holds both, and who holds the end holds all that is in it.
//! It calls what is here for nodes that it holds, and [`after_exclusive`] only while no system runs. As any two nodes
//! that conflict are ordered, even if they never run both, that is all that [`Run::run`](crate::system::Run::run) asks
//! for, once the nodes are prepared.
#![expect(unsafe_code, reason = "calls systems, whose conditions executors keep")]

use crate::failure::{Cause, FailurePolicy};
use crate::node::{Batch, NodeInfo, RunNode, Work};
use crate::nodes::Nodes;
use crate::outcome::{Outcome, Outcomes, Skipping};
use crate::panics::drop_caught;
use crate::param::{CommandQueue, FetchFrom};
use crate::plan::Plan;
use crate::record::RunNumber;
use crate::time::Instant;

/// How a run goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct How {
    /// The nodes before this rank are decided: one thread ran them.
    pub(super) first: u32,
    /// There was a pause before, after which the caches hold other things.
    pub(super) is_cold: bool,
    /// The clock is read before and after each node: the run is timed, or recorded, or both.
    pub(super) is_watched: bool,
    /// The time that each node takes is added to what it took so far.
    pub(super) is_timed: bool,
    /// Who ran what and when is kept, under this number.
    pub(super) recorded: Option<RunNumber>,
}

impl How {
    /// What each node takes is measured, or who ran what and when is kept, or both.
    pub(super) fn watched(self, is_timed: bool, recorded: Option<RunNumber>) -> Self {
        Self {
            is_watched: is_timed || recorded.is_some(),
            is_timed,
            recorded,
            ..self
        }
    }
}

/// What all threads of a run see.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'a> {
    pub(super) plan: &'a Plan,
    pub(super) outcomes: &'a Outcomes,
    pub(super) from: FetchFrom<'a>,
    pub(super) how: How,
}

impl RunContext<'_> {
    /// Whether a node that is reached is to run; else it is decided now.
    #[inline]
    pub(super) fn is_due(self, rank: u32, is_guarded: bool) -> bool {
        self.is_calm() && !is_guarded || self.is_due_if(rank, is_guarded)
    }

    /// Whether every node that is reached is to run, unless it has a guard: until something fails, nothing is skipped, and
    /// nothing is switched off.
    #[inline]
    pub(super) fn is_calm(self) -> bool {
        self.how.first == 0 && self.outcomes.is_calm()
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
        if self.outcomes.is_stopped() {
            self.outcomes.set(rank, Outcome::Skipped);
            return false;
        }
        if is_guarded && !self.is_let(rank) {
            self.outcomes.set(rank, Outcome::Passed);
            return false;
        }
        true
    }

    /// Whether the guard of a node holds: all of its conditions were asked, and answered so that it does.
    fn is_let(self, rank: u32) -> bool {
        let Some(guard) = self.plan.guard(rank) else {
            return true;
        };
        guard.holds(|condition| match self.outcomes.get(condition) {
            Outcome::Finished(answer) => Some(answer),
            _ => None,
        })
    }

    /// Whether a loop whose body has run may ask again.
    pub(super) fn goes_on(self, begin: u32) -> bool {
        !self.outcomes.is_stopped() && self.outcomes.get(begin) != Outcome::Failed
    }

    /// Runs the system of a node.
    ///
    /// # Errors
    ///
    /// Why it failed.
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
            && node.is_plain
            && !self.how.is_watched
        {
            // SAFETY: the caller guarantees that the node was prepared for these resources, that nothing that conflicts
            // with it runs, and that this is the right thread. That is all that `Run::run` requires.
            unsafe { system.run(self.from) }.map_err(Cause::Error)?;
            return Ok(());
        }
        // SAFETY: the requirements of `step_with_care` are those of this function, and nothing ran since the call.
        unsafe { self.step_with_care(node, rank) }
    }

    /// As `step`, for a node that is not plain, or is watched. Its span is around its time, so that nothing is learned of
    /// what listeners take.
    ///
    /// # Safety
    ///
    /// As [`step`](Self::step).
    unsafe fn step_with_care(self, node: &mut RunNode, rank: u32) -> Result<(), Cause> {
        if node.is_missing {
            return Err(missing(node));
        }
        if let Work::System(system) = &mut node.work {
            let _span = node.around.system(&node.about.place.name);
            let start = self.start(&mut node.about, false);
            // SAFETY: the node misses nothing. The caller guarantees that it was prepared for these resources, that
            // nothing that conflicts with it runs, and that this is the right thread.
            let answer = unsafe { system.run(self.from) };
            self.end(&mut node.about, start);
            let answer = answer.map_err(Cause::Error)?;
            // Nobody asks for the outcome of a plain node, and its neighbours may be with other threads.
            if !node.is_plain {
                self.outcomes.set(rank, Outcome::Finished(answer));
            }
        } else {
            if let Some(run) = self.how.recorded {
                // It ends when all is carried out.
                node.about.record.begin(run, Instant::now(), false);
            }
            self.outcomes.set(rank, Outcome::Finished(1));
        }
        Ok(())
    }

    /// When a node begins to run, if anybody wants to know. `is_repeat`: a loop asks once more.
    fn start(self, about: &mut NodeInfo, is_repeat: bool) -> Option<Instant> {
        let start = self.how.is_watched.then(Instant::now)?;
        if let Some(run) = self.how.recorded {
            about.record.begin(run, start, is_repeat);
        }
        Some(start)
    }

    /// A node has run that began then.
    fn end(self, about: &mut NodeInfo, start: Option<Instant>) {
        let Some(start) = start else { return };
        let end = Instant::now();
        if self.how.is_timed {
            about.note_time(end.duration_since(start));
        }
        if self.how.recorded.is_some() {
            about.record.end(|| end);
        }
    }

    /// Asks the condition of a loop whether its body is to run.
    ///
    /// # Errors
    ///
    /// Why it failed.
    ///
    /// # Safety
    ///
    /// As [`step`](Self::step), of the begin of the loop.
    pub(super) unsafe fn ask(self, begin: &mut RunNode, rank: u32) -> Result<bool, Cause> {
        if begin.is_missing {
            return Err(missing(begin));
        }
        let Work::Loop(repeat) = &mut begin.work else {
            unreachable!("the begin of a loop");
        };
        let _span = begin.around.system(&begin.about.place.name);
        let start = self.start(&mut begin.about, repeat.n_passes > 0);
        // SAFETY: the begin misses nothing. The caller guarantees that it was prepared for these resources, that
        // nothing that conflicts with it runs, and that this is the right thread.
        let answer = unsafe { repeat.condition.run(self.from) };
        self.end(&mut begin.about, start);
        let answer = answer.map_err(Cause::Error)?;
        self.outcomes.set(rank, Outcome::Finished(1));
        if answer != 0 {
            match repeat.at_most {
                Some(at_most) if repeat.n_passes == at_most => {
                    return Err(Cause::TooManyPasses(at_most));
                }
                _ => repeat.n_passes += 1,
            }
            if self.how.recorded.is_some() {
                begin.about.record.go_on();
            }
        }
        if begin.about.access.has_commands {
            // They come before the commands that the body records, if it runs now.
            let mut commands = CommandQueue::new();
            repeat.condition.take_commands(&mut commands);
            repeat.recorded.push(Batch { rank, commands });
        }
        Ok(answer != 0)
    }

    /// Notes that a node has failed, and marks what is skipped for that. Then the loops around it have failed, too.
    ///
    /// None of what is marked was reached, and nobody else marks the node itself.
    #[cold]
    pub(super) fn fail(self, node: &mut RunNode, rank: u32, cause: Cause) {
        match &node.about.cause {
            None => node.about.cause = Some(cause),
            // Commands of an earlier pass of its loop have panicked.
            Some(_) => drop_caught(cause),
        }
        // A system that panics has not noted its end.
        if self.how.recorded.is_some() {
            node.about.record.end(Instant::now);
        }
        self.outcomes.note_failure();
        if node.on_failure == FailurePolicy::Stop {
            self.outcomes.stop();
        }
        let mut failed = Some(rank);
        while let Some(rank) = failed {
            self.outcomes.set(rank, Outcome::Failed);
            if node.on_failure == FailurePolicy::SkipDependents {
                self.skip_dependents(rank);
            }
            failed = self
                .plan
                .around(rank)
                .map(|around| self.plan.loops[around].begin);
        }
    }

    fn skip_dependents(self, failed: u32) {
        let dependents = self.plan.dependents().links();
        let mut skipping = self.outcomes.skipping();
        let Skipping { open, disabled } = &mut *skipping;
        disabled.clear();
        open.push(failed);
        while let Some(rank) = open.pop() {
            for link in dependents.start(rank as usize)..dependents.end(rank as usize) {
                let dependent = dependents.target(link);
                let is_new = match self.outcomes.get(dependent) {
                    Outcome::Skipped => false,
                    // It keeps its mark, and what comes after it is skipped all the same.
                    Outcome::Disabled => disabled.insert(dependent),
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
    }
}

#[cold]
fn missing(node: &RunNode) -> Cause {
    let missing = node.about.missing.clone();
    Cause::Missing(missing.expect("noted when it was prepared"))
}

/// After an exclusive node, whatever became of it: carries out what was recorded before a sync point, and lets the nodes
/// look resources up again.
///
/// # Safety
///
/// No system runs, and this is the thread that called `run`.
pub(super) unsafe fn after_exclusive(nodes: &mut Nodes, rank: u32, from: FetchFrom<'_>) {
    let node = &nodes.by_rank[rank as usize];
    // SAFETY: the caller guarantees that no system runs, so no reference into the resources is in use.
    let resources = unsafe { from.get_mut() };
    if matches!(node.work, Work::ApplyCommands)
        && matches!(nodes.outcomes.get(rank), Outcome::Finished(_))
    {
        nodes.settle(rank as usize, resources);
        let about = &mut nodes.by_rank[rank as usize].about;
        about.record.end(Instant::now);
    }
    nodes.refresh(resources);
}
