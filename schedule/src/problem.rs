//! What is wrong with the declaration of a schedule, and how it prints.

use core::fmt;
use core::panic::Location;

use crate::access::ResourceId;
use crate::place::{NodeId, SystemPlace};

/// Everything that is wrong with a schedule; it was not built.
pub struct BuildError {
    schedule: String,
    problems: Vec<Problem>,
}

impl BuildError {
    pub(crate) fn new(schedule: String, problems: Vec<Problem>) -> Self {
        Self { schedule, problems }
    }

    /// The problems, in the order in which they print: races last. Every race is one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The races.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.problems.iter().filter_map(|problem| match problem {
            Problem::Race(race) => Some(race),
            _ => None,
        })
    }
}

impl std::error::Error for BuildError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.len() {
            1 => write!(f, "1 problem in schedule `{}`", self.schedule)?,
            n => write!(f, "{n} problems in schedule `{}`", self.schedule)?,
        }
        for problem in &self.problems {
            if !matches!(problem, Problem::Race(_)) {
                write!(f, "\n  {problem}")?;
            }
        }
        let races: Vec<&Race> = self.races().collect();
        write_races(f, &races)
    }
}

/// One thing that is wrong with a schedule.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Orders that contradict each other.
    Cycle(Cycle),
    /// Two systems that conflict, with nothing that orders them.
    Race(Race),
    /// [`Policy::WritersFirst`](crate::Policy::WritersFirst) cannot order these: the cycle holds edges that it made.
    WritersFirst(Cycle),
    /// An order, a group or a policy names what was never added.
    Dangling {
        /// What was named.
        name: String,
        /// The nearest name that was added, if one is near.
        nearest: Option<String>,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// An order or a policy names what fits several systems.
    Ambiguous {
        /// What was named.
        name: String,
        /// All that it fits.
        candidates: Vec<SystemPlace>,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A group that is inside itself.
    GroupInItself {
        /// The groups, from the first one in to the one that holds it.
        groups: Vec<String>,
        /// Where the last of these memberships was declared.
        location: &'static Location<'static>,
    },
    /// A group that is ordered against what is in it.
    GroupAgainstMember {
        /// The group.
        group: String,
        /// What is in it.
        member: String,
        /// Where the order was declared.
        location: &'static Location<'static>,
    },
    /// A loop that is ordered against what is in it.
    LoopAgainstPart {
        /// The loop.
        repeat: SystemPlace,
        /// What is in it.
        part: SystemPlace,
        /// Where the order was declared.
        location: &'static Location<'static>,
    },
    /// A group with members of several levels: in a loop and outside of it.
    GroupOverLevels {
        /// The group.
        group: String,
        /// A member.
        first: SystemPlace,
        /// A member of another level.
        second: SystemPlace,
    },
    /// A node is guarded by a condition that stands in a loop which that node is not in.
    ConditionDeeper {
        /// The condition.
        condition: SystemPlace,
        /// What it was to guard.
        guarded: SystemPlace,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A node is guarded by itself.
    GuardsItself {
        /// The node.
        condition: SystemPlace,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A node is guarded by a loop.
    GuardIsLoop {
        /// The loop.
        condition: SystemPlace,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A node is guarded by something that does not answer what is wanted of it.
    WrongAnswer {
        /// What was named.
        condition: SystemPlace,
        /// The type that it answers, if it answers anything.
        answers: Option<String>,
        /// The type that is wanted.
        wanted: String,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A policy of a pair, or of a failure, names a group.
    GroupInPolicy {
        /// The group.
        group: String,
        /// Where the policy was chosen.
        location: &'static Location<'static>,
    },
    /// A builder was told something about the last one that was added, before anything was.
    NothingAdded {
        /// Where it was told.
        location: &'static Location<'static>,
    },
    /// A bound of iterations was given to something that is no loop.
    NoLoop {
        /// Where it was given.
        location: &'static Location<'static>,
    },
    /// A policy for a resource, or for a pair, that was given two different ones.
    TwoPolicies {
        /// For what.
        subject: String,
        /// The first.
        first: (String, &'static Location<'static>),
        /// The other.
        second: (String, &'static Location<'static>),
    },
    /// Two types of system, group or checkpoint have the same [`Identity::ID`](crate::Identity::ID).
    SameIdentity {
        /// The one that was added first.
        first: SystemPlace,
        /// The other.
        second: SystemPlace,
    },
}

/// Orders that contradict each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cycle {
    /// The steps, from the first-declared node back to it.
    pub steps: Vec<Step>,
}

/// An edge of a cycle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// What comes first.
    pub from: SystemPlace,
    /// What comes after it.
    pub to: SystemPlace,
    /// Why.
    pub origin: StepOrigin,
}

impl Step {
    /// Whether it goes from the begin of a loop to its end: one mention of the loop is enough.
    fn is_inside_loop(&self) -> bool {
        matches!(self.origin, StepOrigin::Loop) && self.from == self.to
    }
}

/// Why one node comes before another.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StepOrigin {
    /// An order, declared here.
    Declared(&'static Location<'static>),
    /// One is in a group, which was declared here; `None` between the begin and the end of a group.
    Group(Option<&'static Location<'static>>),
    /// One is a part of the loop that the other is; or both are the same loop, from its begin to its end.
    Loop,
    /// The first one is a condition of the other, which was declared here; `None` for a condition of members of a group,
    /// which comes after that of the group.
    Guard(Option<&'static Location<'static>>),
    /// A weak order, declared here.
    Weak(&'static Location<'static>),
    /// [`Policy::WritersFirst`](crate::Policy::WritersFirst), for this resource.
    WritersFirst(Subject),
    /// [`Policy::AsAdded`](crate::Policy::AsAdded) or [`Policy::Accepted`](crate::Policy::Accepted), for this resource.
    AsAdded(Subject),
}

/// Two systems that conflict, with nothing that orders them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Race {
    /// The one that was added first.
    pub first: SystemPlace,
    /// The other.
    pub second: SystemPlace,
    /// The first one, as [`Builder::last`](crate::Builder::last) returned it.
    pub first_node: NodeId,
    /// The other.
    pub second_node: NodeId,
    /// Everything on which they conflict; never empty.
    pub(crate) resources: Vec<RaceOn>,
    /// Both have an attribute, and each is the only one of its type and its name.
    pub(crate) has_attributes: bool,
}

/// What a conflict is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// A resource.
    Resource(ResourceId),
    /// Both touch everything, and nobody names any of it.
    Everything,
    /// One of them runs alone.
    Alone,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Resource(resource) => write!(f, "`{resource}`"),
            Subject::Everything => f.write_str("everything"),
            Subject::Alone => f.write_str("running alone"),
        }
    }
}

