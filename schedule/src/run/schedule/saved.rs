//! The state of a schedule between two runs, as data: the values of its systems, and which nodes are enabled.

use core::fmt;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Schedule;
use crate::base::escape::shown;
use crate::base::panics::FirstPanic;
use crate::base::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};
use crate::data::access::AccessSet;
use crate::data::param::Settle;
use crate::data::param::state::{
    FirstSavedValue, LocalError, LocalsRestorer, LocalsSaver, RestoreStep, SavedValue,
};

/// The state of a [`Schedule`] between two runs: its [`SavedLocal`](crate::param::SavedLocal) values, and which nodes are enabled.
///
/// Together with the resources, it lets a program continue with the same results. It is a section of a snapshot, or a field of one: it
/// implements the traits of `serde`.
///
/// ```
/// use schedule::param::SavedLocal;
/// use schedule::prelude::*;
/// use schedule::ScheduleState;
/// use schedule::snapshot::{Snapshot, SnapshotReader, SnapshotWriter};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Default, Snapshot, Serialize, Deserialize)]
/// #[snapshot(name = "count")]
/// struct Count(u32);
///
/// #[derive(Resource)]
/// struct Steps(u32);
///
/// #[system]
/// fn count(mut count: SavedLocal<Count>, steps: &mut Steps) {
///     count.0 += 1;
///     steps.0 = count.0;
/// }
///
/// schedule! { Day { count } }
///
/// let mut day = Day::new();
/// let mut resources = Resources::new();
/// resources.insert(Steps(0));
/// day.run(&mut resources)?;
///
/// let mut writer = SnapshotWriter::new();
/// writer.section(&day.save_state()?)?;
/// let bytes = writer.finish();
///
/// let mut restored = Day::new();
/// let state: ScheduleState = SnapshotReader::new(&bytes)?.restore()?;
/// restored.restore_state(&state)?;
/// restored.run(&mut resources)?;
/// assert_eq!(resources.get::<Steps>().unwrap().0, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleState {
    /// In insertion order.
    systems: Vec<SavedSystem>,
    /// The names of systems that need no state.
    #[serde(skip)]
    added: Vec<String>,
}

/// The state of a system, a loop or a sync point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SavedSystem {
    name: String,
    is_enabled: bool,
    locals: Vec<SavedValue>,
    /// The number of [`Local`](crate::param::Local) values, which are not saved.
    n_other: usize,
}

impl ScheduleState {
    /// Returns the names of the systems with a [`Local`](crate::param::Local), which is not saved. Restoring resets it.
    pub fn with_unsaved_locals(&self) -> impl Iterator<Item = &str> {
        let systems = self.systems.iter().filter(|system| system.n_other > 0);
        systems.map(|system| system.name.as_str())
    }

    /// Gives the systems with the name `from` the name `to`, before the state is restored into a schedule in which they are renamed.
    #[must_use = "the state with the new name is returned"]
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        let systems = self.systems.iter_mut();
        for system in systems.filter(|system| system.name == from) {
            system.name = to.to_string();
        }
        self
    }

    /// Removes the state of the systems with this name, before the state is restored into a schedule without them.
    #[must_use = "the state without the systems is returned"]
    pub fn dropped(mut self, name: &str) -> Self {
        self.systems.retain(|system| system.name != name);
        self
    }

    /// Declares that systems with this name are new, before the state is restored into a schedule that has them. They begin with their
    /// first values. The restore does not enable or disable them. Has no effect on systems that the state has.
    ///
    /// The declaration is not saved with the state.
    ///
    /// ```
    /// # use schedule::param::SavedLocal;
    /// # use schedule::prelude::*;
    /// # use schedule::snapshot::Snapshot;
    /// # use serde::{Deserialize, Serialize};
    /// #
    /// #[derive(Default, Snapshot, Serialize, Deserialize)]
    /// #[snapshot(name = "count")]
    /// struct Count(u32);
    ///
    /// #[system]
    /// fn count(mut count: SavedLocal<Count>) {
    ///     count.0 += 1;
    /// }
    ///
    /// #[system]
    /// fn print(count: SavedLocal<Count>) {
    ///     println!("{}", count.0);
    /// }
    ///
    /// let mut old = Schedule::builder().add::<count>().build()?;
    /// old.run(&mut Resources::new())?;
    /// let state = old.save_state()?;
    ///
    /// let mut new = Schedule::builder().add::<count>().add::<print>().build()?;
    /// assert!(new.restore_state(&state).is_err());
    /// new.restore_state(&state.added("print"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "the state with the declaration is returned"]
    pub fn added(mut self, name: &str) -> Self {
        self.added.push(name.to_string());
        self
    }
}

