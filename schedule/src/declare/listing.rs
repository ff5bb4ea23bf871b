//! The schedule that `schedule!` lists, as constants.
//!
//! The compiler verifies the same constants that a builder reads, so the running schedule is the verified one.

mod plugin;
mod whole;

use core::panic::Location;

pub(crate) use self::plugin::IncludedPlugin;
pub use self::plugin::{ListedPlugin, Lists};
pub use self::whole::Whole;
use crate::base::identity::Name;
use crate::base::text::Text;
use crate::data::access::ResourceType;
use crate::data::entity::{self, Component, EntityStore};
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::data::order::{Anchor, Checkpoint, Group, Membership, Order, Reference, TypePath};
use crate::data::resource::Resource;
use crate::data::settings::Settings;
use crate::systems::system::{Declaration, Guard, System};
use schedule_graph::Policy;

/// A schedule as it is listed.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    pub(crate) name: &'static str,
    /// A loop precedes its body.
    pub(crate) entries: &'static [Entry],
    pub(crate) rules: &'static [Rule],
    /// The settings of the schedule itself, without those of plugins.
    pub(crate) settings: Settings,
    /// The included plugins. Empty until a [`Whole`] is made of the listing.
    pub(crate) plugins: &'static [IncludedPlugin],
    /// Maps numbers in clauses and rules to entries, see [`Listing::number`]. If it is empty, the numbers are the indices of entries.
    pub(crate) numbers: &'static [u32],
    /// The number of entries that do not come from plugins.
    pub(crate) n_own: u32,
    /// The faults that the compiler reports at this listing itself.
    pub(crate) reported: &'static [Text],
    /// Whether this listing replaces a rejected one, or includes such a listing. Its contents are then incomplete.
    pub(crate) is_rejected: bool,
}

/// An added item, and its clauses.
///
/// The fields are public because generated code lists the clauses in a struct literal.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The item.
    pub subject: Listed,
    /// The entry of the innermost loop around this one.
    pub around: Option<u32>,
    /// The name, if it differs from that of the type.
    pub name: Option<&'static str>,
    /// The path of the type as written.
    pub path: Option<&'static str>,
    /// The marks, without those of the attribute.
    pub marks: Marks,
    /// The clauses, in source order.
    pub clauses: &'static [Clause],
    /// The innermost plugin that lists this entry.
    pub plugin: u32,
    /// The index in the numbers of the listing at which those of that plugin begin.
    pub base: u32,
    /// The source location of the entry.
    pub location: &'static Location<'static>,
}