/// Something odd in a declaration that was accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// A group that nothing is in; orders through it hold all the same.
    EmptyGroup(SystemPlace),
    /// A policy for a resource that nothing touches.
    UnusedPolicy {
        /// The resource.
        resource: ResourceId,
        /// Where the policy was chosen.
        location: &'static Location<'static>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::EmptyGroup(group) => write!(f, "nothing is in group {group}"),
            Warning::UnusedPolicy { resource, location } => write!(
                f,
                "nothing touches `{resource}`, which has a policy at {}",
                place(location)
            ),
        }
    }
}

/// A resource on which two systems race.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RaceOn {
    /// Which.
    pub subject: Subject,
    /// Whether the first one writes it.
    pub first_writes: bool,
    /// Whether the second one does.
    pub second_writes: bool,
}

/// A race that somebody has accepted; it runs as added.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accepted {
    /// What conflicts.
    pub race: Race,
    /// Why the order does not matter; `None` where a policy was set without saying.
    pub reason: Option<String>,
}

/// A type without the path to it.
fn plain(type_name: &str) -> &str {
    type_name.rsplit("::").next().unwrap_or(type_name)
}

fn place(location: &Location<'_>) -> impl fmt::Display {
    let (file, line) = (location.file().to_string(), location.line());
    fmt::from_fn(move |f| write!(f, "{file}:{line}"))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Cycle(cycle) => cycle.fmt(f),
            Problem::Race(race) => {
                write!(f, "race: ")?;
                race.write_on(f, 0)
            }
            Problem::WritersFirst(cycle) => {
                write!(f, "writers first cannot order these: ")?;
                cycle.write_path(f)?;
                write!(
                    f,
                    "\n      help: order the writers, or give the resource another policy"
                )
            }
            Problem::Dangling {
                name,
                nearest,
                location,
            } => {
                write!(
                    f,
                    "`{name}` was never added, but is named at {}",
                    place(location)
                )?;
                match nearest {
                    Some(nearest) if nearest == name => {
                        write!(
                            f,
                            "\n      help: what was added is another one of this name"
                        )
                    }
                    Some(nearest) => {
                        write!(f, "\n      help: add it; or did you mean `{nearest}`?")
                    }
                    None => write!(
                        f,
                        "\n      help: add it; an order says `after_if_present` where it may be absent"
                    ),
                }
            }
            Problem::Ambiguous {
                name,
                candidates,
                location,
            } => {
                write!(f, "`{name}`, named at {}, fits several:", place(location))?;
                for candidate in candidates {
                    write!(f, "\n      {candidate}")?;
                }
                write!(
                    f,
                    "\n      help: name one of them by what `Builder::last` returned when it was added: to `Builder::order`, or \
                     to `Condition::added`"
                )
            }
            Problem::GroupInItself { groups, location } => {
                write!(f, "group inside itself: ")?;
                for group in groups {
                    write!(f, "`{group}` in ")?;
                }
                let first = groups.first().map_or("", String::as_str);
                write!(f, "`{first}`; the last is declared at {}", place(location))
            }
            Problem::GroupAgainstMember {
                group,
                member,
                location,
            } => write!(
                f,
                "`{member}` is in group `{group}` and is ordered against it at {}\n      \
                 help: order it against the other members",
                place(location)
            ),
            Problem::LoopAgainstPart {
                repeat,
                part,
                location,
            } => write!(
                f,
                "{part} is in the loop {repeat} and is ordered against it at {}\n      \
                 help: order it against the other parts, or the loop against what is outside",
                place(location)
            ),
            Problem::GroupOverLevels {
                group,
                first,
                second,
            } => write!(
                f,
                "group `{group}` has members of several levels: {first} and {second}\n      \
                 help: a loop counts as one: make the whole loop a member, or a group for each level"
            ),
            Problem::ConditionDeeper {
                condition,
                guarded,
                location,
            } => write!(
                f,
                "{guarded} is guarded at {} by {condition}, which is in a loop that {guarded} is not in\n      \
                 help: add the condition at the level of what it guards, or further out",
                place(location)
            ),
            Problem::GuardsItself {
                condition,
                location,
            } => write!(
                f,
                "{condition} is guarded by itself, at {}\n      \
                 help: guard it by another condition",
                place(location)
            ),
            Problem::GuardIsLoop {
                condition,
                location,
            } => write!(
                f,
                "the loop {condition} is named as a condition at {}\n      \
                 help: its condition is asked once for each iteration; add one of its own for the guard",
                place(location)
            ),
            Problem::WrongAnswer {
                condition,
                answers,
                wanted,
                location,
            } => {
                match answers {
                    None => write!(
                        f,
                        "{condition} answers nothing, and is named as a condition at {}",
                        place(location)
                    )?,
                    Some(answers) => write!(
                        f,
                        "{condition} answers `{}`, and at {} a `{}` is wanted",
                        plain(answers),
                        place(location),
                        plain(wanted)
                    )?,
                }
                write!(f, "\n      help: let it return `{}`", plain(wanted))
            }
            Problem::GroupInPolicy { group, location } => write!(
                f,
                "`{group}` is a group, and the policy chosen at {} is about single systems\n      \
                 help: name each system, or set the policy for a resource or for the schedule",
                place(location)
            ),
            Problem::NothingAdded { location } => write!(
                f,
                "nothing was added before {}\n      \
                 help: say this after adding the system that it is about",
                place(location)
            ),
            Problem::NoLoop { location } => write!(
                f,
                "what `at_most` is said about at {} is no loop\n      \
                 help: say it behind the parts of the loop: `.repeat_while::<…>(|…| …).at_most(…)`",
                place(location)
            ),
            Problem::TwoPolicies {
                subject,
                first,
                second,
            } => write!(
                f,
                "{subject} has two policies: {} at {} and {} at {}",
                first.0,
                place(first.1),
                second.0,
                place(second.1)
            ),
            Problem::SameIdentity { first, second } => write!(
                f,
                "identity: {first} and {second} are different types with the same number\n      \
                 help: rename one of them, or move it to another line"
            ),
        }
    }
}

