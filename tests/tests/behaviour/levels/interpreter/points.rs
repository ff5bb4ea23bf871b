//! Places the points of nodes and groups, and determines the points that an order connects.

use std::collections::BTreeSet;

use super::super::case::{Level, Thing};
use super::{Law, Point};

impl Law {
    /// Adds the points of nodes and groups. A group is at the level of its members, or else at its declared level.
    pub(super) fn add_points(&mut self) -> Vec<BTreeSet<&'static str>> {
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

    pub(super) fn level(&self, thing: Thing) -> Level {
        self.points[self.ends(thing).0].level
    }

    /// Returns the point itself, or the loop at this level that contains it.
    pub(super) fn lift(&self, point: usize, level: Level) -> Option<usize> {
        let around = self.case.outwards(self.points[point].level);
        let at = around.iter().position(|&one| one == level)?;
        Some(
            at.checked_sub(1)
                .map_or(point, |inside| around[inside].unwrap()),
        )
    }

    /// Returns the innermost level that contains both.
    pub(super) fn common(&self, a: Level, b: Level) -> Level {
        let around = self.case.outwards(b);
        let mut levels = self.case.outwards(a).into_iter();
        levels.find(|level| around.contains(level)).unwrap()
    }

    /// Returns the points at the common level that contain two points. They are equal if one point is a loop around the other.
    pub(super) fn lift_both(&self, a: usize, b: usize) -> (usize, usize) {
        let common = self.common(self.points[a].level, self.points[b].level);
        let lift = |point| self.lift(point, common).unwrap();
        (lift(a), lift(b))
    }

    pub(super) fn lifted_order(
        &self,
        first: Thing,
        then: Thing,
    ) -> Result<(Thing, Thing), &'static str> {
        let common = self.common(self.level(first), self.level(then));
        let [a, b] = [first, then].map(|thing| match self.level(thing) {
            level if level == common => thing,
            _ => Thing::Node(self.lift(self.ends(thing).0, common).unwrap()),
        });
        let is_in = |thing, group| matches!(group, Thing::Group(group) if self.holders(thing).contains(&group));
        if a == b && first != then {
            Err("LoopAgainstBody")
        } else if is_in(a, b) || is_in(b, a) {
            Err("GroupAgainstMember")
        } else {
            Ok((a, b))
        }
    }

    pub(super) fn group(&self, edges: &mut BTreeSet<(usize, usize)>) {
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
}
