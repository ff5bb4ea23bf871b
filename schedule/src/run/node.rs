//! A node of a schedule: a system, a checkpoint, a sync point, or the begin or the end of a loop.

use core::time::Duration;
use std::sync::Arc;

use rayon::ThreadPool;

use crate::base::cost::clock;
use crate::base::place::SystemPlace;
use crate::base::prefetch::prefetch;
use crate::base::program::OnlyAnswer;
use crate::base::span::ParentSpan;
use crate::data::access::{AccessSet, ResourceId};
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::data::missed::SystemMisses;
use crate::data::output::{Branches, answer_text};
use crate::data::param::fetch::Scope;
use crate::data::param::state::FailureLists;
use crate::data::param::{CommandQueue, FoldQueue, Lookup, Requests, Settle};
use crate::data::record::Record;
use crate::data::resource::Resources;
use crate::data::resource::watched::ConditionMemory;
use crate::data::stopwatch::{LimitedSystem, Now, Stopwatch, TallyId};
use crate::declare::failure::{Cause, Failure};
use crate::systems::rate::observer::ObserverType;
use crate::systems::system::{Instance, Marked, Runnable};

/// A node of a schedule.
///
/// The data that each run accesses is in one place, and the rest is behind a pointer. So a node takes one cache line.
#[repr(align(64))]
pub(crate) struct RunNode {
    pub(crate) work: Work,
    /// Whether a required resource was missing when the node was last prepared.
    pub(crate) is_missing: bool,
    pub(crate) is_exclusive: bool,
    /// Whether the plan has a guard for this node.
    pub(crate) is_guarded: bool,
    /// The answer that its guard requires, if it requires one and nothing else.
    pub(crate) only_if: OnlyAnswer,
    /// The rank after the last node of its stretch: see [`note_stretches`](crate::run::stretches::note_stretches).
    pub(crate) stretch_end: u32,
    /// Whether the completion of the node may complete a group of folds: it folds, or it is the end of a loop that does.
    pub(crate) is_folding: bool,
    /// Whether the node takes the failures before it.
    pub(crate) reads_failures: bool,
    /// Whether the node is a system with an answer.
    pub(crate) has_answer: bool,
    /// How executors may run the node without checks of its own: then it has no missing resource, no exclusive access, no fold, no span and
    /// no limits, and takes no failures.
    pub(crate) direct: DirectStep,
    pub(crate) on_failure: FailurePolicy,
    /// The parent of the spans of its executions.
    pub(crate) parent_span: ParentSpan,
    pub(crate) about: Box<NodeInfo>,
}

/// How a serial run executes a node while no node is skipped or disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectStep {
    /// With all checks.
    None,
    Checkpoint,
    /// Calls its system. It has no guard and no answer, so all executors call it directly.
    Plain,
    /// Calls its system if its guard holds. It has no answer.
    Guarded,
    /// Calls its system, and stores the answer.
    Condition,
    /// The same, if its guard holds.
    GuardedCondition,
}

/// The work of a node.
pub(crate) enum Work {
    /// None: the node is a checkpoint.
    Nothing,
    /// Runs a system.
    System(Box<dyn Runnable>),
    /// Applies the commands that systems have recorded so far.
    ApplyCommands,
    /// The begin of a loop: evaluates the condition.
    Loop(Box<Repeat>),
    /// The end of the loop that begins at this rank: evaluates the condition again.
    LoopEnd(u32),
}

impl Work {
    /// The system or the loop condition.
    pub(crate) fn runnable(&mut self) -> Option<&mut dyn Runnable> {
        match self {
            Self::System(system) => Some(&mut **system),
            Self::Loop(repeat) => Some(&mut *repeat.condition),
            Self::Nothing | Self::ApplyCommands | Self::LoopEnd(_) => None,
        }
    }
}

/// The condition of a loop, and the progress of the loop.
pub(crate) struct Repeat {
    pub(crate) condition: Box<dyn Runnable>,
    /// The rank of the end of the loop.
    pub(crate) end: u32,
    /// The maximum number of iterations of the body in one execution of the loop.
    pub(crate) at_most: Option<u64>,
    /// The number of iterations in the current execution of the loop.
    pub(crate) n_iterations: u64,
    /// The records of the condition and the body in the iterations so far.
    pub(crate) recorded: Vec<Batch>,
}

/// The commands, the partial results of folds and the requests that a system recorded in one execution.
pub(crate) struct Batch {
    pub(crate) rank: u32,
    pub(crate) commands: CommandQueue,
    pub(crate) folds: FoldQueue,
    pub(crate) requests: Requests,
}