impl Cycle {
    /// `a` -> `b` -> `a`, and why each.
    fn write_path(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A group has a begin and an end: one mention is enough.
        for (i, step) in self.steps.iter().enumerate() {
            if i == 0 {
                write!(f, "`{}`", step.from.name)?;
            }
            if !(matches!(step.origin, StepOrigin::Group(None)) || step.is_inside_loop()) {
                write!(f, " -> `{}`", step.to.name)?;
            }
        }
        for step in &self.steps {
            let (from, to) = (&step.from.name, &step.to.name);
            match &step.origin {
                StepOrigin::Declared(location) => {
                    write!(
                        f,
                        "\n      `{from}` -> `{to}`   declared at {}",
                        place(location)
                    )?;
                }
                StepOrigin::Weak(location) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   if they conflict, declared at {}",
                    place(location)
                )?,
                StepOrigin::Group(Some(location)) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   as a member, declared at {}",
                    place(location)
                )?,
                StepOrigin::Group(None) => {}
                StepOrigin::Loop if step.is_inside_loop() => {}
                StepOrigin::Loop => {
                    write!(f, "\n      `{from}` -> `{to}`   as a part of the loop")?;
                }
                StepOrigin::Guard(Some(location)) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   as its condition, declared at {}",
                    place(location)
                )?,
                StepOrigin::Guard(None) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   since what that guards is in the group of this condition"
                )?,
                StepOrigin::WritersFirst(Subject::Alone) => {
                    write!(
                        f,
                        "\n      `{from}` -> `{to}`   because `{from}` runs alone"
                    )?;
                }
                StepOrigin::WritersFirst(subject) => write!(
                    f,
                    "\n      `{from}` -> `{to}`   because `{from}` writes {subject}"
                )?,
                StepOrigin::AsAdded(subject) => {
                    write!(f, "\n      `{from}` -> `{to}`   as added, for {subject}")?
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle: ")?;
        self.write_path(f)
    }
}

