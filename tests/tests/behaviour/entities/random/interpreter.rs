//! Runs random systems one by one. A reference that shares no code with queries, the verifier and the executors.
//!
//! The values of components are in a plain list. A world of hecs, which changes in the same way, only tells the ids of entities
//! and their order.

use std::collections::{BTreeMap, BTreeSet};

use schedule_hecs::hecs;
use schedule_hecs::prelude::*;

use super::case::{Case, Change, Fault, Work};
use super::parts::{N, Value, Values, mix, stored, with_part};
use super::pool::{MISSING, POOL, Spec, Term};
use crate::random::orders::{reachable, smallest_first};

/// How a system visits the entities of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Visit {
    Next,
    Fold,
    Parallel,
    /// By the ids that are known before the run.
    ById,
    ManyById,
    Single,
}

/// The results of a run. Nodes are indices in the case.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// What each node computed, if it ran to its end.
    pub(super) seen: BTreeMap<usize, u64>,
    /// In the order of the schedule, like `skipped`.
    pub(super) failures: Vec<(usize, Fault)>,
    pub(super) skipped: Vec<usize>,
    /// All entities and their components, in the order of the world.
    pub(super) entities: Vec<(Entity, Values)>,
}

/// The entities of a run.
pub(super) struct Model {
    ids: hecs::World,
    values: BTreeMap<Entity, Values>,
}

/// The entity that a number stands for.
pub(super) fn chosen(number: usize, entities: &[Entity]) -> Option<Entity> {
    let idx = number.checked_rem(entities.len())?;
    Some(entities[idx])
}

/// The value that a change writes.
pub(super) fn written(change: usize, part: usize) -> u64 {
    mix(change as u64 + 1, part as u64)
}

/// The components of a set.
pub(super) fn parts(set: u8) -> impl Iterator<Item = usize> {
    (0..N).filter(move |part| set >> part & 1 == 1)
}

/// A bundle of the components of a set, with the values of a change.
pub(super) fn bundle(set: u8, change: usize) -> hecs::EntityBuilder {
    let mut bundle = hecs::EntityBuilder::new();
    for part in parts(set) {
        with_part!(part, T => bundle.add(T::new(written(change, part))));
    }
    bundle
}

impl Model {
    pub(super) fn new(changes: &[Change]) -> Self {
        let mut model = Self {
            ids: hecs::World::new(),
            values: BTreeMap::new(),
        };
        model.change(changes);
        model
    }

    pub(super) fn entities(&self) -> Vec<Entity> {
        self.ids.iter().map(|entity| entity.entity()).collect()
    }

    fn change(&mut self, changes: &[Change]) {
        for (number, change) in changes.iter().enumerate() {
            let entities = self.entities();
            let value = |part| Some(stored(part, written(number, part)));
            match *change {
                Change::Spawn(n, set) => {
                    for _ in 0..n {
                        let entity = self.ids.spawn(bundle(set, number).build());
                        let mut values = [None; N];
                        parts(set).for_each(|part| values[part] = value(part));
                        self.values.insert(entity, values);
                    }
                }
                Change::Despawn(at) => {
                    if let Some(entity) = chosen(at, &entities) {
                        self.ids.despawn(entity).unwrap();
                        self.values.remove(&entity);
                    }
                }
                Change::Insert(at, set) => {
                    if let Some(entity) = chosen(at, &entities) {
                        self.ids
                            .insert(entity, bundle(set, number).build())
                            .unwrap();
                        let values = self.values.get_mut(&entity).unwrap();
                        parts(set).for_each(|part| values[part] = value(part));
                    }
                }
                Change::Remove(at, part) => {
                    if let Some(entity) = chosen(at, &entities) {
                        with_part!(part, T => drop(self.ids.remove_one::<T>(entity)));
                        self.values.get_mut(&entity).unwrap()[part] = None;
                    }
                }
                Change::Write(at, part) => {
                    if let Some(entity) = chosen(at, &entities) {
                        let values = self.values.get_mut(&entity).unwrap();
                        values[part] = values[part].and(value(part));
                    }
                }
            }
        }
    }

    /// Visits an entity by a query. Returns `None` if it does not match.
    fn touch(&mut self, spec: &Spec, entity: Entity, seen: u64) -> Option<u64> {
        let values = self.values.get_mut(&entity)?;
        if !spec.matches_entity(values) {
            return None;
        }
        let seen = see(spec.terms, entity, values, seen);
        write(spec.terms, values, seen);
        Some(seen)
    }

    /// Returns what a query has seen, or `None` if it failed.
    fn query(
        &mut self,
        spec: &Spec,
        visit: Visit,
        fault: Option<Fault>,
        known: &[Entity],
        mut seen: u64,
    ) -> Option<u64> {
        let mut matching = self.entities();
        matching.retain(|entity| spec.matches_entity(&self.values[entity]));
        let missing = |seen| mix(seen, MISSING);
        match visit {
            Visit::Next | Visit::Fold => {
                let half = matching.len() / 2;
                for (row, entity) in matching.iter().enumerate() {
                    if visit == Visit::Next && row == half && fault.is_some() {
                        return None;
                    }
                    seen = self.touch(spec, *entity, seen).unwrap();
                }
            }
            Visit::Parallel => {
                for entity in &matching {
                    self.touch(spec, *entity, seen).unwrap();
                }
                seen = mix(seen, matching.len() as u64);
            }
            Visit::ById => {
                for &entity in known {
                    seen = self.touch(spec, entity, seen).unwrap_or(missing(seen));
                }
            }
            Visit::ManyById => {
                for pair in known.chunks_exact(2) {
                    for &entity in pair {
                        seen = self.touch(spec, entity, seen).unwrap_or(missing(seen));
                    }
                    seen = missing(seen);
                }
            }
            Visit::Single => {
                let only = <[Entity; 1]>::try_from(matching).ok();
                let found = only.and_then(|[only]| self.touch(spec, only, seen));
                seen = found.unwrap_or(missing(seen));
            }
        }
        fault.is_none().then_some(seen)
    }
}

