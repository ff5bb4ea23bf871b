//! Messages between systems and the program, other threads, and commands.

use schedule::Target;
use schedule::columns::Columns;
use schedule::entity::{Component, Ticket};

use super::*;

#[test]
fn the_program_sends_before_a_run_and_reads_after_it() {
    for (on, mut schedule) in schedules(|builder| builder.add::<one>().add::<read>().after::<one>())
    {
        let mut resources = resources();
        let mut cursor = notes(&mut resources).cursor();
        notes(&mut resources).send(Note(5)).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[5, 1]], "{on:?}");
        let all = cursor.read(notes(&mut resources));
        assert_eq!(numbers(all), [5, 1], "{on:?}");
    }
}

#[test]
fn other_threads_send_and_receive() {
    for (on, mut schedule) in schedules(|builder| builder.add::<one>().add::<read>().after::<one>())
    {
        let mut resources = resources();
        let sender = notes(&mut resources).sender();
        let mut receiver = notes(&mut resources).receiver();
        std::thread::spawn(move || sender.send(Note(7)).unwrap())
            .join()
            .unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[7, 1]], "{on:?}");
        let received = std::thread::spawn(move || [receiver.receive(), receiver.receive()]);
        assert_eq!(received.join().unwrap(), [Some(Note(7)), Some(Note(1))]);
    }
}

#[test]
fn messages_that_were_replaced_begin_again() {
    for (on, mut schedule) in schedules(|builder| builder.add::<one>().add::<read>().after::<one>())
    {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        let mut others = Messages::new();
        others.send(Note(8)).unwrap();
        resources.insert(others);
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [vec![1], vec![8, 1]], "{on:?}");
    }
}

#[test]
fn missing_messages_are_a_missing_resource() {
    let mut schedule = Schedule::builder().add::<one>().build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`Messages<Note>`, needed by `one`"),
        "{error}"
    );
}

#[derive(Component)]
struct Age(u32);

#[derive(Columns)]
struct Child {
    age: Age,
}

#[derive(Checkpoint)]
struct Applied;

#[derive(Message)]
struct Born(Ticket<schedule::columns::EntityId<Child>>);

#[system]
fn bear(mut commands: Commands<Changes<Columns<Child>>>, mut births: MessageWriter<Born>) {
    births.write(Born(commands.columns().spawn(Child { age: Age(0) })));
}

#[system]
fn celebrate(births: MessageReader<Born>, children: &Columns<Child>, seen: &mut Seen) {
    for Born(ticket) in &births {
        let id = ticket.entity().expect("the commands are applied");
        seen.0.push(vec![children.row(id).unwrap() as u32]);
    }
}

#[test]
fn a_ticket_in_a_message_resolves_after_the_commands() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<bear>().apply_commands::<Applied>();
        builder.order(Target::of::<bear>(), Target::of::<Applied>());
        builder
            .add::<celebrate>()
            .after::<bear>()
            .after::<Applied>()
    }) {
        let mut resources = resources();
        resources.insert(Messages::<Born>::new());
        resources.insert(Columns::<Child>::new());
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[0], [1]], "{on:?}");
        let children = resources.get_mut::<Columns<Child>>().unwrap();
        assert_eq!(
            children
                .columns_mut::<&Age>()
                .iter()
                .map(|age| age.0)
                .sum::<u32>(),
            0
        );
    }
}
