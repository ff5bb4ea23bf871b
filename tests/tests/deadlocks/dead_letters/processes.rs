//! A program with events that end the process, and the processes of a case.

use std::env;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::Position;
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::journal::{Directory, inspect};
use schedule_stream::prelude::*;
use schedule_tests::child::Child;
use serde::{Deserialize, Serialize};

#[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
pub(super) struct Sum(u64);

#[derive(Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u64, error = String)]
#[snapshot(name = "entry")]
pub(super) enum Entry {
    #[event(add)]
    Add(u64),
    #[event(poison)]
    Poison(Poison),
    #[event(fragile)]
    Fragile(Fragile),
    #[event(cause)]
    Cause(Cause),
    #[event(pause)]
    Pause(Pause),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Poison {
    Abort,
    StackOverflow,
    OutOfMemory,
    Endless,
}

/// Adds 10, but ends the process if [`FRAGILE`] is set.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Fragile;

/// Causes an event that aborts the process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Cause;

/// Waits for half a second.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pause;

const FRAGILE: &str = "SCHEDULE_TESTS_FRAGILE";
const DIRECTORY: &str = "SCHEDULE_TESTS_DIRECTORY";

#[handler]
fn add(event: &u64, sum: &mut Sum) -> u64 {
    sum.0 += event;
    sum.0
}

/// Waits until the journal has this batch. A batch is written while its handlers run, so the process could end before it is written.
fn wait_until_written(position: Position) {
    let disk = Directory::existing(directory()).unwrap();
    while inspect(&disk).is_ok_and(|found| found.n_batches() < position.batch) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Changes the state before it ends the process.
#[handler]
fn poison(event: &Poison, position: Position, sum: &mut Sum) -> u64 {
    sum.0 += 1_000;
    wait_until_written(position);
    match event {
        Poison::Abort => std::process::abort(),
        Poison::StackOverflow => descend(u64::MAX, &[0; 64]),
        // More than any machine has.
        Poison::OutOfMemory => black_box(Vec::<u8>::with_capacity(1 << 62)).len() as u64,
        Poison::Endless => loop {
            black_box(&mut *sum);
        },
    }
}

#[inline(never)]
fn descend(n: u64, above: &[u64; 64]) -> u64 {
    let mut below = *above;
    below[(n % 64) as usize] = n;
    if n == 0 {
        0
    } else {
        descend(n - 1, black_box(&below)) + below[1]
    }
}

#[handler]
fn fragile(_: &Fragile, position: Position, sum: &mut Sum) -> u64 {
    if env::var_os(FRAGILE).is_some() {
        wait_until_written(position);
        std::process::abort();
    }
    sum.0 += 10;
    sum.0
}

#[handler]
fn cause(_: &Cause) -> FollowUps<Entry, u64> {
    FollowUps::events([Entry::Poison(Poison::Abort)]).answering(0)
}

#[handler]
fn pause(_: &Pause, sum: &mut Sum) -> u64 {
    std::thread::sleep(Duration::from_millis(500));
    sum.0 += 100;
    sum.0
}

pub(super) fn program() -> Durable<Entry> {
    Durable::new("sums", 1).state::<Sum>()
}

pub(super) fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert_default::<Sum>();
    resources
}

/// The directory of the case, in a child process.
pub(super) fn directory() -> PathBuf {
    env::var_os(DIRECTORY).expect("the parent sets it").into()
}

/// Recovers in a child process, and reports every outcome and the sum. After an error, prints it and returns `None`.
pub(super) fn recover(program: Durable<Entry>) -> Option<DurableStream<Entry>> {
    let program = program.outcomes_from(Position::new(1, 0), report);
    match program.recover(directory(), resources()) {
        Ok(stream) => {
            let recovery = stream.recovery();
            println!("new: {}", recovery.new_dead_letters.len());
            for letter in stream.dead_letters() {
                println!("dead letter: {letter}");
            }
            print_sum(&stream);
            Some(stream)
        }
        Err(error) => {
            println!("error: {error}");
            None
        }
    }
}

pub(super) fn print_sum(stream: &DurableStream<Entry>) {
    println!("sum {}", stream.resources().get::<Sum>().unwrap().0);
}

pub(super) fn report(outcome: Outcome<Entry>) {
    let (position, handler) = (outcome.position, outcome.handler);
    println!("outcome {position} {handler} {:?}", outcome.result.ok());
}

/// The processes of a case, which share a directory.
pub(super) struct Processes {
    directory: PathBuf,
    n: usize,
}

impl Processes {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("schedule-dead-letters-{name}-{}", std::process::id());
        Self {
            directory: env::temp_dir().join(name),
            n: 0,
        }
    }

    /// Runs the next process. Returns its output, and whether it has run to the end. `None` in other child processes.
    pub(super) fn run(&mut self, is_fragile: bool, case: impl FnOnce()) -> Option<(String, bool)> {
        self.n += 1;
        let child = Child::new(case)
            .label(self.n)
            .env(DIRECTORY, self.directory.display());
        let child = if is_fragile {
            child.env(FRAGILE, 1)
        } else {
            child
        };
        match catch_unwind(AssertUnwindSafe(|| child.run())) {
            Ok(output) => Some((output?, true)),
            Err(panic) => Some((*panic.downcast().expect("a message"), false)),
        }
    }

    /// Runs a process that dies.
    pub(super) fn dies(&mut self, case: impl FnOnce()) {
        if let Some((output, is_over)) = self.run(false, case) {
            assert!(!is_over, "{output}");
        }
    }

    /// Runs a process that dies in the handler [`fragile`].
    pub(super) fn dies_if_fragile(&mut self, case: impl FnOnce()) {
        if let Some((output, is_over)) = self.run(true, case) {
            assert!(!is_over, "{output}");
        }
    }

    /// Runs a process that ends, and prints all these lines.
    #[track_caller]
    pub(super) fn prints(&mut self, lines: &[&str], case: impl FnOnce()) {
        if let Some((output, is_over)) = self.run(false, case) {
            assert!(is_over, "{output}");
            for line in lines {
                assert!(
                    output.lines().any(|of| of.contains(line)),
                    "no `{line}` in {output}"
                );
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.directory));
    }
}
