//! Declarations of a schedule: data that a builder collects and a schedule keeps.

mod attribute;
mod declared;
mod names;

use core::time::Duration;
use std::sync::Arc;

pub(crate) use self::declared::{
    Declared, DeclaredGroup, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredPart,
    DeclaredRules, DeclaredWork, FailurePolicyChoice, Level, PolicyChoice,
};
pub(crate) use self::names::{fits, fits_group};
use crate::choices::{Choices, Occurrence};
use crate::target::Target;

/// Declarations of a schedule, in the order in which they were made.
///
/// A clone has no systems.
#[derive(Clone, Default)]
pub(crate) struct Declarations {
    pub(crate) name: Option<String>,
    /// Removed nodes keep their places, so that the numbers of the others stay.
    pub(crate) nodes: Vec<Declared>,
    pub(crate) groups: Vec<DeclaredGroup>,
    pub(crate) memberships: Vec<DeclaredMembership>,
    pub(crate) orders: Vec<DeclaredOrder>,
    pub(crate) guards: Vec<DeclaredGuard>,
    /// Outside of all parts.
    pub(crate) rules: DeclaredRules,
    pub(crate) parts: Vec<DeclaredPart>,
    pub(crate) pair_policies: Vec<(Target, Target, PolicyChoice)>,
    pub(crate) cost_of: Option<CostOf>,
    pub(crate) pinned: Choices,
    pub(crate) failure_policies: Vec<(Target, FailurePolicyChoice)>,
}

/// The cost of a system, if it is known.
pub(crate) type CostOf = Arc<dyn Fn(&Occurrence) -> Option<Duration> + Send + Sync>;

impl Declarations {
    /// The nodes that were not removed, with their numbers.
    pub(crate) fn there(&self) -> impl Iterator<Item = (usize, &Declared)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.is_there())
    }

    /// Whether a node has this number.
    pub(crate) fn has(&self, idx: usize) -> bool {
        self.nodes.get(idx).is_some_and(Declared::is_there)
    }

    /// A part, and those around it.
    pub(crate) fn parts_from(&self, part: Option<usize>) -> impl Iterator<Item = usize> {
        core::iter::successors(part, |part| self.parts[*part].around)
    }

    /// The innermost part that both are in.
    pub(crate) fn common_part(&self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        self.parts_from(a)
            .find(|part| self.parts_from(b).any(|other| other == *part))
    }
}
