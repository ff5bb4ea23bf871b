//! Which rows a filter matches after each kind of write.

use schedule::columns::{Buffer, ColumnMut, ColumnRef};
use schedule::param::CommandQueue;
use schedule_tests::on::On;

use super::*;

fn watcher() -> Schedule {
    let mut schedule = Schedule::builder().add::<see_changed>().build().unwrap();
    On::Serial.set(&mut schedule);
    schedule
}

fn one<S: schedule::System>() -> Schedule {
    Schedule::builder().add::<S>().build().unwrap()
}

fn despawn_row(resources: &mut Resources, row: usize) {
    let id = cars(resources).ids()[row];
    cars(resources).despawn(id).unwrap();
}

#[test]
fn a_first_look_finds_each_entity_changed_and_added_and_nothing_removed() {
    let mut resources = resources(0..1_000);
    despawn_row(&mut resources, 7);
    for mut schedule in [one::<see_changed>(), one::<see_added>()] {
        assert_eq!(seen(&mut schedule, &mut resources), rows(0..999));
        assert_eq!(seen(&mut schedule, &mut resources), []);
    }
    assert_eq!(seen(&mut one::<see_removed>(), &mut resources), []);
}

#[test]
fn each_entity_that_a_system_visits_with_an_exclusive_reference_has_changed() {
    let mut resources = resources(0..1_300);
    let (mut watcher, mut writer) = (watcher(), one::<accelerate>());
    seen(&mut watcher, &mut resources);
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..1_300));
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn only_entities_that_are_written_through_mut_have_changed() {
    let mut resources = resources([10, 91, 90, 200]);
    let (mut watcher, mut writer) = (watcher(), one::<brake>());
    seen(&mut watcher, &mut resources);
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), rows([1, 3]));
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn an_optional_mut_writes_as_a_required_one() {
    #[system(for_each = Columns<Car>)]
    fn brake(speed: Option<Mut<Speed>>) {
        let mut speed = speed.unwrap();
        speed.set_if_neq(Speed(90));
    }
    let mut resources = resources([90, 91]);
    let (mut watcher, mut writer) = (watcher(), one::<brake>());
    seen(&mut watcher, &mut resources);
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), rows([1]));
}

#[test]
fn a_write_of_another_component_is_no_change() {
    let mut resources = resources(0..10);
    let (mut watcher, mut writer) = (watcher(), one::<be_loud>());
    seen(&mut watcher, &mut resources);
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn a_filtered_system_marks_only_the_rows_that_it_visits() {
    #[system(for_each = Columns<Car>, changed = Noise)]
    fn accelerate_loud(speed: &mut Speed) {
        speed.0 += 1;
    }
    let mut resources = resources(0..1_000);
    let (mut watcher, mut writer) = (watcher(), one::<accelerate_loud>());
    seen(&mut watcher, &mut resources);
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..1_000));
    for row in [3, 700] {
        let id = cars(&mut resources).ids()[row];
        cars(&mut resources).get_mut::<Noise>(id).unwrap().0 = 1;
    }
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), rows([3, 700]));
    writer.run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn several_changes_must_all_match() {
    #[system(for_each = Columns<Car>, changed = (Speed, Noise))]
    fn see_both(car: Id, mut seen: Fold<Seen>) {
        seen.push(car);
    }
    let mut resources = resources(0..4);
    let mut watcher = one::<see_both>();
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..4));
    let [first, second] = [0, 1].map(|row| cars(&mut resources).ids()[row]);
    cars(&mut resources).get_mut::<Speed>(first).unwrap().0 = 1;
    cars(&mut resources).get_mut::<Speed>(second).unwrap().0 = 1;
    cars(&mut resources).get_mut::<Noise>(second).unwrap().0 = 1;
    assert_eq!(seen(&mut watcher, &mut resources), rows([1]));
}

