//! State that systems use and the program does not save.

use core::fmt;

use super::SavedProgram;
use crate::base::escape::shown;
use crate::data::access::{ResourceId, Storage};
use crate::data::resource::Resources;
use crate::run::schedule::Schedule;

/// State that systems use and the program does not save.
#[derive(Debug)]
pub struct NotSaved {
    /// Resources in the order of their first use, then the systems, and then the values that cannot be saved.
    pub parts: Vec<NotSavedPart>,
}

/// A part of [`NotSaved`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSavedPart {
    /// A resource was not added.
    Resource {
        /// Its name.
        resource: String,
        /// The systems that use it.
        systems: Vec<String>,
        /// Whether the resource can be added. Resources with names of their own and main-thread values cannot.
        can_be_added: bool,
    },
    /// A system takes all resources, so it may use some that were not added.
    AllResources {
        /// The name of the system.
        system: String,
    },
    /// A system has [`Local`](crate::param::Local)s.
    Locals {
        /// The name of the system.
        system: String,
    },
    /// A system is a closure with variables.
    Captured {
        /// The name of the system.
        system: String,
    },
    /// A system finds changes of components. After a restore it finds all of them changed.
    ComponentChanges {
        /// The name of the system.
        system: String,
    },
    /// A value cannot be saved now.
    Refused {
        /// The saved name of the resource. `None`: a value of a system, which `reason` names.
        resource: Option<String>,
        /// The reason.
        reason: String,
    },
    /// A value that was saved, restored and saved again gave other bytes.
    Unstable {
        /// The saved name of the resource, or the name of a system that has the value as a `SavedLocal`.
        name: String,
    },
}

impl fmt::Display for NotSavedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |f: &mut fmt::Formatter<'_>, name: &str| write!(f, "`{}`", shown(name));
        match self {
            Self::Resource {
                resource,
                systems,
                can_be_added,
            } => {
                name(f, resource)?;
                f.write_str(" is used by ")?;
                for (idx, system) in systems.iter().enumerate() {
                    if idx > 0 {
                        f.write_str(if idx + 1 == systems.len() {
                            " and "
                        } else {
                            ", "
                        })?;
                    }
                    name(f, system)?;
                }
                f.write_str(if *can_be_added {
                    ", and is not saved: call `with`, `with_encoded`, or `without` if it is not a part of the state"
                } else {
                    ", and cannot be saved: call `without_resource` if it is not a part of the state"
                })
            }
            Self::AllResources { system } => {
                name(f, system)?;
                f.write_str(
                    " takes all resources, so it may use others than those that are saved: name its resources, or call `without_state_of`",
                )
            }
            Self::Locals { system } => {
                name(f, system)?;
                f.write_str(
                    " has a `Local`: use `SavedLocal`, or call `without_state_of` if it is not a part of the state",
                )
            }
            Self::Captured { system } => {
                name(f, system)?;
                f.write_str(
                    " is a closure with variables: use a function with a `SavedLocal`, or call `without_state_of` if they never change",
                )
            }
            Self::ComponentChanges { system } => {
                name(f, system)?;
                f.write_str(
                    " finds changes of components, and will find all of them changed after a restore: call `without_state_of` if this has no effect on the result",
                )
            }
            Self::Refused { resource, reason } => {
                if let Some(resource) = resource {
                    name(f, resource)?;
                    f.write_str(" cannot be saved: ")?;
                }
                f.write_str(reason)
            }
            Self::Unstable { name: value } => {
                name(f, value)?;
                f.write_str(
                    " gives other bytes when it is restored and saved again: replace a `HashMap` by a `BTreeMap`, or sort its keys in `serialize`",
                )
            }
        }
    }
}

impl fmt::Display for NotSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program uses state that is not saved:")?;
        self.parts
            .iter()
            .try_for_each(|part| write!(f, "\n- {part}"))
    }
}

impl std::error::Error for NotSaved {}

