//! Random commands on entities in columns, compared with the same calls on a store.

use proptest::prelude::*;
use schedule::columns::{Columns, EntityId};
use schedule::entity::{MissedReason, Ticket};
use schedule::param::CommandQueue;
use schedule::prelude::*;

use super::{Villager, resources, rows, villager, villagers};

#[derive(Clone, Debug)]
enum Step {
    Spawn(i64),
    SpawnBatch(i64),
    /// Despawns an entity of the last round, by its row.
    Despawn(usize),
    /// Despawns the entity of a ticket of any round.
    DespawnTicket(usize),
    Clear,
    /// A command on nothing, so that the next one is in another buffer.
    Other,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<i64>().prop_map(Step::Spawn),
        1 => (0..5_i64).prop_map(Step::SpawnBatch),
        8 => any::<usize>().prop_map(Step::Despawn),
        4 => any::<usize>().prop_map(Step::DespawnTicket),
        1 => Just(Step::Clear),
        2 => Just(Step::Other),
    ]
}

type Id = EntityId<Villager>;

/// The entities of tickets, and the commands without effect, if the commands are calls.
#[derive(Default)]
struct Calls {
    spawned: Vec<Id>,
    missed: Vec<(Option<Id>, MissedReason)>,
}

impl Calls {
    fn despawn(&mut self, store: &mut Columns<Villager>, id: Id) {
        if store.despawn(id).is_none() {
            self.missed.push((Some(id), MissedReason::NoSuchEntity));
        }
    }

    fn run(&mut self, step: &Step, store: &mut Columns<Villager>, ids: &[Id]) {
        match *step {
            Step::Spawn(position) => self.spawned.push(store.spawn(villager(position))),
            Step::SpawnBatch(n) => store.extend((0..n).map(villager)),
            Step::Despawn(row) if !ids.is_empty() => self.despawn(store, ids[row % ids.len()]),
            Step::DespawnTicket(nth) if !self.spawned.is_empty() => {
                self.despawn(store, self.spawned[nth % self.spawned.len()]);
            }
            Step::Clear => store.clear(),
            _ => {}
        }
    }
}

fn record(step: &Step, commands: &mut Commands<'_>, ids: &[Id], tickets: &mut Vec<Ticket<Id>>) {
    match *step {
        Step::Spawn(position) => tickets.push(commands.columns().spawn(villager(position))),
        Step::SpawnBatch(n) => commands.columns().spawn_batch((0..n).map(villager)),
        Step::Despawn(row) if !ids.is_empty() => {
            let id = ids[row % ids.len()];
            // Two places of calls, because the place is a part of the report.
            let mut columns = commands.columns();
            if row % 7 == 0 {
                return columns.despawn(id);
            }
            columns.despawn(id);
        }
        Step::DespawnTicket(nth) if !tickets.is_empty() => {
            commands.columns().despawn(&tickets[nth % tickets.len()]);
        }
        Step::Clear => commands.columns::<Villager>().clear(),
        Step::Other => _ = commands.push(|_| {}),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn commands_have_the_effects_of_calls_in_their_order(
        rounds in prop::collection::vec(prop::collection::vec(step(), 0..60), 1..6),
    ) {
        let (mut by_commands, mut by_calls) = (resources(0..9), resources(0..9));
        let mut queue = CommandQueue::new();
        let mut tickets = Vec::new();
        let mut calls = Calls::default();
        for steps in rounds {
            let ids = villagers(&mut by_commands).ids().to_vec();
            for step in &steps {
                record(step, &mut queue.commands(), &ids, &mut tickets);
            }
            queue.apply(&mut by_commands);
            let store = villagers(&mut by_calls);
            steps.iter().for_each(|step| calls.run(step, store, &ids));
            prop_assert_eq!(rows(&mut by_commands), rows(&mut by_calls));
            let found: Vec<_> = tickets.iter().filter_map(Ticket::entity).collect();
            prop_assert_eq!(&found, &calls.spawned);
            let missed = villagers(&mut by_commands).take_missed();
            let expected = std::mem::take(&mut calls.missed);
            prop_assert_eq!(missed.n_total(), expected.len());
            for (found, expected) in missed.first().iter().zip(expected) {
                prop_assert_eq!((found.entity, found.reason.clone()), expected);
            }
        }
    }
}
