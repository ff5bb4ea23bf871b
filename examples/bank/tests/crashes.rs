//! A bank in a process of its own is killed at random moments, again and again, while clients send requests.
//!
//! After each kill, the folder is recovered. The recovered state must be that of a sequential run of the journal, and each answer that a
//! client has received must be a result of this run. Requests that had an idempotency key and no answer are repeated after the next start:
//! they must not be handled twice. `BANK_KILLS` sets the number of kills.
//!
//! If the bank has worker processes, one of them is killed before, and the clients must get further answers.

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use axum::http::StatusCode;
use fastrand::Rng;
use schedule_stream::Position;
use tempfile::tempdir;

use super::history::{EventResult, History};
use super::recovered::Setting;
use super::running::{LIMIT, Watchdog};
use crate::api::{Accepted, ErrorReply};
use crate::client::{Client, Reply};
use crate::ledger::{Answer, Deposit, Entry, Open, Payment, Withdrawal, cluster};
use crate::options::Options;
use crate::server::{self, PROCESSES};

/// The environment variable of a process that is killed: its folder.
const FOLDER: &str = "BANK_CRASH_FOLDER";

/// Precedes the address in the output of a process that is killed.
const ADDRESS: &str = "address: ";

/// The process that is killed takes a snapshot after this number of batches. Small, so that many kills hit one.
const SNAPSHOT_EVERY: u64 = 15;

/// Enough accounts that a snapshot takes a few milliseconds.
const N_ACCOUNTS: usize = 1500;

const N_CLIENTS: usize = 8;
const OPENING_CENTS: u64 = 300;

#[test]
fn killed_bank_has_each_accepted_event_once() {
    kill_again_and_again(Setting {
        test: "tests::crashes::killed_bank_has_each_accepted_event_once",
        n_processes: None,
    });
}

#[test]
fn killed_bank_in_two_processes_has_each_accepted_event_once() {
    // A worker process never returns from this call.
    drop(cluster().work_if_asked());
    kill_again_and_again(Setting {
        test: "tests::crashes::killed_bank_in_two_processes_has_each_accepted_event_once",
        n_processes: Some(2),
    });
}

fn kill_again_and_again(setting: Setting) {
    if let Some(folder) = env::var_os(FOLDER) {
        return serve_until_killed(folder.as_ref(), setting.n_processes);
    }
    let n_kills = env::var("BANK_KILLS").map_or(5, |n| n.parse().unwrap());
    let _watchdog = Watchdog::start(LIMIT + n_kills * Duration::from_secs(10));
    let data = tempdir().unwrap();
    let folder = data.path();
    open_accounts(folder, setting);
    let mut history = History::new();
    history.continue_with(folder);
    let seed = env::var("BANK_SEED").map_or_else(|_| fastrand::u64(..), |n| n.parse().unwrap());
    println!("BANK_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let mut total = Counts::default();
    let mut repeats = Vec::new();
    for nth in 0..n_kills {
        let moment = Moment::nth(nth, &mut random);
        let killed = kill(folder, setting, &moment, nth, repeats, &mut random);
        let counts = check(folder, setting, &mut history, &killed);
        repeats = killed.exchange.unknown;
        println!("{nth}: {moment:?}: {counts:?}");
        total.add(&counts);
    }
    println!("{n_kills} kills: {total:?}");
    // Fewer kills may miss a case.
    if n_kills >= 5 {
        assert!(total.n_accepted > 0, "no client got an answer");
        assert!(total.n_rejected > 0, "no event was rejected");
        assert!(total.n_repeated > 0, "no request was repeated");
    }
}

/// The process that is killed: runs the bank. Ends with its parent, which holds the other end of the standard input.
fn serve_until_killed(folder: &Path, n_processes: Option<usize>) {
    thread::spawn(|| {
        drop(io::stdin().read_to_end(&mut Vec::new()));
        process::exit(1);
    });
    let options = Options {
        folder: folder.to_owned(),
        port: 0,
        snapshot_every: SNAPSHOT_EVERY,
        n_processes,
        reads_only: false,
        compares: false,
    };
    let started = |address| println!("{ADDRESS}{address}");
    server::run(&options, started).unwrap();
}

fn account(nth: usize) -> String {
    format!("account-{nth}")
}

/// Creates the folder, with all accounts and their first money.
fn open_accounts(folder: &Path, setting: Setting) {
    let mut stream = setting.recover(folder);
    let opens = (0..N_ACCOUNTS).map(|nth| Open {
        account: account(nth),
    });
    let deposits = (0..N_ACCOUNTS).map(|nth| Deposit {
        account: account(nth),
        cents: NonZeroU64::new(OPENING_CENTS).unwrap(),
        memo: None,
    });
    let events = opens.map(Entry::Open).chain(deposits.map(Entry::Deposit));
    stream.process(events);
}

/// The moment of a kill.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// After the start of the process, perhaps during the recovery.
    AfterStart(Duration),
    /// After the first answer.
    UnderLoad(Duration),
    /// When the file of a snapshot was created, but not renamed.
    InSnapshot,
}

