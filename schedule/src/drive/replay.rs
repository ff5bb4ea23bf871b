//! Inputs of runs: recorded as they are before each run, and replayed to the same decisions.
//!
//! A [`Recorder`] runs a schedule, and writes its inputs and its decisions to a file. A [`Replayer`] reads the file, restores the
//! inputs, runs the schedule on any executor, and compares the decisions. The first run that differs is an error, which names the
//! system and the inputs that changed. `docs/recording-format.md` describes the bytes.
//!
//! ```
//! use schedule::prelude::*;
//! use schedule::replay::{RecordedResources, Recorder, ReplayError, Replayer};
//! use schedule::snapshot::Snapshot;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Resource, Snapshot, Serialize, Deserialize)]
//! #[snapshot(name = "sensors")]
//! struct Sensors {
//!     distance: u32,
//! }
//!
//! /// A car that brakes if something is nearer than the limit.
//! fn car(limit: u32) -> Schedule {
//!     let mut builder = Schedule::builder();
//!     builder
//!         .name("car")
//!         .add_closure("is_near", move |sensors: &Sensors| sensors.distance < limit)
//!         .add_closure("brake", || {})
//!         .run_if(Condition::added("is_near"));
//!     builder.build().unwrap()
//! }
//!
//! let mut schedule = car(10);
//! let mut resources = Resources::new();
//! let recorded = || RecordedResources::new().input::<Sensors>();
//!
//! let mut recorder = Recorder::new(Vec::new(), &schedule, recorded())?;
//! for distance in [30, 20, 8] {
//!     resources.insert(Sensors { distance });
//!     recorder.run(&mut schedule, &mut resources)?;
//! }
//! let bytes = recorder.finish()?;
//!
//! // The inputs come from the recording.
//! let mut resources = Resources::new();
//! let mut replayer = Replayer::new(&bytes[..], &schedule, recorded())?;
//! assert_eq!(replayer.run_all(&mut schedule, &mut resources)?, 3);
//!
//! // Another version of the program: it brakes later.
//! let mut changed = car(5);
//! let mut replayer = Replayer::new(&bytes[..], &changed, recorded())?;
//! let error = replayer.run_all(&mut changed, &mut resources).unwrap_err();
//! let ReplayError::Diverged(divergence) = &error else { panic!("{error}") };
//! assert_eq!((divergence.nth_run, &*divergence.systems[0].name), (2, "is_near"));
//! assert_eq!(divergence.changed_inputs, ["sensors"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Content of a recording
//!
//! - Before each run: the [inputs](RecordedResources::input), the [`Clock`](crate::Clock) and the enabled systems, if they have changed
//!   since the run before.
//! - After each run: the outcome of each system, condition, loop and sync point, if it has changed; the texts of failures; and the
//!   checksums of [outputs](RecordedResources::output). Also the ticks of the clock, and the bytes of [participants](Participant).
//! - Once: the names of the systems, and [states](RecordedResources::state).
//!
//! Of a node in a loop, the outcome in the last iteration is recorded, and of the loop the number of iterations, also if it failed.
//!
//! # Conditions of a replay
//!
//! A replay makes the same decisions if the decisions depend only on inputs and on values that the program sets in the same way:
//!
//! - The recording and the replay start with a new schedule, or after [`reset_locals`](crate::Schedule::reset_locals).
//!   [`Local`](crate::Local) values are not recorded.
//! - The schedules have the same systems, loops and sync points, in the same order in a serial run. This is checked.
//! - The program creates the other resources as in the recording, or records them as [states](RecordedResources::state).
//! - Systems read nothing else that varies: files, random numbers of the operating system, events of other threads, or the real time
//!   other than by [`Clock::tick`](crate::Clock::tick).
//! - Systems do not depend on the order of a `HashMap` or `HashSet` with random hashes.
//! - Texts of errors contain no addresses or times, because they are compared.
//! - With [`FailurePolicy::Stop`](crate::FailurePolicy::Stop), the set of systems that ran before a failure can vary.
//!
//! # Crashes
//!
//! If the program crashes in a run, the recording ends after the inputs of this run. The replay repeats the run with these inputs and
//! enabled systems. It cannot repeat what is only known after a run: the ticks of the clock in this run, and the decisions of
//! participants, such as the results of [spanning systems](crate::spanning) that appeared in it.
//!
//! # Changes
//!
//! A replay disables and enables systems as in the recording. A program that [changes](crate::Schedule::change) the schedule between
//! two runs must do the same in the replay.
//!
//! # Drivers
//!
//! [`Driver::with_run`](crate::Driver::with_run) records the runs of a driver. A replay needs no driver: it does not wait, and sets the
//! clock to the recorded times.

mod clock;
mod divergence;
mod error;
mod frame;
mod head;
mod outcomes;
mod recorder;
mod replayer;
mod resources;

pub use self::divergence::{DecisionPair, Divergence};
pub use self::error::{RecordError, ReplayError};
pub use self::recorder::Recorder;
pub use self::replayer::{ReplayedRun, Replayer};
pub use self::resources::RecordedResources;
pub use crate::data::participant::Participant;
