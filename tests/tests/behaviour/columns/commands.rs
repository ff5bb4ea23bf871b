//! Commands on entities in columns.

use schedule::columns::{ColumnRef, Columns, EntityId};
use schedule::entity::{CommandKind, MissedReason, Ticket};
use schedule::param::CommandQueue;
use schedule::prelude::*;

use super::{Hunger, Position, Villager, resources, rows, villager, villagers};
use crate::{failures, schedule_of};
use schedule_tests::on::On;

fn apply_to(resources: &mut Resources, record: impl FnOnce(&mut Commands<'_>)) {
    let mut queue = CommandQueue::new();
    record(&mut queue.commands());
    queue.apply(resources);
}

fn positions(resources: &mut Resources) -> Vec<i64> {
    rows(resources).iter().map(|row| row.1).collect()
}

#[test]
fn commands_are_applied_in_the_order_in_which_they_were_recorded() {
    let mut resources = resources([1, 2, 3]);
    let ids = villagers(&mut resources).ids().to_vec();
    apply_to(&mut resources, |commands| {
        commands.columns().spawn(villager(4));
        commands.columns().despawn(ids[0]);
        commands.columns().spawn_batch([5, 6].map(villager));
        commands.columns().spawn(villager(7));
    });
    assert_eq!(positions(&mut resources), [4, 2, 3, 5, 6, 7]);
    apply_to(&mut resources, |commands| {
        let mut columns = commands.columns();
        columns.spawn(villager(8));
        columns.clear();
        columns.spawn(villager(9));
    });
    assert_eq!(positions(&mut resources), [9]);
    assert!(villagers(&mut resources).missed().is_empty());
}

#[test]
fn ids_of_commands_equal_those_of_single_calls() {
    let mut by_commands = resources([]);
    let mut by_calls = resources([]);
    for n in 1..20 {
        let despawned: Vec<_> = villagers(&mut by_calls)
            .ids()
            .iter()
            .copied()
            .step_by(3)
            .collect();
        apply_to(&mut by_commands, |commands| {
            commands.columns().spawn_batch((0..n).map(villager));
            despawned
                .iter()
                .for_each(|id| commands.columns().despawn(*id));
            commands.columns().spawn(villager(-n));
        });
        let by_calls = villagers(&mut by_calls);
        by_calls.extend((0..n).map(villager));
        for id in &despawned {
            by_calls.despawn(*id);
        }
        by_calls.spawn(villager(-n));
    }
    assert_eq!(rows(&mut by_commands), rows(&mut by_calls));
}

#[test]
fn a_ticket_is_an_entity_for_later_commands() {
    let mut resources = resources([1]);
    let mut tickets = Vec::new();
    apply_to(&mut resources, |commands| {
        tickets.extend((2..5).map(|x| commands.columns().spawn(villager(x))));
        commands.columns().despawn(&tickets[0]);
        assert!(tickets.iter().all(|ticket| ticket.entity().is_none()));
    });
    assert_eq!(positions(&mut resources), [1, 4, 3]);
    let ids: Vec<_> = tickets
        .iter()
        .map(|ticket| ticket.entity().unwrap())
        .collect();
    let rows: Vec<_> = ids
        .iter()
        .map(|id| villagers(&mut resources).row(*id))
        .collect();
    assert_eq!(rows, [None, Some(2), Some(1)]);
}

#[derive(Resource, Default)]
struct House(Option<Ticket<EntityId<Villager>>>);

#[system]
fn build(house: &mut House, mut commands: Commands<Changes<Columns<Villager>>>) {
    house.0 = Some(commands.columns().spawn(villager(5)));
}

#[system(after = build)]
fn burn(house: &House, mut commands: Commands<Changes<Columns<Villager>>>) {
    let house = house.0.as_ref().unwrap();
    assert!(house.entity().is_none());
    commands.columns().despawn(house);
}

#[test]
fn a_ticket_is_an_entity_for_commands_of_later_systems() {
    for on in On::ALL {
        let mut resources = resources([1]);
        resources.insert(House::default());
        let mut schedule = schedule_of(|all| all.add::<burn>().add::<build>());
        on.set(&mut schedule);
        on.run(&mut schedule, &mut resources).unwrap();
        assert_eq!(positions(&mut resources), [1], "{on:?}");
        assert!(villagers(&mut resources).missed().is_empty());
    }
}

#[test]
fn a_sync_point_applies_commands() {
    #[derive(Checkpoint)]
    struct Built;

    #[system(after = Built)]
    fn enter(house: &House, positions: ColumnRef<Villager, Position>) {
        let id = house.0.as_ref().and_then(Ticket::entity).unwrap();
        assert_eq!(positions.by_id(id), Some(&Position(5)));
    }

    let mut builder = Schedule::builder();
    builder.add::<build>().add::<enter>();
    builder.apply_commands::<Built>();
    builder.order("build", "Built");
    let mut schedule = builder.build().unwrap();
    for on in On::ALL {
        on.set(&mut schedule);
        let mut resources = resources(0..40);
        resources.insert(House::default());
        on.run(&mut schedule, &mut resources).unwrap();
        assert_eq!(villagers(&mut resources).len(), 41, "{on:?}");
    }
}

#[test]
fn commands_of_failed_systems_are_dropped() {
    #[system]
    fn fail(
        house: &mut House,
        mut commands: Commands<Changes<Columns<Villager>>>,
    ) -> Result<(), &'static str> {
        house.0 = Some(commands.columns().spawn(villager(1)));
        commands.columns::<Villager>().clear();
        Err("no")
    }

    #[system(for_each = Columns<Villager>)]
    fn fail_for_one(position: &Position, mut commands: Commands) -> Result<(), &'static str> {
        commands.columns().spawn(villager(2));
        match position.0 {
            7 => Err("seven"),
            _ => Ok(()),
        }
    }

    #[system]
    fn move_out(house: &House, mut commands: Commands<Changes<Columns<Villager>>>) {
        commands.columns().despawn(house.0.as_ref().unwrap());
    }

    let mut resources = resources([6, 7]);
    resources.insert(House::default());
    let mut schedule =
        crate::insertion_order(|all| all.add::<fail>().add::<fail_for_one>().add::<move_out>());
    let failed = failures(schedule.run(&mut resources));
    assert_eq!(failed, ["fail: no", "fail_for_one: entity 1v1: seven"]);
    assert_eq!(positions(&mut resources), [6, 7]);
    let ticket = resources.get_mut::<House>().unwrap().0.take().unwrap();
    assert!(ticket.is_dropped() && ticket.entity().is_none());
    let missed = villagers(&mut resources).take_missed();
    assert_eq!(missed.n_total(), 1);
    let one = &missed.first()[0];
    assert_eq!(
        (one.entity, &one.reason),
        (None, &MissedReason::SpawnDropped)
    );
    assert!(villagers(&mut resources).missed().is_empty());
}

