//! Random writes, spawns and despawns by two schedules and by the program, compared with a naive store, on all executors.

use std::collections::HashMap;

use proptest::prelude::*;
use schedule::columns::ColumnMut;
use schedule::{Builder, Policy};
use schedule_tests::on::On;

use super::*;

#[system(for_each = Columns<Car>, changed = Noise)]
fn answer_noise(speed: &mut Speed) {
    speed.0 += 7;
}

#[system(for_each = Columns<Car>, added = Noise)]
fn tune(mut speed: Mut<Speed>) {
    if speed.0 % 2 == 0 {
        speed.0 += 5;
    }
}

#[system(for_each = Columns<Car>)]
fn grow_loud(speed: &Speed, mut noise: Mut<Noise>) {
    noise.set_if_neq(Noise(speed.0 / 40));
}

#[system(for_each = Columns<Car>)]
fn divide(speed: &Speed, car: Id, mut commands: Commands) {
    if speed.0 % 17 == 1 {
        commands.columns().spawn(super::car(speed.0 / 2));
    } else if speed.0 % 17 == 2 {
        commands.columns().despawn(car);
    }
}

#[system]
fn even_out(mut speeds: ColumnMut<Car, Speed>) {
    for row in 1..speeds.len() {
        speeds[row].0 = (speeds[row].0 + speeds[row - 1].0) / 2 % 200;
    }
}

#[system]
fn crash(cars: &mut Columns<Car>) {
    let Some(&first) = cars.ids().first() else {
        return;
    };
    cars.despawn(first);
    if let Some(&first) = cars.ids().first() {
        cars.get_mut::<Speed>(first).unwrap().0 = 1;
    }
}

#[system]
fn sort(cars: &mut Columns<Car>) {
    cars.sort_by_key::<&Speed, _>(|speed| speed.0 % 5);
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum System {
    SeeChanged,
    SeeAdded,
    SeeRemoved,
    Accelerate,
    Brake,
    BeLoud,
    GrowLoud,
    AnswerNoise,
    Tune,
    Divide,
    EvenOut,
    Crash,
    Sort,
}

const SYSTEMS: [System; 17] = [
    System::SeeChanged,
    System::SeeChanged,
    System::SeeAdded,
    System::SeeAdded,
    System::SeeRemoved,
    System::SeeRemoved,
    System::Accelerate,
    System::Brake,
    System::BeLoud,
    System::GrowLoud,
    System::AnswerNoise,
    System::Tune,
    System::Divide,
    System::Divide,
    System::EvenOut,
    System::Crash,
    System::Sort,
];

impl System {
    fn add(self, builder: &mut Builder) -> &mut Builder {
        match self {
            Self::SeeChanged => builder.add::<see_changed>(),
            Self::SeeAdded => builder.add::<see_added>(),
            Self::SeeRemoved => builder.add::<see_removed>(),
            Self::Accelerate => builder.add::<accelerate>(),
            Self::Brake => builder.add::<brake>(),
            Self::BeLoud => builder.add::<be_loud>(),
            Self::GrowLoud => builder.add::<grow_loud>(),
            Self::AnswerNoise => builder.add::<answer_noise>(),
            Self::Tune => builder.add::<tune>(),
            Self::Divide => builder.add::<divide>(),
            Self::EvenOut => builder.add::<even_out>(),
            Self::Crash => builder.add::<crash>(),
            Self::Sort => builder.add::<sort>(),
        }
    }
}

/// A step of the program.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Runs one of the schedules.
    Run(usize),
    Write(usize),
    WriteColumn,
    Spawn(i64),
    Despawn(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..2_usize).prop_map(Step::Run),
        2 => any::<usize>().prop_map(Step::Write),
        1 => Just(Step::WriteColumn),
        1 => (0_i64..100).prop_map(Step::Spawn),
        2 => any::<usize>().prop_map(Step::Despawn),
    ]
}

