//! A schedule as `schedule!` lists it: constants, which the compiler verifies and a builder reads.
//!
//! Both read the same, so what was verified is what runs.

mod plugin;
mod whole;

use core::panic::Location;

pub(crate) use self::plugin::Taken;
pub use self::plugin::{ListedPlugin, Lists};
pub use self::whole::Whole;
use crate::access::ResourceType;
use crate::failure::FailurePolicy;
use crate::identity::Name;
use crate::order::{Anchor, Checkpoint, Group, Membership, Order, Reference, TypePath};
use crate::resource::Resource;
use crate::system::{Declaration, Guard, System};
use crate::text::Text;
use schedule_graph::Policy;

/// A schedule as it is listed.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    pub(crate) name: &'static str,
    /// A loop comes before its body.
    pub(crate) entries: &'static [Entry],
    pub(crate) rules: &'static [Rule],
    /// Those that were taken in: none before a [`Whole`] was made of it.
    pub(crate) plugins: &'static [Taken],
    /// What the numbers in clauses and rules mean, by [`Listing::number`]; empty if they are those of the entries.
    pub(crate) numbers: &'static [u32],
    /// So many of the entries are its own.
    pub(crate) n_own: u32,
    /// What the compiler tells of it where it is listed itself.
    pub(crate) reported: &'static [Text],
    /// It stands in for what was rejected, or takes such a thing in: nobody knows what is in it.
    pub(crate) is_rejected: bool,
}

/// What is added, and what is said about it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub(crate) subject: Listed,
    /// The entry of the loop that it is directly in.
    pub(crate) around: Option<u32>,
    /// What it is called, if not as its type.
    pub(crate) name: Option<&'static str>,
    /// Its path, as it is written.
    pub(crate) path: Option<&'static str>,
    /// Only the thread that calls `run` may run it, whatever its system takes.
    pub(crate) is_main_thread: bool,
    pub(crate) clauses: &'static [Clause],
    /// The innermost plugin that lists it.
    pub(crate) plugin: u32,
    /// Where the numbers of that plugin begin.
    pub(crate) base: u32,
    pub(crate) location: &'static Location<'static>,
}

