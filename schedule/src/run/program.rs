//! The state of a whole program, kept in memory: resources, and the states of schedules.

mod check;
mod part;

use core::any::TypeId;
use core::fmt;
use core::hash::{Hash, Hasher};
use std::collections::HashMap;
use std::hash::DefaultHasher;

use self::part::ProgramPart;
use crate::base::snapshot::{Encoder, Snapshot, SnapshotError};
use crate::data::access::ResourceId;
use crate::data::resource::watched::SavedVersions;
use crate::data::resource::{Resource, Resources};
use crate::run::schedule::{RestoreError, Schedule, ScheduleState};

pub use self::check::{NotSaved, NotSavedPart};

/// The state of a program between two runs, kept in memory: its resources, and the states of its schedules.
///
/// A game with rollback saves its state before each frame. If [`check`](Self::check) finds nothing, then after a
/// [`restore`](Self::restore) later runs with the same inputs have the same results. A later [`save`](Self::save) reuses the memory of resources.
///
/// ```
/// use schedule::SavedProgram;
/// use schedule::param::SavedLocal;
/// use schedule::prelude::*;
/// use schedule::snapshot::Snapshot;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Resource, Snapshot, Serialize, Deserialize, Clone)]
/// #[snapshot(name = "height")]
/// struct Height(i32);
///
/// #[derive(Snapshot, Serialize, Deserialize, Default)]
/// #[snapshot(name = "speed")]
/// struct Speed(i32);
///
/// #[system]
/// fn fall(mut speed: SavedLocal<Speed>, height: &mut Height) {
///     speed.0 += 1;
///     height.0 -= speed.0;
/// }
///
/// schedule! { Frame { fall } }
///
/// let mut frame = Frame::new();
/// let mut resources = Resources::new();
/// resources.insert(Height(100));
/// let mut saved = SavedProgram::new().with::<Height>();
/// saved.check(&mut [&mut frame], &resources)?;
///
/// frame.run(&mut resources)?;
/// saved.save(&mut [&mut frame], &resources)?;
/// let before = saved.digest()?;
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Height>().unwrap().0, 97);
/// saved.restore(&mut [&mut frame], &mut resources)?;
/// assert_eq!(resources.get::<Height>().unwrap().0, 99);
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Height>().unwrap().0, 97);
///
/// saved.save(&mut [&mut frame], &resources)?;
/// assert_ne!(saved.digest()?, before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// To save the state as bytes, for example in a file, use [`SavedResources`](crate::SavedResources).
#[derive(Clone, Default)]
pub struct SavedProgram {
    parts: Vec<ProgramPart>,
    /// In the order in which they were saved.
    schedules: Vec<ScheduleState>,
    /// The versions of the watched resources, also of those that were not added. The other ones were not watched.
    versions: HashMap<TypeId, SavedVersions>,
    /// Whether `parts`, `schedules` and `versions` are a state.
    is_saved: bool,
    /// The resources that need not be saved.
    without: Vec<ResourceId>,
    /// The systems whose state need not be saved.
    without_state_of: Vec<String>,
}

/// The reason why a [`SavedProgram`] cannot be restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProgramError {
    /// No state was saved, or the last attempt to save one failed.
    Empty,
    /// The number of schedules is not that of the saved state.
    Schedules {
        /// The number that was saved.
        saved: usize,
        /// The number that was given.
        given: usize,
    },
    /// A schedule does not match its state.
    Schedule(RestoreError),
    /// A resource that is kept as bytes cannot be restored.
    Resource(SnapshotError),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no state was saved: call `save` first"),
            Self::Schedules { saved, given } => write!(
                f,
                "the states of {saved} schedules were saved, but {given} were given: give the same ones in the same order"
            ),
            Self::Schedule(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProgramError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Schedule(error) => error.source(),
            Self::Resource(error) => error.source(),
            _ => None,
        }
    }
}

impl SavedProgram {
    /// A program without resources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a resource, which is kept as a clone. A resource that does not exist when the state is saved is removed when it is restored.
    pub fn with<T: Resource + Snapshot + Clone>(self) -> Self {
        self.add(ProgramPart::cloned::<T>())
    }

    /// Adds a resource, which is kept as bytes. For types that do not implement `Clone`, such as [`Clock`](crate::Clock),
    /// [`Rate`](crate::Rate) and [`Messages`](crate::message::Messages).
    pub fn with_encoded<T: Resource + Snapshot>(self) -> Self {
        self.add(ProgramPart::encoded::<T>())
    }

    fn add(mut self, part: ProgramPart) -> Self {
        // Adding a resource twice has no effect.
        if self.parts.iter().all(|one| one.resource != part.resource) {
            self.parts.push(part);
        }
        self.is_saved = false;
        self
    }

    /// Declares that a resource is not a part of the state, for [`check`](Self::check): an input, a parameter that never changes, or a value
    /// that is computed again in each run.
    pub fn without<T: Resource>(self) -> Self {
        self.without_resource(ResourceId::of::<T>())
    }

    /// Declares that a resource is not a part of the state, as [`without`](Self::without): a name, or any id.
    pub fn without_resource(mut self, resource: impl Into<ResourceId>) -> Self {
        self.without.push(resource.into());
        self
    }

    /// Declares that the [`Local`](crate::param::Local)s, the captured variables and the memory of changes of the systems with this name are
    /// not a part of the state, or that these systems take all resources but use only those that are saved, for [`check`](Self::check).
    pub fn without_state_of(mut self, system: &str) -> Self {
        self.without_state_of.push(system.to_string());
        self
    }