/// An entity, and when its components were written.
#[derive(Clone, Debug)]
struct Row {
    nth: usize,
    speed: i64,
    noise: i64,
    speed_written: u64,
    noise_written: u64,
    added: u64,
}

/// A store that notes the time of each write.
#[derive(Default)]
struct Model {
    now: u64,
    n_ever: usize,
    rows: Vec<Row>,
    /// The numbers of removed entities, with the time.
    removed: Vec<(u64, usize)>,
    /// What watchers have seen.
    seen: Vec<usize>,
}

impl Model {
    fn spawn(&mut self, speed: i64) {
        self.now += 1;
        self.rows.push(Row {
            nth: self.n_ever,
            speed,
            noise: 0,
            speed_written: self.now,
            noise_written: self.now,
            added: self.now,
        });
        self.n_ever += 1;
    }

    fn despawn(&mut self, nth: usize) {
        self.now += 1;
        if let Some(row) = self.rows.iter().position(|row| row.nth == nth) {
            self.rows.swap_remove(row);
            self.removed.push((self.now, nth));
        }
    }

    /// Runs systems in order, then their commands. `last[i]`: when system i last looked.
    fn run(&mut self, systems: &[System], last: &mut [Option<u64>]) {
        let mut commands: Vec<(Option<i64>, usize)> = Vec::new();
        for (system, last) in systems.iter().zip(last) {
            self.now += 1;
            let now = self.now;
            let since = last.unwrap_or(0);
            let rows = &mut self.rows;
            match system {
                System::SeeChanged => {
                    let seen = rows.iter().filter(|row| row.speed_written > since);
                    self.seen.extend(seen.map(|row| row.nth));
                }
                System::SeeAdded => {
                    let seen = rows.iter().filter(|row| row.added > since);
                    self.seen.extend(seen.map(|row| row.nth));
                }
                System::SeeRemoved => {
                    let since = last.unwrap_or(u64::MAX);
                    let seen = self.removed.iter().filter(|removed| removed.0 > since);
                    self.seen.extend(seen.map(|removed| removed.1));
                }
                System::Accelerate => {
                    for row in rows {
                        (row.speed, row.speed_written) = (row.speed + 1, now);
                    }
                }
                System::Brake => {
                    for row in rows.iter_mut().filter(|row| row.speed > 90) {
                        (row.speed, row.speed_written) = (90, now);
                    }
                }
                System::BeLoud => {
                    for row in rows {
                        (row.noise, row.noise_written) = (row.noise + 1, now);
                    }
                }
                System::GrowLoud => {
                    for row in rows.iter_mut().filter(|row| row.noise != row.speed / 40) {
                        (row.noise, row.noise_written) = (row.speed / 40, now);
                    }
                }
                System::AnswerNoise => {
                    for row in rows.iter_mut().filter(|row| row.noise_written > since) {
                        (row.speed, row.speed_written) = (row.speed + 7, now);
                    }
                }
                System::Tune => {
                    let added = rows.iter_mut().filter(|row| row.added > since);
                    for row in added.filter(|row| row.speed % 2 == 0) {
                        (row.speed, row.speed_written) = (row.speed + 5, now);
                    }
                }
                System::Divide => {
                    commands.extend(rows.iter().filter_map(|row| match row.speed % 17 {
                        1 => Some((Some(row.speed / 2), row.nth)),
                        2 => Some((None, row.nth)),
                        _ => None,
                    }));
                }
                System::EvenOut => {
                    for row in 1..rows.len() {
                        rows[row].speed = (rows[row].speed + rows[row - 1].speed) / 2 % 200;
                    }
                    rows.iter_mut().for_each(|row| row.speed_written = now);
                }
                System::Sort => rows.sort_by_key(|row| row.speed % 5),
                System::Crash => {
                    if let Some(first) = rows.first() {
                        let first = first.nth;
                        self.despawn(first);
                        if let Some(first) = self.rows.first_mut() {
                            (first.speed, first.speed_written) = (1, now);
                        }
                    }
                }
            }
            *last = Some(now);
        }
        for (spawned, nth) in commands {
            match spawned {
                Some(speed) => self.spawn(speed),
                None => self.despawn(nth),
            }
        }
    }
}

