//! Determines the conditions of guards, and the items that they guard.

use std::collections::BTreeSet;

use super::super::case::{Answer, Asked, Case, Formula, Guard, Level, Thing, Work};
use super::{Law, Point, Wanted};

impl Law {
    /// Returns all guards in the order of declaration. Guards of a loop follow those of its body, and guards of groups come last.
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

    /// Finds the conditions of all guards. Applies the guards to their items, to members of guarded groups, and to conditions that guard only
    /// contents of such a group.
    pub(super) fn guard(
        &mut self,
        edges: &mut BTreeSet<(usize, usize)>,
    ) -> Vec<BTreeSet<&'static str>> {
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

    /// Orders an implied condition after a sync point, or after a loop around one, if everything after the condition is also after the sync
    /// point.
    pub(super) fn order_implied(&self, edges: &mut BTreeSet<(usize, usize)>) {
        let mut sync_points = BTreeSet::new();
        for point in 0..self.points.len() {
            if self.work(point) == Some(Work::ApplyCommands) {
                sync_points.insert(point);
                sync_points.extend(
                    self.case
                        .outwards(self.points[point].level)
                        .into_iter()
                        .flatten(),
                );
            }
        }
        for sync_point in sync_points {
            // Repeats until no more conditions are found.
            loop {
                let mut after = BTreeSet::from([sync_point]);
                loop {
                    let n_after = after.len();
                    let next: Vec<usize> = edges
                        .iter()
                        .filter(|edge| after.contains(&edge.0))
                        .map(|edge| edge.1)
                        .collect();
                    after.extend(next);
                    // For a guarded group, the members are considered instead of the group.
                    let groups = 0..self.case.groups.len();
                    let begins =
                        groups
                            .map(|group| self.ends(Thing::Group(group)).0)
                            .filter(|begin| {
                                let mut next =
                                    edges.iter().filter(|edge| edge.0 == *begin).peekable();
                                next.peek().is_some()
                                    && next
                                        .all(|edge| after.contains(&edge.1) && edge.1 != sync_point)
                            });
                    let begins: Vec<usize> = begins.collect();
                    after.extend(begins);
                    if after.len() == n_after {
                        break;
                    }
                }
                let implied = (0..self.points.len()).find(|&point| {
                    let is_implied = matches!(self.points[point].thing, Thing::Implied(_));
                    let mut next = edges.iter().filter(|edge| edge.0 == point).peekable();
                    is_implied
                        && !after.contains(&point)
                        && next.peek().is_some()
                        && next.all(|edge| after.contains(&edge.1) && edge.1 != sync_point)
                });
                let Some(implied) = implied else { break };
                edges.insert((sync_point, implied));
            }
        }
    }

    /// Returns the conditions outside of a group that guard only its contents, directly or through each other.
    fn covered(&self, group: usize, guarded_by: &[Vec<Thing>]) -> BTreeSet<usize> {
        let level = self.level(Thing::Group(group));
        let is_inside = |thing: Thing| {
            let (begin, _) = self.ends(thing);
            let lifted = self.lift(begin, level);
            lifted.is_some_and(|one| self.holders(self.points[one].thing).contains(&group))
        };
        let is_member = |point: usize| match self.points[point].thing {
            thing @ Thing::Node(_) => is_inside(thing),
            // An implied condition in a loop of the group.
            _ => {
                let lifted = self.lift(point, level).filter(|&one| one != point);
                lifted.is_some_and(|one| self.holders(self.points[one].thing).contains(&group))
            }
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

    /// Returns the point of a condition, and the problems with it.
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

    /// Returns the point of an implied condition. There is one for each level, directly before the first point that it guards.
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
}

fn leaves(formula: &Formula<Wanted>) -> Vec<Wanted> {
    match formula {
        Formula::Is(leaf) => vec![*leaf],
        Formula::Not(one) => leaves(one),
        Formula::All(two) | Formula::Any(two) => two.iter().flat_map(leaves).collect(),
    }
}
