//! Events that end the process: an abort, an overflow of the stack, a failed allocation, an endless loop. Each process of a case is a child process.

mod handler_time;
mod processes;

use schedule::FailurePolicy;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::service::ServiceSettings;
use schedule_stream::{EventError, Position};

use self::processes::{Cause, Entry, Fragile, Poison, Processes, program, recover, report};

fn poison_alone(of: Poison) {
    let Some(mut stream) = recover(program()) else {
        return;
    };
    stream.process_batch([Entry::Add(3)], report).unwrap();
    let result = stream.process_batch([Entry::Poison(of)], report);
    println!("survived: {result:?}");
}

/// A batch of one event is a mark that names one position.
#[test]
fn event_that_aborts_or_needs_too_much_memory_becomes_a_dead_letter() {
    let mut of = Processes::new("alone");
    let poisons = [
        (Poison::Abort, 1),
        (Poison::StackOverflow, 3),
        (Poison::OutOfMemory, 5),
    ];
    for (poison, first) in poisons {
        of.dies(|| poison_alone(poison));
        of.dies(|| drop(recover(program())));
        let position = format!(
            "position {}:0, event `entry`, handler `poison`: it has ended 2 processes",
            first + 1
        );
        let outcome = format!("outcome {}:0 poison None", first + 1);
        let sum = format!("sum {}", 3 * (first / 2 + 1));
        of.prints(&["new: 1", &position, &outcome, &sum], || {
            drop(recover(program()));
        });
        // Another start in another mode has the same outcome, and calls no handler of it.
        of.prints(&["new: 0", &position, &outcome, &sum], || {
            let lanes = program().set_up(|stream| set_mode(stream, ProcessingMode::Lanes));
            drop(recover(lanes));
        });
    }
    of.prints(&["outcome 7:0 add Some(13)"], || {
        let mut stream = recover(program()).unwrap();
        stream.process_batch([Entry::Add(4)], report).unwrap();
    });
    if of.path().exists() {
        let disk = schedule_stream::journal::Directory::existing(of.path()).unwrap();
        let text = schedule_stream::journal::inspect(&disk)
            .unwrap()
            .to_string();
        let line = "position 2:0, event `entry`, handler `poison`: it has ended 2 processes";
        assert!(
            text.contains("dead letters: 3\n") && text.contains(line),
            "{text}"
        );
    }
}

/// The events before and after it are applied.
#[test]
fn event_in_a_batch_is_found_one_by_one() {
    let mut of = Processes::new("batch");
    let batch = || {
        let poison = Entry::Poison(Poison::Abort);
        [Entry::Add(1), Entry::Add(2), poison, Entry::Add(4)]
    };
    of.dies(|| {
        let mut stream = recover(program()).unwrap();
        stream.process_batch(batch(), report).unwrap();
    });
    // The mark of the whole batch names no event, so two more processes end.
    of.dies(|| drop(recover(program())));
    of.dies(|| drop(recover(program())));
    let lines = [
        "new: 1",
        "outcome 1:1 add Some(3)",
        "outcome 1:2 poison None",
        "outcome 1:3 add Some(7)",
    ];
    of.prints(&lines, || drop(recover(program())));
    of.prints(&["new: 0", "sum 7"], || drop(recover(program())));
}

#[test]
fn follow_up_event_becomes_a_dead_letter() {
    let mut of = Processes::new("follow-up");
    of.dies(|| {
        let mut stream = recover(program()).unwrap();
        stream.process_batch([Entry::Cause(Cause)], report).unwrap();
        stream.process_batch([Entry::Add(5)], report).unwrap();
    });
    of.dies(|| drop(recover(program())));
    of.dies(|| drop(recover(program())));
    let lines = [
        "position 2:1, event `entry`, handler `poison`",
        "outcome 2:0 add Some(5)",
        "sum 5",
    ];
    of.prints(&lines, || drop(recover(program())));
}

/// A changed program must not replace an outcome that a client has seen.
#[test]
fn released_outcome_is_never_replaced() {
    let mut of = Processes::new("released");
    of.prints(&["outcome 2:1 fragile Some(13)"], || {
        let mut stream = recover(program()).unwrap();
        stream.process_batch([Entry::Add(1)], report).unwrap();
        stream
            .process_batch([Entry::Add(2), Entry::Fragile(Fragile)], report)
            .unwrap();
        stream.process_batch([Entry::Add(3)], report).unwrap();
    });
    // The deaths are forgotten after the error, but not that the batch must be applied one by one.
    for n_deaths in [3, 2] {
        for _ in 0..n_deaths {
            of.dies_if_fragile(|| drop(recover(program())));
        }
        if let Some((output, is_over)) = of.run(true, || drop(recover(program()))) {
            let letter = "position 2:1, event `entry`, handler `fragile`: it has ended 2 processes";
            let is_named = output.contains(letter) && output.contains("may have been released");
            assert!(is_over && is_named, "{output}");
        }
    }
    of.prints(
        &["new: 0", "outcome 2:1 fragile Some(13)", "sum 16"],
        || drop(recover(program())),
    );
}

