//! Compares the advice on random schedules with schedules that are built with the suggested change.

use std::time::Duration;

use proptest::prelude::*;
use schedule::prelude::{Policy, Schedule};
use schedule::report::Restriction;

use super::{cost_of, system};

/// A schedule as random data, so that it can be declared without one of its elements.
#[derive(Clone, Debug)]
struct Declared {
    policy: Policy,
    /// The cost of each system, and its accesses: a resource, and whether it is written.
    systems: Vec<(u64, Vec<(u8, bool)>)>,
    orders: Vec<(usize, usize)>,
}

impl Declared {
    fn name(&self, idx: usize) -> String {
        format!("s{idx} {}", self.systems[idx].0)
    }

    fn conflict(&self, a: usize, b: usize, resource: u8) -> bool {
        let used = |idx: usize| {
            let mut uses = self.systems[idx].1.iter();
            uses.find(|one| one.0 == resource).map(|one| one.1)
        };
        matches!((used(a), used(b)), (Some(a), Some(b)) if a || b)
    }

    fn build(&self) -> Option<Schedule> {
        self.build_of(|_, resource| vec![format!("R{resource}")])
    }

    /// Gives each conflict its own resource, except the conflict of the pair `parted`.
    fn build_without_conflict(&self, parted: (usize, usize)) -> Option<Schedule> {
        self.build_of(|idx, resource| {
            let others = (0..self.systems.len()).filter(|&other| other != idx);
            let conflicting = others.filter(|&other| self.conflict(idx, other, resource));
            let pairs = conflicting.map(|other| (idx.min(other), idx.max(other)));
            let kept = pairs.filter(|&pair| pair != parted);
            kept.map(|(a, b)| format!("{resource} of {a} and {b}"))
                .collect()
        })
    }

    /// `named(idx, resource)`: the resources that a system accesses instead of `resource`.
    fn build_of(&self, named: impl Fn(usize, u8) -> Vec<String>) -> Option<Schedule> {
        let mut builder = Schedule::builder();
        builder.policy(self.policy);
        for (idx, (_, uses)) in self.systems.iter().enumerate() {
            let mut one = system(&self.name(idx));
            for &(resource, is_write) in uses {
                for name in named(idx, resource) {
                    one = if is_write {
                        one.writes(&*name)
                    } else {
                        one.reads(&*name)
                    };
                }
            }
            builder.add_dynamic(one);
        }
        for &(a, b) in &self.orders {
            builder.order(&*self.name(a), &*self.name(b));
        }
        builder.build().ok()
    }
}

/// Returns random schedules. Under `Reject`, all conflicting pairs are ordered, because the schedule would otherwise be rejected.
fn declared() -> impl Strategy<Value = Declared> {
    let policy = prop::sample::select(vec![
        Policy::InsertionOrder,
        Policy::InsertionOrder,
        Policy::WritersFirst,
        Policy::Reject,
    ]);
    let uses = prop::collection::btree_map(0..4_u8, any::<bool>(), 0..3);
    let systems = prop::collection::vec((1..9_u64, uses), 2..9);
    (policy, systems, any::<u64>(), any::<bool>()).prop_map(|(policy, systems, bits, is_full)| {
        let systems = systems.into_iter();
        let systems: Vec<_> = systems
            .map(|(cost, uses)| (cost, uses.into_iter().collect::<Vec<_>>()))
            .collect();
        let mut declared = Declared {
            policy,
            systems,
            orders: Vec::new(),
        };
        for b in 0..declared.systems.len() {
            for a in 0..b {
                let is_chosen = bits >> ((7 * a + 11 * b) % 64) & 3 == 0;
                let conflict = (0..4).any(|resource| declared.conflict(a, b, resource));
                // Schedules that would otherwise be rejected must be built often enough.
                let is_needed = conflict && (is_full || policy == Policy::Reject);
                if is_chosen || is_needed && policy != Policy::InsertionOrder {
                    declared.orders.push((a, b));
                }
            }
        }
        declared
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 256 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn prediction_equals_the_simulation_of_the_changed_schedule(
        declared in declared(),
        n_workers in 2..5_usize,
    ) {
        let Some(schedule) = declared.build() else {
            return Ok(());
        };
        let number = |name: &str| -> usize {
            name[1..].split(' ').next().unwrap().parse().unwrap()
        };
        let advice = schedule.advise_with(n_workers, cost_of);
        let as_it_is = schedule.simulate(n_workers.into(), cost_of);
        prop_assert_eq!(advice.makespan(), as_it_is.makespan());
        prop_assert_eq!((advice.work, advice.span), (as_it_is.work(), as_it_is.span()));
        let path: Duration = advice.critical_path.iter().map(|one| one.cost).sum();
        prop_assert_eq!(path, advice.span);
        for change in &advice.changes {
            let mut other = declared.clone();
            let instead: Vec<_> = change.instead.iter().map(|(a, b)| (number(a), number(b))).collect();
            let built = match &change.without {
                Restriction::DeclaredOrder { first, then, .. } => {
                    let pair = (number(first), number(then));
                    other.orders.retain(|&one| one != pair);
                    other.orders.extend(&instead);
                    other.build()
                }
                Restriction::Conflict { first, then, place, .. } => {
                    let (a, b) = (number(first), number(then));
                    if place.is_some() {
                        other.orders.retain(|&one| one != (a, b));
                    }
                    other.orders.extend(&instead);
                    other.build_without_conflict((a.min(b), a.max(b)))
                }
                Restriction::Resource { resource, .. } => {
                    let gone: u8 = resource[1..].parse().unwrap();
                    for (_, uses) in &mut other.systems {
                        uses.retain(|one| one.0 != gone);
                    }
                    other.orders.extend(&instead);
                    other.build()
                }
                _ => unreachable!("there are three kinds"),
            };
            let simulation = built.unwrap().simulate(n_workers.into(), cost_of);
            let on_them = change.makespans.iter().find(|one| one.n_workers == n_workers);
            prop_assert_eq!(on_them.unwrap().makespan, simulation.makespan(), "{}", change.without);
            prop_assert_eq!(change.span, simulation.span(), "{}", change.without);
        }
    }
}
