//! Runs whose decisions are noted, for recordings of inputs and their replays.

use super::Schedule;
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::decisions::{Decisions, deciding, outcome_text};

impl Schedule {
    /// Runs every system once, as [`run`](Self::run) does, and notes the decisions.
    pub(crate) fn run_noted(
        &mut self,
        resources: &mut Resources,
        decisions: &mut Decisions,
    ) -> Result<(), RunError> {
        self.in_span(|this| {
            if this.moves_to_pool {
                return this.in_pool(|this| this.run_noted_here(resources, decisions));
            }
            this.run_noted_here(resources, decisions)
        })
    }

    #[inline(always)]
    fn run_noted_here(
        &mut self,
        resources: &mut Resources,
        decisions: &mut Decisions,
    ) -> Result<(), RunError> {
        if let Err(refusal) = self.nodes.prepare(resources) {
            self.run_always(&refusal, resources, None);
            decisions.note(&self.nodes, Some(refusal.names()));
            return Err(self.take_refused(*refusal, resources));
        }
        self.execution.run(&mut self.nodes, &self.plan, resources);
        self.end_run(resources);
        decisions.note(&self.nodes, None);
        self.take_result(resources)
    }

    /// Updates the list of nodes. Returns whether it has changed.
    pub(crate) fn renew_decisions(&self, decisions: &mut Decisions) -> bool {
        decisions.renew(&self.nodes)
    }

    /// Returns whether each deciding node is enabled.
    pub(crate) fn are_enabled(&self) -> impl Iterator<Item = bool> {
        deciding(&self.nodes).map(|(rank, _, _)| self.nodes.outcomes.is_enabled(rank))
    }

    /// Enables and disables nodes. `are_enabled[i]`: whether deciding node i becomes enabled.
    pub(crate) fn enable_as(&mut self, are_enabled: &[bool]) {
        let wanted = deciding(&self.nodes).zip(are_enabled);
        let wanted = wanted.map(|((rank, _, _), &wanted)| (rank, wanted));
        let is_enabled = |rank| self.nodes.outcomes.is_enabled(rank);
        let switched: Vec<(u32, bool)> = wanted
            .filter(|&(rank, wanted)| is_enabled(rank) != wanted)
            .collect();
        if switched.is_empty() {
            return;
        }
        for (rank, is_enabled) in switched {
            self.nodes.set_enabled(rank, is_enabled);
        }
        self.note_switch();
    }

    /// Describes the outcome of deciding node `idx`, for messages.
    pub(crate) fn outcome_text(&self, idx: usize, code: u64, failure: Option<&str>) -> String {
        let node = deciding(&self.nodes).nth(idx);
        outcome_text(code, node.map(|(_, _, node)| node), failure)
    }
}