fn see(terms: &[Term], entity: Entity, values: &Values, seen: u64) -> u64 {
    terms.iter().fold(seen, |seen, term| match term {
        Term::Read(part) | Term::Write(part) => mix(seen, values[*part].unwrap()),
        Term::Id => mix(seen, entity.to_bits().get()),
        Term::Maybe(terms) if has_all(terms, values) => see(terms, entity, values, seen),
        Term::Maybe(_) => mix(seen, MISSING),
    })
}

fn write(terms: &[Term], values: &mut Values, seen: u64) {
    for term in terms {
        match term {
            Term::Write(part) => values[*part] = Some(stored(*part, mix(seen, *part as u64))),
            Term::Maybe(terms) if has_all(terms, values) => write(terms, values, seen),
            Term::Read(_) | Term::Id | Term::Maybe(_) => {}
        }
    }
}

fn has_all(terms: &[Term], values: &Values) -> bool {
    terms
        .iter()
        .all(|term| term.matches(&|part| values[part].is_some()))
}

/// The components on which two systems conflict, and `N` for the world. For each, whether the first and the second write it.
fn conflicts(a: &Work, b: &Work) -> Vec<(usize, bool, bool)> {
    let writes_world = |work: &Work| matches!(work, Work::Change(_));
    let mut found = vec![(N, writes_world(a), writes_world(b))];
    if let (Work::Query(a, _), Work::Query(b, _)) = (a, b) {
        for part in 0..N {
            let mut conflict = (part, false, false);
            for (one, other) in POOL[*a]
                .iter()
                .flat_map(|a| POOL[*b].iter().map(move |b| (a, b)))
            {
                if let (Some(one_writes), Some(other_writes)) =
                    (one.access()[part], other.access()[part])
                    && one.meets(other)
                {
                    conflict.1 |= one_writes;
                    conflict.2 |= other_writes;
                }
            }
            found.push(conflict);
        }
    }
    found.retain(|conflict| conflict.1 || conflict.2);
    found
}

/// The order of a case, and the systems that are skipped after a failure.
#[derive(Debug)]
pub(super) struct Interpreter {
    case: Case,
    pub(super) order: Vec<usize>,
    /// Declared orders, and those of `WritersFirst`.
    binding: Vec<(usize, usize)>,
    /// The pairs that conflict without a declared order between them, with the smaller index first.
    pub(super) races: BTreeSet<(usize, usize)>,
}

impl Interpreter {
    /// Returns `None` if `WritersFirst` causes a cycle.
    pub(super) fn new(case: &Case) -> Option<Self> {
        let (n_nodes, declared) = (case.nodes.len(), &case.orders);
        let (mut binding, mut races) = (declared.clone(), BTreeSet::new());
        for (a, b) in (0..n_nodes).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let shared = conflicts(&case.nodes[a].work, &case.nodes[b].work);
            let is_ordered =
                reachable(declared, a).contains(&b) || reachable(declared, b).contains(&a);
            if is_ordered || shared.is_empty() {
                continue;
            }
            races.insert((a, b));
            if shared.iter().any(|one| Some(one.0) == case.writers_first) {
                binding.extend(shared.iter().filter(|one| one.1).map(|_| (a, b)));
                binding.extend(shared.iter().filter(|one| one.2).map(|_| (b, a)));
            }
        }
        let order = smallest_first(n_nodes, &binding)?;
        Some(Self {
            case: case.clone(),
            order,
            binding,
            races,
        })
    }

    /// Runs the nodes one by one. `faults[i]`: the failure of node i, if the node runs a query.
    pub(super) fn run(&self, model: &mut Model, faults: &[Option<Fault>]) -> Outcome {
        let mut outcome = Outcome::default();
        let mut to_skip = BTreeSet::new();
        let known = model.entities();
        for &idx in &self.order {
            let node = &self.case.nodes[idx];
            if to_skip.contains(&idx) {
                outcome.skipped.push(idx);
                continue;
            }
            let start = idx as u64 + 1;
            let seen = match &node.work {
                Work::Query(nth, visit) => {
                    let (last, first) = POOL[*nth].split_last().unwrap();
                    let seen = first.iter().fold(start, |seen, spec| {
                        model.query(spec, *visit, None, &known, seen).unwrap()
                    });
                    model.query(last, *visit, faults[idx], &known, seen)
                }
                Work::Count => {
                    let ids = model.entities().into_iter();
                    Some(ids.fold(start, |seen, id| mix(seen, id.to_bits().get())))
                }
                Work::Change(changes) => {
                    model.change(changes);
                    Some(model.entities().len() as u64)
                }
            };
            match (seen, faults[idx]) {
                (Some(seen), _) => drop(outcome.seen.insert(idx, seen)),
                (None, fault) => {
                    outcome.failures.push((idx, fault.unwrap()));
                    if !node.carries_on {
                        to_skip.append(&mut reachable(&self.binding, idx));
                    }
                }
            }
        }
        let entities = model.entities().into_iter();
        outcome.entities = entities.map(|id| (id, model.values[&id])).collect();
        outcome
    }
}
