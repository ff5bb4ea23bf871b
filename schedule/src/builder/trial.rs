//! Clauses that are refused at once if they are wrong.

use core::panic::Location;
use std::collections::HashSet;

use super::Builder;
use crate::compile::faults;
use crate::condition::Condition;
use crate::declarations::{DeclaredGuard, DeclaredMembership};
use crate::order::{Group, Membership};
use crate::problem::{ClauseError, Problem};

impl Builder {
    /// The last one runs only if this holds, as [`run_if`](Self::run_if), if nothing that was declared so far says otherwise.
    ///
    /// # Errors
    ///
    /// If the condition was not added, or cannot guard the last one, or if the guard closes a cycle with the orders so far. Then
    /// the builder is as it was. Races of the condition are reported by [`build`](Self::build): orders may still follow.
    ///
    /// Cost: O(nodes + orders).
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

    /// The last one is in this group, as [`in_group`](Self::in_group), if nothing that was declared so far says otherwise.
    ///
    /// # Errors
    ///
    /// If the last one is at another level than the group, or is a group around it, or if the membership closes a cycle with the
    /// orders so far. Then the builder is as it was.
    ///
    /// Cost: O(nodes + orders).
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

    /// The last one is in the group of this name, as [`try_in_group`](Self::try_in_group).
    ///
    /// # Errors
    ///
    /// As [`try_in_group`](Self::try_in_group), and if a group of a type has the name.
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

    /// What is wrong so far, in words.
    fn known_faults(&self) -> HashSet<String> {
        let faults = faults(&self.declarations).into_iter();
        faults.map(|problem| problem.to_string()).collect()
    }

    /// The first problem that was not known.
    fn first_fault(&self, known: &HashSet<String>) -> Option<Problem> {
        let mut faults = faults(&self.declarations).into_iter();
        faults.find(|problem| !known.contains(&problem.to_string()))
    }
}