#[test]
fn whole_columns_are_written_by_systems_and_by_the_program() {
    #[system]
    fn race(mut speeds: ColumnMut<Car, Speed>) {
        speeds[0].0 += 1;
    }
    #[system]
    fn look(speeds: ColumnRef<Car, Speed>) {
        assert_eq!(speeds.len(), 3);
    }
    let mut resources = resources(0..3);
    let mut watcher = watcher();
    seen(&mut watcher, &mut resources);
    one::<race>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..3));
    one::<look>().run(&mut resources).unwrap();
    assert_eq!(seen(&mut watcher, &mut resources), []);
    cars(&mut resources).column_mut::<Speed>();
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..3));
    cars(&mut resources).columns_mut::<(&Speed, &mut Noise)>();
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn a_spawned_entity_is_added_and_changed_and_one_that_moves_is_neither() {
    let mut resources = resources(0..1_000);
    let (mut changed, mut added) = (one::<see_changed>(), one::<see_added>());
    seen(&mut changed, &mut resources);
    seen(&mut added, &mut resources);
    let new = cars(&mut resources).spawn(car(5));
    despawn_row(&mut resources, 2);
    assert_eq!(cars(&mut resources).row(new), Some(2));
    assert_eq!(seen(&mut changed, &mut resources), rows([2]));
    assert_eq!(seen(&mut added, &mut resources), rows([2]));
    despawn_row(&mut resources, 9);
    assert_eq!(seen(&mut changed, &mut resources), []);
    assert_eq!(seen(&mut added, &mut resources), []);
}

#[test]
fn a_row_that_moves_between_blocks_keeps_its_mark() {
    let mut resources = resources(0..1_200);
    let (mut watcher, mut writer) = (watcher(), one::<accelerate>());
    seen(&mut watcher, &mut resources);
    // All rows are written together, and seen. Then the last one is written alone, and moves to the first block.
    writer.run(&mut resources).unwrap();
    seen(&mut watcher, &mut resources);
    let last = *cars(&mut resources).ids().last().unwrap();
    cars(&mut resources).get_mut::<Speed>(last).unwrap().0 = 1;
    despawn_row(&mut resources, 0);
    assert_eq!(seen(&mut watcher, &mut resources), rows([0]));
}