/// The same for the last batch of the journal: the mark says that it was applied completely.
#[test]
fn released_outcome_of_the_last_batch_is_never_replaced() {
    let mut of = Processes::new("last");
    of.prints(&["outcome 1:0 fragile Some(10)"], || {
        let mut stream = recover(program()).unwrap();
        stream
            .process_batch([Entry::Fragile(Fragile)], report)
            .unwrap();
    });
    for _ in 0..2 {
        of.dies_if_fragile(|| drop(recover(program())));
    }
    if let Some((output, is_over)) = of.run(true, || drop(recover(program()))) {
        assert!(
            is_over && output.contains("may have been released"),
            "{output}"
        );
    }
    of.prints(&["new: 0", "sum 10"], || drop(recover(program())));
}

#[test]
fn stream_stops_after_three_dead_letters_in_a_row() {
    let mut of = Processes::new("row");
    of.dies(|| {
        let poison = || Entry::Poison(Poison::Abort);
        let mut stream = recover(program()).unwrap();
        let batch = [poison(), poison(), Entry::Add(1), poison(), poison()];
        stream.process_batch(batch, report).unwrap();
    });
    for nth in 0..3 {
        of.dies(|| drop(recover(program())));
        of.dies(|| drop(recover(program())));
        if nth == 2 {
            let lines = [
                "after 3 dead letters in a row",
                "1:0",
                "1:1",
                "1:3, event `entry`, handler `poison`",
            ];
            of.prints(&lines, || drop(recover(program())));
        }
    }
    // The fourth one is not decided, unless the program allows it.
    of.dies(|| drop(recover(program())));
    of.dies(|| drop(recover(program())));
    of.prints(&["after 3 dead letters in a row", "1:4, event"], || {
        drop(recover(program()))
    });
    of.dies(|| drop(recover(program().max_dead_letters(10))));
    of.dies(|| drop(recover(program().max_dead_letters(10))));
    of.prints(&["new: 1", "sum 1"], || {
        drop(recover(program().max_dead_letters(10)))
    });
    // A good start has come after them, and a batch.
    of.dies(|| {
        let mut stream = recover(program()).unwrap();
        stream.process_batch([Entry::Add(1)], report).unwrap();
        stream
            .process_batch([Entry::Poison(Poison::Abort)], report)
            .unwrap();
    });
    of.dies(|| drop(recover(program())));
    of.prints(&["new: 1", "sum 2"], || drop(recover(program())));
}

#[test]
fn stream_can_stop_in_place_of_dead_letters() {
    let mut of = Processes::new("stop");
    of.dies(|| poison_alone(Poison::Abort));
    of.dies(|| drop(recover(program().max_dead_letters(0))));
    let lines = [
        "error: the process ends each time",
        "position 2:0, event `entry`, handler `poison`: it has ended 2 processes",
    ];
    of.prints(&lines, || drop(recover(program().max_dead_letters(0))));
    // The event is tried again. Then it can still become a dead letter, because its outcome was never released.
    of.dies(|| drop(recover(program())));
    of.dies(|| drop(recover(program())));
    of.prints(&["new: 1", "sum 3"], || drop(recover(program())));
}

/// Under the failure policy `Stop`, a dead letter stops the stream as another failure does.
#[test]
fn dead_letter_can_be_skipped_under_the_stop_policy() {
    let mut of = Processes::new("skip");
    let stops = || program().set_up(|stream| stream.set_failure_policy(FailurePolicy::Stop));
    of.dies(|| {
        let mut stream = recover(stops()).unwrap();
        let batch = [Entry::Add(1), Entry::Poison(Poison::Abort), Entry::Add(2)];
        stream.process_batch(batch, report).unwrap();
    });
    of.dies(|| drop(recover(stops())));
    of.dies(|| drop(recover(stops())));
    of.prints(&["new: 1", "stopped Some(Position", "sum 1"], || {
        println!("stopped {:?}", recover(stops()).unwrap().stopped());
    });
    let lines = [
        "new: 0",
        "outcome 1:1 poison None",
        "outcome 1:2 add Some(3)",
        "stopped None",
    ];
    of.prints(&lines, || {
        let stream = recover(stops().skip(Position::new(1, 1))).unwrap();
        println!("stopped {:?}", stream.stopped());
    });
}

/// A client that submits the event again with its key gets the failure, and does not end the service again.
#[test]
fn repeat_of_a_dead_letter_has_its_outcome() {
    let mut of = Processes::new("service");
    let serve = || {
        let stream = recover(program().idempotency_keys(10)).unwrap();
        stream.serve_with(ServiceSettings::new())
    };
    of.dies(|| {
        let poison = Entry::Poison(Poison::Abort);
        let result = serve().handle().submit_with_key_blocking("a", poison);
        println!("survived: {result:?}");
    });
    of.dies(|| drop(serve()));
    for _ in 0..2 {
        of.prints(
            &[
                "listed: position 1:0, event `entry`, handler `poison`",
                "repeat at 1:0 is a dead letter",
            ],
            || {
                let service = serve();
                for letter in service.handle().dead_letters() {
                    println!("listed: {letter}");
                }
                let poison = Entry::Poison(Poison::Abort);
                let outcome = service
                    .handle()
                    .submit_with_key_blocking("a", poison)
                    .unwrap();
                let is_dead = matches!(outcome.result, Err(EventError::DeadLetter));
                println!(
                    "repeat at {} is {}",
                    outcome.position,
                    if is_dead { "a dead letter" } else { "alive" }
                );
                // The result is in the snapshot, too.
                service.handle().snapshot_blocking().unwrap();
            },
        );
    }
}