/// The nodes before a node that takes failures.
pub(crate) struct NodesBefore {
    /// Ascending.
    pub(crate) ranks: Box<[u32]>,
    pub(crate) lists: FailureLists,
}

impl NodesBefore {
    pub(crate) fn new(ranks: Box<[u32]>) -> Self {
        Self {
            lists: FailureLists::of_most(ranks.len()),
            ranks,
        }
    }
}

/// The data of a node that is not needed for a plain call.
pub(crate) struct NodeInfo {
    /// Shared with the reports of failures.
    pub(crate) place: Arc<SystemPlace>,
    pub(crate) access: Arc<AccessSet>,
    /// The possible answers, if the system has an answer.
    pub(crate) branches: Option<Branches>,
    /// Resources that exist whenever the node runs, because of its guard.
    pub(crate) guaranteed: Vec<ResourceId>,
    /// All its marks, also those of groups, loops and plugins around it.
    pub(crate) marks: Marks,
    /// Of an inserted sync point: the nodes whose commands it applies, by rank. Ascending. A loop stands for all nodes in it.
    pub(crate) served: Option<Box<[u32]>>,
    /// Its commands that had no effect, if there were any.
    pub(crate) missed: Option<Box<SystemMisses>>,
    /// The resource that gets a report about this node at the end of each run.
    pub(crate) observer: Option<ObserverType>,
    /// A required resource that was missing when the node was last prepared.
    pub(crate) missing: Option<ResourceId>,
    /// Of a node that takes the failures before it: the nodes that it depends on, and memory for its lists. Set at the first use.
    pub(crate) before: Option<Box<NodesBefore>>,
    /// Of a sync point: the memories of the conditions about changes that guard it.
    #[expect(
        clippy::box_collection,
        reason = "few nodes have any, so the field takes one word"
    )]
    pub(crate) guards: Option<Box<Vec<Arc<ConditionMemory>>>>,
    /// The cause of its failure in the last run.
    pub(crate) cause: Option<Cause>,
    /// The total time of its executions in timed runs, since costs were last learned from it.
    pub(crate) took: Duration,
    /// The number of these executions.
    pub(crate) n_timed: u32,
    /// Its executions in the last recorded run.
    pub(crate) record: Record,
    /// Measures its executions, if a driver needs this.
    pub(crate) stopwatch: Option<Box<Stopwatch>>,
    /// The limits of its time, if it has any.
    pub(crate) limited: Option<Box<LimitedSystem>>,
}

impl NodeInfo {
    /// Adds an execution of this duration. Subtracts the time of reading the clock twice.
    pub(crate) fn note_time(&mut self, took: Duration) {
        self.took += took.saturating_sub(clock());
        self.n_timed += 1;
    }

    /// Ends the measured execution, if there is one.
    #[inline]
    pub(crate) fn stop_watch(&mut self) {
        if let Some(stopwatch) = &mut self.stopwatch {
            stopwatch.stop();
        }
    }

    /// Describes an answer in words, for example `not is_day`.
    pub(crate) fn text_of(&self, answer: u32) -> String {
        answer_text(self.branches, &self.place.name, answer)
    }
}

// A larger node would take two cache lines.
const _: () = assert!(size_of::<RunNode>() == 64 || usize::BITS < 64);

impl RunNode {
    pub(crate) fn system(
        place: SystemPlace,
        instance: Instance,
        on_failure: FailurePolicy,
    ) -> Self {
        let branches = instance.branches;
        let (mut system, access) = instance.into_parts();
        if access.has_commands {
            system.settle(&mut Settle::DeclareCommands(&access));
        }
        let mut node = Self::new(place, Work::System(system), access, on_failure);
        node.about.branches = branches;
        node.has_answer = branches.is_some();
        node
    }

    pub(crate) fn checkpoint(place: SystemPlace) -> Self {
        let on_failure = FailurePolicy::default();
        Self::new(place, Work::Nothing, Arc::default(), on_failure)
    }

    pub(crate) fn apply_commands(place: SystemPlace) -> Self {
        let on_failure = FailurePolicy::default();
        let access = Arc::new(AccessSet::exclusive());
        Self::new(place, Work::ApplyCommands, access, on_failure)
    }

    /// An inserted sync point for the commands of these nodes, by rank.
    pub(crate) fn inserted_sync_point(
        place: SystemPlace,
        served: impl Iterator<Item = u32>,
    ) -> Self {
        let mut served: Vec<u32> = served.collect();
        served.sort_unstable();
        served.dedup();
        let mut node = Self::apply_commands(place);
        node.about.served = Some(served.into());
        node
    }

