//! The entities of the interpreter, and the effects of systems and commands on them.
//!
//! The values of components are in a plain list. A world of hecs, which changes in the same way, only tells the ids of entities
//! and their order.

use std::collections::BTreeMap;

use schedule_hecs::prelude::*;
use schedule_hecs::{CommandKind, hecs};

use super::case::{Change, Fault, Visit};
use super::changes::{Recipient, Recorded, bundle, chosen, parts, written};
use super::each::{EachCommand, EachSpec, commands_for, fails_for};
use super::parts::{A, N, Value, Values, mix, stored, with_part};
use super::pool::{CONDITIONS, MISSING, Spec, Term, holds};

/// The entities of a run.
pub(super) struct Model {
    ids: hecs::World,
    values: BTreeMap<Entity, Values>,
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

    pub(super) fn values(&self, entity: Entity) -> Values {
        self.values[&entity]
    }

    pub(super) fn entities(&self) -> Vec<Entity> {
        self.ids.iter().map(|entity| entity.entity()).collect()
    }

    fn spawn(&mut self, set: u8, number: usize) -> Entity {
        let entity = self.ids.spawn(());
        self.values.insert(entity, [None; N]);
        self.insert(entity, set, number);
        entity
    }

    /// Returns whether the entity exists, like `despawn`.
    fn insert(&mut self, entity: Entity, set: u8, number: usize) -> bool {
        let Some(values) = self.values.get_mut(&entity) else {
            return false;
        };
        for part in parts(set) {
            values[part] = Some(stored(part, written(number, part)));
        }
        self.ids.insert(entity, bundle(set, number).build()).is_ok()
    }

    fn despawn(&mut self, entity: Entity) -> bool {
        self.values.remove(&entity);
        self.ids.despawn(entity).is_ok()
    }

    /// Returns whether the entity had the component.
    fn remove(&mut self, entity: Entity, part: usize) -> bool {
        if let Some(values) = self.values.get_mut(&entity) {
            values[part] = None;
        }
        with_part!(part, T => self.ids.remove_one::<T>(entity).is_ok())
    }

    /// Applies the commands of one system.
    pub(super) fn apply(&mut self, commands: &[Recorded], missed: &mut Vec<CommandKind>) {
        let mut spawned = Vec::new();
        for command in commands {
            let entity = |one: &Recipient, spawned: &[Entity]| match *one {
                Recipient::Entity(entity) => entity,
                Recipient::Spawned(nth) => spawned[nth],
            };
            let (had_effect, kind) = match command {
                Recorded::Spawn(set, number) => {
                    spawned.push(self.spawn(*set, *number));
                    continue;
                }
                Recorded::SpawnA(number) => {
                    let mut values = [None; N];
                    values[0] = Some(*number);
                    let entity = self.ids.spawn((A::new(*number),));
                    self.values.insert(entity, values);
                    continue;
                }
                Recorded::Insert(to, set, number) => (
                    self.insert(entity(to, &spawned), *set, *number),
                    CommandKind::Insert,
                ),
                Recorded::Remove(from, part) => (
                    self.remove(entity(from, &spawned), *part),
                    CommandKind::Remove,
                ),
                Recorded::Despawn(of) => (self.despawn(entity(of, &spawned)), CommandKind::Despawn),
            };
            if !had_effect {
                missed.push(kind);
            }
        }
    }

    pub(super) fn change(&mut self, changes: &[Change]) {
        for (number, change) in changes.iter().enumerate() {
            let entities = self.entities();
            match *change {
                Change::Spawn(n, set) => (0..n).for_each(|_| {
                    self.spawn(set, number);
                }),
                Change::Despawn(at) => {
                    if let Some(entity) = chosen(at, &entities) {
                        assert!(self.despawn(entity));
                    }
                }
                Change::Insert(at, set) => {
                    if let Some(entity) = chosen(at, &entities) {
                        assert!(self.insert(entity, set, number));
                    }
                }
                Change::Remove(at, part) => {
                    if let Some(entity) = chosen(at, &entities) {
                        self.remove(entity, part);
                    }
                }
                Change::Write(at, part) => {
                    if let Some(entity) = chosen(at, &entities) {
                        let values = self.values.get_mut(&entity).unwrap();
                        let value = Some(stored(part, written(number, part)));
                        values[part] = values[part].and(value);
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
    pub(super) fn query(
        &mut self,
        spec: &Spec,
        visit: Visit,
        fault: Option<Fault>,
        known: &[Entity],
        mut seen: u64,
    ) -> Option<u64> {
        let matching = self.matching(spec);
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

    /// Runs a `for_each` system and returns its commands, or `None` if it failed.
    pub(super) fn each(&mut self, spec: &EachSpec, fault: Option<Fault>) -> Option<Vec<Recorded>> {
        let (mut commands, mut has_failed) = (Vec::new(), false);
        let others = spec.other.as_ref().map_or(0, |other| {
            let found = self.matching(other).into_iter();
            found.fold(0, |seen, entity| {
                mix(seen, self.values[&entity][3].unwrap())
            })
        });
        for entity in self.matching(&spec.own) {
            let seen = mix(others, entity.to_bits().get());
            let values = self.values.get_mut(&entity).unwrap();
            let seen = see(spec.own.terms, entity, values, seen);
            match fault {
                Some(_) if !fails_for(entity) => {}
                Some(Fault::Panic) => return None,
                Some(Fault::Error) => {
                    has_failed = true;
                    continue;
                }
                None => {}
            }
            write(spec.own.terms, values, seen);
            if spec.commands {
                commands.extend(commands_for(seen).into_iter().map(|command| match command {
                    EachCommand::RemoveB => Recorded::Remove(Recipient::Entity(entity), 1),
                    EachCommand::Despawn => Recorded::Despawn(Recipient::Entity(entity)),
                    EachCommand::SpawnA(number) => Recorded::SpawnA(number),
                }));
            }
        }
        (!has_failed).then_some(commands)
    }

    /// The entities that a query matches, in the order of the world.
    fn matching(&self, spec: &Spec) -> Vec<Entity> {
        let mut matching = self.entities();
        matching.retain(|entity| spec.matches_entity(&self.values[entity]));
        matching
    }

    pub(super) fn holds(&self, nth: usize, idx: usize) -> bool {
        let spec = &CONDITIONS[nth];
        let matching = self.matching(spec).into_iter();
        holds(matching.fold(idx as u64, |seen, entity| {
            see(spec.terms, entity, &self.values[&entity], seen)
        }))
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
