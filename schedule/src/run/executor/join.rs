//! Joins the partial results of folds, in the same way for all executors.
//!
//! Invariant: when the last member of a group is completed, all its systems have run or were passed over. No system that accesses the
//! resource in another way runs at the same time: it conflicts with each member, so it is ordered before all of them or after all of
//! them. In the second case it waits for the last member. Resources are inserted and removed only by exclusive nodes, which are never
//! between two members. So the addresses that the systems have looked up are valid.
#![expect(unsafe_code, reason = "permits folds to write their resources")]

use core::mem::replace;
use std::collections::HashSet;

use super::step::{RunContext, add_cause};
use crate::base::panics::drop_caught;
use crate::data::failure_policy::FailurePolicy;
use crate::data::param::{CommandQueue, Join, Requests, Settle};
use crate::declare::failure::Cause;
use crate::run::node::{RunNode, Work};
use crate::run::outcome::Outcome;
use crate::verify::folds::FoldGroup;

impl RunContext<'_> {
    /// Completes a node that [`is_folding`](RunNode::is_folding), whether it ran or not. If it was the last of a group, joins the partial
    /// results of the group.
    ///
    /// # Safety
    ///
    /// - All predecessors of the node are completed, and no successor was handed out yet.
    /// - `access` calls its second argument with the node of a rank.
    pub(super) unsafe fn complete_fold(
        self,
        rank: u32,
        mut access: impl FnMut(u32, &mut dyn FnMut(&mut RunNode)),
    ) {
        if rank < self.how.first {
            // A serial part of this run has completed it.
            return;
        }
        let folds = &self.plan.folds;
        for group in folds.complete(rank) {
            let _lock = (!self.is_alone).then(|| folds.lock(group));
            for &member in &group.members {
                let mut failed = Vec::new();
                access(member, &mut |node| {
                    // SAFETY: all members are completed, and the lock excludes other groups with the same member. Without other threads,
                    // no lock is needed. Systems that access the resource in another way are ordered before or after all members, and
                    // those after them wait for this node.
                    unsafe { join_member(node, member, group, &mut failed) };
                });
                for (rank, cause) in failed {
                    let mut cause = Some(cause);
                    access(rank, &mut |node| {
                        if let Some(cause) = cause.take() {
                            self.fail_join(node, member, group, cause);
                        }
                    });
                }
            }
        }
    }

    /// Records that the join of a partial result of a system failed. Of the nodes that depend on the member, marks those that read or
    /// write the resource after the group. The others may already have run.
    #[cold]
    fn fail_join(self, node: &mut RunNode, member: u32, group: &FoldGroup, cause: Cause) {
        // The queue of messages is intact, and its readers must run to make room.
        let is_full = matches!(cause, Cause::Full(_));
        if let Some(log) = self.outcomes.log().filter(|_| node.about.cause.is_none()) {
            let dependents = self.dependents_of(member);
            let followers = group
                .followers
                .iter()
                .copied()
                .filter(|one| dependents.contains(one));
            log.add(member, &cause, Some(followers.collect()));
        }
        add_cause(node, cause);
        self.outcomes.note_failure();
        if is_full {
            self.fail_enclosing_loops(member, FailurePolicy::CarryOn);
            return;
        }
        match node.on_failure {
            FailurePolicy::CarryOn => {}
            FailurePolicy::Stop => self.outcomes.stop(),
            FailurePolicy::SkipDependents => {
                let dependents = self.dependents_of(member);
                let followers = group.followers.iter();
                for &follower in followers.filter(|one| dependents.contains(one)) {
                    if self.outcomes.is_enabled(follower) && !self.plan.is_always(follower) {
                        self.outcomes.set(follower, Outcome::Skipped);
                    }
                    self.skip_dependents(follower);
                }
            }
        }
        self.fail_enclosing_loops(member, node.on_failure);
    }

    /// Returns the nodes that depend on a node, directly or through others. O(nodes + edges).
    fn dependents_of(self, rank: u32) -> HashSet<u32> {
        let links = self.plan.dependents().links();
        let mut found = HashSet::new();
        let mut open = vec![rank];
        while let Some(rank) = open.pop() {
            for link in links.start(rank as usize)..links.end(rank as usize) {
                let dependent = links.target(link);
                if found.insert(dependent) {
                    open.push(dependent);
                }
            }
        }
        found
    }
}

/// Joins the partial results of a member of a group. If a join fails, adds the system to `failed`, and drops the commands and requests
/// of the same execution.
///
/// # Safety
///
/// The systems of the member are prepared for the resources of this run, and do not run. Nothing accesses the resource of the group.
unsafe fn join_member(
    node: &mut RunNode,
    member: u32,
    group: &FoldGroup,
    failed: &mut Vec<(u32, Cause)>,
) {
    // Returns whether a join failed.
    let mut join_one = |rank: u32, settle: &mut dyn FnMut(&mut Join)| {
        // SAFETY: the caller guarantees that nothing else accesses the resource, and that the systems are prepared.
        let mut join = unsafe { Join::new(group.resource) };
        let is_full = |(of, cause): &(u32, Cause)| *of == rank && matches!(cause, Cause::Full(_));
        let is_refused = failed.iter().any(is_full);
        if is_refused {
            // The messages of a run are dropped as a whole, as far as they are not in the queue.
            join.refuse_messages();
        }
        settle(&mut join);
        let failure = join.into_failure();
        let is_failed = is_refused || failure.is_some();
        failed.extend(failure.map(|failure| (rank, failure.into())));
        is_failed
    };
    match &mut node.work {
        Work::System(system) => {
            let join = &mut |join: &mut Join| system.settle(&mut Settle::JoinFolds(join));
            if join_one(member, join) {
                let mut commands = CommandQueue::new();
                system.settle(&mut Settle::TakeCommands(&mut commands));
                system.settle(&mut Settle::TakeRequests(&mut Requests::new()));
                drop_caught(commands);
            }
        }
        Work::Loop(repeat) => {
            for batch in &mut repeat.recorded {
                if join_one(batch.rank, &mut |join| batch.folds.join(join)) {
                    batch.requests.clear();
                    drop_caught(replace(&mut batch.commands, CommandQueue::new()));
                }
            }
        }
        Work::Nothing | Work::ApplyCommands | Work::LoopEnd(_) => {}
    }
}
