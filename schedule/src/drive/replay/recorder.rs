//! Writes recordings.

use core::fmt;
use std::io::Write;
use std::thread;

use super::error::RecordError;
use super::frame::{FrameKind, FrameWriter};
use super::head::{write_entries, write_nodes};
use super::outcomes::RecordedOutcomes;
use super::resources::{EntryBytes, EntryKind, RecordedEntry, RecordedResources, SaveEntry};
use crate::base::panics::FirstPanic;
use crate::base::snapshot::{Encoder, SnapshotError};
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::decisions::Decisions;
use crate::run::schedule::Schedule;

/// Runs a schedule, and writes the inputs and decisions of each run. See [the module](super).
///
/// ```
/// use std::fs::File;
/// use std::io::{BufReader, BufWriter};
///
/// use schedule::prelude::*;
/// use schedule::rate::tick;
/// use schedule::replay::{RecordedResources, Recorder, Replayer};
///
/// #[system(after = tick)]
/// fn has_started(clock: &Clock) -> bool {
///     clock.now().as_micros() % 2 == 0
/// }
///
/// # let folder = std::env::temp_dir().join(format!("schedule-recorder-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("runs");
/// let mut schedule = Schedule::builder().add::<tick>().add::<has_started>().build()?;
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// let file = BufWriter::new(File::create(&path)?);
/// let mut recorder = Recorder::new(file, &schedule, RecordedResources::new())?;
/// for _ in 0..100 {
///     recorder.run(&mut schedule, &mut resources)?;
/// }
/// recorder.finish()?;
///
/// let file = BufReader::new(File::open(&path)?);
/// let mut replayer = Replayer::new(file, &schedule, RecordedResources::new())?;
/// assert_eq!(replayer.run_all(&mut schedule, &mut resources)?, 100);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors while it records
///
/// An error of the writer, or of a value that cannot be saved, does not disturb the runs. The recording ends there, and further runs
/// are not recorded. [`error`](Self::error) and [`finish`](Self::finish) return the error.
///
/// A panic that leaves [`run`](Self::run) also ends the recording, for example a panic of `Snapshot::save`. Panics of systems are
/// recorded as failures.
///
/// # Crashes
///
/// The inputs of a run are written before the run. So a replay can repeat the run in which the program crashed, if the writer has no
/// buffer in the memory of the program. A file has none. With a [`BufWriter`](std::io::BufWriter), the last runs are lost, but each
/// run needs fewer calls of the operating system.
///
/// The replay of that run has the recorded inputs and enabled systems. The ticks of the clock in it and the decisions of
/// [participants](super::Participant) are not in the recording, since they are written after the run.
///
/// When the recorder is dropped, it marks the end of the recording. Without the mark, a replay reports
/// [`ReplayError::Cut`](super::ReplayError::Cut) after the last run.
///
/// # Cost
///
/// A run costs O(nodes), and the time to save each resource and to compare its bytes with those that were written last. It allocates
/// nothing if no system fails, unless the writer or a value does.
pub struct Recorder<W: Write> {
    /// `None` after the end.
    writer: Option<W>,
    frames: FrameWriter,
    entries: Vec<RecorderEntry>,
    /// Memory to save one resource.
    scratch: Encoder,
    decisions: Decisions,
    /// The decisions of the run before.
    outcomes: RecordedOutcomes,
    n_runs: u64,
    /// The error that ended the recording.
    error: Option<RecordError>,
}

/// An entry, with the bytes that were written last.
struct RecorderEntry {
    entry: RecordedEntry,
    before: EntryBytes,
    after: EntryBytes,
}

