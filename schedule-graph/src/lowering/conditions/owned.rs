//! Conditions that own their memory.

use super::Conditions;

/// [`Conditions`] that own their memory.
#[derive(Clone, Debug, Default)]
pub struct OwnedConditions {
    guarded: Vec<u32>,
    templates: Vec<u32>,
    first_leaves: Vec<u32>,
    is_broken: Vec<u32>,
    nodes: Vec<u32>,
    implied: Vec<u32>,
    levels: Vec<u32>,
    firsts: Vec<u32>,
    askers: Vec<u32>,
    faults: Vec<u32>,
}

impl OwnedConditions {
    /// No guards.
    pub fn none() -> Self {
        Self {
            first_leaves: vec![0],
            ..Self::default()
        }
    }

    /// Excludes a guard, for a reason of the caller.
    pub fn break_guard(&mut self, guard: usize) {
        self.is_broken[guard] = 1;
    }

    /// A view of them.
    pub fn view(&self) -> Conditions<'_> {
        Conditions {
            guarded: &self.guarded,
            templates: &self.templates,
            first_leaves: &self.first_leaves,
            is_broken: &self.is_broken,
            nodes: &self.nodes,
            implied: &self.implied,
            levels: &self.levels,
            firsts: &self.firsts,
            askers: &self.askers,
            faults: &self.faults,
        }
    }
}

impl From<Conditions<'_>> for OwnedConditions {
    fn from(conditions: Conditions<'_>) -> Self {
        Self {
            guarded: conditions.guarded.to_vec(),
            templates: conditions.templates.to_vec(),
            first_leaves: conditions.first_leaves.to_vec(),
            is_broken: conditions.is_broken.to_vec(),
            nodes: conditions.nodes.to_vec(),
            implied: conditions.implied.to_vec(),
            levels: conditions.levels.to_vec(),
            firsts: conditions.firsts.to_vec(),
            askers: conditions.askers.to_vec(),
            faults: conditions.faults.to_vec(),
        }
    }
}