impl Snapshot for ScheduleState {
    const NAME: &'static str = "schedule";
    const VERSION: u32 = 2;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(self)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        from.read()
    }

    fn schema() -> Schema {
        Schema::of::<Self>()
    }

    /// Version 1 has no schemas.
    fn migrate(_: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        #[derive(Deserialize)]
        struct FirstSystem {
            name: String,
            is_enabled: bool,
            locals: Vec<FirstSavedValue>,
            n_other: usize,
        }
        let systems: Vec<FirstSystem> = from.read()?;
        let systems = systems.into_iter().map(|system| SavedSystem {
            name: system.name,
            is_enabled: system.is_enabled,
            locals: system.locals.into_iter().map(SavedValue::from).collect(),
            n_other: system.n_other,
        });
        Ok(Self {
            systems: systems.collect(),
            added: Vec::new(),
        })
    }
}

impl ScheduleState {
    /// The state of a schedule without systems.
    pub(crate) const fn empty() -> Self {
        Self {
            systems: Vec::new(),
            added: Vec::new(),
        }
    }

    /// Returns the name of the first system whose state differs from that in another state of the same schedule.
    pub(crate) fn difference<'s>(&'s self, other: &'s Self) -> Option<&'s str> {
        let longer = if self.systems.len() < other.systems.len() {
            &other.systems
        } else {
            &self.systems
        };
        let differs = |idx: &usize| self.systems.get(*idx) != other.systems.get(*idx);
        let first = (0..longer.len()).find(differs)?;
        Some(&longer[first].name)
    }
}

/// The nodes of a schedule into which a state is restored, by rank.
struct Matched<'s> {
    /// Each with its state.
    with_state: Vec<(u32, &'s SavedSystem)>,
    /// Those without one.
    added: Vec<u32>,
}

/// A [`ScheduleState`] does not match the schedule.
#[derive(Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// A system of the state is not in the schedule.
    Unknown {
        /// The name of the system.
        system: String,
    },
    /// A system of the schedule is not in the state.
    NotSaved {
        /// The name of the system.
        system: String,
    },
    /// A system has [`SavedLocal`](crate::param::SavedLocal)s of other types than when it was saved.
    OtherLocals {
        /// The name of the system.
        system: String,
    },
    /// A value cannot be restored.
    Value {
        /// The name of the system.
        system: String,
        /// The reason.
        error: SnapshotError,
    },
}

impl std::error::Error for RestoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RestoreError::Value { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Unknown { system } => write!(
                f,
                "`{0}` is in the saved state, but not in the schedule; restore into a schedule with the same systems, or call \
                 `renamed(\"{0}\", …)` or `dropped(\"{0}\")` of the state first",
                shown(system)
            ),
            RestoreError::NotSaved { system } => write!(
                f,
                "`{0}` is in the schedule, but not in the saved state; restore into a schedule with the same systems, or, if the \
                 system is new, call `added(\"{0}\")` of the state first",
                shown(system)
            ),
            RestoreError::OtherLocals { system } => write!(
                f,
                "`{0}` was saved with `SavedLocal`s of other types; restore into a schedule with the same systems, or let it begin \
                 with its first values: call `dropped(\"{0}\").added(\"{0}\")` of the state first",
                shown(system)
            ),
            RestoreError::Value { system, error } => {
                write!(f, "a `SavedLocal` of `{}`: {error}", shown(system))
            }
        }
    }
}

impl Schedule {
    /// Returns the state between two runs: the [`SavedLocal`](crate::param::SavedLocal) values, and which nodes are enabled.
    ///
    /// It does not contain the resources, the variables that closures have captured, measured costs and times, settings of executors,
    /// limits, and [`Local`](crate::param::Local) values. See [`ScheduleState::with_unsaved_locals`].
    ///
    /// # Errors
    ///
    /// Fails if a value cannot be saved.
    pub fn save_state(&mut self) -> Result<ScheduleState, SnapshotError> {
        let mut systems = Vec::new();
        for rank in self.ranks_with_work() {
            let is_enabled = self.nodes.outcomes.is_enabled(rank);
            let node = &mut self.nodes.by_rank[rank as usize];
            let mut saver = LocalsSaver::default();
            if let Some(run) = node.runnable() {
                run.settle(&mut Settle::SaveLocals(&mut saver));
            }
            if let Some(error) = saver.error {
                return Err(error);
            }
            systems.push(SavedSystem {
                name: node.about.place.name.clone(),
                is_enabled,
                locals: saver.values,
                n_other: saver.n_other,
            });
        }
        Ok(ScheduleState {
            systems,
            added: Vec::new(),
        })
    }

    /// Checks that a state can be restored.
    ///
    /// # Errors
    ///
    /// As [`restore_state`](Self::restore_state).
    pub(crate) fn check_state(&mut self, state: &ScheduleState) -> Result<(), RestoreError> {
        let matched = self.matched(state)?.with_state;
        let result = self.settle_restore(&matched, RestoreStep::Decode);
        let _ = self.settle_restore(&matched, RestoreStep::Reject);
        result
    }