impl Moment {
    fn nth(nth: u32, random: &mut Rng) -> Self {
        match nth % 3 {
            0 => Self::UnderLoad(Duration::from_micros(random.u64(..300_000))),
            1 => Self::InSnapshot,
            _ => Self::AfterStart(Duration::from_micros(random.u64(..100_000))),
        }
    }
}

/// A request of a client. Its name is in the event: the memo, or the name of a new account.
#[derive(Clone)]
struct ClientRequest {
    event: Entry,
    key: Option<String>,
    /// Whether it was sent before.
    is_repeat: bool,
}

/// The requests and answers of all clients.
#[derive(Default)]
struct Exchange {
    /// Requests that are repeated first.
    repeats: Vec<ClientRequest>,
    answered: Vec<Answered>,
    /// Requests with a key and without an answer.
    unknown: Vec<ClientRequest>,
    n_sent: u64,
    n_repeated: usize,
}

/// An answer that a client has received.
struct Answered {
    event: Entry,
    position: Position,
    result: EventResult,
}

/// The result of a kill.
struct Killed {
    exchange: Exchange,
    /// Whether the file of a snapshot was left unfinished.
    has_unfinished_snapshot: bool,
}

/// Starts a bank, lets clients send requests, and kills the bank.
fn kill(
    folder: &Path,
    setting: Setting,
    moment: &Moment,
    nth: u32,
    repeats: Vec<ClientRequest>,
    random: &mut Rng,
) -> Killed {
    let unfinished = unfinished_snapshot(folder);
    let mut child = start(folder, setting);
    let (address, processes) = output_of(&mut child);
    let exchange = Arc::new(Mutex::new(Exchange {
        repeats,
        ..Exchange::default()
    }));
    let clients = {
        let exchange = Arc::clone(&exchange);
        let seed = random.u64(..);
        thread::spawn(move || run_clients(&address, nth, seed, &exchange))
    };
    let n_answered = || exchange.lock().unwrap().answered.len();
    let has_answered = || n_answered() > 0;
    let wait_until = |child: &mut Child, is_reached: &dyn Fn() -> bool| {
        while !is_reached() {
            if let Some(status) = child.try_wait().unwrap() {
                panic!("the bank has ended: {status}");
            }
            thread::sleep(Duration::from_micros(200));
        }
    };
    if setting.n_processes.is_some() && !matches!(moment, Moment::AfterStart(_)) {
        wait_until(&mut child, &has_answered);
        let n_before = n_answered();
        kill_one_of(&processes.recv().unwrap(), random);
        // More than the workers may have answered before.
        wait_until(&mut child, &|| n_answered() >= n_before + 20 * N_CLIENTS);
    }
    match moment {
        Moment::AfterStart(time) => thread::sleep(*time),
        Moment::UnderLoad(time) => {
            wait_until(&mut child, &has_answered);
            thread::sleep(*time);
        }
        Moment::InSnapshot => {
            wait_until(&mut child, &has_answered);
            wait_until(&mut child, &|| {
                let found = unfinished_snapshot(folder);
                found.is_some() && found != unfinished
            });
        }
    }
    child.kill().unwrap();
    let status = child.wait().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(status.signal(), Some(9), "{status}");
    }
    assert!(!status.success());
    clients.join().unwrap();
    let mut exchange = core::mem::take(&mut *exchange.lock().unwrap());
    // Those that no client has repeated are repeated next time.
    exchange.unknown.append(&mut exchange.repeats);
    Killed {
        exchange,
        has_unfinished_snapshot: unfinished_snapshot(folder).is_some(),
    }
}

