//! Worker processes that are killed or paused at any moment: no outcome is lost, and none changes.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use schedule_cluster::{Cluster, ClusterControl};
use schedule_tests_cluster::random::{Random, clock};
use schedule_tests_cluster::{EndProcess, Entry};

use super::support::{Folder, Reported, assert_same_state, cluster, in_memory, process, serial};

/// Number of kills in each test.
pub(super) fn n_rounds() -> usize {
    let rounds = std::env::var("CLUSTER_KILLS");
    rounds.map_or(5, |text| text.parse().unwrap())
}

pub(super) fn signal(name: &str, process: u32) {
    let mut kill = Command::new("kill");
    let kill = kill.arg(format!("-{name}")).arg(process.to_string());
    // It may have ended.
    drop(kill.stderr(Stdio::null()).status());
}

/// Maximum number of disturbances while 3,000 events are processed: a batch is given up after five generations.
const MOST_PER_ROUND: u32 = 3;

/// Disturbs the processes until the end.
fn disturb(
    control: &ClusterControl<Entry>,
    is_over: &AtomicBool,
    n_left: &AtomicU32,
    mut disturb: impl FnMut(&[u32]),
) {
    while !is_over.load(Ordering::Relaxed) {
        let ids = control.process_ids();
        let is_due = n_left.load(Ordering::Relaxed) > 0;
        if is_due && !ids.is_empty() {
            disturb(&ids);
            n_left.fetch_sub(1, Ordering::Relaxed);
        } else {
            thread::sleep(Duration::from_millis(5))
        }
    }
}

/// Sets a flag at the end of the test, also if it fails.
struct SetAtEnd<'f>(&'f AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How long a test waits for a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// What happens while the processes are disturbed.
pub(super) struct Plan {
    pub(super) seed: u64,
    /// Number of calls that process 3,000 events each. More follow while a generation must end and none has.
    pub(super) n_rounds: usize,
    /// Whether at least one generation must end.
    pub(super) must_fail: bool,
}

impl Plan {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            n_rounds: n_rounds(),
            must_fail: true,
        }
    }
}

/// Processes random events while `disturbing` disturbs the workers. Compares all outcomes and the state.
pub(super) fn compare(
    plan: Plan,
    cluster: Cluster<Entry>,
    mut disturbing: impl FnMut(&mut Random, &[u32]) + Send,
) {
    let Plan {
        seed,
        n_rounds,
        must_fail,
    } = plan;
    let folder = Folder::new();
    let cluster = cluster.heartbeat_limit(Duration::from_millis(900));
    let mut stream = cluster.recover(folder.path()).unwrap();
    stream.set_clock(clock());
    let control = stream.control();
    let (is_over, mut serial) = (AtomicBool::new(false), serial());
    let n_left = AtomicU32::new(0);
    let mut random = Random::new(seed);
    thread::scope(|scope| {
        let _over = SetAtEnd(&is_over);
        scope.spawn(|| {
            let mut random = Random::new(seed + 1_000);
            disturb(&control, &is_over, &n_left, |ids| {
                disturbing(&mut random, ids)
            });
        });
        let begin = Instant::now();
        for round in 0.. {
            let is_undisturbed = must_fail && control.n_generations() == 1;
            if round >= n_rounds && !(is_undisturbed && begin.elapsed() < PATIENCE) {
                break;
            }
            n_left.store(MOST_PER_ROUND, Ordering::Relaxed);
            process(&mut stream, &mut serial, random.events(3_000));
            if round % 2 == 0 {
                stream.snapshot().unwrap();
            }
        }
    });
    assert_same_state(&stream, &serial);
    let n_generations = control.n_generations();
    assert!(n_generations > 1 || !must_fail, "no worker was disturbed");
}

#[test]
fn workers_can_be_killed() {
    for n in [1, 3] {
        compare(Plan::new(n as u64), cluster(n), |random, ids| {
            thread::sleep(Duration::from_millis(random.below(400)));
            let nth = random.below(ids.len() as u64) as usize;
            signal("KILL", ids[nth]);
        });
    }
}

