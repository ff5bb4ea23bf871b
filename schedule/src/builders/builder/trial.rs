//! Fallible versions of clauses, which fail immediately instead of in `build`.

use core::panic::Location;
use std::collections::HashSet;

use super::Builder;
use crate::data::order::{Group, Membership};
use crate::declare::declarations::{DeclaredGuard, DeclaredMembership};
use crate::declare::problem::{ClauseError, Problem};
use crate::systems::condition::Condition;
use crate::verify::compile::faults;

impl Builder {
    /// Runs the last item only if this condition is true, unless this contradicts the declarations so far. See
    /// [`run_if`](Self::run_if).
    ///
    /// Cost: O(nodes + orders).
    ///
    /// # Errors
    ///
    /// Fails if the condition was not added, or if it cannot guard the last item. It also fails if the guard closes a
    /// cycle with the orders so far. The builder is then unchanged. Only [`build`](Self::build) reports races of the
    /// condition, because orders can still follow.
    ///
    /// ```
    /// use schedule::Condition;
    /// use schedule::dynamic::DynamicSystem;
    /// use schedule::prelude::*;
    ///
    /// let mut builder = Schedule::builder();
    /// builder.add_dynamic(DynamicSystem::new("draw", |_| ()));
    /// let error = builder.try_run_if(Condition::added("is_visible")).unwrap_err();
    /// assert!(error.to_string().contains("`is_visible`"));
    /// let frame = builder.build()?;
    /// assert_eq!(frame.systems().collect::<Vec<_>>(), ["draw"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn try_run_if(
        &mut self,
        condition: impl Into<Condition>,
    ) -> Result<&mut Self, ClauseError> {
        let location = Location::caller();
        let Some(guarded) = self.last.clone() else {
            return Err(ClauseError::guard(Problem::NothingAdded { location }));
        };
        let guard = DeclaredGuard {
            guarded,
            formula: condition.into().0,
            plugin: self.plugin,
        };
        let known = self.known_faults();
        self.declarations.guards.push(guard);
        match self.first_fault(&known) {
            None => Ok(self),
            Some(problem) => {
                self.declarations.guards.pop();
                Err(ClauseError::guard(problem))
            }
        }
    }

    /// Adds the last item to this group, unless this contradicts the declarations so far. See
    /// [`in_group`](Self::in_group).
    ///
    /// Cost: O(nodes + orders).
    ///
    /// # Errors
    ///
    /// Fails if the last item is at another level than the group, or if it is a group that contains this group. It
    /// also fails if the membership closes a cycle with the orders so far. The builder is then unchanged.
    ///
    /// ```
    /// use schedule::error::Problem;
    /// use schedule::prelude::*;
    ///
    /// #[derive(Group)]
    /// struct Outer;
    ///
    /// #[derive(Group)]
    /// struct Inner;
    ///
    /// let mut builder = Schedule::builder();
    /// builder.group::<Inner>().in_group::<Outer>().group::<Outer>();
    /// let error = builder.try_in_group::<Inner>().unwrap_err();
    /// assert!(matches!(error.problem(), Problem::GroupInItself { .. }));
    /// builder.build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn try_in_group<G: Group>(&mut self) -> Result<&mut Self, ClauseError> {
        self.try_join(Membership::of::<G>())
    }

    /// Adds the last item to the group with this name. See [`try_in_group`](Self::try_in_group).
    ///
    /// # Errors
    ///
    /// Fails as [`try_in_group`](Self::try_in_group) does, and if a group with a type has the same name.
    #[track_caller]
    pub fn try_in_group_named(&mut self, group: impl AsRef<str>) -> Result<&mut Self, ClauseError> {
        self.try_join(Membership::named(group.as_ref()))
    }

    fn try_join(&mut self, membership: Membership) -> Result<&mut Self, ClauseError> {
        let Membership { group, location } = membership;
        let Some(member) = self.last.clone() else {
            return Err(ClauseError::membership(Problem::NothingAdded { location }));
        };
        let known = self.known_faults();
        self.declarations.memberships.push(DeclaredMembership {
            member,
            group,
            location,
        });
        match self.first_fault(&known) {
            None => Ok(self),
            Some(problem) => {
                self.declarations.memberships.pop();
                Err(ClauseError::membership(problem))
            }
        }
    }

    /// The messages of all problems so far.
    fn known_faults(&self) -> HashSet<String> {
        let faults = faults(&self.declarations).into_iter();
        faults.map(|problem| problem.to_string()).collect()
    }

    /// Returns the first problem that is not in `known`.
    fn first_fault(&self, known: &HashSet<String>) -> Option<Problem> {
        let mut faults = faults(&self.declarations).into_iter();
        faults.find(|problem| !known.contains(&problem.to_string()))
    }
}
