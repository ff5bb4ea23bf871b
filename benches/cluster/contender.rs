//! The contenders: a program in one process, and in several ones.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use benches::effort::Effort;
use benches::quantile::median;
use benches::rounds::Rounds;
use schedule_cluster::{Cluster, ClusterStream};
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::{Processing, Stream};

use crate::program::{OutcomeDigest, Program, set_program};

pub(crate) const ONE: &str = "one process, one thread";
pub(crate) const TWO: &str = "two processes";

/// Number of worker processes of the contenders with two processes.
pub(crate) const N_PROCESSES: u32 = 2;

/// A method to process events.
#[derive(Debug)]
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Number of processors that its threads use: those of handlers, the writer of the journal, and the supervisor.
    pub(crate) n_cores: u32,
    place: Place,
    /// Whether it has a journal on disk. Otherwise a cluster has a journal in memory, and one process has none.
    is_on_disk: bool,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    OneProcess(Processing),
    Cluster { n_processes: u32 },
}

pub(crate) const CONTENDERS: [Contender; 7] = [
    Contender {
        name: ONE,
        n_cores: 1,
        place: Place::OneProcess(Processing::Serial),
        is_on_disk: false,
    },
    Contender {
        name: "one process, two threads",
        n_cores: 2,
        place: Place::OneProcess(Processing::Auto),
        is_on_disk: false,
    },
    Contender {
        name: "one process, one thread, journal on disk",
        n_cores: 2,
        place: Place::OneProcess(Processing::Serial),
        is_on_disk: true,
    },
    Contender {
        name: "one process, two threads, journal on disk",
        n_cores: 2,
        place: Place::OneProcess(Processing::Auto),
        is_on_disk: true,
    },
    Contender {
        name: TWO,
        n_cores: 2,
        place: Place::Cluster {
            n_processes: N_PROCESSES,
        },
        is_on_disk: false,
    },
    Contender {
        name: "two processes, journal on disk",
        n_cores: 2,
        place: Place::Cluster {
            n_processes: N_PROCESSES,
        },
        is_on_disk: true,
    },
    Contender {
        name: "one worker process",
        n_cores: 2,
        place: Place::Cluster { n_processes: 1 },
        is_on_disk: false,
    },
];

/// The result of a contender: the same for all of them, except the time.
struct Run {
    seconds: f64,
    /// The digests of the outcomes and of the records.
    digests: [u64; 2],
}

impl Contender {
    /// Processes events, with an empty folder for files. The start of processes is not measured.
    fn run<P: Program>(&self, program: P, folder: &Path, events: &[P::Event]) -> Run {
        let events = events.to_vec();
        let mut outcomes = OutcomeDigest::default();
        let seconds;
        let state;
        match self.place {
            Place::OneProcess(processing) if self.is_on_disk => {
                let durable = P::declare(P::durable()).set_up(move |stream| {
                    stream.set_processing(processing);
                    stream.set_pool(pool_of_two());
                });
                let mut stream = durable
                    .recover(folder, program.resources())
                    .expect("the folder is empty");
                let start = Instant::now();
                let processed = stream.process(events, |outcome| outcomes.add(outcome));
                seconds = start.elapsed().as_secs_f64();
                processed.expect("the journal works");
                program.check(stream.resources());
                state = P::digest(stream.resources());
            }
            Place::OneProcess(processing) => {
                let mut resources = program.resources();
                let mut stream = Stream::new();
                stream.set_processing(processing);
                stream.set_pool(pool_of_two());
                let start = Instant::now();
                let processed =
                    stream.process(&mut resources, events, |outcome| outcomes.add(outcome));
                seconds = start.elapsed().as_secs_f64();
                processed.expect("no resource is missing");
                program.check(&resources);
                state = P::digest(&resources);
            }
            Place::Cluster { n_processes } => {
                let mut stream = if self.is_on_disk {
                    command(program, n_processes)
                        .recover(folder)
                        .expect("the cluster starts")
                } else {
                    in_memory(program, n_processes, folder)
                };
                let start = Instant::now();
                let processed = stream.process(events, |outcome| outcomes.add(outcome));
                seconds = start.elapsed().as_secs_f64();
                processed.expect("the cluster works");
                let control = stream.control();
                assert_eq!(control.n_generations(), 1, "{:?}", control.failures());
                let resources = control.collect().expect("the cluster works");
                program.check(&resources);
                state = P::digest(&resources);
            }
        }
        Run {
            seconds,
            digests: [outcomes.value(), state],
        }
    }
}

/// A cluster whose workers are pinned to a processor each, if the command `taskset` exists.
fn command<P: Program>(program: P, n_processes: u32) -> Cluster<P::Event> {
    let executable = env::current_exe().expect("the program has a path");
    let can_pin = Command::new("taskset").arg("--version").output().is_ok();
    let cluster = program.cluster().processes(n_processes as usize);
    cluster.command(move |worker| {
        let mut command = if can_pin {
            let mut command = Command::new("taskset");
            let processor = worker.to_string();
            command.arg("--cpu-list").arg(processor).arg(&executable);
            command
        } else {
            Command::new(&executable)
        };
        set_program(program, &mut command);
        command
    })
}

/// A cluster that keeps its journal in memory.
pub(crate) fn in_memory<P: Program>(
    program: P,
    n_processes: u32,
    folder: &Path,
) -> ClusterStream<P::Event> {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let cluster = command(program, n_processes);
    let stream = cluster.recover_from(Box::new(journal), Box::new(snapshots), folder);
    stream.expect("the cluster starts")
}

fn pool_of_two() -> Arc<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    Arc::new(pool.expect("threads can be started"))
}

/// Removes all files of a folder.
pub(crate) fn clear(folder: &Path) {
    drop(std::fs::remove_dir_all(folder));
    std::fs::create_dir_all(folder).expect("a folder can be created");
}

/// Measures all contenders with the same events. Returns the median number of events per second of each. All outcomes and
/// all records must be the same.
pub(crate) fn measure<P: Program>(
    program: P,
    events: &[P::Event],
    effort: Effort,
    folder: &Path,
) -> Vec<f64> {
    let mut digests = Vec::new();
    let names = CONTENDERS.iter().map(|contender| contender.name);
    let rounds = Rounds::measure(names.collect(), effort, |contender| {
        clear(folder);
        let run = CONTENDERS[contender].run(program, folder, events);
        digests.push(run.digests);
        vec![events.len() as f64 / run.seconds]
    });
    let is_equal = digests.iter().all(|digest| *digest == digests[0]);
    assert!(is_equal, "digests differ: {digests:?}");
    let (n_runs, n_noisy) = (digests.len(), rounds.n_noisy);
    eprintln!("{n_runs} runs with equal digests, {n_noisy} noisy rounds");
    rounds.samples.into_iter().map(median).collect()
}
