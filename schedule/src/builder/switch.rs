//! Switching nodes of a built schedule off and on, by what orders call them.

use core::panic::Location;

use super::change::Found;
use crate::problem::TargetError;
use crate::schedule::Schedule;
use crate::target::Target;

impl Schedule {
    /// Switches a node off, or on again: nodes by [`Builder::last`](crate::Builder::last), types by [`Target::of`], or
    /// systems by their name; of a group all that is in it, of a loop the whole.
    ///
    /// What is off does not run, as if a guard of it were false: it keeps its place in every order, so what comes after
    /// it still waits for what comes before. Nobody misses a resource for it. A condition that is off is not asked, so
    /// what it guards does not run; a flush leaves commands to the next one, or to the end of the run; a checkpoint
    /// does nothing anyway. The state of a system stays as it is.
    ///
    /// Cost: O(nodes + orders); none for the runs.
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
    /// If the target fits nothing, or several; then nothing has changed.
    #[track_caller]
    pub fn set_enabled(
        &mut self,
        target: impl Into<Target>,
        is_enabled: bool,
    ) -> Result<(), TargetError> {
        for rank in self.ranks_of(&target.into(), Location::caller())? {
            self.nodes.set_enabled(rank, is_enabled);
        }
        self.execution.note_switch(&self.nodes, &self.plan);
        Ok(())
    }

    /// Whether a node is not switched off; of a group, whether nothing in it is.
    ///
    /// # Errors
    ///
    /// If the target fits nothing, or several.
    #[track_caller]
    pub fn is_enabled(&self, target: impl Into<Target>) -> Result<bool, TargetError> {
        let ranks = self.ranks_of(&target.into(), Location::caller())?;
        let mut ranks = ranks.into_iter();
        Ok(ranks.all(|rank| self.nodes.outcomes.is_enabled(rank)))
    }

    /// Of a loop its begin.
    fn ranks_of(
        &self,
        target: &Target,
        location: &'static Location<'static>,
    ) -> Result<Vec<u32>, TargetError> {
        let found = self.declared.find(target, location).map_err(TargetError)?;
        let nodes = match found {
            Found::Node(idx) => vec![idx],
            Found::Group(group) => self.declared.inside(group).nodes,
        };
        let ranks = nodes.iter().map(|&idx| self.declared.nodes[idx].rank);
        Ok(ranks.map(|rank| rank.expect("it was built")).collect())
    }
}
