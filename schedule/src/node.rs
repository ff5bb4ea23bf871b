//! A node of a schedule: a system, a checkpoint, a sync point, or the begin or the end of a loop.

use core::time::Duration;
use std::sync::Arc;

use rayon::ThreadPool;

use crate::access::{AccessSet, ResourceId};
use crate::cost::clock;
use crate::failure::{Cause, Failure, FailurePolicy};
use crate::output::{Branches, answer_text};
use crate::param::fetch::Scope;
use crate::param::{CommandQueue, Lookup};
use crate::place::SystemPlace;
use crate::prefetch::prefetch;
use crate::record::Record;
use crate::resource::Resources;
use crate::settling::Settles;
use crate::span::Around;
use crate::system::{Instance, Run};

/// A node of a schedule.
///
/// What a run touches lies together, and the rest behind a pointer: a node takes less than a cache line.
pub(crate) struct RunNode {
    pub(crate) work: Work,
    /// Something that it needs was not there when it was last prepared.
    pub(crate) is_missing: bool,
    pub(crate) is_exclusive: bool,
    /// The plan has a guard for it.
    pub(crate) is_guarded: bool,
    /// It runs a system, nothing has to be looked at before, nothing comes of it but that it may fail, and nobody listens.
    pub(crate) is_plain: bool,
    pub(crate) on_failure: FailurePolicy,
    /// What the span of each of its turns is in.
    pub(crate) around: Around,
    pub(crate) about: Box<NodeInfo>,
}

/// What a node does.
pub(crate) enum Work {
    /// Nothing: a checkpoint.
    Nothing,
    /// It runs a system.
    System(Box<dyn Run>),
    /// It carries out what systems recorded so far.
    ApplyCommands,
    /// The begin of a loop: it asks whether the body is to run.
    Loop(Box<Repeat>),
    /// The end of the loop that begins at this rank: it asks again.
    LoopEnd(u32),
}

/// The condition of a loop, and how far the loop is.
pub(crate) struct Repeat {
    pub(crate) condition: Box<dyn Run>,
    /// The rank of its end.
    pub(crate) end: u32,
    /// How often the body may run in one pass.
    pub(crate) at_most: Option<u64>,
    /// How often they ran in this one.
    pub(crate) n_passes: u64,
    /// The commands that its body recorded in the passes so far.
    pub(crate) recorded: Vec<Batch>,
}

/// What a system recorded when it ran.
pub(crate) struct Batch {
    pub(crate) rank: u32,
    pub(crate) commands: CommandQueue,
}

/// What is known of a node, and not needed to run it.
pub(crate) struct NodeInfo {
    /// Shared with the reports of failures.
    pub(crate) place: Arc<SystemPlace>,
    pub(crate) access: Arc<AccessSet>,
    /// What it may answer, if it answers anything.
    pub(crate) branches: Option<Branches>,
    /// What there is whenever it runs: its guard sees to that.
    pub(crate) proven: Vec<ResourceId>,
    /// What is told of it at the end of each run.
    pub(crate) settles: Option<Settles>,
    /// Needed, and not there when the node was last prepared.
    pub(crate) missing: Option<ResourceId>,
    /// Why it failed in the last run.
    pub(crate) cause: Option<Cause>,
    /// What it took in timed runs since somebody last asked.
    pub(crate) took: Duration,
    /// How often the time was taken for that.
    pub(crate) n_timed: u32,
    /// When it ran, in the run that is recorded.
    pub(crate) record: Record,
}

impl NodeInfo {
    /// It has run for so long, and the clock was read twice for that.
    pub(crate) fn note_time(&mut self, took: Duration) {
        self.took += took.saturating_sub(clock());
        self.n_timed += 1;
    }

    /// That it answers so, in words.
    pub(crate) fn text_of(&self, answer: u32) -> String {
        answer_text(self.branches, &self.place.name, answer)
    }
}

