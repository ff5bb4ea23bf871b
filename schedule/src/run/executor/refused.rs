//! Runs that are refused because of missing resources. Only nodes that always run take part.

use super::step::RunOptions;
use super::{NextRunMode, PreparedExecutor, execute_serial};
use crate::data::record::RecordedRun;
use crate::data::resource::Resources;
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;

impl PreparedExecutor {
    /// Runs the nodes that always run, one after the other on this thread, with every executor. `run`: records this run.
    ///
    /// `Auto` does not learn costs from a refused run. The run asks for no helpers.
    #[cold]
    pub(crate) fn run_refused(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        run: Option<&RecordedRun>,
    ) {
        let awaited = match &self.next_run {
            NextRunMode::Recorded(_) => {
                let usual = NextRunMode::of(self.executor);
                Some(core::mem::replace(&mut self.next_run, usual))
            }
            _ => None,
        };
        let recorded = run.or(match &awaited {
            Some(NextRunMode::Recorded(run)) if run.is_awaited() => Some(run),
            _ => None,
        });
        nodes.reserve(plan);
        let how = RunOptions::default().watched(false, recorded);
        execute_serial(nodes, plan, resources, how);
    }
}
