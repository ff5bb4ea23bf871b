//! The law, read word by word: which graphs are refused, and what a run of the others comes to.
//!
//! A graph is a set of points: node i is point i; then come the begin and the end of each group; then the conditions
//! that were not added. Every order holds between two points of one level.

mod conflict;
mod guards;
mod phases;
mod points;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use super::case::{Asked, Case, Formula, Level, Thing, Work};

/// A point, and the answer that is wanted of it.
type Wanted = (usize, u32);

/// Why a graph is refused.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Refusal {
    /// What cannot be whatever the orders are; each by the names of the problems that it may be told as.
    pub(super) wrong: Vec<BTreeSet<&'static str>>,
    pub(super) has_cycle: bool,
    pub(super) has_writers_first: bool,
    /// The names of each pair.
    pub(super) races: BTreeSet<(String, String)>,
    /// The names of the sync points that race.
    pub(super) sync_points: BTreeSet<String>,
}

/// What a run comes to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// Who ran, and what it made of what it found.
    pub(super) log: Vec<(String, u64)>,
    /// Names.
    pub(super) failures: Vec<String>,
    pub(super) skipped: Vec<String>,
    pub(super) is_stopped: bool,
}

#[derive(Debug)]
struct Point {
    thing: Thing,
    level: Level,
    /// Smallest first, of those that are ready.
    key: (usize, usize, usize),
}

/// A graph that is not refused.
#[derive(Debug)]
pub(super) struct Law {
    case: Case,
    points: Vec<Point>,
    /// `guards[p]`: all that has to hold for point p, also on account of groups.
    guards: Vec<Vec<Formula<Wanted>>>,
    /// `dependents[p]`: what is skipped if point p fails.
    dependents: Vec<Points>,
    /// `after[p]`: what comes after point p on any account.
    after: Vec<Points>,
    /// The points of each level, as one thread comes to them.
    order: BTreeMap<Level, Vec<usize>>,
}

type Points = BTreeSet<usize>;

/// Where each node stands in the order of a build, by name and level: what it chose is read from there.
pub(super) type Chosen = BTreeMap<(String, Level), usize>;

impl Law {
    /// `chosen`: empty if the build was refused.
    pub(super) fn new(case: &Case, chosen: &Chosen) -> Result<Self, Refusal> {
        let mut law = Self {
            case: case.clone(),
            points: Vec::new(),
            guards: Vec::new(),
            dependents: Vec::new(),
            after: Vec::new(),
            order: BTreeMap::new(),
        };
        let mut wrong = law.add_points();
        let mut edges = BTreeSet::new();
        if wrong.is_empty() {
            law.group(&mut edges);
            wrong = law.guard(&mut edges);
        }
        let mut weak = BTreeSet::new();
        for (first, then, is_weak) in case.orders.clone() {
            match law.lifted_order(first, then) {
                Err(problem) => wrong.push(BTreeSet::from([problem])),
                Ok(_) if is_weak => {
                    let all = law.parts(then);
                    let pairs = law.parts(first).into_iter();
                    weak.extend(pairs.flat_map(|a| all.iter().map(move |&b| (a, b))));
                }
                Ok((first, then)) => drop(edges.insert((law.ends(first).1, law.ends(then).0))),
            }
        }
        if !wrong.is_empty() {
            return Err(Refusal {
                wrong,
                ..Refusal::default()
            });
        }
        law.order_implied(&mut edges);
        law.decide(edges, &weak, chosen)?;
        Ok(law)
    }

    fn n_nodes(&self) -> usize {
        self.case.nodes.len()
    }

    /// The first and the last point of a thing.
    fn ends(&self, thing: Thing) -> (usize, usize) {
        match thing {
            Thing::Node(idx) => (idx, idx),
            Thing::Group(group) => (self.n_nodes() + 2 * group, self.n_nodes() + 2 * group + 1),
            Thing::Implied(_) => unreachable!("nothing names it"),
        }
    }

    /// All groups that a thing is in, also through others.
    fn holders(&self, thing: Thing) -> BTreeSet<usize> {
        let directly = match thing {
            Thing::Node(idx) => &self.case.nodes[idx].groups,
            Thing::Group(group) => &self.case.groups[group].holders,
            Thing::Implied(_) => return BTreeSet::new(),
        };
        let through = directly
            .iter()
            .flat_map(|&one| self.holders(Thing::Group(one)));
        through.chain(directly.iter().copied()).collect()
    }

    /// The nodes that a thing consists of.
    fn parts(&self, thing: Thing) -> Vec<usize> {
        let is_part = |&idx: &usize| match thing {
            Thing::Group(group) => self.holders(Thing::Node(idx)).contains(&group),
            thing => thing == Thing::Node(idx),
        };
        (0..self.n_nodes()).filter(is_part).collect()
    }

    fn is_selector(&self, point: usize) -> bool {
        match self.points[point].thing {
            Thing::Node(idx) => self.case.nodes[idx].answers() == Some(true),
            Thing::Implied(asked) => asked.is_selector(),
            Thing::Group(_) => false,
        }
    }

    /// What it was added as.
    fn work(&self, point: usize) -> Option<Work> {
        match self.points[point].thing {
            Thing::Node(idx) => Some(self.case.nodes[idx].work),
            _ => None,
        }
    }

    /// What it is called in reports.
    fn name(&self, point: usize) -> String {
        match self.points[point].thing {
            Thing::Node(idx) => idx.to_string(),
            Thing::Implied(asked) => asked.label(),
            Thing::Group(group) => format!("group {group}"),
        }
    }

    /// What it is in the log.
    fn asked(&self, point: usize) -> Option<Asked> {
        match self.points[point].thing {
            Thing::Node(idx) => match self.case.nodes[idx].work {
                Work::Checkpoint | Work::ApplyCommands => None,
                Work::Typed(typed) => Some(Asked::Typed(typed)),
                _ => Some(Asked::Node(idx)),
            },
            Thing::Implied(asked) => Some(asked),
            Thing::Group(_) => None,
        }
    }

    /// The nodes that are switched off with these things.
    pub(super) fn nodes_of(&self, things: &[Thing]) -> BTreeSet<usize> {
        let nodes = things.iter().flat_map(|&thing| self.parts(thing));
        nodes.collect()
    }

    /// Whether all that is ordered is in this order in every pass of its level; else which two are not.
    pub(super) fn check_order(&self, log: &[(String, u64)]) -> Result<(), String> {
        // A name that is that of several points says nothing of any of them.
        let point_of = |label: &String| {
            let is_it = |&point: &usize| self.asked(point).is_some_and(|one| one.label() == *label);
            let mut points = (0..self.points.len()).filter(is_it);
            points.next().filter(|_| points.next().is_none())
        };
        let points: Vec<_> = log.iter().map(|(label, _)| point_of(label)).collect();
        for &level in self.order.keys() {
            for pass in points.split(|&point| point.is_some() && point == level) {
                let pass = pass.iter().flatten();
                let pass: Vec<_> = pass.filter_map(|&point| self.lift(point, level)).collect();
                for (at, &later) in pass.iter().enumerate() {
                    if let Some(early) = pass[..at]
                        .iter()
                        .find(|one| self.after[later].contains(one))
                    {
                        let (early, later) = (self.name(*early), self.name(later));
                        return Err(format!("{early} ran before {later}, in {level:?}"));
                    }
                }
            }
        }
        Ok(())
    }
}
