//! Two systems that conflict and that nothing orders, and how many of them print.

use core::fmt;
use std::collections::HashMap;

use crate::access::ResourceId;
use crate::place::{NodeId, SystemPlace};

/// Two systems that conflict, with nothing that orders them.
#[derive(Clone, Debug, PartialEq)]
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
            Subject::Resource(resource) => write!(f, "{resource:?}"),
            Subject::Everything => f.write_str("everything"),
            Subject::Alone => f.write_str("running alone"),
        }
    }
}

/// A resource on which two systems race.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Accepted {
    /// What conflicts.
    pub race: Race,
    /// Why the order does not matter; `None` where a policy was set without saying.
    pub reason: Option<String>,
}

impl Race {
    /// Everything on which they conflict; never empty.
    pub fn resources(&self) -> &[RaceOn] {
        &self.resources
    }

    /// Who does what to one of the resources, and on which others they race too.
    pub(crate) fn write_on(&self, f: &mut fmt::Formatter<'_>, idx: usize) -> fmt::Result {
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

/// How many races there are, of which only so many are listed as somebody may read.
#[derive(Clone, Debug, Default)]
pub(crate) struct RaceCounts {
    /// All pairs.
    pub(crate) n_pairs: usize,
    /// Of each first resource of a pair, how many pairs.
    pub(crate) by_subject: Vec<(Subject, usize)>,
}

/// How many races are printed; all of them are counted.
const PRINTED_RACES: usize = 20;

/// Prints races under the first resource that each is about.
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
        match subject {
            Subject::Alone => write!(f, "\n  race with a system that runs alone")?,
            subject => write!(f, "\n  race on {subject}")?,
        }
        let n_pairs = n_pairs_on[subject];
        if n_pairs > 1 {
            write!(f, ", {n_pairs} pairs")?;
        }
        for race in races.iter().take(PRINTED_RACES - n_printed) {
            write!(f, "\n      ")?;
            race.write_on(f, 0)?;
            n_printed += 1;
        }
    }
    if counts.n_pairs > n_printed {
        write!(
            f,
            "\n  {} races in all, on {} resources; the first {n_printed} are shown",
            counts.n_pairs,
            counts.by_subject.len()
        )?;
    }
    Ok(())
}