impl Race {
    /// Everything on which they conflict; never empty.
    pub fn resources(&self) -> &[RaceOn] {
        &self.resources
    }

    /// What would end it.
    fn write_remedy(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = (&self.first.name, &self.second.name);
        if self.has_attributes && is_of_library(&self.second) && !is_of_library(&self.first) {
            // Its attribute cannot be changed.
            write!(
                f,
                "order them, e.g. `#[system(before = {second})]` on `{first}`"
            )
        } else if self.has_attributes {
            write!(
                f,
                "order them, e.g. `#[system(after = {first})]` on `{second}`"
            )
        } else if first != second {
            write!(
                f,
                "order them, e.g. `builder.order(\"{first}\", \"{second}\")`"
            )
        } else {
            f.write_str(
                "order them with `Builder::order`, by what `Builder::last` returned for each",
            )
        }
    }

    /// Who does what to one of the resources, and on which others they race too.
    fn write_on(&self, f: &mut fmt::Formatter<'_>, idx: usize) -> fmt::Result {
        let Self { first, second, .. } = self;
        let RaceOn {
            subject,
            first_writes,
            second_writes,
        } = &self.resources[idx];
        match (subject, first_writes, second_writes) {
            (Subject::Alone, true, true) => write!(f, "{first} and {second} both run alone")?,
            (Subject::Alone, true, false) => write!(
                f,
                "{first} runs alone, and nothing orders it against {second}"
            )?,
            (Subject::Alone, false, _) => write!(
                f,
                "{second} runs alone, and nothing orders it against {first}"
            )?,
            (_, true, true) => write!(f, "{first} and {second} both write {subject}")?,
            (_, true, false) => write!(f, "{first} writes {subject}, {second} reads it")?,
            (_, false, _) => write!(f, "{first} reads {subject}, {second} writes it")?,
        }
        let others = self.resources.iter().enumerate().filter(|&(i, _)| i != idx);
        for (i, (_, other)) in others.enumerate() {
            f.write_str(if i == 0 { "; also on " } else { ", " })?;
            write!(f, "{}", other.subject)?;
        }
        Ok(())
    }
}

/// Whether a system is one that this library has.
fn is_of_library(place: &SystemPlace) -> bool {
    let here = file!();
    let folder = here.strip_suffix("problem.rs").unwrap_or(here);
    place.location.file().starts_with(folder)
}

/// How many races are printed; all of them are counted.
const PRINTED_RACES: usize = 20;

/// Prints races under the first resource that each is about.
fn write_races(f: &mut fmt::Formatter<'_>, races: &[&Race]) -> fmt::Result {
    let mut groups: Vec<(&Subject, Vec<&Race>)> = Vec::new();
    let mut idx_of = std::collections::HashMap::new();
    for race in races {
        let subject = &race.resources[0].subject;
        let idx = *idx_of.entry(subject).or_insert_with(|| {
            groups.push((subject, Vec::new()));
            groups.len() - 1
        });
        groups[idx].1.push(race);
    }
    let mut n_printed = 0;
    for (subject, races) in &groups {
        if n_printed == PRINTED_RACES {
            break;
        }
        match subject {
            Subject::Alone => write!(f, "\n  race with a system that runs alone")?,
            subject => write!(f, "\n  race on {subject}")?,
        }
        if races.len() > 1 {
            write!(f, ", {} pairs", races.len())?;
        }
        for race in races.iter().take(PRINTED_RACES - n_printed) {
            write!(f, "\n      ")?;
            race.write_on(f, 0)?;
            n_printed += 1;
        }
        f.write_str("\n      help: ")?;
        races[0].write_remedy(f)?;
    }
    if races.len() > n_printed {
        write!(
            f,
            "\n  {} races in all, on {} resources; the first {n_printed} are shown",
            races.len(),
            groups.len()
        )?;
    }
    Ok(())
}

/// An order that a builder refused; it is as it was before.
pub struct OrderError(pub(crate) Problem);

impl OrderError {
    /// What is wrong with the order: a [`Problem::Cycle`] that it would close, or what it names was not added.
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for OrderError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the order was refused\n  {}", self.0)
    }
}