/// What is added.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listed {
    System(&'static Declaration),
    Loop(&'static Declaration),
    Checkpoint(&'static Anchored),
    ApplyCommands(&'static Anchored),
    /// What is in it says so itself.
    Group(Reference),
    /// A group of what this lists.
    Plugin(Reference, &'static Listing),
}

/// A checkpoint, without its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchored {
    pub(crate) reference: Reference,
    pub(crate) ty: core::any::TypeId,
}

/// What is said about an entry.
#[derive(Clone, Copy, Debug)]
pub enum Clause {
    /// An order against another.
    Order(Order),
    /// It is in a group.
    In(Membership),
    /// What has to hold for it to run.
    If(Guard),
    /// How often the body of the loop may run.
    AtMost(u64),
    /// What it means for the others if it fails.
    OnFailure(FailurePolicy),
}

/// What is said about the schedule, or about a resource or a pair in it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub(crate) about: About,
    /// The plugin that says it.
    pub(crate) plugin: u32,
    /// Where the numbers of that plugin begin.
    pub(crate) base: u32,
    pub(crate) location: &'static Location<'static>,
}

/// What a rule is about, and what it says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum About {
    /// All conflicts.
    Schedule(Policy),
    /// Conflicts on this resource.
    Resource(&'static ResourceType, ListedPolicy),
    /// Conflicts of these two.
    Pair(Listee, Listee, ListedPolicy),
    /// All failures.
    Failure(FailurePolicy),
}

/// A policy, and why.
#[derive(Clone, Copy, Debug)]
pub struct ListedPolicy {
    pub(crate) policy: Policy,
    pub(crate) reason: Option<&'static str>,
}

/// A node or group that a rule names: by its type, or as this entry.
#[derive(Clone, Copy, Debug)]
pub struct Listee {
    pub(crate) reference: Reference,
    pub(crate) entry: Option<u32>,
}

impl Listing {
    /// These, under this name.
    pub const fn new(
        name: &'static str,
        entries: &'static [Entry],
        rules: &'static [Rule],
    ) -> Self {
        Self {
            name,
            entries,
            rules,
            plugins: &[],
            numbers: &[],
            n_own: entries.len() as u32,
            reported: &[],
            is_rejected: false,
        }
    }

    /// What stands in for a listing that was rejected.
    pub const fn rejected(name: &'static str) -> Self {
        let mut listing = Self::new(name, &[], &[]);
        listing.is_rejected = true;
        listing
    }

    /// Refuses a system that does not answer as it is asked to: by this clause of this entry, counted from 1, at this token
    /// of the guard; or by a loop itself, as clause 0.
    ///
    /// Apart from the constants of the listing, so that an error is shown once, in a constant without a name.
    #[track_caller]
    pub const fn ask(&self, entry: u32, clause: u32, token: u32) {
        let entry = &self.entries[entry as usize];
        if clause > 0 {
            if let Clause::If(guard) = &entry.clauses[clause as usize - 1] {
                guard.refuse_at(token);
            }
        } else if let Listed::Loop(condition) = entry.subject {
            condition.refuse_other_than_condition();
        }
    }
}

impl Entry {
    /// For memory that nothing was written to.
    const BLANK: Self = Self::new(Listed::Group(Reference {
        id: 0,
        name: Name::new(""),
        path: TypePath::NONE,
    }));

    /// A system.
    #[track_caller]
    pub const fn system<S: System>() -> Self {
        Self::new(Listed::System(S::DECLARATION))
    }

    /// A loop with this condition; [`Listing::ask`] refuses what is none.
    #[track_caller]
    pub const fn repeat<C: System>() -> Self {
        Self::new(Listed::Loop(C::DECLARATION))
    }

    /// A checkpoint.
    #[track_caller]
    pub const fn checkpoint<C: Checkpoint>() -> Self {
        Self::new(Listed::Checkpoint(const { &Anchored::of::<C>() }))
    }

    /// A sync point.
    #[track_caller]
    pub const fn apply_commands<C: Checkpoint>() -> Self {
        Self::new(Listed::ApplyCommands(const { &Anchored::of::<C>() }))
    }

    /// A group.
    #[track_caller]
    pub const fn group<G: Group>() -> Self {
        Self::new(Listed::Group(G::REFERENCE))
    }

    /// A plugin.
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
            is_main_thread: false,
            clauses: &[],
            plugin: 0,
            base: 0,
            location: Location::caller(),
        }
    }

    /// The same, directly in the loop of this entry.
    pub const fn inside(mut self, repeat: u32) -> Self {
        self.around = Some(repeat);
        self
    }

    /// The same, under this name.
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// The same, by this path.
    pub const fn written(mut self, path: &'static str) -> Self {
        self.path = Some(path);
        self
    }

    /// The same, bound to the thread that calls `run`.
    pub const fn on_main_thread(mut self) -> Self {
        self.is_main_thread = true;
        self
    }

    /// The same, with this said about it.
    pub const fn saying(mut self, clauses: &'static [Clause]) -> Self {
        self.clauses = clauses;
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
    /// For memory that nothing was written to.
    const BLANK: Self = Self::policy(Policy::Reject);

    /// The policy of all conflicts.
    #[track_caller]
    pub const fn policy(policy: Policy) -> Self {
        Self::new(About::Schedule(policy))
    }

    /// The policy of conflicts on this resource.
    #[track_caller]
    pub const fn resource<R: Resource>(choice: ListedPolicy) -> Self {
        Self::new(About::Resource(const { &ResourceType::of::<R>() }, choice))
    }

    /// The policy of conflicts of this pair.
    #[track_caller]
    pub const fn pair(one: Listee, other: Listee, choice: ListedPolicy) -> Self {
        Self::new(About::Pair(one, other, choice))
    }

    /// The failure policy of all.
    #[track_caller]
    pub const fn on_failure(policy: FailurePolicy) -> Self {
        Self::new(About::Failure(policy))
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
    /// This policy.
    pub const fn of(policy: Policy) -> Self {
        Self {
            policy,
            reason: None,
        }
    }

    /// [`Policy::Accepted`], for this reason.
    pub const fn accepted(reason: &'static str) -> Self {
        Self {
            policy: Policy::Accepted,
            reason: Some(reason),
        }
    }
}

impl Listee {
    /// A node or group by its type.
    pub const fn of<A: Anchor>() -> Self {
        Self {
            reference: A::REFERENCE,
            entry: None,
        }
    }

    /// The same, as this entry.
    pub const fn at(mut self, entry: u32) -> Self {
        self.entry = Some(entry);
        self
    }
}
