//! Runs that are refused because resources are missing.

use super::Schedule;
use crate::data::record::RecordedRun;
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::nodes::Refusal;

impl Schedule {
    /// Runs only the nodes that always run, and returns the error of the run. `run`: records it.
    #[cold]
    #[inline(never)]
    pub(super) fn run_refused(
        &mut self,
        refusal: Refusal,
        resources: &mut Resources,
        run: Option<&RecordedRun>,
    ) -> RunError {
        self.run_always(&refusal, resources, run);
        self.take_refused(refusal, resources)
    }

    /// Runs the nodes that always run, and ends the refused run.
    pub(super) fn run_always(
        &mut self,
        refusal: &Refusal,
        resources: &mut Resources,
        run: Option<&RecordedRun>,
    ) {
        let Self {
            nodes,
            plan,
            execution,
            ..
        } = self;
        nodes.begin_refused(refusal, plan);
        execution.run_refused(nodes, plan, resources, run);
        self.end_run(resources);
    }

    /// Returns the error of a refused run that has ended, and applies its requests.
    pub(super) fn take_refused(&mut self, refusal: Refusal, resources: &mut Resources) -> RunError {
        let error = self.nodes.take_refused(refusal);
        self.apply_requests(resources);
        error
    }
}
