//! Random schedules on a store of columns, compared with an interpreter, on all executors.

use proptest::prelude::*;
use schedule::SavedResources;
use schedule::columns::{ColumnMut, ColumnRef, Columns, EntityId};
use schedule::prelude::*;
use schedule::{Builder, Policy};

use super::{Hunger, Position, Villager, resources, rows, villager};
use schedule_tests::on::On;

#[system(for_each = Columns<Villager>)]
fn walk(position: &mut Position, hunger: &Hunger) {
    position.0 += hunger.0 % 5;
}

#[system(for_each = Columns<Villager>)]
fn starve(hunger: &mut Hunger) {
    hunger.0 += 3;
}

#[system(for_each = Columns<Villager>)]
fn split(position: &Position, villager: EntityId<Villager>, mut commands: Commands) {
    if position.0 % 4 == 1 {
        commands.columns().spawn(self::villager(position.0 + 1));
        commands.columns().despawn(villager);
    }
}

#[system]
fn follow(mut positions: ColumnMut<Villager, Position>) {
    for row in 1..positions.len() {
        positions[row].0 = (positions[row].0 + positions[row - 1].0) % 1000;
    }
}

#[system]
fn feed(positions: ColumnRef<Villager, Position>, mut hungers: ColumnMut<Villager, Hunger>) {
    for (position, hunger) in positions.iter().zip(&mut hungers) {
        hunger.0 -= position.0 % 3;
    }
}

#[system]
fn arrive(hungers: ColumnRef<Villager, Hunger>, mut commands: Commands) {
    let sum = hungers.iter().map(|hunger| hunger.0).sum::<i64>();
    commands
        .columns()
        .spawn_batch((0..sum.rem_euclid(4)).map(villager));
    let ticket = commands.columns().spawn(villager(sum % 100));
    if sum % 2 == 0 {
        commands.columns().despawn(ticket);
    }
}

#[system]
fn leave(villagers: &Columns<Villager>, mut commands: Commands) {
    for id in villagers.ids().iter().skip(2).step_by(3) {
        commands.columns().despawn(*id);
    }
}

#[system]
fn fail(
    positions: ColumnRef<Villager, Position>,
    mut commands: Commands,
) -> Result<(), &'static str> {
    commands.columns::<Villager>().clear();
    if positions.len() > 30 {
        Ok(())
    } else {
        Err("no")
    }
}

#[system]
fn reverse(villagers: &mut Columns<Villager>) {
    let all: Vec<_> = villagers.ids().to_vec();
    let all: Vec<_> = all.iter().filter_map(|id| villagers.despawn(*id)).collect();
    villagers.extend(all.into_iter().rev());
}

#[system]
fn sort(villagers: &mut Columns<Villager>) {
    villagers.sort_by_key::<(&Position, &Hunger), _>(|(position, hunger)| {
        (position.0 - hunger.0).rem_euclid(7)
    });
}

/// A change of the entities that is applied at the end of the run. Entities are numbers in the order of creation.
enum Command {
    Spawn(i64),
    /// Despawns the entity of a row, as it was when the command was recorded.
    Despawn(usize),
    DespawnLast,
    Clear,
}

/// The rows, in a naive form.
#[derive(Default)]
struct Model {
    /// The number, position and hunger of each entity.
    rows: Vec<(usize, i64, i64)>,
    n_ever: usize,
}

impl Model {
    fn spawn(&mut self, position: i64, hunger: i64) {
        self.rows.push((self.n_ever, position, hunger));
        self.n_ever += 1;
    }

    fn apply(&mut self, command: &Command) {
        let nth = match command {
            Command::Spawn(position) => return self.spawn(*position, 0),
            Command::Clear => return self.rows.clear(),
            Command::Despawn(nth) => *nth,
            Command::DespawnLast => self.n_ever - 1,
        };
        if let Some(row) = self.rows.iter().position(|row| row.0 == nth) {
            self.rows.swap_remove(row);
        }
    }

