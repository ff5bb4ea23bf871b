//! The log of a flight, and its replay without vehicle and bus.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use schedule::Executor;
use schedule::prelude::*;
use schedule::replay::{Participant, RecordedResources, Recorder, Replayer};
use schedule::snapshot::{Decoder, Encoder, SnapshotError};
use schedule::spanning::Spanning;

use crate::Controller;
use crate::attitude::Readings;
use crate::flight::new_resources;
use crate::motors::Motors;
use crate::planner::plan;
use crate::script::Script;

/// A system reads the sensors in the run. So the log has the readings after the run, and a replay needs them before it.
impl Participant for Readings {
    const NAME: &'static str = "readings";
    const VERSION: u32 = 1;

    fn record_after(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.0)
    }

    fn restore_after(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        self.0 = from.read()?;
        Ok(())
    }
}

/// The readings are recorded, and the runs in which plans appeared. A replay compares the thrusts of the motors.
fn recorded() -> RecordedResources {
    RecordedResources::new()
        .participant::<Readings>()
        .participant::<Spanning<plan>>()
        .output::<Motors>()
}

/// Begins a log.
pub(crate) fn recorder(
    file: &Path,
    controller: &Schedule,
) -> Result<Recorder<BufWriter<File>>, BoxError> {
    let writer = BufWriter::new(File::create(file)?);
    Ok(Recorder::new(writer, controller, recorded())?)
}

/// Repeats the flight of a log. Returns the number of runs.
///
/// # Errors
///
/// Fails if a run decides differently than in the flight, or sets other thrusts.
pub(crate) fn replay(file: &Path, script: &Script, executor: Executor) -> Result<u64, BoxError> {
    let mut controller = Controller::new();
    controller.set_executor(executor);
    let mut resources = new_resources(script);
    let log = BufReader::new(File::open(file)?);
    let mut replayer = Replayer::new(log, &controller, recorded())?;
    Ok(replayer.run_all(&mut controller, &mut resources)?)
}
