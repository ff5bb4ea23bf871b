//! The effects of steps.

use crate::model::{Broken, Protocol};
use crate::state::{
    Copied, Events, Manifest, Old, OldWorker, Part, Removal, Seat, Snapshot, State, Supervisor,
    Task, WORKERS, Worker, add, adds_to,
};
use crate::steps::{Step, SupervisorStep, WorkerStep};

impl Protocol {
    /// The state after a possible step.
    pub(crate) fn after(&self, before: &State, step: Step) -> State {
        let mut state = before.clone();
        match step {
            Step::Start => {
                state.journal.owner = 1;
                if !self.breaks(Broken::UnsyncedStart) {
                    state.journal.synced = state.journal.records.len() as u8;
                }
                let log = state.journal.records.clone();
                self.start_generation(&mut state, 1, log);
            }
            Step::Supervisor(supervisor, step) => {
                self.step_supervisor(&mut state, supervisor, step)
            }
            Step::Worker(supervisor, index, step) => {
                let running = state.running(supervisor);
                let mut old = OldWorker {
                    index,
                    generation: running.generation,
                    snapshot: running.snapshot_of(index),
                    worker: running.workers[index].clone(),
                    log: Vec::new(),
                };
                let events = running.log.get(usize::from(old.worker.n_done)).copied();
                self.step_worker(&mut state, Some(supervisor), &mut old, events, step);
                state.running(supervisor).workers[index] = old.worker;
            }
            Step::Old(step) => {
                let Old::Alive(mut old) = std::mem::replace(&mut state.old, Old::Gone) else {
                    panic!("no process of an old generation is alive");
                };
                let mut receiver = None;
                if self.breaks(Broken::OldMessages) {
                    let mut running = (0..state.supervisors.len()).rev();
                    receiver = running.find(|&one| state.supervisor(one).is_some());
                }
                let events = old.log.get(usize::from(old.worker.n_done)).copied();
                self.step_worker(&mut state, receiver, &mut old, events, step);
                if self.breaks(Broken::OldMessages) {
                    state.old = Old::Alive(old);
                }
            }
            Step::Crash {
                supervisor,
                n_kept,
                survivor,
            } => {
                self.let_survive(&mut state, supervisor, survivor);
                if self.owns_journal(&state, supervisor) {
                    let n_left = usize::from(state.journal.synced) + n_kept;
                    state.journal.records.truncate(n_left);
                }
                state.supervisors[supervisor] = Seat::Dead;
            }
            Step::Damage(part) => {
                state.parts[part].is_damaged = true;
                state.may_damage = false;
            }
        }
        for supervisor in 0..state.supervisors.len() {
            self.release(&mut state, supervisor);
        }
        state
    }

    /// Releases all outcomes that a supervisor may release.
    fn release(&self, state: &mut State, supervisor: usize) {
        let Some(running) = state.supervisor(supervisor) else {
            return;
        };
        let n_log = running.log.len();
        let n_synced = if self.breaks(Broken::ReleaseBeforeSync) {
            n_log
        } else if self.breaks(Broken::UnsyncedStart) {
            usize::from(state.journal.synced.max(running.n_read))
        } else {
            n_log.min(usize::from(state.journal.synced))
        };
        loop {
            let running = state.running(supervisor);
            let batch = running.next_release;
            if usize::from(batch) >= n_synced {
                return;
            }
            let received = running.received[usize::from(batch)];
            if (0..WORKERS).any(|worker| adds_to(batch, worker) && received[worker].is_none()) {
                return;
            }
            running.received[usize::from(batch)] = [None; WORKERS];
            running.next_release += 1;
            let outcome = received.map(|counter| counter.unwrap_or(0));
            let first = state.released[usize::from(batch)].get_or_insert(outcome);
            state.has_differed |= *first != outcome;
        }
    }

    fn step_supervisor(&self, state: &mut State, supervisor: usize, step: SupervisorStep) {
        match step {
            SupervisorStep::Append => {
                let events = supervisor as Events + 1;
                state.journal.records.push(events);
                state.running(supervisor).log.push(events);
            }
            SupervisorStep::Sync => state.journal.synced = state.journal.records.len() as u8,
            SupervisorStep::Ask(batch) => {
                let running = state.running(supervisor);
                let reuses: [bool; WORKERS] =
                    std::array::from_fn(|worker| self.reuses(&running.base, batch, worker));
                let part = |worker: usize| {
                    if reuses[worker] {
                        running.base.parts[worker]
                    } else {
                        self.named_part(batch, worker, running.generation)
                    }
                };
                running.snapshot = Some(Snapshot {
                    manifest: Manifest {
                        batch,
                        generation: running.generation,
                        parts: std::array::from_fn(part),
                    },
                    acknowledged: reuses,
                });
                for (worker, reuses) in running.workers.iter_mut().zip(reuses) {
                    if !reuses {
                        worker.copy_at(batch);
                    }
                }
            }
            SupervisorStep::WriteManifest => {
                let running = state.running(supervisor);
                let snapshot = running.snapshot.take().expect("a snapshot was asked for");
                let manifest = snapshot.manifest;
                running.base = manifest;
                state.manifests.push(manifest);
                state.manifests.sort();
                let is_whole = |&one: &Manifest| self.is_whole(state, one);
                let mut whole = state.manifests.iter().rev().copied().filter(is_whole);
                if let (Some(newest), Some(second)) = (whole.next(), whole.next()) {
                    state.running(supervisor).removal = Some(Removal {
                        kept: [newest, second],
                        n_steps: 0,
                    });
                }
            }
            SupervisorStep::Remove => self.remove(state, supervisor),
            SupervisorStep::ChangeGeneration { survivor } => {
                self.let_survive(state, supervisor, survivor);
                let running = state.running(supervisor);
                let n_read = running.n_read;
                let log = running.log.clone();
                self.start_generation(state, supervisor, log);
                state.running(supervisor).n_read = n_read;
            }
        }
    }