impl SavedProgram {
    /// Checks that all state is saved that these schedules use, and that saved values give the same bytes again. For a test, and for the
    /// start of a program: insert the resources before. The saved state does not change.
    ///
    /// It does not find resources that are used only by the program between runs, or only by functions that commands push. A `HashMap` with fewer
    /// than two entries is not found.
    ///
    /// # Errors
    ///
    /// Returns everything that is not saved, with the systems that use it.
    pub fn check(
        &self,
        schedules: &mut [&mut Schedule],
        resources: &Resources,
    ) -> Result<(), NotSaved> {
        let mut found = Unsaved {
            program: self,
            resources: Vec::new(),
            systems: Vec::new(),
        };
        for schedule in schedules.iter_mut() {
            found.visit(schedule);
        }
        let Unsaved {
            resources: unsaved,
            systems,
            ..
        } = found;
        let unsaved = unsaved
            .into_iter()
            .map(|(resource, systems)| NotSavedPart::Resource {
                can_be_added: !resource.is_main_thread() && resource.text().is_none(),
                resource: resource.to_string(),
                systems,
            });
        let mut parts: Vec<_> = unsaved.chain(systems).collect();
        parts.extend(self.wrong_values(schedules, resources));
        if parts.is_empty() {
            Ok(())
        } else {
            Err(NotSaved { parts })
        }
    }

    /// The values that cannot be saved, or give other bytes.
    fn wrong_values(
        &self,
        schedules: &mut [&mut Schedule],
        resources: &Resources,
    ) -> Vec<NotSavedPart> {
        let mut wrong = Vec::new();
        for schedule in schedules {
            if let Err(error) = schedule.save_state() {
                wrong.push(NotSavedPart::Refused {
                    resource: None,
                    reason: error.to_string(),
                });
            }
        }
        for part in &mut self.without_copies().parts {
            let kept = part.keep(resources);
            match kept.and_then(|()| part.is_stable()) {
                Ok(true) => {}
                Ok(false) => wrong.push(NotSavedPart::Unstable {
                    name: part.name.to_string(),
                }),
                Err(error) => wrong.push(NotSavedPart::Refused {
                    resource: Some(part.name.to_string()),
                    reason: error.to_string(),
                }),
            }
        }
        wrong
    }
}

/// What schedules use and a program does not save.
struct Unsaved<'p> {
    program: &'p SavedProgram,
    /// Each with the systems that use it.
    resources: Vec<(ResourceId, Vec<String>)>,
    systems: Vec<NotSavedPart>,
}

impl Unsaved<'_> {
    fn visit(&mut self, schedule: &mut Schedule) {
        schedule.visit_unsaved(|system, access, locals| {
            let uses = access.uses.iter().map(|one| &one.resource);
            // The store of a component is a use of its own.
            let uses = uses.filter(|resource| resource.storage() != Storage::Entities);
            for resource in uses.chain(&access.inserts) {
                self.note(resource, system);
            }
            let name = || system.to_string();
            let is_declared = self
                .program
                .without_state_of
                .iter()
                .any(|one| one == system);
            if is_declared {
                return;
            }
            if !access.all.is_empty() || access.is_exclusive {
                self.systems
                    .push(NotSavedPart::AllResources { system: name() });
            }
            if locals.n_other > 0 {
                self.systems.push(NotSavedPart::Locals { system: name() });
            }
            if locals.n_captures > 0 {
                self.systems.push(NotSavedPart::Captured { system: name() });
            }
            if locals.n_unstable > 0 {
                self.systems.push(NotSavedPart::Unstable { name: name() });
            }
            if locals.n_looks > 0 {
                self.systems
                    .push(NotSavedPart::ComponentChanges { system: name() });
            }
        });
    }

    /// Notes that a system uses a resource, unless the resource is saved or declared.
    fn note(&mut self, resource: &ResourceId, system: &str) {
        let mut saved = self.program.parts.iter().map(|part| &part.resource);
        let mut declared = self.program.without.iter();
        if saved.any(|one| one == resource) || declared.any(|one| one == resource) {
            return;
        }
        let found = self.resources.iter_mut().find(|(one, _)| one == resource);
        match found {
            None => self
                .resources
                .push((resource.clone(), vec![system.to_string()])),
            Some((_, systems)) if systems.last().is_none_or(|last| last != system) => {
                systems.push(system.to_string());
            }
            Some(_) => {}
        }
    }
}