fn start(folder: &Path, setting: Setting) -> Child {
    setting
        .command()
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills one of the processes with these ids, such as `[123, 456]`.
fn kill_one_of(ids: &str, random: &mut Rng) {
    let ids: Vec<u32> = serde_json::from_str(ids).unwrap();
    let id = ids[random.usize(..ids.len())].to_string();
    let killed = Command::new("kill").args(["-KILL", &id]).status();
    assert!(killed.unwrap().success(), "the worker process has ended");
}

/// Returns the receivers of the address, and of the ids of the worker processes. They are closed without one if the process ends
/// before.
fn output_of(child: &mut Child) -> (Receiver<SocketAddr>, Receiver<String>) {
    let output = child.stdout.take().unwrap();
    let (sender, address) = mpsc::channel();
    let (ids_sender, ids) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            // If a receiver is dropped, the test does not need it.
            if let Some((_, ids)) = line.split_once(PROCESSES) {
                let _sent = ids_sender.send(ids.to_string());
            }
            if let Some((_, address)) = line.split_once(ADDRESS) {
                let _sent = sender.send(address.parse().unwrap());
            }
        }
    });
    (address, ids)
}

/// Returns the file of a snapshot that has no name yet, or the part of a worker process for a snapshot that has none.
fn unfinished_snapshot(folder: &Path) -> Option<String> {
    let names = |folder: &Path| {
        let files = fs::read_dir(folder).into_iter().flatten();
        files.map(|file| file.unwrap().file_name().into_string().unwrap())
    };
    let snapshots = names(folder).filter(|name| name.starts_with("snapshot-"));
    let (unfinished, finished): (Vec<_>, Vec<_>) =
        snapshots.partition(|name| name.ends_with(".tmp"));
    // The names of parts begin with the batch, too.
    let part = names(&folder.join("parts")).max().filter(|part| {
        let batch = part.split('-').next();
        let snapshot = finished.iter().max();
        batch > snapshot.and_then(|name| name.get("snapshot-".len()..)?.split('.').next())
    });
    unfinished.into_iter().next().or(part)
}