impl<W: Write> Recorder<W> {
    /// Begins a recording of this schedule.
    ///
    /// # Errors
    ///
    /// Fails if two of the resources have the same name, or if the writer fails.
    pub fn new(
        mut writer: W,
        schedule: &Schedule,
        recorded: RecordedResources,
    ) -> Result<Self, RecordError> {
        if let Some(name) = recorded.duplicate() {
            let name = name.to_string();
            return Err(RecordError::Duplicate { name });
        }
        let mut frames = FrameWriter::new(&mut writer).map_err(RecordError::Write)?;
        let frame = frames.begin(FrameKind::Resources);
        write_entries(&recorded, frame).map_err(|error| of_value("resources", error))?;
        frames.finish(&mut writer).map_err(RecordError::Write)?;
        let entries = recorded.entries.into_iter().map(|entry| RecorderEntry {
            entry,
            before: EntryBytes::default(),
            after: EntryBytes::default(),
        });
        let mut recorder = Self {
            writer: Some(writer),
            frames,
            entries: entries.collect(),
            scratch: Encoder::new(),
            decisions: Decisions::default(),
            outcomes: RecordedOutcomes::default(),
            n_runs: 0,
            error: None,
        };
        recorder.write_systems(schedule, true)?;
        Ok(recorder)
    }

    /// Runs every system once, as [`Schedule::run`] does, and records the run. A run that fails is recorded as well.
    ///
    /// The schedule is that of [`new`](Self::new). It can be changed between two runs.
    ///
    /// # Errors
    ///
    /// Fails as [`Schedule::run`] does. An error of the recording is not an error of the run.
    pub fn run(
        &mut self,
        schedule: &mut Schedule,
        resources: &mut Resources,
    ) -> Result<(), RunError> {
        if self.error.is_some() {
            return schedule.run(resources);
        }
        let mut panics = FirstPanic::default();
        let result = panics.call(|| self.run_recorded(schedule, resources));
        if result.is_none() && self.error.is_none() {
            let nth_run = self.n_runs;
            self.error = Some(RecordError::Panicked { nth_run });
        }
        for one in &self.entries {
            panics.call(|| (one.entry.record_ended)(resources));
        }
        panics.resume();
        result.expect("without a panic, there is a result")
    }

    fn run_recorded(
        &mut self,
        schedule: &mut Schedule,
        resources: &mut Resources,
    ) -> Result<(), RunError> {
        if let Err(error) = self.begin_run(schedule, resources) {
            self.error = Some(error);
            return schedule.run(resources);
        }
        let result = schedule.run_noted(resources, &mut self.decisions);
        match self.end_run(resources) {
            Ok(()) => self.n_runs += 1,
            Err(error) => self.error = Some(error),
        }
        result
    }

    /// The number of recorded runs.
    pub fn n_runs(&self) -> u64 {
        self.n_runs
    }

    /// The error that ended the recording, if there was one.
    pub fn error(&self) -> Option<&RecordError> {
        self.error.as_ref()
    }

