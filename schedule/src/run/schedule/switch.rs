//! Disables and enables nodes of a built schedule, and resets their state.

use core::panic::Location;

use super::Schedule;
use crate::base::panics::FirstPanic;
use crate::data::param::Settle;
use crate::data::target::Target;
use crate::declare::problem::TargetError;
use crate::run::node::{RunNode, Work};
use crate::verify::compile::{GroupContents, Match, find, find_contents};

/// The affected ranks. The schedule keeps this memory, so that a switch allocates nothing.
#[derive(Default)]
pub(super) struct Ranks {
    pub(super) found: Vec<u32>,
    inside: GroupContents,
}

impl Schedule {
    /// Disables a node, or enables it again.
    ///
    /// The target is a node from [`Builder::last`](crate::Builder::last), a type from [`Target::of`], or a system by
    /// its name. For a group, this switches all of its members. For a loop, this switches the whole loop.
    ///
    /// A disabled node does not run, as if its guard were false. Orders still apply across it: nodes after it wait for
    /// nodes before it. Resources used only by disabled nodes are not required. A disabled condition is not evaluated,
    /// so the nodes that it guards do not run. A disabled sync point leaves the commands to the next sync point, or to
    /// the end of the run. Disabling a checkpoint has no effect. The local state of a system is kept.
    ///
    /// Cost: O(nodes + orders) for the call, and nothing for the runs. The call allocates only the first time, and for
    /// a copy of a name of more than 46 bytes.
    ///
    /// # Errors
    ///
    /// Fails if the target matches nothing or is ambiguous. The schedule is then unchanged.
    ///
    /// ```
    /// use schedule::{Target, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Health(i32);
    ///
    /// #[system]
    /// fn poison(health: &mut Health) {
    ///     health.0 -= 1;
    /// }
    ///
    /// let mut frame = Schedule::builder().add::<poison>().build()?;
    /// # let mut resources = Resources::new();
    /// # resources.insert(Health(3));
    /// frame.set_enabled(Target::of::<poison>(), false)?;
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Health>().unwrap().0, 3);
    ///
    /// frame.set_enabled("poison", true)?;
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Health>().unwrap().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn set_enabled(
        &mut self,
        target: impl Into<Target>,
        is_enabled: bool,
    ) -> Result<(), TargetError> {
        let mut ranks = core::mem::take(&mut self.ranks);
        let found = self.find_ranks(&target.into(), Location::caller(), &mut ranks);
        if found.is_ok() {
            for &rank in &ranks.found {
                self.nodes.set_enabled(rank, is_enabled);
            }
        }
        self.ranks = ranks;
        found?;
        self.note_switch();
        Ok(())
    }

    /// Must be called after nodes were enabled or disabled.
    pub(super) fn note_switch(&mut self) {
        // A node that was enabled has another outcome than the others of its stretch.
        self.nodes.outcomes.forget_guards();
        self.execution.note_switch(&self.nodes, &self.plan);
    }

    /// Whether a node is enabled. For a group, whether all of its members are enabled.
    ///
    /// # Errors
    ///
    /// Fails if the target matches nothing or is ambiguous.
    #[track_caller]
    pub fn is_enabled(&self, target: impl Into<Target>) -> Result<bool, TargetError> {
        let mut ranks = Ranks::default();
        self.find_ranks(&target.into(), Location::caller(), &mut ranks)?;
        let mut ranks = ranks.found.into_iter();
        Ok(ranks.all(|rank| self.nodes.outcomes.is_enabled(rank)))
    }

    /// Resets the [`Local`](crate::param::Local) and `SavedLocal` values of all systems: the next run starts with the defaults.
    ///
    /// Systems and conditions also forget which [changes](crate::param::Ref) they have seen: the next look is the first one. Variables that
    /// closures have captured stay.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Runs(u32);
    ///
    /// #[system]
    /// fn count(mut n_runs: Local<u32>, runs: &mut Runs) {
    ///     *n_runs += 1;
    ///     runs.0 = *n_runs;
    /// }
    ///
    /// let mut schedule = Schedule::builder().add::<count>().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Runs(0));
    /// schedule.run(&mut resources)?;
    /// schedule.reset_locals();
    /// schedule.run(&mut resources)?;
    /// assert_eq!(resources.get::<Runs>().unwrap().0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if a value panics while it is dropped. All values are reset first.
    pub fn reset_locals(&mut self) {
        reset(&mut self.nodes.by_rank);
    }

    /// Resets the values of a system, of a loop with its body, or of all members of a group. See [`reset_locals`](Self::reset_locals).
    ///
    /// # Errors
    ///
    /// Fails if the target matches nothing or is ambiguous. The schedule is then unchanged.
    #[track_caller]
    pub fn reset_locals_of(&mut self, target: impl Into<Target>) -> Result<(), TargetError> {
        let mut ranks = Ranks::default();
        self.find_ranks(&target.into(), Location::caller(), &mut ranks)?;
        for rank in ranks.found {
            let first = rank as usize;
            let end = match &self.nodes.by_rank[first].work {
                Work::Loop(repeat) => repeat.end as usize,
                _ => first,
            };
            reset(&mut self.nodes.by_rank[first..=end]);
        }
        Ok(())
    }

    /// Replaces the ranks by those that a target matches. For a loop, this is the rank of its begin.
    pub(super) fn find_ranks(
        &self,
        target: &Target,
        location: &'static Location<'static>,
        ranks: &mut Ranks,
    ) -> Result<(), TargetError> {
        let Ranks { found, inside } = ranks;
        found.clear();
        let all = self.all();
        let rank = |&idx: &usize| all.node(idx).rank.expect("it was built");
        match find(all, target, location).map_err(TargetError)? {
            Match::Node(idx) => found.push(rank(&idx)),
            Match::Group(group) => {
                find_contents(all, group, inside);
                found.extend(inside.nodes.iter().map(rank));
            }
        }
        Ok(())
    }
}

/// Resets the local values of nodes.
fn reset(nodes: &mut [RunNode]) {
    let mut panics = FirstPanic::NONE;
    for run in nodes.iter_mut().filter_map(RunNode::runnable) {
        run.settle(&mut Settle::ResetLocals(&mut panics));
    }
    panics.resume();
}