/// Sends requests on several connections until the bank is killed.
fn run_clients(
    address: &Receiver<SocketAddr>,
    nth: u32,
    seed: u64,
    exchange: &Arc<Mutex<Exchange>>,
) {
    let Ok(address) = address.recv() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let clients = (0..N_CLIENTS).map(|client| {
            let exchange = Arc::clone(exchange);
            let mut random = Rng::with_seed(seed.wrapping_add(client as u64));
            tokio::spawn(async move {
                let Ok(mut connection) = Client::connect(address).await else {
                    return;
                };
                for number in 0_u64.. {
                    let repeat = exchange.lock().unwrap().repeats.pop();
                    let request = repeat.unwrap_or_else(|| {
                        request(&mut random, format!("{nth}-{client}-{number}"))
                    });
                    let (path, body) = http(&request.event);
                    let sent = connection.post(path, body, request.key.as_deref()).await;
                    let mut exchange = exchange.lock().unwrap();
                    exchange.n_sent += 1;
                    match sent {
                        Ok(reply) => {
                            exchange.n_repeated += usize::from(request.is_repeat);
                            exchange.answered.push(read(request.event, &reply));
                        }
                        Err(_) => {
                            if request.key.is_some() {
                                exchange.unknown.push(ClientRequest {
                                    is_repeat: true,
                                    ..request
                                });
                            }
                            return;
                        }
                    }
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            client.await.unwrap();
        }
    });
}

/// Returns a random request with this name. One in two has a key.
fn request(random: &mut Rng, name: String) -> ClientRequest {
    let from = random.usize(..N_ACCOUNTS);
    let to = (from + random.usize(1..N_ACCOUNTS)) % N_ACCOUNTS;
    let cents = NonZeroU64::new(random.u64(1..400)).unwrap();
    let key = random.bool().then(|| name.clone());
    let event = match random.u8(..10) {
        0 => Entry::Deposit(Deposit {
            account: account(from),
            cents,
            memo: Some(name),
        }),
        1 => Entry::Open(Open {
            account: format!("new-{name}"),
        }),
        2 => Entry::Withdraw(Withdrawal {
            account: account(from),
            cents,
            memo: Some(name),
        }),
        _ => Entry::Pay(Payment {
            from: account(from),
            to: account(to),
            cents,
            memo: Some(name),
        }),
    };
    ClientRequest {
        event,
        key,
        is_repeat: false,
    }
}

fn http(event: &Entry) -> (&'static str, Vec<u8>) {
    let (path, body) = match event {
        Entry::Open(event) => ("/accounts", serde_json::to_vec(event)),
        Entry::Deposit(event) => ("/deposits", serde_json::to_vec(event)),
        Entry::Withdraw(event) => ("/withdrawals", serde_json::to_vec(event)),
        Entry::Pay(event) => ("/payments", serde_json::to_vec(event)),
        other => panic!("no client sends {other:?}"),
    };
    (path, body.unwrap())
}

fn read(event: Entry, reply: &Reply) -> Answered {
    match reply.status {
        StatusCode::OK | StatusCode::CREATED => {
            let accepted: Accepted = reply.json().unwrap();
            Answered {
                event,
                position: accepted.position,
                result: Ok(Answer::Balance(accepted.balance_cents)),
            }
        }
        StatusCode::CONFLICT => {
            let rejected: ErrorReply = reply.json().unwrap();
            Answered {
                event,
                position: rejected.position.unwrap(),
                result: Err(rejected.error),
            }
        }
        _ => panic!("unexpected answer: {reply:?}"),
    }
}

/// Numbers of a round, or of all rounds.
#[derive(Debug, Default)]
struct Counts {
    n_batches: usize,
    n_sent: u64,
    /// Requests that got an answer only after a restart.
    n_repeated: usize,
    n_accepted: usize,
    n_rejected: usize,
    n_unfinished_snapshots: usize,
    /// Batches that the recovery has processed again.
    n_replayed: u64,
    /// Recoveries that began with another snapshot than the first one.
    n_from_snapshot: usize,
    /// Recoveries after which follow-up events were pending.
    n_with_pending: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.n_batches += other.n_batches;
        self.n_sent += other.n_sent;
        self.n_repeated += other.n_repeated;
        self.n_accepted += other.n_accepted;
        self.n_rejected += other.n_rejected;
        self.n_unfinished_snapshots += other.n_unfinished_snapshots;
        self.n_replayed += other.n_replayed;
        self.n_from_snapshot += other.n_from_snapshot;
        self.n_with_pending += other.n_with_pending;
    }
}

/// Recovers the folder, and compares it and all answers with a sequential run of the journal.
fn check(folder: &Path, setting: Setting, history: &mut History, killed: &Killed) -> Counts {
    let n_batches = history.continue_with(folder);
    for answered in &killed.exchange.answered {
        let (event, result) = history
            .at(answered.position)
            .unwrap_or_else(|| panic!("{:?} is lost", answered.event));
        assert_eq!((event, result), (&answered.event, &answered.result));
    }
    let mut stream = setting.recover(folder);
    assert_eq!(stream.next_batch(), history.next_batch());
    assert_eq!(stream.n_pending(), history.n_pending());
    assert!(stream.content() == history.content(), "the state differs");
    let has_pending = stream.n_pending() > 0;
    let recovery = stream.recovery().clone();
    assert_eq!(recovery.damaged_snapshots, [0; 0]);

    // The follow-up events complete all statements.
    stream.drain();
    let found = stream.content();
    drop(stream);
    history.continue_with(folder);
    assert!(
        found == history.content(),
        "the state differs after follow-up events"
    );
    for ((name, account), (of, statement)) in found.accounts.iter().zip(&found.statements) {
        assert_eq!(name, of);
        assert_eq!(account.cents, statement.balance_cents.cast_unsigned());
    }
    let sum: i128 = found
        .accounts
        .iter()
        .map(|(_, account)| i128::from(account.cents))
        .sum();
    assert_eq!(sum, history.cents(), "money was lost or created");

    let answered = &killed.exchange.answered;
    let n_accepted = answered.iter().filter(|one| one.result.is_ok()).count();
    Counts {
        n_batches,
        n_sent: killed.exchange.n_sent,
        n_repeated: killed.exchange.n_repeated,
        n_accepted,
        n_rejected: answered.len() - n_accepted,
        n_unfinished_snapshots: killed.has_unfinished_snapshot.into(),
        n_replayed: recovery.n_replayed,
        n_from_snapshot: (recovery.snapshot > 0).into(),
        n_with_pending: has_pending.into(),
    }
}
