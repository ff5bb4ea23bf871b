//! A node of a schedule: a system or a checkpoint, and what became of it.

use crate::access::{AccessSet, ResourceId};
use crate::failure::{Cause, Failure};
use crate::param::Lookup;
use crate::place::SystemPlace;
use crate::resource::Resources;
use crate::system::{Instance, Run};

/// A node of a schedule.
pub(crate) struct Node {
    pub(crate) place: SystemPlace,
    /// `None` for a checkpoint.
    pub(crate) system: Option<Box<dyn Run>>,
    pub(crate) access: AccessSet,
    /// Needed, and not there when the node was last prepared.
    pub(crate) missing: Option<ResourceId>,
    /// What became of it in the last run.
    pub(crate) outcome: Outcome,
    /// Of the last run; `true` for systems that are no conditions.
    pub(crate) answer: bool,
}

/// What became of a node in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran, or has not been reached.
    Finished,
    /// It returned an error, or panicked, or a resource was missing.
    Failed,
    /// It came after one that failed.
    Skipped,
}

impl Node {
    pub(crate) fn new(place: SystemPlace, instance: Instance) -> Self {
        let (system, access) = instance.into_parts();
        Self {
            place,
            system: Some(system),
            access,
            missing: None,
            outcome: Outcome::Finished,
            answer: true,
        }
    }

    pub(crate) fn checkpoint(place: SystemPlace) -> Self {
        Self {
            place,
            system: None,
            access: AccessSet::default(),
            missing: None,
            outcome: Outcome::Finished,
            answer: true,
        }
    }

    pub(crate) fn failure(&self, cause: Cause) -> Failure {
        Failure {
            system: self.place.clone(),
            cause,
        }
    }
}

/// Lets every node look up its resources.
pub(crate) fn prepare(nodes: &mut [Node], resources: &Resources) {
    for node in nodes {
        if let Some(system) = &mut node.system {
            let mut lookup = Lookup::new(resources);
            system.prepare(&mut lookup);
            node.missing = lookup.into_missing();
        }
    }
}
