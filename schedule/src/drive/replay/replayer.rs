//! Replays recordings.

use core::fmt;
use std::io::Read;

use super::clock::ticks_text;
use super::divergence::{DecisionPair, Divergence};
use super::error::ReplayError;
use super::frame::{FrameError, FrameKind, FrameReader};
use super::head::{NodeNames, ReplayedEntry, check_nodes, match_entries, read_entries, read_nodes};
use super::outcomes::{RecordedOutcomes, failure_of};
use super::resources::{
    EntryBytes, EntryError, EntryKind, RecordedEntry, RecordedResources, RestoredEntry,
};
use crate::base::panics::FirstPanic;
use crate::base::snapshot::{Decoder, Encoder, SnapshotError, notice};
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::decisions::Decisions;
use crate::run::schedule::Schedule;

/// Replays a recording: restores the inputs of each run, runs the schedule, and compares the decisions. See [the module](super).
///
/// The executor of the schedule can be another one than that of the recording.
pub struct Replayer<R> {
    frames: FrameReader<R>,
    entries: Vec<ReplayedEntry>,
    /// The nodes of the schedule in the recording.
    nodes: NodeNames,
    /// Whether the schedule was compared with `nodes`.
    are_nodes_checked: bool,
    /// The decisions of the run in the recording.
    recorded: RecordedOutcomes,
    /// The decisions of the run in the replay.
    decisions: Decisions,
    scratch: Encoder,
    n_runs: u64,
    /// Whether the end was reached, or an error after which no run can be replayed.
    is_ended: bool,
    /// The error that follows the run whose end the recording does not contain.
    pending: Option<ReplayError>,
}

/// A run that was replayed.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReplayedRun {
    /// The number of the run. The first run of the recording has number 0.
    pub nth_run: u64,
    /// The result of the run. If it is an error, the recorded run failed with the same error.
    pub result: Result<(), RunError>,
    /// Whether the run was compared with the recording. `false` only for the last run of a recording that ends in the middle of a
    /// run, for example because the program crashed in it.
    pub is_compared: bool,
}

impl<R: Read> Replayer<R> {
    /// Reads the start of a recording, and checks that it belongs to this schedule and these resources.
    ///
    /// Each run needs several calls of the reader. So use a [`BufReader`](std::io::BufReader) for a file.
    ///
    /// With the feature `tracing`, a recording of format 1, which has no schemas, is an event of level `WARN`.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a recording, or are one of other systems, other resources or another version.
    pub fn new(
        reader: R,
        schedule: &Schedule,
        recorded: RecordedResources,
    ) -> Result<Self, ReplayError> {
        if let Some(name) = recorded.duplicate() {
            let name = name.to_string();
            return Err(ReplayError::Duplicate { name });
        }
        let of_frame = |error| ReplayError::of_frame(error, 0);
        let mut frames = FrameReader::new(reader).map_err(of_frame)?;
        if frames.next().map_err(of_frame)? != FrameKind::Resources {
            let error = frames.damaged("the list of resources is missing");
            return Err(of_frame(error));
        }
        let names = read_entries(frames.content(), frames.format());
        let names =
            names.map_err(|_| of_frame(frames.damaged("the list of resources is wrong")))?;
        let mut replayer = Self {
            frames,
            entries: match_entries(names, &recorded)?,
            nodes: NodeNames::new(),
            are_nodes_checked: false,
            recorded: RecordedOutcomes::default(),
            decisions: Decisions::default(),
            scratch: Encoder::new(),
            n_runs: 0,
            is_ended: false,
            pending: None,
        };
        if replayer.frames.next().map_err(of_frame)? != FrameKind::Systems {
            let error = replayer.frames.damaged("the list of systems is missing");
            return Err(of_frame(error));
        }
        replayer.read_systems().map_err(of_frame)?;
        replayer.check_systems(schedule)?;
        if replayer.frames.format() == 1 {
            notice::without_schemas("recording");
        }
        Ok(replayer)
    }

    /// Replays the next run. Returns `None` at the end of the recording.
    ///
    /// The resources are those of the run before. For the first run, they are those with which the recording began: see
    /// [the module](super#conditions-of-a-replay).
    ///
    /// # Errors
    ///
    /// - [`ReplayError::Diverged`] if the run decided differently than in the recording. The next call continues with the next run.
    /// - Another error if the recording cannot be read further, or if a resource cannot be restored or compared. The next call returns
    ///   `None`.
    pub fn run(
        &mut self,
        schedule: &mut Schedule,
        resources: &mut Resources,
    ) -> Result<Option<ReplayedRun>, ReplayError> {
        if self.is_ended {
            return Ok(None);
        }
        // Errors end the replay, except differences.
        self.is_ended = true;
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        if !self.read_begin()? {
            return Ok(None);
        }
        self.check_systems(schedule)?;
        let is_compared = self.read_end();
        schedule.enable_as(&self.recorded.are_enabled);
        let mut panics = FirstPanic::default();
        let replayed = panics.call(|| self.run_restored(schedule, resources, is_compared));
        for entry in self.entries.iter().filter_map(|one| one.entry) {
            panics.call(|| (entry.replay_ended)(resources));
        }
        panics.resume();
        let (result, divergence) = replayed.expect("without a panic, there is a result")?;
        self.is_ended = false;
        let nth_run = self.n_runs;
        self.n_runs += u64::from(is_compared);
        match divergence {
            Some(divergence) => Err(ReplayError::Diverged(Box::new(divergence))),
            None => Ok(Some(ReplayedRun {
                nth_run,
                result,
                is_compared,
            })),
        }
    }