#[test]
fn commands_on_entities_that_are_gone_are_reported() {
    let mut resources = resources([1, 2]);
    let gone = villagers(&mut resources).ids()[0];
    villagers(&mut resources).despawn(gone).unwrap();
    let reused = villagers(&mut resources).spawn(villager(3));
    let mut later = CommandQueue::new();
    let ticket = later.commands::<()>().columns().spawn(villager(4));
    let line = line!() + 2;
    apply_to(&mut resources, |commands| {
        commands.columns().despawn(gone);
        commands.columns().despawn(ticket);
    });
    assert_eq!(positions(&mut resources), [2, 3]);
    assert!(villagers(&mut resources).contains(reused));
    let missed = villagers(&mut resources).missed().first();
    let found = missed.iter().map(|one| {
        assert_eq!(
            (one.kind, one.location.file()),
            (CommandKind::Despawn, file!())
        );
        (one.entity, one.reason.clone(), one.location.line())
    });
    let expected = [
        (Some(gone), MissedReason::NoSuchEntity, line),
        (None, MissedReason::NotYetSpawned, line + 1),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_missing_store_fails_the_system_by_name() {
    let mut resources = Resources::new();
    resources.insert(House::default());
    let mut schedule = schedule_of(|all| all.add::<build>());
    let failed = failures(schedule.run(&mut resources));
    assert_eq!(
        failed,
        [
            "build: a command panicked: resource `Columns<Villager>` is missing, and commands change its entities; insert it before the run"
        ]
    );
    let house = resources.get::<House>().unwrap();
    assert!(house.0.as_ref().unwrap().is_dropped());
}

#[test]
fn an_iterator_that_panics_records_nothing() {
    let mut resources = resources([]);
    apply_to(&mut resources, |commands| {
        let record = || {
            let entities = (0..3).map(|x| match x {
                2 => panic!("no"),
                x => villager(x),
            });
            commands.columns().spawn_batch(entities);
        };
        std::panic::catch_unwind(core::panic::AssertUnwindSafe(record)).unwrap_err();
        commands.columns().spawn(villager(8));
    });
    assert_eq!(positions(&mut resources), [8]);
}

#[test]
fn a_system_with_the_store_can_be_called_with_its_commands() {
    /// Every hungry villager is replaced.
    #[system]
    fn replace(hungers: ColumnRef<Villager, Hunger>, mut commands: Commands) {
        for (hunger, id) in hungers.iter().zip(hungers.ids()) {
            if hunger.0 > 0 {
                commands.columns().despawn(*id);
                commands.columns().spawn(villager(-1));
            }
        }
    }

    let mut villagers: Columns<Villager> = (0..4).map(villager).collect();
    villagers.column_mut::<Hunger>()[1].0 = 3;
    let mut queue = CommandQueue::new();
    replace(villagers.column(), queue.commands());
    let mut resources = Resources::new();
    resources.insert(villagers);
    queue.apply(&mut resources);
    assert_eq!(positions(&mut resources), [0, 3, 2, -1]);
}