#[test]
fn rows_that_are_sorted_keep_their_marks() {
    let mut resources = resources(0..600);
    let (mut watcher, mut writer) = (watcher(), one::<accelerate>());
    seen(&mut watcher, &mut resources);
    writer.run(&mut resources).unwrap();
    seen(&mut watcher, &mut resources);
    let first = cars(&mut resources).ids()[0];
    cars(&mut resources).get_mut::<Speed>(first).unwrap().0 = 5_000;
    cars(&mut resources).sort_by_key::<&Speed, _>(|speed| -speed.0);
    assert_eq!(cars(&mut resources).row(first), Some(0));
    cars(&mut resources).sort_by_key::<&Speed, _>(|speed| speed.0);
    assert_eq!(seen(&mut watcher, &mut resources), rows([599]));
    cars(&mut resources).sort_by_key::<&Speed, _>(|speed| -speed.0);
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[test]
fn swapped_columns_have_both_changed() {
    #[derive(Columns)]
    struct Truck {
        speed: Speed,
        next: Buffer<Speed>,
    }
    #[derive(Resource, Default)]
    struct Changes(Vec<(i64, &'static str)>);
    impl Foldable for Changes {
        type Partial = Vec<(i64, &'static str)>;
        fn join(&mut self, partial: Self::Partial) {
            self.0.extend(partial);
        }
    }
    #[system(for_each = Columns<Truck>, changed = Speed)]
    fn see_speed(speed: &Speed, mut seen: Fold<Changes>) {
        seen.push((speed.0, "speed"));
    }
    #[system(for_each = Columns<Truck>, changed = Buffer<Speed>, after = see_speed)]
    fn see_next(next: &Buffer<Speed>, mut seen: Fold<Changes>) {
        seen.push((next.0.0, "next"));
    }
    #[system]
    fn swap(mut speeds: ColumnMut<Truck, Speed>, mut next: ColumnMut<Truck, Buffer<Speed>>) {
        ColumnMut::swap(&mut speeds, &mut next);
    }
    let truck = Truck {
        speed: Speed(1),
        next: Buffer(Speed(2)),
    };
    let mut resources = Resources::new();
    resources.insert(Columns::from_iter([truck]));
    resources.insert(Changes::default());
    let mut watcher = Schedule::builder()
        .add::<see_speed>()
        .add::<see_next>()
        .build()
        .unwrap();
    let mut changes = |resources: &mut Resources| {
        watcher.run(resources).unwrap();
        core::mem::take(&mut resources.get_mut::<Changes>().unwrap().0)
    };
    assert_eq!(changes(&mut resources), [(1, "speed"), (2, "next")]);
    assert_eq!(changes(&mut resources), []);
    one::<swap>().run(&mut resources).unwrap();
    assert_eq!(changes(&mut resources), [(2, "speed"), (1, "next")]);
    assert_eq!(changes(&mut resources), []);
}

#[test]
fn removed_entities_are_in_the_order_of_their_removal() {
    let mut resources = resources(0..6);
    let mut watcher = one::<see_removed>();
    seen(&mut watcher, &mut resources);
    let ids = cars(&mut resources).ids().to_vec();
    cars(&mut resources).despawn(ids[4]);
    cars(&mut resources).despawn(ids[1]);
    let mut queue = CommandQueue::new();
    let mut commands: Commands = queue.commands();
    commands.columns::<Car>().despawn(ids[5]);
    commands.columns::<Car>().clear();
    let rows = cars(&mut resources).ids().to_vec();
    queue.apply(&mut resources);
    watcher.run(&mut resources).unwrap();
    let seen = core::mem::take(&mut resources.get_mut::<Seen>().unwrap().0);
    // The removal of `ids[5]` moves no other entity, because it was moved to row 1.
    let mut expected = vec![ids[4], ids[1], ids[5]];
    let mut left = rows;
    let row = left.iter().position(|id| *id == ids[5]).unwrap();
    left.swap_remove(row);
    expected.extend(left);
    assert_eq!(seen, expected);
}

#[test]
fn a_reset_schedule_sees_all_as_added_and_nothing_as_removed() {
    let mut resources = resources(0..4);
    let (mut added, mut removed) = (one::<see_added>(), one::<see_removed>());
    assert_eq!(seen(&mut added, &mut resources), rows(0..4));
    assert_eq!(seen(&mut removed, &mut resources), []);
    despawn_row(&mut resources, 3);
    added.reset_locals();
    removed.reset_locals();
    assert_eq!(seen(&mut added, &mut resources), rows(0..3));
    assert_eq!(seen(&mut removed, &mut resources), []);
    despawn_row(&mut resources, 2);
    assert_eq!(seen(&mut removed, &mut resources), [None]);
}

#[test]
fn an_order_after_a_system_with_commands_includes_what_they_remove_and_add() {
    #[system]
    fn replace(cars: &Columns<Car>, mut commands: Commands) {
        commands.columns().despawn(cars.ids()[0]);
        commands.columns().spawn(car(7));
    }
    let mut builder = Schedule::builder();
    builder.add::<replace>();
    builder.add::<see_removed>().after::<replace>();
    builder.add::<see_added>().after::<see_removed>();
    let mut schedule = builder.build().unwrap();
    let mut resources = resources(0..3);
    // The last car moves to row 0, and then to row 2 after the next car.
    assert_eq!(seen(&mut schedule, &mut resources), rows(0..3));
    assert_eq!(
        seen(&mut schedule, &mut resources),
        [None, Some(2)],
        "the removed one, and the new one"
    );
}

#[test]
fn each_system_has_its_own_memory() {
    let mut resources = resources(0..3);
    let (mut first, mut second, mut third) = (watcher(), watcher(), watcher());
    seen(&mut first, &mut resources);
    seen(&mut second, &mut resources);
    let id = cars(&mut resources).ids()[1];
    cars(&mut resources).get_mut::<Speed>(id).unwrap().0 = 5;
    assert_eq!(seen(&mut first, &mut resources), rows([1]));
    let id = cars(&mut resources).ids()[2];
    cars(&mut resources).get_mut::<Speed>(id).unwrap().0 = 5;
    assert_eq!(seen(&mut first, &mut resources), rows([2]));
    assert_eq!(seen(&mut second, &mut resources), rows([1, 2]));
    assert_eq!(seen(&mut third, &mut resources), rows(0..3));
}

#[test]
fn another_store_is_looked_at_for_the_first_time() {
    let mut resources = resources(0..3);
    let mut watcher = watcher();
    seen(&mut watcher, &mut resources);
    *cars(&mut resources) = (0..2).map(car).collect();
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..2));
    resources.insert::<Columns<Car>>((0..4).map(car).collect());
    assert_eq!(seen(&mut watcher, &mut resources), rows(0..4));
    assert_eq!(seen(&mut watcher, &mut resources), []);
}

#[system(for_each = Columns<Car>)]
fn brake_hard(mut speed: Mut<Speed>) {
    if speed.0 > 50 {
        speed.0 = 50;
    }
}

#[test]
fn a_watcher_between_two_writers_sees_each_write_once() {
    let mut builder = Schedule::builder();
    builder.policy(schedule::Policy::InsertionOrder);
    builder
        .add::<brake>()
        .add::<see_changed>()
        .add::<brake_hard>();
    let mut schedule = builder.build().unwrap();
    let mut resources = resources([10, 95, 60]);
    assert_eq!(seen(&mut schedule, &mut resources), rows(0..3));
    // The first writer finds nothing to write, and the second one wrote after the last look.
    assert_eq!(seen(&mut schedule, &mut resources), rows([1, 2]));
    assert_eq!(seen(&mut schedule, &mut resources), []);
}

#[test]
fn a_failed_watcher_has_looked() {
    #[system(for_each = Columns<Car>, changed = Speed)]
    fn refuse(speed: &Speed) -> Result<(), String> {
        Err(format!("speed {}", speed.0))
    }
    let mut resources = resources(0..3);
    let mut watcher = one::<refuse>();
    assert!(watcher.run(&mut resources).is_err());
    watcher.run(&mut resources).unwrap();
}

#[test]
fn a_skipped_watcher_has_not_looked() {
    #[derive(Resource)]
    struct IsOn(bool);
    #[system]
    fn is_on(is_on: &IsOn) -> bool {
        is_on.0
    }
    let mut watcher = Schedule::builder()
        .add::<see_changed>()
        .run_if(schedule::Condition::of::<is_on>())
        .build()
        .unwrap();
    let mut resources = resources(0..3);
    resources.insert(IsOn(true));
    seen(&mut watcher, &mut resources);
    let id = cars(&mut resources).ids()[1];
    cars(&mut resources).get_mut::<Speed>(id).unwrap().0 = 5;
    resources.insert(IsOn(false));
    assert_eq!(seen(&mut watcher, &mut resources), []);
    resources.insert(IsOn(true));
    assert_eq!(seen(&mut watcher, &mut resources), rows([1]));
}

#[test]
fn a_watcher_conflicts_with_each_writer_of_the_component() {
    let build = || {
        let mut builder = Schedule::builder();
        builder.add::<see_changed>().add::<accelerate>();
        builder.build()
    };
    let error = build().unwrap_err().to_string();
    assert!(error.contains("race on `Speed in Columns<Car>`"), "{error}");
    let mut builder = Schedule::builder();
    builder.add::<see_changed>().add::<be_loud>();
    builder.build().unwrap();
}