    /// Flushes the writer.
    ///
    /// # Errors
    ///
    /// Fails if the writer fails.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        match &mut self.writer {
            Some(writer) => writer.flush().map_err(RecordError::Write),
            None => Ok(()),
        }
    }

    /// Marks the end of the recording, flushes the writer and returns it.
    ///
    /// # Errors
    ///
    /// Fails with the error that ended the recording, if there was one, or if the writer fails.
    pub fn finish(self) -> Result<W, RecordError> {
        let (writer, result) = self.into_writer();
        result.map(|()| writer)
    }

    /// Does the same as [`finish`](Self::finish), but returns the writer also if there is an error.
    pub fn into_writer(mut self) -> (W, Result<(), RecordError>) {
        let written = self.write_end();
        // So dropping the recorder writes nothing more.
        let writer = self.writer.take().expect("only this function takes it");
        (writer, self.error.take().map_or(written, Err))
    }

    /// Writes the nodes of the schedule, if they have changed. `is_first`: in any case.
    fn write_systems(&mut self, schedule: &Schedule, is_first: bool) -> Result<(), RecordError> {
        if !schedule.renew_decisions(&mut self.decisions) && !is_first {
            return Ok(());
        }
        let frame = self.frames.begin(FrameKind::Systems);
        write_nodes(&self.decisions, frame).map_err(|error| of_value("systems", error))?;
        self.outcomes.reset(self.decisions.nodes().len());
        self.finish_frame()
    }

    fn begin_run(
        &mut self,
        schedule: &Schedule,
        resources: &mut Resources,
    ) -> Result<(), RecordError> {
        self.write_systems(schedule, false)?;
        let is_first = self.n_runs == 0;
        let frame = self.frames.begin(FrameKind::RunBegins);
        let enabled = self.outcomes.write_enabled(schedule.are_enabled(), frame);
        enabled.map_err(|error| of_value("enabled systems", error))?;
        // Of the entries, those that have changed. Each begins with its index plus 1. 0 ends the list.
        for (idx, one) in (1_u64..).zip(&mut self.entries) {
            if !one.before.is_present {
                let started = (one.entry.record_started)(resources);
                started.map_err(|error| of_value(one.entry.name, error))?;
            }
            if one.entry.kind != EntryKind::State || is_first {
                let (save, last) = (one.entry.save_before, &mut one.before);
                write_change(idx, save, last, resources, &mut self.scratch, frame)
                    .map_err(|error| of_value(one.entry.name, error))?;
            }
        }
        let end = frame.write(&0_u64);
        end.map_err(|error| of_value("inputs", error))?;
        self.finish_frame()
    }

    fn end_run(&mut self, resources: &mut Resources) -> Result<(), RecordError> {
        let frame = self.frames.begin(FrameKind::RunEnded);
        let outcomes = self.outcomes.write(&self.decisions, frame);
        outcomes.map_err(|error| of_value("decisions", error))?;
        for (idx, one) in (1_u64..).zip(&mut self.entries) {
            let (save, last) = (one.entry.save_after, &mut one.after);
            write_change(idx, save, last, resources, &mut self.scratch, frame)
                .map_err(|error| of_value(one.entry.name, error))?;
        }
        let end = frame.write(&0_u64);
        end.map_err(|error| of_value("outputs", error))?;
        self.finish_frame()
    }

    fn finish_frame(&mut self) -> Result<(), RecordError> {
        match &mut self.writer {
            Some(writer) => self.frames.finish(writer).map_err(RecordError::Write),
            None => Ok(()),
        }
    }

    /// Marks the end, unless the recording ended with an error.
    fn write_end(&mut self) -> Result<(), RecordError> {
        if self.error.is_none() {
            let n_runs = self.n_runs;
            let frame = self.frames.begin(FrameKind::End);
            let written = frame.write(&n_runs);
            written.map_err(|error| of_value("end", error))?;
            self.finish_frame()?;
        }
        self.flush()
    }
}

/// Writes the bytes of an entry, if they differ from the last ones.
fn write_change(
    idx: u64,
    save: SaveEntry,
    last: &mut EntryBytes,
    resources: &mut Resources,
    scratch: &mut Encoder,
    frame: &mut Encoder,
) -> Result<(), SnapshotError> {
    scratch.clear();
    let is_present = save(resources, scratch)?;
    let bytes = scratch.as_bytes();
    if last.set(is_present, bytes) {
        frame.write(&idx)?;
        frame.write(&is_present)?;
        frame.write(&bytes.len())?;
        frame.buffer().extend_from_slice(bytes);
    }
    Ok(())
}

#[cold]
fn of_value(name: &str, error: SnapshotError) -> RecordError {
    RecordError::Value {
        name: name.to_string(),
        error,
    }
}

/// Marks the end of the recording. Errors of the writer are ignored: use [`Recorder::finish`] to get them.
impl<W: Write> Drop for Recorder<W> {
    fn drop(&mut self) {
        // A panic can come from the writer itself.
        if self.writer.is_some() && !thread::panicking() {
            let _ = self.write_end();
        }
    }
}

impl<W: Write> fmt::Debug for Recorder<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("n_runs", &self.n_runs)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}
