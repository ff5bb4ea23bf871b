//! Requests of systems for the next run: parameter [`NextRun`](crate::param::NextRun).
//!
//! They apply in two steps, because the result of a run contains the errors of its requests, and depends on which nodes were enabled in
//! it. [`Schedule::resolve_requests`] runs before the result is taken, and [`Schedule::apply_requests`] after that.

use super::Schedule;
use crate::data::param::{RateFunctions, RequestKind};
use crate::data::resource::Resources;
use crate::declare::failure::RequestError;

/// The requests of a run that can be fulfilled. The memory is kept for the next run.
#[derive(Default)]
pub(super) struct ResolvedRequests {
    /// The ranks to switch, and whether each is enabled. Later ones win.
    switches: Vec<(u32, bool)>,
    /// The rates with new periods, which are set but may not be applied yet.
    periods: Vec<&'static RateFunctions>,
}

impl Schedule {
    /// Finds the targets of the requests of this run. Each request for something that the schedule does not have is a failure of the
    /// system that made it.
    #[inline]
    pub(super) fn resolve_requests(&mut self, resources: &mut Resources) {
        if !self.nodes.requests.is_empty() {
            self.resolve(resources);
        }
    }

    #[inline(never)]
    fn resolve(&mut self, resources: &mut Resources) {
        let mut requests = core::mem::take(&mut self.nodes.requests);
        let mut ranks = core::mem::take(&mut self.ranks);
        for (rank, request) in requests.drain(..) {
            match request.0 {
                RequestKind::Switch {
                    target,
                    is_enabled,
                    location,
                } => match self.find_ranks(&target, location, &mut ranks) {
                    Ok(()) => {
                        let found = ranks.found.iter().map(|&rank| (rank, is_enabled));
                        self.requests.switches.extend(found);
                    }
                    Err(error) => self.nodes.fail_request(rank, RequestError::Target(error)),
                },
                RequestKind::Period { rate, period } => {
                    if (rate.exists)(resources) {
                        // It replaces a period that a system of this run has set. The end of the run applies it, if the rate was evaluated.
                        (rate.set)(resources, period);
                        self.requests.periods.push(rate);
                    } else {
                        let error = RequestError::MissingRate(rate.name);
                        self.nodes.fail_request(rank, error);
                    }
                }
            }
        }
        self.ranks = ranks;
        self.nodes.requests = requests;
    }

    /// Applies the requests of the last run, so that the next one finds them applied.
    #[inline]
    pub(super) fn apply_requests(&mut self, resources: &mut Resources) {
        let ResolvedRequests { switches, periods } = &self.requests;
        if !(switches.is_empty() && periods.is_empty()) {
            self.apply_resolved(resources);
        }
    }

    #[inline(never)]
    fn apply_resolved(&mut self, resources: &mut Resources) {
        let ResolvedRequests { switches, periods } = &mut self.requests;
        let has_switches = !switches.is_empty();
        for (rank, is_enabled) in switches.drain(..) {
            self.nodes.set_enabled(rank, is_enabled);
        }
        for rate in periods.drain(..) {
            (rate.apply)(resources);
        }
        if has_switches {
            self.note_switch();
        }
    }
}