    /// The begin of a loop.
    pub(crate) fn repeat(
        place: SystemPlace,
        condition: Instance,
        at_most: Option<u64>,
        on_failure: FailurePolicy,
    ) -> Self {
        let (mut condition, access) = condition.into_parts();
        if access.has_commands {
            condition.settle(&mut Settle::DeclareCommands(&access));
        }
        let repeat = Repeat {
            condition,
            // Set when the node gets a rank.
            end: 0,
            at_most,
            n_iterations: 0,
            recorded: Vec::new(),
        };
        Self::new(place, Work::Loop(Box::new(repeat)), access, on_failure)
    }

    /// The end of a loop. The rank of its begin is set later.
    pub(crate) fn loop_end(place: SystemPlace) -> Self {
        let on_failure = FailurePolicy::default();
        Self::new(place, Work::LoopEnd(0), Arc::default(), on_failure)
    }

    fn new(
        place: SystemPlace,
        work: Work,
        access: Arc<AccessSet>,
        on_failure: FailurePolicy,
    ) -> Self {
        Self {
            work,
            is_missing: false,
            is_exclusive: access.is_exclusive,
            reads_failures: access.reads_failures,
            is_guarded: false,
            only_if: OnlyAnswer::NONE,
            stretch_end: 0,
            is_folding: false,
            has_answer: false,
            direct: DirectStep::None,
            on_failure,
            parent_span: ParentSpan::NOTHING,
            about: Box::new(NodeInfo {
                place: Arc::new(place),
                access,
                branches: None,
                guaranteed: Vec::new(),
                marks: Marks::NONE,
                served: None,
                missed: None,
                observer: None,
                missing: None,
                before: None,
                guards: None,
                cause: None,
                took: Duration::ZERO,
                n_timed: 0,
                record: Record::default(),
                stopwatch: None,
                limited: None,
            }),
        }
    }

    /// Whether the node is an inserted sync point.
    pub(crate) fn is_inserted(&self) -> bool {
        self.about.served.is_some()
    }

    /// Whether a report names the node if it is skipped: it is a system, a loop or an added sync point. An inserted one was not added, and
    /// nothing depends on it.
    pub(crate) fn has_work(&self) -> bool {
        match self.work {
            Work::ApplyCommands => !self.is_inserted(),
            _ => self.has_runnable(),
        }
    }

    /// Whether users call the node a system. This includes conditions of guards, but not conditions of loops.
    pub(crate) fn is_system(&self) -> bool {
        matches!(self.work, Work::System(_))
    }

    /// Whether the node has a system or a loop condition.
    pub(crate) fn has_runnable(&self) -> bool {
        matches!(self.work, Work::System(_) | Work::Loop(_))
    }

    /// The system or the loop condition.
    pub(crate) fn runnable(&mut self) -> Option<&mut dyn Runnable> {
        self.work.runnable()
    }

    /// The number of rows of a per-entity system in its last run, if it has run.
    pub(crate) fn n_rows(&mut self) -> Option<usize> {
        self.runnable()?.blocks()?.n_rows()
    }

    /// Whether the system, or a node of the loop in an earlier iteration, has recorded commands that are not applied yet.
    pub(crate) fn has_commands(&mut self) -> bool {
        let mut found = false;
        if self.about.access.has_commands
            && let Some(run) = self.runnable()
        {
            run.settle(&mut Settle::FindCommands(&mut found));
        }
        match &self.work {
            Work::Loop(repeat) => {
                found
                    || repeat
                        .recorded
                        .iter()
                        .any(|batch| !batch.commands.is_empty())
            }
            _ => found,
        }
    }

    /// Takes the requests of the system for the next run.
    pub(crate) fn take_requests(&mut self) -> Requests {
        let mut requests = Requests::new();
        if self.about.access.has_requests
            && let Some(run) = self.runnable()
        {
            run.settle(&mut Settle::TakeRequests(&mut requests));
        }
        requests
    }

    /// Prefetches the memory of its system.
    #[inline]
    pub(crate) fn prefetch(&self) {
        if let Work::System(system) = &self.work {
            prefetch(&**system);
        }
    }

    /// Takes the system or the loop condition out, as it was added. The node becomes a checkpoint.
    pub(crate) fn take_runnable(&mut self) -> Option<Box<dyn Runnable>> {
        let mut run = match core::mem::replace(&mut self.work, Work::Nothing) {
            Work::System(system) => system,
            Work::Loop(repeat) => repeat.condition,
            Work::Nothing | Work::ApplyCommands | Work::LoopEnd(_) => return None,
        };
        // What is noted depends on the schedule.
        Marked::remove(&mut run);
        Some(run)
    }

