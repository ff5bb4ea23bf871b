//! Groups and their members.

use core::panic::Location;

use super::Builder;
use crate::data::order::{Group, Membership, Reference};
use crate::data::target::{Named, Target};
use crate::declare::declarations::{DeclaredGroup, DeclaredMembership};

impl Builder {
    /// Makes a group the last item, so that the following calls apply to it. A group with members need not be added.
    #[track_caller]
    pub fn group<G: Group>(&mut self) -> &mut Self {
        self.declarations.groups.push(DeclaredGroup {
            reference: G::REFERENCE,
            level: self.level,
            location: Location::caller(),
        });
        (self.last, self.is_last_unknown) = (Some(Target::of::<G>()), false);
        self
    }

    /// Makes a group with this name the last item, as [`group`](Self::group) does. Use it for groups that are known
    /// only at run time.
    ///
    /// Orders, policies, `remove` and reports refer to the group by this name. If a system has the same name, use
    /// [`Target::group`]. A group with a name and a group with a type are always different. If a group with a type has
    /// the same name, [`build`](Self::build) fails with
    /// [`Problem::SameGroupName`](crate::error::Problem::SameGroupName).
    ///
    /// Each distinct name is kept in memory for the rest of the program.
    ///
    /// ```
    /// use schedule::Condition;
    /// use schedule::dynamic::DynamicSystem;
    /// use schedule::prelude::*;
    ///
    /// let mut frame = Schedule::builder();
    /// for name in ["integrate", "collide"] {
    ///     frame.add_dynamic(DynamicSystem::new(name, |_| ())).in_group_named("physics");
    /// }
    /// frame.add_dynamic(DynamicSystem::new("draw", |_| ()));
    /// frame.order("integrate", "collide").order("draw", "physics");
    /// frame.group_named("physics").run_if(!Condition::closure("is_paused", || false));
    /// let frame = frame.build()?;
    /// assert_eq!(frame.systems().collect::<Vec<_>>(), ["is_paused", "draw", "integrate", "collide"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn group_named(&mut self, name: impl AsRef<str>) -> &mut Self {
        let reference = Reference::of_group_named(name.as_ref());
        self.declarations.groups.push(DeclaredGroup {
            reference,
            level: self.level,
            location: Location::caller(),
        });
        (self.last, self.is_last_unknown) = (Some(Target(Named::Type(reference))), false);
        self
    }

    /// Adds the last item to this group.
    #[track_caller]
    pub fn in_group<G: Group>(&mut self) -> &mut Self {
        self.join_group(Membership::of::<G>())
    }

    /// Adds the last item to the group with this name. See [`group_named`](Self::group_named).
    #[track_caller]
    pub fn in_group_named(&mut self, group: impl AsRef<str>) -> &mut Self {
        self.join_group(Membership::named(group.as_ref()))
    }

    fn join_group(&mut self, membership: Membership) -> &mut Self {
        let Membership { group, location } = membership;
        if let Some(member) = self.last_or_problem(location) {
            self.declarations.memberships.push(DeclaredMembership {
                member,
                group,
                location,
            });
        }
        self
    }
}
