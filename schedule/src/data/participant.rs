//! Resources that write and read bytes of their own in recordings of inputs.

use crate::base::snapshot::{Decoder, Encoder, SnapshotError};
use crate::data::resource::Resource;

/// A resource that takes part in a recording with bytes of its own: before each run, after each run, or both.
///
/// Use it if a run decides something by timing, for example whether the result of other work was already there. The resource
/// writes that decision after the run. In a replay, it gets the decision before the run, and repeats it:
///
/// ```
/// use schedule::prelude::*;
/// use schedule::replay::{Participant, RecordedResources, Recorder, Replayer};
/// use schedule::snapshot::{Decoder, Encoder, SnapshotError};
///
/// /// A source of values, which may be late.
/// #[derive(Resource, Default)]
/// struct Source {
///     value: Option<u32>,
///     /// In a replay: the decision of the recorded run.
///     replayed: Option<Option<u32>>,
/// }
///
/// impl Participant for Source {
///     const NAME: &'static str = "source";
///     const VERSION: u32 = 1;
///
///     fn record_after(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
///         to.write(&self.value)
///     }
///
///     fn restore_after(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
///         self.replayed = Some(from.read()?);
///         Ok(())
///     }
///
///     fn replay_ended(&mut self) {
///         self.replayed = None;
///     }
/// }
///
/// #[system]
/// fn receive(source: &mut Source) {
///     // A program would look whether a value has arrived.
///     source.value = source.replayed.unwrap_or(Some(7));
/// }
///
/// #[system(after = receive)]
/// fn has_value(source: &Source) -> bool {
///     source.value.is_some()
/// }
///
/// let recorded = || RecordedResources::new().participant::<Source>();
/// let mut schedule = Schedule::builder().add::<receive>().add::<has_value>().build()?;
/// let mut resources = Resources::new();
/// resources.insert_default::<Source>();
/// let mut recorder = Recorder::new(Vec::new(), &schedule, recorded())?;
/// recorder.run(&mut schedule, &mut resources)?;
/// let bytes = recorder.finish()?;
///
/// let mut replayer = Replayer::new(&bytes[..], &schedule, recorded())?;
/// assert_eq!(replayer.run_all(&mut schedule, &mut resources)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The functions are called in this order:
///
/// - In a recording: `record_started` before the first run. For each run `record_before`, the run, `record_after`, `record_ended`.
/// - In a replay, for each run: `restore_before`, `restore_after`, the run, `record_after`, `replay_ended`.
///
/// After a replayed run, `record_after` must write the same bytes as in the recording. Otherwise the replay ends with an error that
/// names the resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take part in recordings",
    label = "not a participant of recordings",
    note = "implement `schedule::replay::Participant` for `{Self}`, or record it with `input` if it implements `Snapshot`"
)]
pub trait Participant: Resource {
    /// The name in recordings. It does not depend on the Rust name.
    const NAME: &'static str;

    /// The version of the bytes. A replay needs the version of the recording.
    const VERSION: u32;

    /// Called before the first run of a recording, and again if the resource did not exist in the recorded run before. Does nothing
    /// by default.
    ///
    /// # Errors
    ///
    /// Fails with [`SnapshotError::Encode`] if a replay could not repeat the state of the resource. This ends the recording, but not
    /// the program.
    fn record_started(&mut self) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Writes the state that a replay needs before the run. Writes nothing by default.
    ///
    /// # Errors
    ///
    /// Fails if a value cannot be saved. This ends the recording, but not the program.
    fn record_before(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let _ = to;
        Ok(())
    }

    /// Writes the decisions of the run that has ended. Writes nothing by default.
    ///
    /// # Errors
    ///
    /// Fails if a value cannot be saved. This ends the recording, but not the program.
    fn record_after(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let _ = to;
        Ok(())
    }

    /// Called after a recorded run, also if the run panicked or its recording failed. Does nothing by default.
    fn record_ended(&mut self) {}

    /// Reads the bytes of [`record_before`](Self::record_before), before a replayed run. Must read all of them.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be read. This ends the replay.
    fn restore_before(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        let _ = from;
        Ok(())
    }

    /// Reads the bytes of [`record_after`](Self::record_after), before a replayed run. Must read all of them.
    ///
    /// Not called if the recording ends in the middle of this run.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be read. This ends the replay.
    fn restore_after(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        let _ = from;
        Ok(())
    }

    /// Called after a replayed run, also if the run panicked or its replay failed. Does nothing by default.
    fn replay_ended(&mut self) {}
}