    /// One step of a removal.
    fn remove(&self, state: &mut State, supervisor: usize) {
        let running = state.running(supervisor);
        let removal = running.removal.as_mut().expect("a removal has begun");
        let kept = removal.kept;
        let n_steps = removal.n_steps;
        removal.n_steps += 1;
        let [newest, second] = kept;
        let order = if self.breaks(Broken::PartsBeforeManifests) {
            [1, 0, 2]
        } else {
            [0, 1, 2]
        };
        let removes_others = self.breaks(Broken::RemovalOfOthers);
        let is_other = |one: &Manifest| removes_others && !kept.contains(one);
        match order[usize::from(n_steps)] {
            0 => {
                let is_kept = |one: &Manifest| one.batch >= second.batch && !is_other(one);
                state.manifests.retain(is_kept);
            }
            1 => {
                let oldest = if self.breaks(Broken::RemovalOfNeeded) {
                    newest.batch
                } else {
                    second.batch
                };
                let mut manifests = state.manifests.clone();
                manifests.retain(|one| one.batch >= oldest && !is_other(one));
                if self.breaks(Broken::RemovalOfReused) {
                    manifests.clear();
                }
                state.parts.retain(|part| {
                    let mut named = manifests.iter().flat_map(|one| &one.parts);
                    let is_spared = part.name.batch >= oldest && !removes_others;
                    is_spared || named.any(|one| one.name == part.name)
                });
            }
            _ => {
                let oldest = if self.breaks(Broken::TruncationToNewest) {
                    newest.batch
                } else {
                    second.batch
                };
                state.journal.first = state.journal.first.max(oldest);
                state.running(supervisor).removal = None;
            }
        }
    }

    /// Restores the workers of the next generation from the newest intact manifest.
    fn start_generation(&self, state: &mut State, supervisor: usize, log: Vec<Events>) {
        let manifest = self.newest_intact(state).expect("a manifest is intact");
        state.n_generations += 1;
        let restored = self.restored(log, state.n_generations, manifest, &state.parts);
        state.supervisors[supervisor] = Seat::Running(Box::new(restored));
    }

    /// Makes a worker of this supervisor the old process.
    fn let_survive(&self, state: &mut State, supervisor: usize, survivor: Option<usize>) {
        let Some(index) = survivor else { return };
        let running = state.running(supervisor);
        let mut old = OldWorker {
            index,
            generation: running.generation,
            snapshot: running.snapshot_of(index),
            worker: running.workers[index].clone(),
            log: running.log.clone(),
        };
        if !self.breaks(Broken::OldMessages) {
            // Its messages are not read, so that only its write has an effect.
            old.log = Vec::new();
            old.worker.n_done = 0;
            old.worker.counter = 0;
        }
        state.old = Old::Alive(old);
    }

    /// A step of a worker, whose messages `receiver` reads.
    fn step_worker(
        &self,
        state: &mut State,
        receiver: Option<usize>,
        process: &mut OldWorker,
        events: Option<Events>,
        step: WorkerStep,
    ) {
        let OldWorker {
            index,
            generation,
            snapshot,
            ..
        } = *process;
        let worker = &mut process.worker;
        match step {
            WorkerStep::Process => {
                let batch = worker.n_done;
                let events = events.expect("the worker has this batch");
                worker.counter = add(worker.counter, batch, index, events);
                worker.n_done += 1;
                if let Some(batch) = snapshot {
                    worker.copy_at(batch);
                }
                if let Some(receiver) = receiver {
                    let counter = worker.counter;
                    let receiver = state.running(receiver);
                    if adds_to(batch, index) && batch >= receiver.next_release {
                        receiver.received[usize::from(batch)][index] = Some(counter);
                    }
                }
            }
            WorkerStep::Check => {
                if let Task::Copied(copied) = worker.task {
                    worker.task = Task::Checked(copied);
                }
            }
            WorkerStep::Write => {
                let task = std::mem::replace(&mut worker.task, Task::Nothing);
                let (Task::Copied(part) | Task::Checked(part) | Task::Acknowledged(part)) = task
                else {
                    panic!("the worker has no part to write");
                };
                state.write_part(Part {
                    name: self.part_name(part.batch, index, generation),
                    counter: part.counter,
                    written_by: generation,
                    is_late: generation < state.n_generations,
                    is_damaged: false,
                });
                self.acknowledge(state, receiver, part.batch, index);
            }
            WorkerStep::Acknowledge => {
                if let Task::Copied(part) = worker.task {
                    worker.task = Task::Acknowledged(part);
                    self.acknowledge(state, receiver, part.batch, index);
                }
            }
        }
    }

    /// The receiver reads that a worker has written its part.
    fn acknowledge(&self, state: &mut State, receiver: Option<usize>, batch: u8, worker: usize) {
        if let Some(receiver) = receiver
            && let Some(snapshot) = &mut state.running(receiver).snapshot
            && snapshot.manifest.batch == batch
        {
            snapshot.acknowledged[worker] = true;
        }
    }
}

impl Supervisor {
    /// The batch of the snapshot for which a worker writes a part.
    fn snapshot_of(&self, worker: usize) -> Option<u8> {
        let snapshot = self.snapshot.as_ref()?;
        (!snapshot.acknowledged[worker]).then_some(snapshot.manifest.batch)
    }
}

impl Worker {
    /// Copies the counter for a snapshot after this batch, if the counter is there.
    fn copy_at(&mut self, batch: u8) {
        if self.n_done == batch {
            self.task = Task::Copied(Copied {
                batch,
                counter: self.counter,
            });
        }
    }
}
