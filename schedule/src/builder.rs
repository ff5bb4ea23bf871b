//! What was declared of a schedule, before it is verified.

use core::any::TypeId;
use core::fmt;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::failure::SystemPlace;
use crate::problem::{BuildError, Problem};
use crate::schedule::{Node, Schedule};
use crate::system::{Instance, System};

/// Collects systems, and makes a [`Schedule`] of them.
///
/// Made by [`Schedule::builder`]. Calls can be chained, or made one by one in a loop.
#[derive(Default)]
pub struct Builder {
    name: Option<String>,
    systems: Vec<Added>,
}

/// A system that was added.
struct Added {
    type_id: TypeId,
    id: u128,
    place: SystemPlace,
    instance: Instance,
}

impl Builder {
    /// Names the schedule, for errors and reports; else it is called `schedule`.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a system. The same one may be added several times; each has its own local state.
    pub fn add<S: System>(&mut self) -> &mut Self {
        self.systems.push(Added {
            type_id: TypeId::of::<S>(),
            id: S::ID,
            place: SystemPlace {
                name: S::NAME.to_string(),
                location: S::FUNCTION.location(),
            },
            instance: S::FUNCTION.instantiate(),
        });
        self
    }

    /// The schedule. The builder is empty afterwards.
    ///
    /// # Errors
    ///
    /// If two types of system have the same number.
    pub fn build(&mut self) -> Result<Schedule, BuildError> {
        let Builder { name, systems } = core::mem::take(self);
        let name = name.unwrap_or_else(|| "schedule".to_string());
        let problems = same_identities(&systems);
        if !problems.is_empty() {
            return Err(BuildError::new(name, problems));
        }
        let nodes = systems
            .into_iter()
            .map(|added| Node::new(added.place, added.instance));
        Ok(Schedule::new(name, nodes.collect()))
    }
}

/// The types of system that cannot be told apart, each once. O(systems).
fn same_identities(systems: &[Added]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: HashMap<u128, Vec<&Added>> = HashMap::new();
    for system in systems {
        match seen.entry(system.id) {
            Entry::Vacant(entry) => drop(entry.insert(vec![system])),
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                if known.iter().all(|known| known.type_id != system.type_id) {
                    problems.push(Problem::SameIdentity {
                        first: known[0].place.clone(),
                        second: system.place.clone(),
                    });
                    known.push(system);
                }
            }
        }
    }
    problems
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.systems.iter().map(|added| &added.place.name);
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("systems", &names.collect::<Vec<_>>())
            .finish()
    }
}
