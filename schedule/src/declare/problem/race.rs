//! Races: conflicting systems without an order, and the number of them that is printed.

use core::fmt;
use std::collections::HashMap;

use crate::base::place::{NodeId, SystemPlace};
use crate::data::access::{AccessKind, ResourceId, verb};
use crate::declare::messages::{self, write_message};

/// Two systems that conflict, without an order between them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Race {
    /// The system that was added first.
    pub first: SystemPlace,
    /// The other system.
    pub second: SystemPlace,
    /// The id of the first system, as from [`Builder::last`](crate::Builder::last).
    pub first_node: NodeId,
    /// The id of the other system.
    pub second_node: NodeId,
    /// All subjects of their conflict. Never empty.
    pub(crate) resources: Box<[RaceOn]>,
    /// Whether they conflict only because filters are not compared across a loop.
    pub(crate) is_only_across_loop: bool,
}

/// The subject of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// A resource.
    Resource(ResourceId),
    /// Both access all resources, without a common resource that has a name.
    Everything,
    /// One of them is exclusive.
    Exclusive,
}

impl Subject {
    /// Whether it is a queue of messages.
    pub(super) fn is_messages(&self) -> bool {
        matches!(self, Self::Resource(resource) if resource.is_messages())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Resource(resource) => write!(f, "{resource:?}"),
            Subject::Everything => f.write_str(messages::EVERYTHING),
            Subject::Exclusive => f.write_str(messages::EXCLUSIVE_ACCESS),
        }
    }
}

/// A resource on which two systems race.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RaceOn {
    /// The resource.
    pub subject: Subject,
    /// How the first system accesses it.
    pub first: AccessKind,
    /// How the second system accesses it.
    pub second: AccessKind,
}

/// An accepted race. It runs in insertion order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Accepted {
    /// The race.
    pub race: Race,
    /// The reason for accepting the race. `None` if the policy was set without a reason.
    pub reason: Option<String>,
}

impl Race {
    /// Returns all subjects of the conflict. Never empty.
    pub fn resources(&self) -> &[RaceOn] {
        &self.resources
    }

    /// Writes how both systems access one of the resources, and the other resources on which they conflict.
    pub(crate) fn write_on(&self, f: &mut fmt::Formatter<'_>, idx: usize) -> fmt::Result {
        let others: Vec<String> = self
            .resources
            .iter()
            .enumerate()
            .filter(|&(i, _)| i != idx)
            .map(|(_, other)| other.subject.to_string())
            .collect();
        let others = (!others.is_empty()).then(|| others.join(", "));
        let conflict = fmt::from_fn(|f| self.write_conflict(f, &self.resources[idx]));
        write_message!(f, RACE_OF_PAIR, conflict = conflict; others = others)?;
        if self.is_only_across_loop {
            write_message!(f, ACROSS_LOOP)
        } else {
            Ok(())
        }
    }

    fn write_conflict(&self, f: &mut fmt::Formatter<'_>, on: &RaceOn) -> fmt::Result {
        let Self { first, second, .. } = self;
        let subject = &on.subject;
        match (subject, on.first, on.second) {
            (Subject::Exclusive, AccessKind::Write, AccessKind::Write) => {
                write_message!(f, BOTH_EXCLUSIVE, first = first, second = second)
            }
            (Subject::Exclusive, AccessKind::Write, _) => {
                write_message!(f, ONE_EXCLUSIVE, one = first, other = second)
            }
            (Subject::Exclusive, ..) => {
                write_message!(f, ONE_EXCLUSIVE, one = second, other = first)
            }
            (_, AccessKind::Write, AccessKind::Write) => write_message!(
                f,
                BOTH_WRITE,
                first = first,
                second = second,
                subject = subject
            ),
            (_, of_first, of_second) => write_message!(
                f,
                CONFLICT,
                first = first,
                accesses = verb(of_first, subject.is_messages()),
                second = second,
                also = verb(of_second, subject.is_messages()),
                subject = subject
            ),
        }
    }
}

/// The number of races. Only the first of them are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct RaceCounts {
    /// The number of all pairs.
    pub(crate) n_pairs: usize,
    /// The number of pairs for each resource. A pair counts only for its first resource.
    pub(crate) by_subject: Vec<(Subject, usize)>,
}

/// Maximum number of races in the text. All of them are counted.
const PRINTED_RACES: usize = 20;

/// Prints the races, grouped by the first resource of each.
pub(super) fn write_races(
    f: &mut fmt::Formatter<'_>,
    races: &[&Race],
    counts: &RaceCounts,
) -> fmt::Result {
    let n_pairs_on: HashMap<&Subject, usize> = counts
        .by_subject
        .iter()
        .map(|(subject, n_pairs)| (subject, *n_pairs))
        .collect();
    let mut groups: Vec<(&Subject, Vec<&Race>)> = Vec::new();
    let mut idx_of = HashMap::new();
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
        let n_pairs = Some(n_pairs_on[subject]).filter(|&n_pairs| n_pairs > 1);
        f.write_str("\n  ")?;
        match subject {
            Subject::Exclusive => write_message!(f, RACE_WITH_EXCLUSIVE; n = n_pairs)?,
            subject => write_message!(f, RACE_ON, subject = subject; n = n_pairs)?,
        }
        for race in races.iter().take(PRINTED_RACES - n_printed) {
            write!(f, "\n      ")?;
            race.write_on(f, 0)?;
            n_printed += 1;
        }
    }
    if counts.n_pairs > n_printed {
        f.write_str("\n  ")?;
        write_message!(
            f,
            RACES_IN_ALL,
            n = counts.n_pairs,
            n_resources = counts.by_subject.len(),
            n_shown = n_printed
        )?;
    }
    Ok(())
}
