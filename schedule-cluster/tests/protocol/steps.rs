//! The steps of the model, and those that are possible in a state.

use crate::model::{Broken, Fence, Protocol};
use crate::state::{Events, Old, Seat, State, Supervisor, Task, WORKERS, Worker};

/// One step of one process, or a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The second supervisor starts.
    Start,
    /// The supervisor of this number makes a step.
    Supervisor(usize, SupervisorStep),
    /// A worker of this number, of the generation of this supervisor, makes a step.
    Worker(usize, usize, WorkerStep),
    /// The process of an old generation makes a step.
    Old(WorkerStep),
    /// The supervisor is killed, and its workers end. Of the unsynced records, the first `n_kept` are not lost.
    Crash {
        supervisor: usize,
        n_kept: usize,
        /// The worker that becomes the old process.
        survivor: Option<usize>,
    },
    /// The part at this index is damaged on the disk.
    Damage(usize),
}

/// One step of a supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SupervisorStep {
    /// Appends the record of a batch, and gives the batch to the workers.
    Append,
    /// Syncs all records.
    Sync,
    /// Asks all workers for their parts of a snapshot after this batch.
    Ask(u8),
    WriteManifest,
    /// Removes manifests, then parts, then records, one kind in each step.
    Remove,
    /// Stops all workers and starts the next generation.
    ChangeGeneration {
        /// The worker that becomes the old process.
        survivor: Option<usize>,
    },
}

/// One step of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerStep {
    /// Processes the next batch and sends its outcome.
    Process,
    /// Reads the number of the generation from a file.
    Check,
    /// Writes, syncs and acknowledges the part.
    Write,
    /// Acknowledges a part that is not written.
    Acknowledge,
}

impl Protocol {
    pub(crate) fn possible_steps(&self, state: &State, steps: &mut Vec<Step>) {
        for supervisor in 0..state.supervisors.len() {
            if let Some(running) = state.supervisor(supervisor) {
                self.steps_of_generation(state, supervisor, running, steps);
                self.ends_of_generation(state, supervisor, running, steps);
            }
        }
        if let Old::Alive(old) = &state.old {
            self.steps_of_worker(&old.worker, &old.log, false, |step| {
                steps.push(Step::Old(step));
            });
        }
        let can_own = match self.fence {
            Fence::Lock => state.supervisors[0] == Seat::Dead,
            Fence::Sequence => true,
        };
        if can_own
            && state.supervisors[1] == Seat::NotStarted
            && self.can_start(state, state.journal.records.len())
        {
            steps.push(Step::Start);
        }
        if state.may_damage {
            let mut whole = state
                .manifests
                .iter()
                .filter(|&&one| self.is_whole(state, one));
            if whole.nth(1).is_some() {
                steps.extend((0..state.parts.len()).map(Step::Damage));
            }
        }
    }

    /// Whether a generation can start from the newest intact manifest and a log of this length.
    fn can_start(&self, state: &State, n_log: usize) -> bool {
        state.n_generations < self.n_generations
            && self.newest_intact(state).is_some_and(|manifest| {
                manifest.batch >= state.journal.first && usize::from(manifest.batch) <= n_log
            })
    }

    /// Whether a supervisor has what it needs to write a manifest.
    fn is_manifest_due(&self, state: &State, running: &Supervisor) -> bool {
        running.snapshot.as_ref().is_some_and(|snapshot| {
            let mut acknowledged = snapshot.acknowledged.iter();
            let is_acknowledged = if self.breaks(Broken::FirstAcknowledgement) {
                acknowledged.any(|&one| one)
            } else {
                acknowledged.all(|&one| one)
            };
            let n_synced = usize::from(state.journal.synced).min(running.log.len());
            let is_synced = usize::from(snapshot.manifest.batch) <= n_synced;
            is_acknowledged && (is_synced || self.breaks(Broken::ManifestBeforeSync))
        })
    }

