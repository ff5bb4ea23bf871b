//! Stretches: consecutive nodes that a serial run decides about once.
//!
//! A stretch begins with a system without an answer. All of its systems have no answer and the same guard, or no guard. The nodes in
//! between and after them are checkpoints. No condition is evaluated in a stretch, so either all of its systems are due or none,
//! unless a node has failed or is disabled.
//!
//! Invariant between runs: of the enabled systems of a stretch, either all or none have the outcome [`GuardFalse`]. Each executor
//! sets the outcome of each guarded system, or of a whole stretch. A run with a failure resets all outcomes. A system that is
//! enabled gets another outcome, so `Schedule::note_switch` resets those of all guards.
//!
//! [`GuardFalse`]: crate::outcome::Outcome::GuardFalse

use crate::node::{RunNode, Work};
use crate::plan::Plan;

/// Sets the end of the stretch of each node. That of a system with an answer is after the checkpoints that follow it, and that of any
/// other node after itself. O(nodes + leaves of guards).
pub(crate) fn note_stretches(by_rank: &mut [RunNode], plan: &Plan) {
    // The rank after the stretch, if the next node is in it.
    let mut end = by_rank.len() as u32;
    // The next node, if it is the system of a stretch. Checkpoints do not count.
    let mut next: Option<u32> = None;
    for (rank, node) in (0..end).zip(by_rank).rev() {
        node.stretch_end = rank + 1;
        match node.work {
            Work::Nothing => {}
            Work::System(_) if !node.has_answer => {
                if let Some(next) = next.filter(|&next| plan.guard(next) != plan.guard(rank)) {
                    end = next;
                }
                next = Some(rank);
                node.stretch_end = end;
            }
            _ => {
                if node.has_answer {
                    node.stretch_end = next.unwrap_or(end);
                }
                (end, next) = (rank, None);
            }
        }
    }
}