/// The numbers of all entities that were ever in the rows.
#[derive(Default)]
struct Numbers(HashMap<Id, usize>);

impl Numbers {
    /// Gives the entities that are new in the rows their numbers.
    fn update(&mut self, resources: &mut Resources, model: &Model) {
        for (id, row) in cars(resources).ids().iter().zip(&model.rows) {
            self.0.insert(*id, row.nth);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 32 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn watchers_see_what_a_naive_store_has_noted(
        systems in prop::collection::vec(prop::collection::vec(prop::sample::select(&SYSTEMS[..]), 1..9), 2),
        n_entities in prop_oneof![0_i64..40, 500_i64..530, 1_020_i64..1_200],
        steps in prop::collection::vec(step(), 1..16),
    ) {
        let n_entities = if cfg!(miri) { n_entities % 40 } else { n_entities };
        for on in On::EACH {
            let mut schedules = systems.iter().map(|systems| {
                let mut builder = Schedule::builder();
                builder.policy(Policy::InsertionOrder);
                systems.iter().for_each(|system| _ = system.add(&mut builder));
                let mut schedule = builder.build().unwrap();
                on.set(&mut schedule);
                schedule
            }).collect::<Vec<_>>();
            let mut resources = resources(0..n_entities);
            let mut model = Model::default();
            (0..n_entities).for_each(|speed| model.spawn(speed));
            let mut last = systems.iter().map(|systems| vec![None; systems.len()]).collect::<Vec<_>>();
            let mut numbers = Numbers::default();
            numbers.update(&mut resources, &model);
            for (nth, step) in steps.iter().enumerate() {
                let n_rows = model.rows.len();
                model.now += 1;
                match *step {
                    Step::Run(idx) => {
                        on.run(&mut schedules[idx], &mut resources).unwrap();
                        model.run(&systems[idx], &mut last[idx]);
                    }
                    Step::Write(row) if n_rows > 0 => {
                        let id = cars(&mut resources).ids()[row % n_rows];
                        cars(&mut resources).get_mut::<Speed>(id).unwrap().0 += 3;
                        let row = &mut model.rows[row % n_rows];
                        (row.speed, row.speed_written) = (row.speed + 3, model.now);
                    }
                    Step::WriteColumn => {
                        cars(&mut resources).column_mut::<Speed>();
                        model.rows.iter_mut().for_each(|row| row.speed_written = model.now);
                    }
                    Step::Spawn(speed) => {
                        cars(&mut resources).spawn(car(speed));
                        model.spawn(speed);
                    }
                    Step::Despawn(row) if n_rows > 0 => {
                        let id = cars(&mut resources).ids()[row % n_rows];
                        cars(&mut resources).despawn(id);
                        let nth = model.rows[row % n_rows].nth;
                        model.despawn(nth);
                    }
                    _ => {}
                }
                let (speeds, noises) = cars(&mut resources).columns_mut::<(&Speed, &Noise)>();
                let values = speeds.iter().zip(&noises);
                let found: Vec<_> = values.map(|(speed, noise)| (speed.0, noise.0)).collect();
                let expected: Vec<_> = model.rows.iter().map(|row| (row.speed, row.noise)).collect();
                prop_assert_eq!(found, expected, "{:?}, step {}", on, nth);
                numbers.update(&mut resources, &model);
                let seen = core::mem::take(&mut resources.get_mut::<Seen>().unwrap().0);
                let seen: Vec<_> = seen.iter().map(|id| numbers.0[id]).collect();
                prop_assert_eq!(seen, core::mem::take(&mut model.seen), "{:?}, step {}", on, nth);
            }
        }
    }
}
