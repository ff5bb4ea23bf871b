//! The state of the model: the disk, supervisors with their workers, and one process of an old generation.

/// Number of workers of a generation.
pub(crate) const WORKERS: usize = 2;

/// The events of one batch, as the number that they add: 1 if the first supervisor sequenced them, and 2 if the second.
pub(crate) type Events = u8;

/// A worker's counter: the numbers of all events that were added, in order, as digits in base 3.
pub(crate) type Counter = u8;

/// Whether events of a batch add to the counter of a worker. Batches add to both, to the first, to the second, and so on.
pub(crate) fn adds_to(batch: u8, worker: usize) -> bool {
    let kind = usize::from(batch % 3);
    kind == 0 || kind == worker + 1
}

/// A worker's counter after a batch.
pub(crate) fn add(counter: Counter, batch: u8, worker: usize, events: Events) -> Counter {
    if adds_to(batch, worker) {
        counter * 3 + events
    } else {
        counter
    }
}

/// The counters after the first `n_batches` batches: the serial loop.
pub(crate) fn serial(batches: &[Events], n_batches: u8) -> [Counter; WORKERS] {
    let mut counters = [0; WORKERS];
    for (batch, &events) in (0..n_batches).zip(batches) {
        for (worker, counter) in counters.iter_mut().enumerate() {
            *counter = add(*counter, batch, worker, events);
        }
    }
    counters
}

/// The counters after a batch of those workers to which it adds, and 0 for others.
pub(crate) type Outcome = [Counter; WORKERS];

/// The outcome of a batch in the serial loop.
pub(crate) fn serial_outcome(batches: &[Events], batch: u8) -> Outcome {
    let mut outcome = serial(batches, batch + 1);
    for (worker, counter) in outcome.iter_mut().enumerate() {
        if !adds_to(batch, worker) {
            *counter = 0;
        }
    }
    outcome
}

/// All files, all processes, and the outcomes that clients have seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) journal: Journal,
    /// In ascending order of names.
    pub(crate) manifests: Vec<Manifest>,
    /// In ascending order of names.
    pub(crate) parts: Vec<Part>,
    /// Number of generations that have started. The newest one has this number.
    pub(crate) n_generations: u8,
    pub(crate) supervisors: [Seat; 2],
    pub(crate) old: Old,
    /// `released[b]`: the first outcome of batch `b` that a client has seen.
    pub(crate) released: Vec<Option<Outcome>>,
    /// Whether a client has seen two different outcomes of one batch.
    pub(crate) has_differed: bool,
    /// Whether a part on the disk may still be damaged.
    pub(crate) may_damage: bool,
}

/// The journal. The record of batch `b` is `records[b]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Journal {
    /// All records that were appended and not lost, with truncated ones.
    pub(crate) records: Vec<Events>,
    /// Number of records that were truncated. No process reads them.
    pub(crate) first: u8,
    /// Number of records that no crash can lose.
    pub(crate) synced: u8,
    /// The supervisor that started last.
    pub(crate) owner: usize,
}

/// A file that makes a snapshot complete. It names one part of each worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Manifest {
    /// Number of batches whose events are in the snapshot.
    pub(crate) batch: u8,
    /// The generation that took the snapshot.
    pub(crate) generation: u8,
    /// `parts[w]`: the part of worker `w`.
    pub(crate) parts: [NamedPart; WORKERS],
}

/// A part in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NamedPart {
    pub(crate) name: PartName,
    /// The generation that acknowledged it.
    pub(crate) written_by: u8,
}

/// The file of one worker in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) name: PartName,
    pub(crate) counter: Counter,
    /// The generation of the process that wrote the file.
    pub(crate) written_by: u8,
    /// Whether it was written after the next generation had started.
    pub(crate) is_late: bool,
    /// Whether its checksum is wrong.
    pub(crate) is_damaged: bool,
}

/// The name of a part file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PartName {
    pub(crate) batch: u8,
    pub(crate) worker: usize,
    /// The generation, or 0 in names without a token.
    pub(crate) token: u8,
}

/// A supervisor process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Seat {
    NotStarted,
    Running(Box<Supervisor>),
    Dead,
}

/// The memory of a supervisor, with the workers of its generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Supervisor {
    /// The batches that it gives to workers: records that it read at its start, and records that it appended.
    pub(crate) log: Vec<Events>,
    /// Number of records that it read at its start.
    pub(crate) n_read: u8,
    pub(crate) generation: u8,
    pub(crate) workers: [Worker; WORKERS],
    /// `received[b][w]`: the outcome of batch `b` from worker `w`, until it is released.
    pub(crate) received: Vec<[Option<Counter>; WORKERS]>,
    /// The next batch whose outcome is released.
    pub(crate) next_release: u8,
    /// The manifest that was restored, or that it wrote last.
    pub(crate) base: Manifest,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) removal: Option<Removal>,
}

/// A snapshot that the supervisor has asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Snapshot {
    /// The manifest that it writes.
    pub(crate) manifest: Manifest,
    /// `acknowledged[w]`: whether worker `w` has acknowledged its part.
    pub(crate) acknowledged: [bool; WORKERS],
}

/// The removal of old files, which follows each manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Removal {
    /// The newest and the second newest whole manifest.
    pub(crate) kept: [Manifest; 2],
    pub(crate) n_steps: u8,
}

/// The memory of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Worker {
    /// Number of batches in the counter.
    pub(crate) n_done: u8,
    pub(crate) counter: Counter,
    pub(crate) task: Task,
}

/// A worker's part of a snapshot, from the batch until the acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Task {
    Nothing,
    /// The worker has copied its counter at the batch of the snapshot.
    Copied(Copied),
    /// As `Copied`, after the worker has read its generation from a file.
    Checked(Copied),
    /// The part is acknowledged, but not written.
    Acknowledged(Copied),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Copied {
    pub(crate) batch: u8,
    pub(crate) counter: Counter,
}

/// One process of an old generation. There is at most one in a run of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Old {
    NotYet,
    Alive(OldWorker),
    Gone,
}

/// A worker, or its delayed write, that lives longer than its generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OldWorker {
    pub(crate) index: usize,
    pub(crate) generation: u8,
    /// The batch of the snapshot that its supervisor asked for.
    pub(crate) snapshot: Option<u8>,
    pub(crate) worker: Worker,
    /// The batches that its supervisor had given to it.
    pub(crate) log: Vec<Events>,
}

impl State {
    pub(crate) fn supervisor(&self, supervisor: usize) -> Option<&Supervisor> {
        match &self.supervisors[supervisor] {
            Seat::Running(running) => Some(running),
            Seat::NotStarted | Seat::Dead => None,
        }
    }

    /// Panics if the supervisor does not run.
    pub(crate) fn running(&mut self, supervisor: usize) -> &mut Supervisor {
        match &mut self.supervisors[supervisor] {
            Seat::Running(running) => running,
            Seat::NotStarted | Seat::Dead => panic!("supervisor {supervisor} does not run"),
        }
    }

    pub(crate) fn part(&self, name: PartName) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// Writes a file, or replaces the file of this name.
    pub(crate) fn write_part(&mut self, part: Part) {
        match self.parts.binary_search_by_key(&part.name, |one| one.name) {
            Ok(at) => self.parts[at] = part,
            Err(at) => self.parts.insert(at, part),
        }
    }
}