#[test]
fn workers_can_be_paused() {
    compare(Plan::new(21), cluster(2), |random, ids| {
        thread::sleep(Duration::from_millis(random.below(300)));
        let process = ids[random.below(ids.len() as u64) as usize];
        signal("STOP", process);
        // Sometimes too long.
        thread::sleep(Duration::from_millis(100 + random.below(1_500)));
        signal("CONT", process);
        thread::sleep(Duration::from_millis(500));
    });
}

#[test]
fn worker_that_ends_in_a_handler_is_started_again() {
    let folder = Folder::new();
    let (mut cluster, mut serial) = (in_memory(2, &folder), serial());
    let file = folder.path().join("end");
    std::fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap().to_string();
    let mut events = Random::new(3).events(500);
    events.insert(250, Entry::EndProcess(EndProcess { a: 1, file }));
    process(&mut cluster, &mut serial, events);
    assert_eq!(cluster.control().n_generations(), 2);
}

#[test]
fn idle_worker_that_is_killed_is_started_again() {
    let folder = Folder::new();
    let mut cluster = cluster(2)
        .heartbeat_limit(Duration::from_millis(400))
        .recover(folder.path())
        .unwrap();
    let control = cluster.control();
    signal("KILL", control.process_ids()[1]);
    while control.n_generations() < 2 {
        thread::sleep(Duration::from_millis(20));
    }
    let mut n = 0;
    cluster
        .process(Random::new(4).events(10), |_| n += 1)
        .unwrap();
    assert!(n >= 10);
}

/// Returns the processes that the first thread of another one has started.
pub(super) fn children_of(process: u32) -> Vec<u32> {
    let children = format!("/proc/{process}/task/{process}/children");
    let children = std::fs::read_to_string(children).unwrap_or_default();
    let ids = children.split_whitespace();
    ids.map(|id| id.parse().unwrap()).collect()
}

#[test]
fn processes_that_a_command_has_started_are_killed() {
    let folder = Folder::new();
    let cluster = cluster(2)
        .heartbeat_limit(Duration::from_millis(400))
        .command(|_| {
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 100 2> /dev/null & exec \"$0\" \"$@\""]);
            command.arg(env!("CARGO_BIN_EXE_cluster-process"));
            command
        })
        .recover(folder.path())
        .unwrap();
    let control = cluster.control();
    let worker = control.process_ids()[1];
    let started = children_of(worker)[0];
    signal("KILL", worker);
    while control.n_generations() < 2 || control.process_ids().is_empty() {
        thread::sleep(Duration::from_millis(20));
    }
    // The status of its end may not have been read.
    let status = std::fs::read_to_string(format!("/proc/{started}/stat"));
    let has_ended = status.as_ref().map_or(true, |of| of.contains(") Z "));
    assert!(has_ended, "{status:?}");
}

#[test]
fn worker_that_hangs_while_the_input_waits_is_started_again() {
    let folder = Folder::new();
    let mut serial = serial();
    let mut cluster = cluster(2)
        .progress_limit(Duration::from_secs(1))
        .recover(folder.path())
        .unwrap();
    cluster.set_clock(clock());
    let file = folder.path().join("end");
    std::fs::write(&file, "hang").unwrap();
    let file = file.to_str().unwrap().to_string();
    let mut events = Random::new(31).events(2_500);
    events[100] = Entry::EndProcess(EndProcess { a: 1, file });
    let control = cluster.control();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    // The first batch has begun when the input waits.
    let input = events.iter().cloned().enumerate().map(|(nth, event)| {
        let start = Instant::now();
        while nth == 2_400 && control.n_generations() < 2 {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "the hang is not noticed"
            );
            thread::sleep(Duration::from_millis(20));
        }
        event
    });
    let report = |outcome| found.push(Reported::new(outcome));
    cluster.process(input, report).unwrap();
    let report = |outcome| expected.push(Reported::new(outcome));
    serial.process(events, report).unwrap();
    Reported::assert_same(&found, &expected);
    assert_eq!(control.failures().len(), 1, "{:?}", control.failures());
}