    /// The steps of a supervisor and of the workers of its generation.
    pub(crate) fn steps_of_generation(
        &self,
        state: &State,
        supervisor: usize,
        running: &Supervisor,
        steps: &mut Vec<Step>,
    ) {
        let mut push = |step| steps.push(Step::Supervisor(supervisor, step));
        if running.removal.is_some() {
            push(SupervisorStep::Remove);
            return;
        }
        if self.is_manifest_due(state, running) {
            push(SupervisorStep::WriteManifest);
            return;
        }
        let n_log = running.log.len() as u8;
        if self.owns_journal(state, supervisor) {
            if n_log < self.n_batches {
                push(SupervisorStep::Append);
            }
            if usize::from(state.journal.synced) < state.journal.records.len() {
                push(SupervisorStep::Sync);
            }
        }
        if running.snapshot.is_none() {
            let first = if self.has_early_snapshots { 1 } else { n_log };
            for batch in first.max(running.base.batch + 1)..=n_log {
                let mut workers = running.workers.iter();
                if workers.all(|one| one.task == Task::Nothing && one.n_done <= batch) {
                    push(SupervisorStep::Ask(batch));
                }
            }
        }
        for (worker, memory) in running.workers.iter().enumerate() {
            let is_current = running.generation == state.n_generations;
            self.steps_of_worker(memory, &running.log, is_current, |step| {
                steps.push(Step::Worker(supervisor, worker, step));
            });
        }
    }

    /// The steps that end the generation of a supervisor.
    fn ends_of_generation(
        &self,
        state: &State,
        supervisor: usize,
        running: &Supervisor,
        steps: &mut Vec<Step>,
    ) {
        let owns_journal = self.owns_journal(state, supervisor);
        let can_change = self.can_start(state, running.log.len());
        let n_synced = usize::from(state.journal.synced);
        let n_unsynced = if owns_journal {
            state.journal.records.len() - n_synced
        } else {
            0
        };
        let able = (0..WORKERS).filter(|&one| self.can_survive(state, &running.workers[one]));
        for survivor in std::iter::once(None).chain(able.map(Some)) {
            if can_change {
                let step = SupervisorStep::ChangeGeneration { survivor };
                steps.push(Step::Supervisor(supervisor, step));
            }
            // A crash that changes nothing but lets no other process start is a pause.
            let is_last = supervisor == 1 || self.fence == Fence::Sequence;
            let n_outcomes = n_unsynced + usize::from(!is_last || survivor.is_some());
            steps.extend((0..n_outcomes).map(|n_kept| Step::Crash {
                supervisor,
                n_kept,
                survivor,
            }));
        }
    }

    /// Whether a worker may live longer than its generation, with a step left that has an effect.
    fn can_survive(&self, state: &State, worker: &Worker) -> bool {
        state.old == Old::NotYet
            && match worker.task {
                _ if self.breaks(Broken::OldMessages) => true,
                Task::Copied(_) => !self.breaks(Broken::GenerationFile),
                Task::Checked(_) | Task::Acknowledged(_) => true,
                Task::Nothing => false,
            }
    }

    /// `is_current`: whether the generation in the file is that of the worker.
    fn steps_of_worker(
        &self,
        worker: &Worker,
        log: &[Events],
        is_current: bool,
        mut push: impl FnMut(WorkerStep),
    ) {
        if usize::from(worker.n_done) < log.len() {
            push(WorkerStep::Process);
        }
        match worker.task {
            Task::Nothing => {}
            Task::Copied(_) => {
                if self.breaks(Broken::AcknowledgementBeforeWrite) {
                    push(WorkerStep::Acknowledge);
                } else if !self.breaks(Broken::GenerationFile) {
                    push(WorkerStep::Write);
                } else if is_current {
                    push(WorkerStep::Check);
                }
            }
            Task::Checked(_) | Task::Acknowledged(_) => push(WorkerStep::Write),
        }
    }
}