    /// Restores the resources, runs the schedule, and compares the decisions, if the recording contains them.
    fn run_restored(
        &mut self,
        schedule: &mut Schedule,
        resources: &mut Resources,
        is_compared: bool,
    ) -> Result<(Result<(), RunError>, Option<Divergence>), ReplayError> {
        self.restore(resources, is_compared)?;
        let result = schedule.run_noted(resources, &mut self.decisions);
        let divergence = if is_compared {
            self.compare(schedule, resources)?
        } else {
            None
        };
        Ok((result, divergence))
    }

    /// Replays all runs that are left. Returns the number of runs of the recording.
    ///
    /// # Errors
    ///
    /// Fails as [`run`](Self::run) does. A failed run is not an error, because it failed in the recording, too.
    pub fn run_all(
        &mut self,
        schedule: &mut Schedule,
        resources: &mut Resources,
    ) -> Result<u64, ReplayError> {
        while self.run(schedule, resources)?.is_some() {}
        Ok(self.n_runs)
    }

    /// The number of runs that were replayed and compared.
    pub fn n_runs(&self) -> u64 {
        self.n_runs
    }

    /// Reads the inputs of the next run. Returns `false` at the end of the recording.
    fn read_begin(&mut self) -> Result<bool, ReplayError> {
        let result = self.try_read_begin();
        result.map_err(|error| ReplayError::of_frame(error, self.n_runs))
    }

    fn try_read_begin(&mut self) -> Result<bool, FrameError> {
        loop {
            match self.frames.next()? {
                FrameKind::Systems => self.read_systems()?,
                FrameKind::RunBegins => break,
                FrameKind::End => {
                    let mut from = self.frames.content();
                    let is_right = from.read::<u64>() == Ok(self.n_runs) && from.finish().is_ok();
                    if !is_right {
                        return Err(self.frames.damaged("the number of runs is wrong"));
                    }
                    self.frames.end()?;
                    return Ok(false);
                }
                FrameKind::Resources | FrameKind::RunEnded => {
                    return Err(self.frames.damaged("a run has no start"));
                }
            }
        }
        for one in &mut self.entries {
            one.has_changed = false;
        }
        let mut from = self.frames.content();
        let result = self
            .recorded
            .read_enabled(&mut from)
            .and_then(|()| {
                read_changes(&mut from, &mut self.entries, |one| {
                    one.has_changed = true;
                    &mut one.before
                })
            })
            .and_then(|()| from.finish());
        result.map_err(|_| self.frames.damaged("the inputs of a run are wrong"))?;
        Ok(true)
    }

    /// Reads the decisions of the run. Returns `false` if they are not in the recording.
    fn read_end(&mut self) -> bool {
        let result = self.try_read_end();
        if let Err(error) = result {
            self.pending = Some(ReplayError::of_frame(error, self.n_runs));
        }
        self.pending.is_none()
    }

    fn try_read_end(&mut self) -> Result<(), FrameError> {
        if self.frames.next()? != FrameKind::RunEnded {
            return Err(self.frames.damaged("a run has no end"));
        }
        let mut from = self.frames.content();
        let result = self
            .recorded
            .read(&mut from)
            .and_then(|()| read_changes(&mut from, &mut self.entries, |one| &mut one.after))
            .and_then(|()| from.finish());
        result.map_err(|_| self.frames.damaged("the decisions of a run are wrong"))
    }

    /// Reads the nodes of the schedule.
    fn read_systems(&mut self) -> Result<(), FrameError> {
        let nodes = read_nodes(self.frames.content());
        self.nodes = nodes.map_err(|_| self.frames.damaged("the list of systems is wrong"))?;
        self.are_nodes_checked = false;
        self.recorded.reset(self.nodes.len());
        Ok(())
    }

    /// Compares the nodes of the schedule with those of the recording.
    fn check_systems(&mut self, schedule: &Schedule) -> Result<(), ReplayError> {
        let has_changed = schedule.renew_decisions(&mut self.decisions);
        if has_changed || !self.are_nodes_checked {
            check_nodes(&self.nodes, &self.decisions, schedule.name(), self.n_runs)?;
            self.are_nodes_checked = true;
        }
        Ok(())
    }

