//! A direct implementation of the rules: it determines which graphs are rejected, and the results of runs of the others.
//!
//! A graph is a set of points. Point i is node i. The begin and the end of each group follow, and then the implied conditions. Every order
//! is between two points at one level.

mod conflict;
mod guards;
mod phases;
mod points;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use crate::random::orders::Step;

use super::case::{Asked, Case, Formula, Level, Thing, Work};

/// A point, and the required answer.
type Wanted = (usize, u32);

/// The reasons for rejecting a graph.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Refusal {
    /// The problems that do not depend on orders. Each is a set of problem names, one of which must be reported.
    pub(super) wrong: Vec<BTreeSet<&'static str>>,
    pub(super) has_cycle: bool,
    pub(super) has_writers_first: bool,
    /// The names of both systems of each race.
    pub(super) races: BTreeSet<(String, String)>,
    /// The names of the sync points that race.
    pub(super) sync_points: BTreeSet<String>,
}

/// The results of a run.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// The executed points, each with the value that it computed.
    pub(super) log: Vec<(String, u64)>,
    /// Names.
    pub(super) failures: Vec<String>,
    pub(super) skipped: Vec<String>,
    pub(super) is_stopped: bool,
    /// Of a refused run: the names of the points that ran.
    pub(super) ran: Option<Vec<String>>,
}

#[derive(Debug)]
struct Point {
    thing: Thing,
    level: Level,
    /// Among ready points, the one with the smallest key runs first.
    key: (usize, usize, usize),
}

/// A graph that is not rejected.
#[derive(Debug)]
pub(super) struct Law {
    case: Case,
    points: Vec<Point>,
    /// `guards[p]`: all run conditions of point p, including those of groups.
    guards: Vec<Vec<Formula<Wanted>>>,
    /// `dependents[p]`: the points that are skipped if point p fails.
    dependents: Vec<Points>,
    /// The points that run whatever failed before them.
    always: Points,
    /// `after[p]`: all points that run after point p, for any reason.
    after: Vec<Points>,
    /// The points of each level, in the order of a serial run.
    order: BTreeMap<Level, Vec<usize>>,
    /// The same, with the inserted sync points.
    steps: BTreeMap<Level, Vec<Step>>,
}

type Points = BTreeSet<usize>;

/// The position of each node in a built schedule, by name and level. It contains the decisions of `optimize`.
pub(super) type Chosen = BTreeMap<(String, Level), usize>;

impl Law {
    /// `chosen`: empty if the build was rejected.
    pub(super) fn new(case: &Case, chosen: &Chosen) -> Result<Self, Refusal> {
        let mut law = Self {
            case: case.clone(),
            points: Vec::new(),
            guards: Vec::new(),
            dependents: Vec::new(),
            always: Points::new(),
            after: Vec::new(),
            order: BTreeMap::new(),
            steps: BTreeMap::new(),
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
        law.always = law.always();
        Ok(law)
    }

    fn n_nodes(&self) -> usize {
        self.case.nodes.len()
    }

    /// Returns the first and the last point of an item.
    fn ends(&self, thing: Thing) -> (usize, usize) {
        match thing {
            Thing::Node(idx) => (idx, idx),
            Thing::Group(group) => (self.n_nodes() + 2 * group, self.n_nodes() + 2 * group + 1),
            Thing::Implied(_) => unreachable!("nothing names it"),
        }
    }

    /// Returns all groups that contain an item, directly or through other groups.
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

    /// Returns the nodes of an item.
    fn parts(&self, thing: Thing) -> Vec<usize> {
        let is_part = |&idx: &usize| match thing {
            Thing::Group(group) => self.holders(Thing::Node(idx)).contains(&group),
            thing => thing == Thing::Node(idx),
        };
        (0..self.n_nodes()).filter(is_part).collect()
    }

    /// Returns the points that always run: nodes, those in groups and loops, and the conditions that these need.
    fn always(&self) -> Points {
        let is_it = |idx: usize| {
            let mut groups = self.holders(Thing::Node(idx)).into_iter();
            self.case.nodes[idx].is_always || groups.any(|group| self.case.groups[group].is_always)
        };
        let mut always = Points::new();
        for idx in 0..self.n_nodes() {
            let mut around = self.case.outwards(self.case.nodes[idx].level).into_iter();
            if is_it(idx) || around.any(|level| level.is_some_and(is_it)) {
                always.insert(idx);
            }
        }
        loop {
            let guards = always.iter().flat_map(|&point| &self.guards[point]);
            let asked: Points = guards
                .flat_map(Formula::leaves)
                .map(|leaf| leaf.0)
                .collect();
            if asked.is_subset(&always) {
                return always;
            }
            always.extend(asked);
        }
    }

    fn is_selector(&self, point: usize) -> bool {
        match self.points[point].thing {
            Thing::Node(idx) => self.case.nodes[idx].answers() == Some(true),
            Thing::Implied(asked) => asked.is_selector(),
            Thing::Group(_) => false,
        }
    }

    /// Returns the kind of work of a point.
    fn work(&self, point: usize) -> Option<Work> {
        match self.points[point].thing {
            Thing::Node(idx) => Some(self.case.nodes[idx].work),
            _ => None,
        }
    }

    /// Returns the name of a point in reports.
    fn name(&self, point: usize) -> String {
        match self.points[point].thing {
            Thing::Node(idx) => idx.to_string(),
            Thing::Implied(asked) => asked.label(),
            Thing::Group(group) => format!("group {group}"),
        }
    }

    /// Whether a point is listed if it is skipped.
    fn is_listed(&self, point: usize) -> bool {
        let is_sync_point = match self.points[point].thing {
            Thing::Node(idx) => matches!(self.case.nodes[idx].work, Work::ApplyCommands),
            _ => false,
        };
        is_sync_point || self.asked(point).is_some()
    }

    /// Returns the identity of a point in the log.
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

    /// Returns the nodes that are switched off with these items.
    pub(super) fn nodes_of(&self, things: &[Thing]) -> BTreeSet<usize> {
        let nodes = things.iter().flat_map(|&thing| self.parts(thing));
        nodes.collect()
    }

    /// Checks that every iteration of each level kept all orders. Otherwise returns the names of two points that did not.
    pub(super) fn check_order(&self, log: &[(String, u64)]) -> Result<(), String> {
        // A name that several points share identifies none of them.
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