    /// Restores a state that [`save_state`](Self::save_state) has returned. Resets all [`Local`](crate::param::Local) values.
    ///
    /// The schedule needs the same systems, by name. [`ScheduleState::renamed`], [`dropped`](ScheduleState::dropped) and
    /// [`added`](ScheduleState::added) declare changes. Several systems with one name get the
    /// states of this name, both in insertion order. The orders between systems and their functions can differ. The
    /// types of their `SavedLocal`s cannot.
    ///
    /// # Errors
    ///
    /// Fails if the systems differ, or if a value cannot be restored. The error names the system. The schedule is then unchanged.
    pub fn restore_state(&mut self, state: &ScheduleState) -> Result<(), RestoreError> {
        let Matched {
            with_state: matched,
            added,
        } = self.matched(state)?;
        let result = self.settle_restore(&matched, RestoreStep::Decode);
        if let Err(error) = result {
            let _ = self.settle_restore(&matched, RestoreStep::Reject);
            return Err(error);
        }
        for &(rank, saved) in &matched {
            self.nodes.set_enabled(rank, saved.is_enabled);
        }
        self.note_switch();
        let mut panics = FirstPanic::NONE;
        for rank in added {
            if let Some(run) = self.nodes.by_rank[rank as usize].runnable() {
                run.settle(&mut Settle::ResetLocals(&mut panics));
            }
        }
        let accepted = self.settle_restore(&matched, RestoreStep::Accept);
        panics.resume();
        accepted
    }

    /// Visits each system, with what it uses that `save_state` does not save.
    pub(crate) fn visit_unsaved(&mut self, mut visit: impl FnMut(&str, &AccessSet, &LocalsSaver)) {
        for rank in self.ranks_with_work() {
            let node = &mut self.nodes.by_rank[rank as usize];
            let mut saver = LocalsSaver {
                checks_values: true,
                ..LocalsSaver::default()
            };
            let Some(run) = node.runnable() else { continue };
            run.settle(&mut Settle::SaveLocals(&mut saver));
            visit(&node.about.place.name, &node.about.access, &saver);
        }
    }

    /// Finds the node of each saved system, and the nodes that are declared as added.
    fn matched<'s>(&self, state: &'s ScheduleState) -> Result<Matched<'s>, RestoreError> {
        // The ranks of the nodes with this name that have no state yet, the last one first.
        let mut ranks_of: HashMap<&str, Vec<u32>> = HashMap::new();
        let ranks = self.ranks_with_work();
        let name = |rank: u32| self.nodes.by_rank[rank as usize].about.place.name.as_str();
        for &rank in ranks.iter().rev() {
            ranks_of.entry(name(rank)).or_default().push(rank);
        }
        let (mut matched, mut added) = (Vec::new(), Vec::new());
        for saved in &state.systems {
            let rank = ranks_of
                .get_mut(saved.name.as_str())
                .and_then(Vec::pop)
                .ok_or_else(|| RestoreError::Unknown {
                    system: saved.name.clone(),
                })?;
            matched.push((rank, saved));
        }
        for rank in ranks {
            let system = name(rank);
            if !ranks_of[system].contains(&rank) {
                continue;
            }
            if !state.added.iter().any(|of| of == system) {
                let system = system.to_string();
                return Err(RestoreError::NotSaved { system });
            }
            added.push(rank);
        }
        Ok(Matched {
            with_state: matched,
            added,
        })
    }

    /// Takes a step for all systems, up to the first error.
    fn settle_restore(
        &mut self,
        matched: &[(u32, &SavedSystem)],
        step: RestoreStep,
    ) -> Result<(), RestoreError> {
        let mut panics = FirstPanic::NONE;
        for &(rank, saved) in matched {
            let node = &mut self.nodes.by_rank[rank as usize];
            let mut restorer = LocalsRestorer::new(step, saved.locals.clone());
            restorer.panics = panics;
            if let Some(run) = node.runnable() {
                run.settle(&mut Settle::RestoreLocals(&mut restorer));
            }
            panics = restorer.panics;
            let has_more = step == RestoreStep::Decode && restorer.values.next().is_some();
            let error = restorer
                .error
                .or(has_more.then_some(LocalError::OtherTypes));
            let system = || saved.name.clone();
            match error {
                None => {}
                Some(LocalError::OtherTypes) => {
                    return Err(RestoreError::OtherLocals { system: system() });
                }
                Some(LocalError::Value(error)) => {
                    let system = system();
                    return Err(RestoreError::Value { system, error });
                }
            }
        }
        panics.resume();
        Ok(())
    }

    /// The ranks of systems, loops and sync points, in insertion order.
    fn ranks_with_work(&self) -> Vec<u32> {
        let nodes = &self.nodes.by_rank;
        let ranks = 0..nodes.len() as u32;
        let mut ranks: Vec<u32> = ranks
            .filter(|&rank| nodes[rank as usize].has_work())
            .collect();
        ranks.sort_unstable_by_key(|&rank| self.plan.order[rank as usize]);
        ranks
    }
}