    /// Replaces the state by that of the program, and keeps the memory.
    ///
    /// # Errors
    ///
    /// Fails if a resource or a local value cannot be saved. Then no state is saved.
    ///
    /// # Panics
    ///
    /// Panics if the clone of a resource does. Then no state is saved.
    pub fn save(
        &mut self,
        schedules: &mut [&mut Schedule],
        resources: &Resources,
    ) -> Result<(), SnapshotError> {
        self.is_saved = false;
        self.schedules.clear();
        for schedule in schedules {
            self.schedules.push(schedule.save_state()?);
        }
        for part in &mut self.parts {
            part.keep(resources)?;
        }
        let watched = resources.all_watched().into_iter();
        self.versions.clear();
        self.versions
            .extend(watched.map(|(type_id, watched)| (type_id, watched.save())));
        self.is_saved = true;
        Ok(())
    }

    /// Restores the state. The schedules are those that were saved, or equal ones, in the same order.
    ///
    /// Resources that were not added keep their values, and [`Local`](crate::param::Local)s are reset. [`check`](Self::check) finds both.
    ///
    /// # Errors
    ///
    /// Fails if nothing was saved, or if a schedule has other systems than the saved one. The program is then unchanged. Fails if a resource
    /// cannot be decoded that is kept as bytes. A part of the state is then restored.
    ///
    /// # Panics
    ///
    /// Panics if the clone or the drop of a resource does. A part of the state is then restored.
    pub fn restore(
        &self,
        schedules: &mut [&mut Schedule],
        resources: &mut Resources,
    ) -> Result<(), ProgramError> {
        self.require_saved()?;
        if schedules.len() != self.schedules.len() {
            return Err(ProgramError::Schedules {
                saved: self.schedules.len(),
                given: schedules.len(),
            });
        }
        for (schedule, state) in schedules.iter_mut().zip(&self.schedules) {
            schedule
                .check_state(state)
                .map_err(ProgramError::Schedule)?;
        }
        for (schedule, state) in schedules.iter_mut().zip(&self.schedules) {
            schedule
                .restore_state(state)
                .map_err(ProgramError::Schedule)?;
        }
        for part in &self.parts {
            part.restore(resources).map_err(ProgramError::Resource)?;
        }
        for (type_id, watched) in resources.all_watched() {
            watched.restore(self.versions_of(type_id));
        }
        for (&type_id, versions) in &self.versions {
            if resources.watched(type_id).is_none() {
                resources.watch(type_id).restore(*versions);
            }
        }
        Ok(())
    }

    /// Returns a hash of the state. Equal states have equal digests, in each process of one build of the program.
    ///
    /// It is computed from the bytes of a snapshot (SipHash-1-3). So it depends neither on addresses nor on threads. Types whose bytes depend
    /// on a random seed, such as a `HashMap`, are found by [`check`](Self::check). O(bytes of the state).
    ///
    /// # Errors
    ///
    /// Fails if nothing was saved, or if a resource cannot be encoded.
    pub fn digest(&self) -> Result<u64, ProgramError> {
        self.require_saved()?;
        let mut hasher = DefaultHasher::new();
        for part in &self.parts {
            let bytes = part.bytes().map_err(ProgramError::Resource)?;
            (part.name, bytes, self.versions_of(part.type_id)).hash(&mut hasher);
        }
        let mut encoder = Encoder::new();
        for state in &self.schedules {
            encoder.save(state).map_err(ProgramError::Resource)?;
        }
        encoder.as_bytes().hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// Returns the first difference to another state of the same program: the saved name of a resource, or the name of a system. `None` if
    /// the states are equal.
    ///
    /// # Errors
    ///
    /// As [`digest`](Self::digest).
    pub fn difference(&self, others: &Self) -> Result<Option<String>, ProgramError> {
        self.require_saved()?;
        others.require_saved()?;
        for part in &self.parts {
            let same = others
                .parts
                .iter()
                .find(|one| one.resource == part.resource);
            let bytes = part.bytes().map_err(ProgramError::Resource)?;
            let other = same.map_or(Ok(None), ProgramPart::bytes);
            let is_equal = bytes == other.map_err(ProgramError::Resource)?
                && self.versions_of(part.type_id) == others.versions_of(part.type_id);
            if !is_equal {
                return Ok(Some(part.name.to_string()));
            }
        }
        let mine = |one: &ProgramPart| self.parts.iter().any(|part| part.resource == one.resource);
        if let Some(part) = others.parts.iter().find(|one| !mine(one)) {
            return Ok(Some(part.name.to_string()));
        }
        let none = ScheduleState::empty();
        let n_states = self.schedules.len().max(others.schedules.len());
        let mut differences = (0..n_states).filter_map(|idx| {
            let state = self.schedules.get(idx).unwrap_or(&none);
            state.difference(others.schedules.get(idx).unwrap_or(&none))
        });
        Ok(differences.next().map(str::to_string))
    }

    fn versions_of(&self, type_id: TypeId) -> SavedVersions {
        let versions = self.versions.get(&type_id).copied();
        versions.unwrap_or(SavedVersions::FIRST)
    }

    fn require_saved(&self) -> Result<(), ProgramError> {
        if self.is_saved {
            Ok(())
        } else {
            Err(ProgramError::Empty)
        }
    }

    /// The same resources without a state.
    fn without_copies(&self) -> Self {
        Self {
            parts: self.parts.iter().map(ProgramPart::without_copy).collect(),
            ..Self::default()
        }
    }
}

impl fmt::Debug for SavedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedProgram")
            .field(
                "resources",
                &self.parts.iter().map(|part| part.name).collect::<Vec<_>>(),
            )
            .field("n_schedules", &self.schedules.len())
            .field("is_saved", &self.is_saved)
            .finish()
    }
}