/// The subject of an entry.
#[derive(Clone, Copy, Debug)]
pub enum Listed {
    /// A system.
    System(&'static Declaration),
    /// A loop, with its condition.
    Loop(&'static Declaration),
    /// A checkpoint.
    Checkpoint(&'static Anchored),
    /// A sync point.
    ApplyCommands(&'static Anchored),
    /// A group. Its members declare their membership themselves.
    Group(Reference),
    /// A plugin: a group of the entries of this listing.
    Plugin(Reference, &'static Listing),
}

/// The type of a checkpoint or sync point, as data.
#[derive(Clone, Copy, Debug)]
pub struct Anchored {
    pub(crate) reference: Reference,
    pub(crate) ty: core::any::TypeId,
}

/// A clause of an entry.
#[derive(Clone, Copy, Debug)]
pub enum Clause {
    /// An order relative to another item.
    Order(Order),
    /// A membership in a group.
    In(Membership),
    /// A run condition.
    If(Guard),
    /// Maximum number of iterations per execution of a loop.
    AtMost(u64),
    /// The failure policy.
    OnFailure(FailurePolicy),
}

/// A policy for a resource or a pair.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub(crate) about: About,
    /// The plugin that declares the rule.
    pub(crate) plugin: u32,
    /// The index in the numbers of the listing at which those of that plugin begin.
    pub(crate) base: u32,
    pub(crate) location: &'static Location<'static>,
}

/// The subject of a rule, and its policy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum About {
    /// The policy of conflicts on a resource.
    Resource(&'static ResourceType, ListedPolicy),
    /// The policy of conflicts of a pair.
    Pair(RuleTarget, RuleTarget, ListedPolicy),
}

/// A policy and its reason.
#[derive(Clone, Copy, Debug)]
pub struct ListedPolicy {
    pub(crate) policy: Policy,
    pub(crate) reason: Option<&'static str>,
}

/// A node or group that a rule names by its type or by its entry.
#[derive(Clone, Copy, Debug)]
pub struct RuleTarget {
    pub(crate) reference: Reference,
    pub(crate) entry: Option<u32>,
}

impl Listing {
    /// Returns a listing with this name, these entries, these rules and these settings.
    pub const fn new(
        name: &'static str,
        entries: &'static [Entry],
        rules: &'static [Rule],
        settings: Settings,
    ) -> Self {
        Self {
            name,
            entries,
            rules,
            settings,
            plugins: &[],
            numbers: &[],
            n_own: entries.len() as u32,
            reported: &[],
            is_rejected: false,
        }
    }

    /// Returns a replacement for a rejected listing.
    pub const fn rejected(name: &'static str) -> Self {
        let mut listing = Self::new(name, &[], &[], Settings::NONE);
        listing.is_rejected = true;
        listing
    }

    /// Fails to compile if a system does not give the answer that the listing requires of it. Clause numbers start at 1. `token` is the
    /// token in the guard of that clause. Clause 0 means that the entry is a loop with this system as its condition.
    ///
    /// This check is not part of the constants of the listing, so that the compiler shows an error only once.
    #[track_caller]
    pub const fn check_answer(&self, entry: u32, clause: u32, token: u32) {
        let entry = &self.entries[entry as usize];
        if clause > 0 {
            if let Clause::If(guard) = &entry.clauses[clause as usize - 1] {
                guard.refuse_at(token);
            }
        } else if let Listed::Loop(condition) = entry.subject {
            condition.refuse_other_than_condition();
        }
    }

    /// Fails to compile if the system of an entry is not a `for_each` system.
    #[track_caller]
    pub const fn check_for_each(&self, entry: u32) {
        if let Listed::System(system) = self.entries[entry as usize].subject {
            system.refuse_other_than_for_each();
        }
    }
}

impl Entry {
    /// The value of unused memory.
    const BLANK: Self = Self::new(Listed::Group(Reference {
        id: 0,
        name: Name::new(""),
        path: TypePath::NONE,
    }));

    /// Returns an entry for a system.
    #[track_caller]
    pub const fn system<S: System>() -> Self {
        Self::new(Listed::System(S::DECLARATION))
    }

    /// Returns an entry for a loop with this condition. [`Listing::check_answer`] rejects systems that are not conditions.
    #[track_caller]
    pub const fn repeat<C: System>() -> Self {
        Self::new(Listed::Loop(C::DECLARATION))
    }

    /// Returns an entry for a checkpoint.
    #[track_caller]
    pub const fn checkpoint<C: Checkpoint>() -> Self {
        Self::new(Listed::Checkpoint(const { &Anchored::of::<C>() }))
    }

    /// Returns an entry for a sync point.
    #[track_caller]
    pub const fn apply_commands<C: Checkpoint>() -> Self {
        Self::new(Listed::ApplyCommands(const { &Anchored::of::<C>() }))
    }

    /// Returns an entry for a group.
    #[track_caller]
    pub const fn group<G: Group>() -> Self {
        Self::new(Listed::Group(G::REFERENCE))
    }

    /// Returns an entry for a plugin.
    #[track_caller]
    pub const fn include<P: ListedPlugin>() -> Self {
        Self::new(Listed::Plugin(P::REFERENCE, P::LISTING))
    }

    #[track_caller]
    const fn new(subject: Listed) -> Self {
        Self {
            subject,
            around: None,
            name: None,
            path: None,
            marks: Marks::NONE,
            clauses: &[],
            plugin: 0,
            base: 0,
            location: Location::caller(),
        }
    }

    /// Places the entry directly in the loop of entry `repeat`.
    pub const fn inside(mut self, repeat: u32) -> Self {
        self.around = Some(repeat);
        self
    }

    /// Sets the name.
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Sets the path as written.
    pub const fn written(mut self, path: &'static str) -> Self {
        self.path = Some(path);
        self
    }

    /// Sets the marks. [`Listing::check_for_each`] rejects marks of `for_each` systems on other systems.
    pub const fn marked(mut self, marks: Marks) -> Self {
        self.marks = marks;
        self
    }
}

impl Anchored {
    const fn of<A: Anchor>() -> Self {
        Self {
            reference: A::REFERENCE,
            ty: core::any::TypeId::of::<A>(),
        }
    }
}

impl Rule {
    /// The value of unused memory.
    const BLANK: Self = Self::new(About::Resource(
        const { &ResourceType::BLANK },
        ListedPolicy::of(Policy::Reject),
    ));

    /// Returns the policy of conflicts on this resource.
    #[track_caller]
    pub const fn resource<R: Resource>(choice: ListedPolicy) -> Self {
        Self::new(About::Resource(const { &ResourceType::of::<R>() }, choice))
    }

    /// Returns the policy of conflicts on this component.
    #[track_caller]
    pub const fn component<C: Component, S: EntityStore>(choice: ListedPolicy) -> Self {
        let about = About::Resource(const { &entity::component::<S, C>() }, choice);
        Self::new(about)
    }

    /// Returns the policy of conflicts between commands that change this component.
    #[track_caller]
    pub const fn deferred<C: Component, S: EntityStore>(choice: ListedPolicy) -> Self {
        let about = About::Resource(const { &entity::deferred::<S, C>() }, choice);
        Self::new(about)
    }

    /// Returns the policy of conflicts of this pair.
    #[track_caller]
    pub const fn pair(one: RuleTarget, other: RuleTarget, choice: ListedPolicy) -> Self {
        Self::new(About::Pair(one, other, choice))
    }

    #[track_caller]
    const fn new(about: About) -> Self {
        Self {
            about,
            plugin: 0,
            base: 0,
            location: Location::caller(),
        }
    }
}

impl ListedPolicy {
    /// Returns this policy, without a reason.
    pub const fn of(policy: Policy) -> Self {
        Self {
            policy,
            reason: None,
        }
    }

    /// Returns [`Policy::Accepted`] with this reason.
    pub const fn accepted(reason: &'static str) -> Self {
        Self {
            policy: Policy::Accepted,
            reason: Some(reason),
        }
    }
}

impl RuleTarget {
    /// Names a node or group by its type.
    pub const fn of<A: Anchor>() -> Self {
        Self {
            reference: A::REFERENCE,
            entry: None,
        }
    }

    /// Names the node or group of this entry.
    pub const fn at(mut self, entry: u32) -> Self {
        self.entry = Some(entry);
        self
    }
}