    /// Runs a system, and adds its commands.
    fn run(&mut self, system: System, commands: &mut Vec<Command>) {
        let rows = &mut self.rows;
        match system {
            System::Walk => rows.iter_mut().for_each(|row| row.1 += row.2 % 5),
            System::Starve => rows.iter_mut().for_each(|row| row.2 += 3),
            System::Split => {
                for row in rows.iter().filter(|row| row.1 % 4 == 1) {
                    commands.extend([Command::Spawn(row.1 + 1), Command::Despawn(row.0)]);
                }
            }
            System::Follow => {
                for row in 1..rows.len() {
                    rows[row].1 = (rows[row].1 + rows[row - 1].1) % 1000;
                }
            }
            System::Feed => rows.iter_mut().for_each(|row| row.2 -= row.1 % 3),
            System::Arrive => {
                let sum = rows.iter().map(|row| row.2).sum::<i64>();
                commands.extend((0..sum.rem_euclid(4)).map(Command::Spawn));
                commands.push(Command::Spawn(sum % 100));
                if sum % 2 == 0 {
                    commands.push(Command::DespawnLast);
                }
            }
            System::Leave => {
                let leaving = rows.iter().skip(2).step_by(3);
                commands.extend(leaving.map(|row| Command::Despawn(row.0)));
            }
            System::Fail if rows.len() > 30 => commands.push(Command::Clear),
            System::Fail => {}
            System::Sort => rows.sort_by_key(|row| (row.1 - row.2).rem_euclid(7)),
            System::Reverse => {
                let mut all = Vec::new();
                let numbers: Vec<_> = rows.iter().map(|row| row.0).collect();
                for nth in numbers {
                    let row = rows.iter().position(|row| row.0 == nth).unwrap();
                    all.push(rows.swap_remove(row));
                }
                for row in all.into_iter().rev() {
                    self.spawn(row.1, row.2);
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum System {
    Walk,
    Starve,
    Split,
    Follow,
    Feed,
    Arrive,
    Leave,
    Fail,
    Reverse,
    Sort,
}

impl System {
    const ALL: [Self; 10] = [
        Self::Walk,
        Self::Starve,
        Self::Split,
        Self::Follow,
        Self::Feed,
        Self::Arrive,
        Self::Leave,
        Self::Fail,
        Self::Reverse,
        Self::Sort,
    ];

    fn add(self, builder: &mut Builder) -> &mut Builder {
        match self {
            Self::Walk => builder.add::<walk>(),
            Self::Starve => builder.add::<starve>(),
            Self::Split => builder.add::<split>(),
            Self::Follow => builder.add::<follow>(),
            Self::Feed => builder.add::<feed>(),
            Self::Arrive => builder.add::<arrive>(),
            Self::Leave => builder.add::<leave>(),
            Self::Fail => builder.add::<fail>(),
            Self::Reverse => builder.add::<reverse>(),
            Self::Sort => builder.add::<sort>(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 48 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn rows_and_ids_do_not_depend_on_the_executor(
        systems in prop::collection::vec(prop::sample::select(&System::ALL[..]), 1..9),
        n_entities in 0_i64..40,
        restored_after in 0_usize..4,
    ) {
        let saved = SavedResources::new().with::<Columns<Villager>>();
        let mut digests: Option<Vec<Vec<u8>>> = None;
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        systems.iter().for_each(|system| _ = system.add(&mut builder));
        let mut schedule = builder.build().unwrap();
        let mut ids: Option<Vec<EntityId<Villager>>> = None;
        for on in On::EACH {
            on.set(&mut schedule);
            let mut resources = resources(0..n_entities);
            let mut model = Model::default();
            (0..n_entities).for_each(|position| model.spawn(position, 0));
            let mut all_bytes = Vec::new();
            for frame in 0..3 {
                let _ = on.run(&mut schedule, &mut resources);
                let mut commands = Vec::new();
                systems.iter().for_each(|system| model.run(*system, &mut commands));
                commands.iter().for_each(|command| model.apply(command));
                let found: Vec<_> = rows(&mut resources).iter().map(|row| (row.1, row.2)).collect();
                let expected: Vec<_> = model.rows.iter().map(|row| (row.1, row.2)).collect();
                prop_assert_eq!(found, expected, "{:?}, frame {}", on, frame);
                let bytes = saved.save(&resources).unwrap();
                if frame == restored_after {
                    resources = Resources::new();
                    saved.restore(&bytes, &mut resources).unwrap();
                }
                all_bytes.push(bytes);
            }
            prop_assert_eq!(digests.get_or_insert(all_bytes.clone()), &all_bytes, "{:?}", on);
            let found: Vec<_> = rows(&mut resources).iter().map(|row| row.0).collect();
            prop_assert_eq!(ids.get_or_insert(found.clone()), &found, "{:?}", on);
        }
    }
}