impl RunNode {
    pub(crate) fn system(
        place: SystemPlace,
        instance: Instance,
        on_failure: FailurePolicy,
    ) -> Self {
        let branches = instance.branches();
        let (system, access) = instance.into_parts();
        let mut node = Self::new(place, Work::System(system), access, on_failure);
        node.about.branches = branches;
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

    /// The begin of a loop.
    pub(crate) fn repeat(
        place: SystemPlace,
        condition: Instance,
        at_most: Option<u64>,
        on_failure: FailurePolicy,
    ) -> Self {
        let (condition, access) = condition.into_parts();
        let repeat = Repeat {
            condition,
            // Filled in when it has a rank.
            end: 0,
            at_most,
            n_passes: 0,
            recorded: Vec::new(),
        };
        Self::new(place, Work::Loop(Box::new(repeat)), access, on_failure)
    }

    /// The end of a loop; its begin is filled in when that has a rank.
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
            is_guarded: false,
            is_plain: false,
            on_failure,
            around: Around::NOTHING,
            about: Box::new(NodeInfo {
                place: Arc::new(place),
                access,
                branches: None,
                proven: Vec::new(),
                settles: None,
                missing: None,
                cause: None,
                took: Duration::ZERO,
                n_timed: 0,
                record: Record::default(),
            }),
        }
    }

    /// Whether it is one of those that a user calls a system; a condition is one, that of a loop is not.
    pub(crate) fn is_system(&self) -> bool {
        matches!(self.work, Work::System(_))
    }

    /// Whether it runs anything.
    pub(crate) fn has_run(&self) -> bool {
        matches!(self.work, Work::System(_) | Work::Loop(_))
    }

    /// What it runs.
    pub(crate) fn run(&mut self) -> Option<&mut dyn Run> {
        match &mut self.work {
            Work::System(system) => Some(&mut **system),
            Work::Loop(repeat) => Some(&mut *repeat.condition),
            Work::Nothing | Work::ApplyCommands | Work::LoopEnd(_) => None,
        }
    }

    /// Asks for the memory that it will need when it runs.
    #[inline]
    pub(crate) fn prefetch(&self) {
        if let Work::System(system) = &self.work {
            prefetch(&**system);
        }
    }

    /// The same, without which it is a checkpoint.
    pub(crate) fn take_run(&mut self) -> Option<Box<dyn Run>> {
        match core::mem::replace(&mut self.work, Work::Nothing) {
            Work::System(system) => Some(system),
            Work::Loop(repeat) => Some(repeat.condition),
            Work::Nothing | Work::ApplyCommands | Work::LoopEnd(_) => None,
        }
    }

    /// Whether only the thread that calls `run` may run it: what is exclusive may reach main-thread values, too.
    pub(crate) fn is_bound(&self) -> bool {
        self.is_exclusive || self.about.access.is_main_thread
    }

    /// Whether it uses a main-thread value.
    pub(crate) fn uses_main_thread(&self) -> bool {
        let mut uses = self.about.access.uses.iter();
        uses.any(|one| one.resource.is_main_thread())
    }

    /// Before a loop asks for the first time in a pass of its level.
    pub(crate) fn begin_loop(&mut self) {
        if let Work::Loop(repeat) = &mut self.work {
            repeat.n_passes = 0;
        }
    }

    /// Keeps with a loop what its body recorded in a pass, behind what they recorded before.
    pub(crate) fn keep_recorded(&mut self, mut recorded: Vec<Batch>) {
        if let Work::Loop(repeat) = &mut self.work {
            repeat.recorded.append(&mut recorded);
        }
    }

    /// Whether it misses something without which it may still be about to run.
    pub(crate) fn misses_what_it_needs(&self) -> bool {
        let mut missing = self.about.missing.iter();
        missing.any(|one| !self.about.proven.contains(one))
    }

    /// Looks its resources up, and what else it needs of the schedule.
    pub(crate) fn prepare(&mut self, resources: &Resources, pool: Option<&Arc<ThreadPool>>) {
        self.look_up(Lookup::new(resources, pool, Scope::Everything));
    }

    /// Looks up only the main-thread values that it uses. It was prepared for the same resources, and none was inserted
    /// or removed since.
    pub(crate) fn prepare_main_thread(
        &mut self,
        resources: &Resources,
        pool: Option<&Arc<ThreadPool>>,
    ) {
        let scope = match self.is_missing {
            // Only the first missing resource is known, and there may be others.
            true => Scope::Everything,
            false => Scope::MainThread,
        };
        self.look_up(Lookup::new(resources, pool, scope));
    }

    fn look_up(&mut self, mut lookup: Lookup<'_>) {
        if let Some(run) = self.run() {
            run.prepare(&mut lookup);
            self.about.missing = lookup.into_missing();
            self.is_missing = self.about.missing.is_some();
        }
        self.note_whether_plain();
    }

    /// From now on its turns have spans in this one.
    pub(crate) fn set_around(&mut self, around: Around) {
        self.around = around;
        self.note_whether_plain();
    }

    fn note_whether_plain(&mut self) {
        let is_looked_at = self.is_guarded || self.is_missing || self.is_exclusive;
        let has_answer = self.about.branches.is_some();
        self.is_plain = self.is_system() && !(has_answer || is_looked_at || self.around.is_some());
    }

    /// The failure of the last run, if there was one; then there is none any more.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        let cause = self.about.cause.take()?;
        Some(Failure {
            system: Arc::clone(&self.about.place),
            cause,
        })
    }
}
