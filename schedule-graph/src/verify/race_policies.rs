//! The policies of races.

use super::VerifyInput;
use crate::graph::edge::Edge;
use crate::links_memory::LinksMemory;
use crate::policy::Policy;
use crate::sync_point_races::SyncPointRaces;

/// The policies of races.
#[derive(Debug)]
pub struct RacePolicies<'a> {
    input: VerifyInput<'a>,
    sync_point_races: Option<SyncPointRaces<'a>>,
    scratch: &'a mut [u32],
}

impl<'a> RacePolicies<'a> {
    pub(super) const fn new(
        input: VerifyInput<'a>,
        edges: &[Edge],
        links: &'a mut [LinksMemory<'_>; 2],
        scratch: &'a mut [u32],
    ) -> Self {
        let n_nodes = input.roles.len();
        let [declared, all] = links;
        let sync_point_races = if n_nodes == 0 {
            None
        } else {
            Some(SyncPointRaces {
                roles: input.roles,
                declared: declared.reborrow().links(n_nodes, input.declared),
                all: all.reborrow().links(n_nodes, edges),
                weak: input.weak,
                uses: input.uses,
                needs: input.needs,
                rules: input.rules,
            })
        };
        Self {
            input,
            sync_point_races,
            scratch,
        }
    }

    /// The policy of a race. `None` if the race is not reported because it ends as soon as other reported races end.
    pub const fn policy(&mut self, a: u32, b: u32) -> Option<Policy> {
        let input = self.input;
        let policy = input.rules.of_pair(input.uses, a, b);
        if let Some(races) = self.sync_point_races
            && matches!(policy, Policy::Reject)
            && let Some((sync_point, condition)) = SyncPointRaces::of_pair(races.roles, a, b)
            && races.is_ended_by_others(sync_point, condition, self.scratch)
        {
            return None;
        }
        Some(policy)
    }
}