    /// Whether only the thread that calls `run` may run the node. Exclusive systems are included, since they may access
    /// main-thread values.
    pub(crate) fn is_bound(&self) -> bool {
        self.is_exclusive
            || self.about.access.is_main_thread
            || self.about.marks.has(Marks::MAIN_THREAD)
    }

    /// Whether the node uses a main-thread value.
    pub(crate) fn uses_main_thread(&self) -> bool {
        let mut uses = self.about.access.uses.iter();
        uses.any(|one| one.resource.is_main_thread())
    }

    /// Resets the number of iterations of a loop, before its first evaluation of the condition in a run or in an
    /// iteration of an outer loop.
    pub(crate) fn begin_loop(&mut self) {
        if let Work::Loop(repeat) = &mut self.work {
            repeat.n_iterations = 0;
        }
    }

    /// Adds the records of the body of a loop in an iteration, after those of earlier iterations.
    pub(crate) fn keep_recorded(&mut self, mut recorded: Vec<Batch>) {
        if let Work::Loop(repeat) = &mut self.work {
            repeat.recorded.append(&mut recorded);
        }
    }

    /// Whether a resource is missing that the node requires, and whose existence its guard does not ensure. `false` if the node
    /// fails alone in this case.
    pub(crate) fn misses_required(&self) -> bool {
        let mut missing = self.about.missing.iter();
        !self.about.marks.has(Marks::SKIP_IF_MISSING)
            && missing.any(|one| !self.about.guaranteed.contains(one))
    }

    /// Looks up the resources of the node, and prepares it to use the pool.
    pub(crate) fn prepare(&mut self, resources: &Resources, pool: Option<&Arc<ThreadPool>>) {
        self.look_up(Lookup::new(resources, pool, Scope::Everything));
    }

    /// Looks up only the main-thread values of the node. It must be prepared for the same resources, and no resource
    /// was inserted or removed since.
    pub(crate) fn prepare_main_thread(
        &mut self,
        resources: &Resources,
        pool: Option<&Arc<ThreadPool>>,
    ) {
        let scope = if self.is_missing {
            // Only the first missing resource is known, so others may be missing as well.
            Scope::Everything
        } else {
            Scope::MainThread
        };
        self.look_up(Lookup::new(resources, pool, scope));
    }

    fn look_up(&mut self, mut lookup: Lookup<'_>) {
        if let Some(run) = self.runnable() {
            run.prepare(&mut lookup);
            self.about.missing = lookup.into_missing();
            self.is_missing = self.about.missing.is_some();
        }
        self.note_direct_step();
    }

    /// Sets the parent of the spans of its executions.
    pub(crate) fn set_parent_span(&mut self, parent_span: ParentSpan) {
        self.parent_span = parent_span;
        self.note_direct_step();
    }

    /// Measures the executions of the node in this time, also as a part of a set of systems.
    pub(crate) fn measure(&mut self, now: &Now, tally: Option<TallyId>) {
        let stopwatch = self
            .about
            .stopwatch
            .get_or_insert_with(|| Box::new(Stopwatch::new(Arc::clone(now))));
        if let Some(tally) = tally {
            stopwatch.count_for(tally);
        }
        self.note_direct_step();
    }

    /// Measures no execution of the node any more.
    pub(crate) fn stop_measuring(&mut self) {
        if self.about.stopwatch.take().is_some() {
            self.note_direct_step();
        }
    }

    fn note_direct_step(&mut self) {
        let is_looked_at = self.is_missing
            || self.is_exclusive
            || self.is_folding
            || self.reads_failures
            || self.about.stopwatch.is_some();
        let is_direct = !(is_looked_at || self.parent_span.is_some());
        self.direct = match &self.work {
            Work::Nothing => DirectStep::Checkpoint,
            Work::System(_) if is_direct => match (self.has_answer, self.is_guarded) {
                (false, false) => DirectStep::Plain,
                (false, true) => DirectStep::Guarded,
                (true, false) => DirectStep::Condition,
                (true, true) => DirectStep::GuardedCondition,
            },
            _ => DirectStep::None,
        };
    }

    /// Removes and returns the failure of the last run.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        let cause = self.about.cause.take()?;
        Some(Failure {
            system: Arc::clone(&self.about.place),
            cause,
        })
    }
}
