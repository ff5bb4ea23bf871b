//! Switching nodes of a built schedule off and on, by what orders call them.

use core::panic::Location;

use super::Schedule;
use crate::compile::{Inside, Match, find, find_inside};
use crate::problem::TargetError;
use crate::target::Target;

/// What is switched; kept by the schedule, so that to switch allocates nothing.
#[derive(Default)]
pub(super) struct Ranks {
    found: Vec<u32>,
    inside: Inside,
}

impl Schedule {
    /// Switches a node off, or on again: nodes by [`Builder::last`](crate::Builder::last), types by [`Target::of`], or
    /// systems by their name; of a group all that is in it, of a loop the whole.
    ///
    /// What is off does not run, as if a guard of it were false: it keeps its place in every order, so what comes after
    /// it still waits for what comes before. Nobody misses a resource for it. A condition that is off is not asked, so
    /// what it guards does not run; a sync point leaves commands to the next one, or to the end of the run; a checkpoint
    /// does nothing anyway. The state of a system stays as it is.
    ///
    /// Cost: O(nodes + orders); none for the runs. Nothing is allocated, except the first time, and for a copy of a name of
    /// more than 46 bytes.
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
    ///
    /// # Errors
    ///
    /// If the target matches nothing, or several; then nothing has changed.
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
        self.execution.note_switch(&self.nodes, &self.plan);
        Ok(())
    }

    /// Whether a node is not switched off; of a group, whether nothing in it is.
    ///
    /// # Errors
    ///
    /// If the target matches nothing, or several.
    #[track_caller]
    pub fn is_enabled(&self, target: impl Into<Target>) -> Result<bool, TargetError> {
        let mut ranks = Ranks::default();
        self.find_ranks(&target.into(), Location::caller(), &mut ranks)?;
        let mut ranks = ranks.found.into_iter();
        Ok(ranks.all(|rank| self.nodes.outcomes.is_enabled(rank)))
    }

    /// Finds the ranks of what a target matches, in place of what was found before; of a loop that of its begin.
    fn find_ranks(
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
                find_inside(all, group, inside);
                found.extend(inside.nodes.iter().map(rank));
            }
        }
        Ok(())
    }
}