    /// Restores the resources before the run. `has_end`: whether the recording contains the end of the run.
    fn restore(&self, resources: &mut Resources, has_end: bool) -> Result<(), ReplayError> {
        for one in &self.entries {
            let is_restored =
                |entry: &RecordedEntry| entry.kind != EntryKind::State || self.n_runs == 0;
            let Some(entry) = one.entry.filter(is_restored) else {
                continue;
            };
            let saved = RestoredEntry {
                version: one.version,
                before: &one.before,
                after: has_end.then_some(&one.after),
            };
            let (name, nth_run) = (|| entry.name.to_string(), self.n_runs);
            (entry.restore)(resources, saved).map_err(|error| match error {
                EntryError::Missing => ReplayError::Missing {
                    name: name(),
                    nth_run,
                },
                EntryError::Value(error) => ReplayError::Value {
                    name: name(),
                    nth_run,
                    error,
                },
            })?;
        }
        Ok(())
    }

    /// Compares the run with the recording.
    fn compare(
        &mut self,
        schedule: &Schedule,
        resources: &mut Resources,
    ) -> Result<Option<Divergence>, ReplayError> {
        let mut different = Vec::new();
        for one in &self.entries {
            let Some(entry) = one.entry else { continue };
            self.scratch.clear();
            let saved = (entry.save_after)(resources, &mut self.scratch);
            let is_present = saved.map_err(|error| ReplayError::Value {
                name: entry.name.to_string(),
                nth_run: self.n_runs,
                error,
            })?;
            let bytes = self.scratch.as_bytes();
            if one.after.is_present != is_present || *one.after.bytes != *bytes {
                different.push(DecisionPair {
                    name: entry.name.to_string(),
                    recorded: value_text(entry.kind, one.after.is_present, &one.after.bytes),
                    replayed: value_text(entry.kind, is_present, bytes),
                });
            }
        }
        let (recorded, replayed) = (&self.recorded, &self.decisions);
        let is_same = recorded.codes == replayed.codes
            && recorded.failures == replayed.failures
            && recorded.missing == replayed.missing;
        if is_same && different.is_empty() {
            return Ok(None);
        }
        let changed = self.entries.iter().filter(|one| one.has_changed);
        let inputs = changed
            .filter_map(|one| one.entry)
            .filter(|entry| entry.kind != EntryKind::Output);
        Ok(Some(Divergence {
            schedule: schedule.name().to_string(),
            nth_run: self.n_runs,
            systems: self.different_systems(schedule),
            resources: different,
            changed_inputs: inputs.map(|entry| entry.name.to_string()).collect(),
        }))
    }

    /// The systems with another outcome than in the recording.
    #[cold]
    fn different_systems(&self, schedule: &Schedule) -> Vec<DecisionPair> {
        let (recorded, replayed) = (&self.recorded, &self.decisions);
        if recorded.missing != replayed.missing {
            return vec![DecisionPair {
                name: schedule.name().to_string(),
                recorded: begin_text(recorded.missing.as_deref()),
                replayed: begin_text(replayed.missing.as_deref()),
            }];
        }
        let codes = recorded.codes.iter().zip(&replayed.codes);
        let pairs = codes.zip(&self.nodes).enumerate().filter_map(
            |(idx, ((&code, &code_now), (_, name)))| {
                let failure = failure_of(&recorded.failures, idx);
                let failure_now = failure_of(&replayed.failures, idx);
                (code != code_now || failure != failure_now).then(|| DecisionPair {
                    name: name.clone(),
                    recorded: schedule.outcome_text(idx, code, failure),
                    replayed: schedule.outcome_text(idx, code_now, failure_now),
                })
            },
        );
        pairs.collect()
    }
}

/// Reads the bytes of the entries that have changed.
fn read_changes(
    from: &mut Decoder<'_>,
    entries: &mut [ReplayedEntry],
    bytes_of: impl Fn(&mut ReplayedEntry) -> &mut EntryBytes,
) -> Result<(), SnapshotError> {
    loop {
        let number: u64 = from.read()?;
        if number == 0 {
            return Ok(());
        }
        let (is_present, bytes): (bool, &[u8]) = from.read()?;
        let idx = usize::try_from(number - 1).ok();
        match idx.and_then(|idx| entries.get_mut(idx)) {
            Some(one) => bytes_of(one).set(is_present, bytes),
            None => return Err(from.error("an entry does not exist")),
        };
    }
}

/// Describes the value of an output, the bytes of a participant, or the ticks of the clock.
fn value_text(kind: EntryKind, is_present: bool, bytes: &[u8]) -> String {
    const MAX_BYTES: usize = 16;
    if !is_present {
        return "was missing".to_string();
    }
    let shown = bytes.iter().take(MAX_BYTES);
    let hex: String = shown.map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MAX_BYTES { "…" } else { "" };
    match kind {
        EntryKind::Output => format!("had the checksum {hex}"),
        // Of the inputs, only the clock has bytes after a run.
        EntryKind::Input => ticks_text(bytes),
        EntryKind::Participant | EntryKind::State => format!("wrote the bytes {hex}{more}"),
    }
}

/// Describes whether a run began.
fn begin_text(missing: Option<&[String]>) -> String {
    match missing {
        None => "began".to_string(),
        Some(missing) => {
            let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "was refused, because of missing resources: {}",
                names.join(", ")
            )
        }
    }
}

impl<R> fmt::Debug for Replayer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replayer")
            .field("n_runs", &self.n_runs)
            .field("is_ended", &self.is_ended)
            .finish_non_exhaustive()
    }
}
