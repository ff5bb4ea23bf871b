//! Determines the conflicts of points, the policies of pairs, and the exclusive pairs.

use std::collections::{BTreeMap, BTreeSet};

use schedule::Policy;

use super::super::case::{Asked, Case, Formula, N_RESOURCES, Thing, Work, own_reads, typed_reads};
use super::{Law, Wanted};

/// The acceptable answers of each point that must give an answer.
type Good = BTreeMap<usize, BTreeSet<u32>>;

fn both(mut one: Good, other: Good) -> Good {
    for (point, answers) in other {
        let known = one.entry(point).or_insert_with(|| answers.clone());
        known.retain(|answer| answers.contains(answer));
    }
    one
}

/// The union of two alternatives requires only answers that both of them require.
fn either(mut one: Good, other: &Good) -> Good {
    one.retain(|point, _| other.contains_key(point));
    for (point, answers) in &mut one {
        answers.extend(&other[point]);
    }
    one
}

/// The leaves of guards.
fn leaves(guards: &[&Formula<Wanted>]) -> BTreeSet<Wanted> {
    let of_one = |guard: &&Formula<Wanted>| match guard {
        Formula::Is(leaf) => BTreeSet::from([*leaf]),
        Formula::Not(one) => leaves(&[one]),
        Formula::All(two) | Formula::Any(two) => leaves(&two.each_ref()),
    };
    guards.iter().flat_map(of_one).collect()
}

/// Whether a guard is true after these answers of its points.
fn holds(guard: &Formula<Wanted>, given: &BTreeMap<usize, u32>) -> bool {
    match guard {
        Formula::Is((point, answer)) => given[point] == *answer,
        Formula::Not(one) => !holds(one, given),
        Formula::All(two) => two.iter().all(|one| holds(one, given)),
        Formula::Any(two) => two.iter().any(|one| holds(one, given)),
    }
}

impl Law {
    /// For each resource, whether it is written. The last element represents exclusive access.
    pub(super) fn access(&self, point: usize) -> [Option<bool>; N_RESOURCES + 1] {
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
            Thing::Implied(Asked::Typed(typed)) => reads(Some(typed_reads(typed))),
            Thing::Implied(Asked::Own(own)) => reads(own_reads(own)),
            Thing::Implied(Asked::Node(_)) => unreachable!("it is added"),
        }
        access
    }

    /// Returns the resources on which two points conflict, and which of the points write them.
    pub(super) fn shared(&self, a: usize, b: usize) -> Vec<(usize, bool, bool)> {
        let (a, b) = (self.access(a), self.access(b));
        let both = (0..=N_RESOURCES).filter_map(|one| Some((one, a[one]?, b[one]?)));
        both.filter(|&(_, a, b)| a || b).collect()
    }

    pub(super) fn conflicts(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.points.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs
            .filter(|&(a, b)| !self.shared(a, b).is_empty())
            .collect()
    }

    pub(super) fn policy(&self, a: usize, b: usize) -> Policy {
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

    /// Returns whether the two points never both run in one iteration of their innermost common level.
    pub(super) fn is_exclusive(&self, a: usize, b: usize) -> bool {
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
        let is_opposed = needs_a.iter().any(|(point, of_a)| {
            let is_fixed = around.contains(&self.points[*point].level);
            is_fixed
                && needs_b
                    .get(point)
                    .is_some_and(|of_b| of_a.is_disjoint(of_b))
        });
        is_opposed || !self.can_both_be_true(self.decidable_guards(a), self.decidable_guards(b))
    }

    /// Returns the guards of a point and of the loops around it, or none if they have more than six leaves.
    fn decidable_guards(&self, point: usize) -> Vec<&Formula<Wanted>> {
        let loops = self.case.outwards(self.points[point].level);
        let all = loops.into_iter().flatten().chain([point]);
        let guards: Vec<_> = all.flat_map(|point| &self.guards[point]).collect();
        if leaves(&guards).len() > 6 {
            return Vec::new();
        }
        guards
    }

    /// Returns whether some answers make all guards true. Tries all answers, unless the common conditions have more than six leaves.
    fn can_both_be_true(&self, one: Vec<&Formula<Wanted>>, other: Vec<&Formula<Wanted>>) -> bool {
        let sides = [&one, &other].map(|guards| leaves(guards));
        let [points, others] = sides.each_ref().map(|leaves| {
            let points = leaves.iter().map(|leaf| leaf.0);
            points.collect::<BTreeSet<usize>>()
        });
        let common: BTreeSet<usize> = points.intersection(&others).copied().collect();
        let is_common = |leaf: &&Wanted| common.contains(&leaf.0);
        let common_leaves: BTreeSet<_> = sides.iter().flatten().filter(is_common).collect();
        if common_leaves.len() > 6 {
            return true;
        }
        let asked: Vec<usize> = points.union(&others).copied().collect();
        let guards = [one, other].concat();
        self.is_possible(&guards, &asked, &mut BTreeMap::new())
    }

    /// Returns whether some answers of the points make all guards true, together with the given answers.
    fn is_possible(
        &self,
        guards: &[&Formula<Wanted>],
        asked: &[usize],
        given: &mut BTreeMap<usize, u32>,
    ) -> bool {
        let Some((&point, rest)) = asked.split_first() else {
            return guards.iter().all(|guard| holds(guard, given));
        };
        (0..self.n_answers(point)).any(|answer| {
            given.insert(point, answer);
            self.is_possible(guards, rest, given)
        })
    }

    fn n_answers(&self, point: usize) -> u32 {
        if self.is_selector(point) { 3 } else { 2 }
    }

    /// Returns the answers without which a formula does not have the required value.
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
                let is_good = |one: &u32| (*one == answer) == wanted;
                let good = (0..self.n_answers(point)).filter(is_good);
                Good::from([(point, good.collect())])
            }
            Formula::Not(one) => self.good(one, !wanted),
            Formula::All(two) => of_two(two, wanted),
            Formula::Any(two) => of_two(two, !wanted),
        }
    }
}
