//! Stretches: consecutive systems with the same guard, which a serial run evaluates once for all of them.
//!
//! A stretch begins with a system without an answer. All of its systems have no answer and the same guard, or no guard. The nodes in
//! between and after them are checkpoints. No condition is evaluated in a stretch, so either all of its systems are due or none,
//! unless a node has failed or is disabled. A system that folds is in no stretch, because its completion counts also if it is not due.
//!
//! Invariant between runs: of the enabled systems of a stretch, either all or none have the outcome [`GuardFalse`]. Each executor
//! sets the outcome of each guarded system, or of a whole stretch. A run with a failure resets all outcomes. A system that is
//! enabled gets another outcome, so `Schedule::note_switch` then resets the outcomes of all nodes whose guards were false.
//!
//! [`GuardFalse`]: crate::run::outcome::Outcome::GuardFalse

use crate::run::node::{RunNode, Work};
use crate::verify::plan::Plan;

/// Sets the end of the stretch of each node. For a system with an answer, this is the end of the checkpoints that follow it. For a node
/// that is in no stretch, it is the next rank. O(nodes + leaves of guards).
pub(crate) fn note_stretches(by_rank: &mut [RunNode], plan: &Plan) {
    // The rank after the stretch, if the next node is in it.
    let mut end = by_rank.len() as u32;
    // The next node, if it is the system of a stretch. Checkpoints do not count.
    let mut next: Option<u32> = None;
    for (rank, node) in (0..end).zip(by_rank).rev() {
        node.stretch_end = rank + 1;
        match node.work {
            Work::Nothing => {}
            Work::System(_) if !node.has_answer && !node.is_folding => {
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
