//! The law, read word by word: which graphs are refused, and what a run of the others comes to.
//!
//! A graph is a set of points: node i is point i; then come the begin and the end of each group; then the conditions
//! that nobody added. Every order holds between two points of one level.

use std::collections::{BTreeMap, BTreeSet};

use schedule::{FailurePolicy, Policy};

use super::case::{
    Answer, Asked, Case, Fault, Formula, Guard, Level, N_RESOURCES, Thing, Values, Work, branch,
    counted, digest, is_again, is_true, own_reads, written,
};

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

/// `after[a]`: all that there is a path to from point a.
fn closure(n_points: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Points> {
    let mut after = vec![Points::new(); n_points];
    for &(from, to) in edges {
        after[from].insert(to);
    }
    for via in 0..n_points {
        for from in 0..n_points {
            if after[from].contains(&via) {
                let behind = after[via].clone();
                after[from].extend(behind);
            }
        }
    }
    after
}

fn has_cycle(after: &[Points]) -> bool {
    (0..after.len()).any(|point| after[point].contains(&point))
}

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

    /// Nodes and groups. A group is at the level of its members, or where it is spoken of.
    fn add_points(&mut self) -> Vec<BTreeSet<&'static str>> {
        for (idx, node) in self.case.nodes.iter().enumerate() {
            self.points.push(Point {
                thing: Thing::Node(idx),
                level: node.level,
                key: (idx, 2, 0),
            });
        }
        let mut wrong = Vec::new();
        for (group, declared) in self.case.groups.iter().enumerate() {
            let parts = self.parts(Thing::Group(group));
            let levels: BTreeSet<Level> = parts
                .iter()
                .map(|&idx| self.case.nodes[idx].level)
                .collect();
            if levels.len() > 1 {
                wrong.push(BTreeSet::from(["GroupOverLevels"]));
            }
            let first = parts.first().copied().unwrap_or(self.n_nodes());
            for _ in ["begin", "end"] {
                self.points.push(Point {
                    thing: Thing::Group(group),
                    level: levels.first().copied().unwrap_or(declared.level),
                    key: (first, 1, self.points.len()),
                });
            }
        }
        wrong
    }

    fn level(&self, thing: Thing) -> Level {
        self.points[self.ends(thing).0].level
    }

    /// The point itself, or the loop of that level that it is in.
    fn lift(&self, point: usize, level: Level) -> Option<usize> {
        let around = self.case.outwards(self.points[point].level);
        let at = around.iter().position(|&one| one == level)?;
        Some(
            at.checked_sub(1)
                .map_or(point, |inside| around[inside].unwrap()),
        )
    }

    /// The lowest level that is around both.
    fn common(&self, a: Level, b: Level) -> Level {
        let around = self.case.outwards(b);
        let mut levels = self.case.outwards(a).into_iter();
        levels.find(|level| around.contains(level)).unwrap()
    }

    /// Two points where they are told apart; the same, if one is a loop around the other.
    fn lift_both(&self, a: usize, b: usize) -> (usize, usize) {
        let common = self.common(self.points[a].level, self.points[b].level);
        let lift = |point| self.lift(point, common).unwrap();
        (lift(a), lift(b))
    }

    fn lifted_order(&self, first: Thing, then: Thing) -> Result<(Thing, Thing), &'static str> {
        let common = self.common(self.level(first), self.level(then));
        let [a, b] = [first, then].map(|thing| match self.level(thing) {
            level if level == common => thing,
            _ => Thing::Node(self.lift(self.ends(thing).0, common).unwrap()),
        });
        let is_in = |thing, group| matches!(group, Thing::Group(group) if self.holders(thing).contains(&group));
        if a == b && first != then {
            Err("LoopAgainstPart")
        } else if is_in(a, b) || is_in(b, a) {
            Err("GroupAgainstMember")
        } else {
            Ok((a, b))
        }
    }

    fn group(&self, edges: &mut BTreeSet<(usize, usize)>) {
        for group in 0..self.case.groups.len() {
            let (begin, end) = self.ends(Thing::Group(group));
            edges.insert((begin, end));
            for (point, one) in self.points.iter().enumerate() {
                if one.thing != Thing::Group(group) && self.holders(one.thing).contains(&group) {
                    edges.extend([(begin, point), (point, end)]);
                }
            }
        }
    }

    /// All guards, in the order in which they are declared: those of a loop behind those of its parts, groups last.
    fn declared_guards(&self) -> Vec<(Thing, Guard)> {
        fn of_level(case: &Case, level: Level, guards: &mut Vec<(Thing, Guard)>) {
            for (idx, node) in case.nodes.iter().enumerate() {
                if node.level == level {
                    if node.is_loop() {
                        of_level(case, Some(idx), guards);
                    }
                    guards.extend(
                        node.guards
                            .iter()
                            .map(|one| (Thing::Node(idx), one.clone())),
                    );
                }
            }
        }
        let mut guards = Vec::new();
        of_level(&self.case, None, &mut guards);
        for (idx, group) in self.case.groups.iter().enumerate() {
            guards.extend(
                group
                    .guards
                    .iter()
                    .map(|one| (Thing::Group(idx), one.clone())),
            );
        }
        guards
    }

    /// Finds what is asked, and guards by it: what names it, the members of groups, and the conditions that serve
    /// nobody else.
    fn guard(&mut self, edges: &mut BTreeSet<(usize, usize)>) -> Vec<BTreeSet<&'static str>> {
        let mut wrong = Vec::new();
        let mut found: Vec<(Thing, Formula<Wanted>)> = Vec::new();
        for (guarded, guard) in self.declared_guards() {
            found.push((guarded, self.find_all(guarded, &guard, &mut wrong)));
        }
        self.guards = vec![Vec::new(); self.points.len()];
        let mut guarded_by = vec![Vec::new(); self.points.len()];
        for (guarded, formula) in &found {
            for (condition, _) in leaves(formula) {
                guarded_by[condition].push(*guarded);
                let (condition, begin) = self.lift_both(condition, self.ends(*guarded).0);
                edges.insert((condition, begin));
            }
            for idx in self.parts(*guarded) {
                self.guards[idx].push(formula.clone());
            }
        }
        for group in 0..self.case.groups.len() {
            let covered = self.covered(group, &guarded_by);
            let of_group = found.iter().filter(|one| one.0 == Thing::Group(group));
            for (_, formula) in of_group {
                for &condition in &covered {
                    let around = self.case.outwards(self.points[condition].level);
                    let leaves = leaves(formula);
                    if leaves
                        .iter()
                        .all(|leaf| around.contains(&self.points[leaf.0].level))
                    {
                        self.guards[condition].push(formula.clone());
                        let both = leaves.iter().map(|leaf| self.lift_both(leaf.0, condition));
                        edges.extend(both);
                    }
                }
            }
        }
        wrong
    }

    /// The conditions outside of a group that guard only what is in it, directly or through each other.
    fn covered(&self, group: usize, guarded_by: &[Vec<Thing>]) -> BTreeSet<usize> {
        let level = self.level(Thing::Group(group));
        let is_inside = |thing: Thing| {
            let (begin, _) = self.ends(thing);
            let lifted = self.lift(begin, level);
            lifted.is_some_and(|one| self.holders(self.points[one].thing).contains(&group))
        };
        let is_member = |point: usize| {
            let thing = self.points[point].thing;
            matches!(thing, Thing::Node(_)) && is_inside(thing)
        };
        let mut covered = BTreeSet::new();
        loop {
            let before = covered.len();
            for (point, guarded) in guarded_by.iter().enumerate() {
                let is_covered = |&thing: &Thing| {
                    is_inside(thing) || matches!(thing, Thing::Node(idx) if covered.contains(&idx))
                };
                if !guarded.is_empty() && guarded.iter().all(is_covered) && !is_member(point) {
                    covered.insert(point);
                }
            }
            if covered.len() == before {
                return covered;
            }
        }
    }

    fn find_all(
        &mut self,
        guarded: Thing,
        guard: &Guard,
        wrong: &mut Vec<BTreeSet<&'static str>>,
    ) -> Formula<Wanted> {
        let mut both = |two: &[Guard; 2]| {
            Box::new(two.each_ref().map(|one| self.find_all(guarded, one, wrong)))
        };
        match guard {
            Formula::All(two) => Formula::All(both(two)),
            Formula::Any(two) => Formula::Any(both(two)),
            Formula::Not(one) => Formula::Not(Box::new(self.find_all(guarded, one, wrong))),
            &Formula::Is((asked, answer)) => {
                let (point, problems) = self.find(guarded, asked, answer);
                wrong.extend((!problems.is_empty()).then_some(problems));
                let answer = match answer {
                    Answer::Bool(answer) => answer.into(),
                    Answer::Branch(branch) => branch,
                };
                Formula::Is((point, answer))
            }
        }
    }

    /// The point that is asked, and what is wrong with that.
    fn find(
        &mut self,
        guarded: Thing,
        asked: Asked,
        answer: Answer,
    ) -> (usize, BTreeSet<&'static str>) {
        let mut problems = BTreeSet::new();
        let around = self.case.outwards(self.level(guarded));
        let added = match asked {
            Asked::Node(idx) => Some(idx),
            Asked::Own(_) => None,
            Asked::Typed(typed) => {
                let of_type = (0..self.n_nodes())
                    .filter(|&idx| self.case.nodes[idx].work == Work::Typed(typed));
                let distance = |idx: &usize| {
                    let level = self.case.nodes[*idx].level;
                    let at = around.iter().position(|&one| one == level);
                    at.unwrap_or(usize::MAX)
                };
                of_type.min_by_key(distance)
            }
        };
        let Some(idx) = added else {
            return (self.implied(guarded, asked), problems);
        };
        let node = &self.case.nodes[idx];
        if guarded == Thing::Node(idx) {
            problems.insert("GuardsItself");
        }
        if node.is_loop() {
            problems.insert("GuardIsLoop");
        } else if node.answers() != Some(matches!(answer, Answer::Branch(_))) {
            problems.insert("WrongAnswer");
        }
        if !around.contains(&node.level) {
            problems.insert("ConditionDeeper");
        }
        (idx, problems)
    }

    /// The point of something that nobody added: one for each level, just before the first that it guards.
    fn implied(&mut self, guarded: Thing, asked: Asked) -> usize {
        let (thing, level) = (Thing::Implied(asked), self.level(guarded));
        let parts = self.parts(guarded);
        let first = parts.first().copied().unwrap_or(self.n_nodes());
        let is_known = |point: &Point| point.thing == thing && point.level == level;
        let known = self.points.iter().position(is_known);
        let point = known.unwrap_or_else(|| {
            self.points.push(Point {
                thing,
                level,
                key: (first, 0, self.points.len()),
            });
            self.points.len() - 1
        });
        let key = &mut self.points[point].key;
        key.0 = key.0.min(first);
        point
    }

    /// The phases.
    fn decide(
        &mut self,
        mut edges: BTreeSet<(usize, usize)>,
        weak: &BTreeSet<(usize, usize)>,
        chosen: &Chosen,
    ) -> Result<(), Refusal> {
        let n_points = self.points.len();
        // 1 and 2: declared and weak.
        let declared = closure(n_points, &edges);
        let lifted = weak.iter().map(|&(a, b)| self.lift_both(a, b));
        let both = closure(n_points, &edges.iter().copied().chain(lifted).collect());
        if has_cycle(&both) {
            return Err(Refusal {
                has_cycle: true,
                ..Refusal::default()
            });
        }
        // What never runs both needs no order, as it is no race.
        let (exclusive, conflicts): (Vec<_>, Vec<_>) = self
            .conflicts()
            .into_iter()
            .partition(|&(a, b)| self.is_exclusive(a, b));
        for &(a, b) in &conflicts {
            let (a, b) = self.lift_both(a, b);
            for (from, to) in [(a, b), (b, a)] {
                if both[from].contains(&to) && !declared[from].contains(&to) {
                    edges.insert((from, to));
                }
            }
        }
        // 3 and 4: races, writers first.
        let after = closure(n_points, &edges);
        let is_free = |&&(a, b): &&(usize, usize)| {
            let (lifted_a, lifted_b) = self.lift_both(a, b);
            lifted_a != lifted_b
                && !after[lifted_a].contains(&lifted_b)
                && !after[lifted_b].contains(&lifted_a)
        };
        let races: Vec<_> = conflicts.iter().filter(is_free).copied().collect();
        let mut refusal = Refusal::default();
        for &(a, b) in &races {
            let (lifted_a, lifted_b) = self.lift_both(a, b);
            match self.policy(a, b) {
                Policy::Reject => {
                    let (a, b) = (self.name(a), self.name(b));
                    refusal.races.insert((a.clone().min(b.clone()), a.max(b)));
                }
                Policy::WritersFirst => {
                    for (_, a_writes, b_writes) in self.shared(a, b) {
                        edges.extend(a_writes.then_some((lifted_a, lifted_b)));
                        edges.extend(b_writes.then_some((lifted_b, lifted_a)));
                    }
                }
                _ => {}
            }
        }
        self.dependents = closure(n_points, &edges);
        refusal.has_writers_first = has_cycle(&self.dependents);
        if refusal != Refusal::default() {
            return Err(refusal);
        }
        // 5: one order; those that run as added follow it.
        let mut levels = vec![None];
        let loops = (0..self.n_nodes()).filter(|&idx| self.case.nodes[idx].is_loop());
        levels.extend(loops.map(Some));
        let (fits, as_added): (Vec<(usize, usize)>, Vec<_>) = races
            .into_iter()
            .partition(|&(a, b)| self.policy(a, b) == Policy::AsFits);
        for &level in &levels {
            let order = self.sorted(level, &self.dependents);
            let rank = |point: usize| order.iter().position(|&one| one == point);
            for &(a, b) in &as_added {
                let (a, b) = self.lift_both(a, b);
                if let (Some(rank_a), Some(rank_b)) = (rank(a), rank(b)) {
                    edges.insert(if rank_a < rank_b { (a, b) } else { (b, a) });
                }
            }
            self.order.insert(level, order);
        }
        self.after = closure(n_points, &edges);
        // 6: as fits; also what never runs both goes one way or the other then.
        if !self.case.has_fits() || chosen.is_empty() {
            return Ok(());
        }
        for (a, b) in fits.into_iter().chain(exclusive) {
            let (a, b) = self.lift_both(a, b);
            let place = |point: usize| chosen[&(self.name(point), self.points[point].level)];
            if a != b {
                edges.insert(if place(a) < place(b) { (a, b) } else { (b, a) });
            }
        }
        self.after = closure(n_points, &edges);
        assert!(
            !has_cycle(&self.after),
            "the build keeps to all of phases 1 to 5"
        );
        for level in levels {
            let order = self.sorted(level, &self.after);
            self.order.insert(level, order);
        }
        Ok(())
    }

    /// Of those at a level that are ready, the smallest comes first.
    fn sorted(&self, level: Level, after: &[Points]) -> Vec<usize> {
        let at_level = (0..self.points.len()).filter(|&point| self.points[point].level == level);
        let mut open: Vec<usize> = at_level.collect();
        let mut order = Vec::new();
        while !open.is_empty() {
            let is_ready = |point: &&usize| open.iter().all(|one| !after[*one].contains(point));
            let next = open
                .iter()
                .filter(is_ready)
                .min_by_key(|one| self.points[**one].key);
            let next = *next.expect("no cycle");
            order.push(next);
            open.retain(|&one| one != next);
        }
        order
    }

    /// By resource, whether it is written; the last is the right to run alone.
    fn access(&self, point: usize) -> [Option<bool>; N_RESOURCES + 1] {
        let mut access = [None; N_RESOURCES + 1];
        let mut reads = |resource: Option<usize>| {
            access[N_RESOURCES] = Some(false);
            resource
                .into_iter()
                .for_each(|one| access[one] = Some(false));
        };
        match self.points[point].thing {
            Thing::Node(idx) if self.case.nodes[idx].work == Work::Checkpoint => {}
            Thing::Node(idx) => {
                let node = &self.case.nodes[idx];
                access[..N_RESOURCES].copy_from_slice(&node.uses);
                access[N_RESOURCES] = Some(node.is_exclusive);
            }
            Thing::Group(_) => {}
            Thing::Implied(Asked::Typed(typed)) => reads(Some(super::case::typed_reads(typed))),
            Thing::Implied(Asked::Own(own)) => reads(own_reads(own)),
            Thing::Implied(Asked::Node(_)) => unreachable!("it is added"),
        }
        access
    }

    /// What both touch and one writes, and who writes.
    fn shared(&self, a: usize, b: usize) -> Vec<(usize, bool, bool)> {
        let (a, b) = (self.access(a), self.access(b));
        let both = (0..=N_RESOURCES).filter_map(|one| Some((one, a[one]?, b[one]?)));
        both.filter(|&(_, a, b)| a || b).collect()
    }

    fn conflicts(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.points.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs
            .filter(|&(a, b)| !self.shared(a, b).is_empty())
            .collect()
    }

    fn policy(&self, a: usize, b: usize) -> Policy {
        let Case {
            policy,
            resources,
            pairs,
            ..
        } = &self.case;
        if let Some(pair) = pairs.iter().find(|pair| (pair.0, pair.1) == (a, b)) {
            return pair.2;
        }
        let shared = self.shared(a, b).into_iter();
        let policies = shared.map(|one| resources.get(one.0).copied().flatten().unwrap_or(*policy));
        policies.min().expect("they conflict")
    }

    /// Whether the two never run in one pass of the level around both.
    fn is_exclusive(&self, a: usize, b: usize) -> bool {
        let common = self.common(self.points[a].level, self.points[b].level);
        let around = self.case.outwards(common);
        let needs = |point: usize| {
            let loops = self.case.outwards(self.points[point].level);
            let all = loops.into_iter().flatten().chain([point]);
            let guards = all.flat_map(|point| &self.guards[point]);
            let each = guards.map(|formula| self.good(formula, true));
            each.fold(Good::new(), both)
        };
        let (needs_a, needs_b) = (needs(a), needs(b));
        needs_a.iter().any(|(point, of_a)| {
            let is_fixed = around.contains(&self.points[*point].level);
            is_fixed
                && needs_b
                    .get(point)
                    .is_some_and(|of_b| of_a.is_disjoint(of_b))
        })
    }

    /// The answers without which a formula is not as wanted.
    fn good(&self, formula: &Formula<Wanted>, wanted: bool) -> Good {
        let of_two = |two: &[Formula<Wanted>; 2], is_all: bool| {
            let [one, other] = two.each_ref().map(|part| self.good(part, wanted));
            if is_all {
                both(one, other)
            } else {
                either(one, &other)
            }
        };
        match formula {
            &Formula::Is((point, answer)) => {
                let n_answers = if self.is_selector(point) { 3 } else { 2 };
                let is_good = |one: &u32| (*one == answer) == wanted;
                Good::from([(point, (0..n_answers).filter(is_good).collect())])
            }
            Formula::Not(one) => self.good(one, !wanted),
            Formula::All(two) => of_two(two, wanted),
            Formula::Any(two) => of_two(two, !wanted),
        }
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
                Work::Checkpoint | Work::Flush => None,
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

    /// A run on these values, with these nodes switched off. `counts` are what conditions remember from run to run.
    pub(super) fn run(
        &self,
        values: &mut Values,
        counts: &mut [u64],
        may_fail: bool,
        off: &BTreeSet<usize>,
    ) -> Outcome {
        let n_points = self.points.len();
        let mut run = Run {
            law: self,
            values,
            counts,
            may_fail,
            off,
            n_runs: vec![0; self.n_nodes()],
            answers: vec![None; n_points],
            failed: BTreeSet::new(),
            skipped: BTreeSet::new(),
            recorded: Vec::new(),
            outcome: Outcome::default(),
        };
        run.pass(None);
        run.carry_out();
        let Run {
            skipped,
            mut outcome,
            ..
        } = run;
        let skipped = skipped
            .into_iter()
            .filter(|&point| self.asked(point).is_some())
            .filter(|&point| {
                let mut around = self.case.outwards(self.points[point].level).into_iter();
                !off.contains(&point)
                    && !around.any(|level| level.is_some_and(|one| off.contains(&one)))
            });
        outcome.skipped = skipped.map(|point| self.name(point)).collect();
        outcome.skipped.sort_unstable();
        outcome.failures.sort_unstable();
        outcome
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

/// By point that has to answer, the answers that are good.
type Good = BTreeMap<usize, BTreeSet<u32>>;

fn both(mut one: Good, other: Good) -> Good {
    for (point, answers) in other {
        let known = one.entry(point).or_insert_with(|| answers.clone());
        known.retain(|answer| answers.contains(answer));
    }
    one
}

/// What one of them does not need, the two together do not.
fn either(mut one: Good, other: &Good) -> Good {
    one.retain(|point, _| other.contains_key(point));
    for (point, answers) in &mut one {
        answers.extend(&other[point]);
    }
    one
}

fn leaves(formula: &Formula<Wanted>) -> Vec<Wanted> {
    match formula {
        Formula::Is(leaf) => vec![*leaf],
        Formula::Not(one) => leaves(one),
        Formula::All(two) | Formula::Any(two) => two.iter().flat_map(leaves).collect(),
    }
}

/// A run that goes on.
struct Run<'a> {
    law: &'a Law,
    values: &'a mut Values,
    counts: &'a mut [u64],
    may_fail: bool,
    off: &'a BTreeSet<usize>,
    /// By node.
    n_runs: Vec<u64>,
    /// By point; in this pass of its level.
    answers: Vec<Option<u32>>,
    /// Loops.
    failed: BTreeSet<usize>,
    skipped: BTreeSet<usize>,
    /// Which resource is to be changed, and what is written to it.
    recorded: Vec<(usize, u64)>,
    outcome: Outcome,
}

impl Run<'_> {
    fn pass(&mut self, level: Level) {
        let law = self.law;
        let order = &law.order[&level];
        order.iter().for_each(|&point| self.answers[point] = None);
        for &point in order {
            let is_off = self.off.contains(&point);
            if is_off || self.skipped.contains(&point) || self.outcome.is_stopped {
                continue;
            }
            let is_so = |formula| self.value(formula) == Some(true);
            if !law.guards[point].iter().all(is_so) {
                continue;
            }
            match law.points[point].thing {
                Thing::Node(idx) => match law.case.nodes[idx].work {
                    Work::Loop(_, at_most) => self.repeat(idx, at_most),
                    Work::Checkpoint => {}
                    Work::Flush => self.carry_out(),
                    _ => self.answers[point] = self.ask(point),
                },
                Thing::Implied(_) => self.answers[point] = self.ask(point),
                Thing::Group(_) => {}
            }
        }
    }

    /// `None` if something in it was not asked, or failed.
    fn value(&self, formula: &Formula<Wanted>) -> Option<bool> {
        Some(match formula {
            &Formula::Is((point, answer)) => self.answers[point]? == answer,
            Formula::Not(one) => !self.value(one)?,
            Formula::All(two) => self.value(&two[0])? & self.value(&two[1])?,
            Formula::Any(two) => self.value(&two[0])? | self.value(&two[1])?,
        })
    }

    fn repeat(&mut self, idx: usize, at_most: Option<u64>) {
        let mut n_passes = 0;
        while !self.failed.contains(&idx) && !self.outcome.is_stopped {
            match self.ask(idx) {
                Some(1) if at_most == Some(n_passes) => self.fail(idx),
                Some(1) => self.pass(Some(idx)),
                _ => break,
            }
            n_passes += 1;
        }
    }

    /// Runs the function of a point; `None` if it fails. It fails with half of its work done.
    fn ask(&mut self, point: usize) -> Option<u32> {
        let law = self.law;
        let asked = law.asked(point).expect("a function");
        let access = law.access(point);
        let touched = (0..N_RESOURCES).filter(|&one| access[one].is_some());
        let digest = digest(asked.seed(), touched.map(|one| self.values[one]));
        self.outcome.log.push((asked.label(), digest));
        let mut to_write = (0..N_RESOURCES).filter(|&one| access[one] == Some(true));
        let mut write = |one: usize| self.values[one] = written(digest, self.values[one]);
        to_write.next().map(&mut write);
        if let Asked::Node(idx) = asked {
            let fault: Option<(u64, Fault)> = law.case.nodes[idx].fault;
            let is_due = fault.is_some_and(|fault| fault.0 == self.n_runs[idx]);
            self.n_runs[idx] += 1;
            if is_due && self.may_fail {
                self.fail(point);
                return None;
            }
        }
        to_write.for_each(write);
        if let Some(Work::Recorder(resource)) = law.work(point) {
            let written = counted(&mut self.counts[point], digest);
            self.recorded.push((resource, written));
        }
        let of_bool = |digest| u32::from(is_true(digest));
        Some(match (law.work(point), law.is_selector(point)) {
            (Some(Work::Loop(limit, _)), _) => {
                is_again(&mut self.counts[point], limit, digest).into()
            }
            (Some(Work::Condition), _) => of_bool(counted(&mut self.counts[point], digest)),
            (Some(Work::Selector), _) => branch(counted(&mut self.counts[point], digest)),
            (_, true) => branch(digest),
            (_, false) => of_bool(digest),
        })
    }

    fn carry_out(&mut self) {
        for (resource, digest) in self.recorded.drain(..) {
            self.values[resource] = written(digest, self.values[resource]);
        }
    }

    /// What comes after it is skipped; the loop around it has failed; what comes after that is skipped, and so on.
    fn fail(&mut self, point: usize) {
        let law = self.law;
        self.outcome.failures.push(law.name(point));
        let on_failure = match law.points[point].thing {
            Thing::Node(idx) => law.case.nodes[idx].on_failure,
            _ => FailurePolicy::SkipDependents,
        };
        self.outcome.is_stopped |= on_failure == FailurePolicy::Stop;
        let around = law.case.outwards(law.points[point].level);
        let loops: Vec<usize> = around.into_iter().flatten().collect();
        let is_itself =
            law.points[point].thing != Thing::Node(point) || !law.case.nodes[point].is_loop();
        self.failed.extend((!is_itself).then_some(point));
        self.failed.extend(&loops);
        if on_failure == FailurePolicy::SkipDependents {
            for one in loops.into_iter().chain([point]) {
                for &dependent in &law.dependents[one] {
                    self.skip(dependent);
                }
            }
        }
    }

    fn skip(&mut self, point: usize) {
        let law = self.law;
        self.skipped.insert(point);
        if matches!(law.points[point].thing, Thing::Node(idx) if law.case.nodes[idx].is_loop()) {
            for &part in &law.order[&Some(point)] {
                self.skip(part);
            }
        }
    }
}
