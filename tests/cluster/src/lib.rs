//! The program of the tests of clusters: handlers with all kinds of parameters, in this process or in several ones.

pub mod random;

use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::panic::resume_unwind;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use schedule_stream::{BatchTime, EventLimits, Outcome, Position};
use serde::{Deserialize, Serialize};

/// An account.
#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "account")]
pub struct Account(pub u64);

/// An item, with a hashed key.
#[derive(Clone, Debug, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(key = String)]
#[snapshot(name = "item")]
pub struct Item(pub u64, pub Vec<u8>);

/// Every key has one, by default.
#[derive(Clone, Debug, Default, PartialEq, Record, Snapshot, Serialize, Deserialize)]
#[record(key = u32)]
#[snapshot(name = "badge")]
pub struct Badge(pub u64);

/// A resource that handlers write.
#[derive(Clone, Debug, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "total")]
pub struct Total(pub u64);

/// A resource that handlers only read.
#[derive(Clone, Debug, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "fee")]
pub struct Fee(pub u64);

/// How a handler fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// It returns an error in the middle of its work.
    Error,
    /// It panics in the middle of its work.
    Panic,
    /// The expression of its last key panics.
    Key,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// An account.
    pub a: u32,
    /// Another account.
    pub b: u32,
    /// The number of an item.
    pub c: u32,
    /// Accounts.
    pub many: Vec<u32>,
    /// Different in each event.
    pub nonce: u64,
    /// The work of the handler.
    pub spin: u32,
    /// How the handler fails.
    pub fault: Option<Fault>,
    /// The follow-up events of the handler `spawn`.
    pub following: Vec<Entry>,
}

/// The events.
#[derive(Clone, Debug, PartialEq, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = u64, error = String)]
#[snapshot(name = "entry")]
pub enum Entry {
    /// Writes two accounts. Depends on its position and time.
    #[event(transfer)]
    Transfer(Act),
    /// Reads one account and writes another.
    #[event(copy)]
    Copy(Act),
    /// Writes one or two accounts.
    #[event(merge)]
    Merge(Act),
    /// Reads only.
    #[event(look)]
    Look(Act),
    /// Inserts or removes an account.
    #[event(open)]
    Open(Act),
    /// Inserts or removes an item.
    #[event(put)]
    Put(Act),
    /// Writes a set of accounts.
    #[event(bonus)]
    Bonus(Act),
    /// Reads a set of accounts, and writes a resource.
    #[event(survey)]
    Survey(Act),
    /// Reads and writes records that exist by default.
    #[event(earn)]
    Earn(Act),
    /// Restores what it wrote before a failure.
    #[event(safe_merge)]
    SafeMerge(Act),
    /// Causes follow-up events.
    #[event(spawn)]
    Spawn(Act),
    /// Ends the process once, if a file exists, or always, if a folder does.
    #[event(end_process)]
    EndProcess(EndProcess),
    /// Writes two accounts, and notes each run of its handler.
    #[event(note)]
    Note(Note),
}

/// Ends the worker process, if this file or folder exists. Removes a file before. If the file has the content `hang`, the handler never
/// returns. If it has the content `id`, the answer is the id of the process, and the file stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndProcess {
    /// An account.
    pub a: u32,
    /// The file.
    pub file: String,
}

/// Appends a byte to a file in each process that runs the handler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// An account.
    pub a: u32,
    /// Another account.
    pub b: u32,
    /// The file. It must exist.
    pub file: String,
}

/// Combines two numbers. The order matters.
pub fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(7) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Act {
    fn last(&self, key: u32) -> u32 {
        if self.fault == Some(Fault::Key) {
            resume_unwind(Box::new("no key"));
        }
        key
    }

    fn item(&self) -> String {
        format!("item {}", self.last(self.c))
    }

    fn halfway(&self) -> Result<(), String> {
        (0..self.spin).for_each(|n| {
            black_box(n);
        });
        match self.fault {
            Some(Fault::Error) => Err(format!("failed {}", self.nonce)),
            // Without output on the terminal.
            Some(Fault::Panic) => resume_unwind(Box::new("halfway")),
            _ => Ok(()),
        }
    }
}

#[handler]
fn transfer(
    act: &Act,
    fee: &Fee,
    position: Position,
    time: BatchTime,
    #[key(act.a)] a: &mut Account,
    #[key(act.last(act.b))] b: &mut Account,
) -> Result<u64, String> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    // Two processes may write them, and both must know the same.
    a.0 = mix(a.0, u64::from(position.index) ^ position.batch << 32);
    b.0 = mix(b.0, a.0 ^ fee.0 ^ time.as_nanos());
    Ok(b.0)
}

#[handler(alias = skip)]
fn copy(
    act: &Act,
    position: Position,
    time: BatchTime,
    #[key(act.a)] a: &Account,
    #[key(act.last(act.b))] b: &mut Account,
) -> Result<u64, String> {
    b.0 = mix(b.0, act.nonce);
    act.halfway()?;
    b.0 = mix(b.0, a.0 ^ u64::from(position.index) ^ position.batch << 32);
    b.0 = mix(b.0, time.as_nanos());
    Ok(b.0)
}

#[handler(alias = first)]
fn merge(
    act: &Act,
    #[key(act.a)] a: &mut Account,
    #[key(act.last(act.b))] b: Option<&mut Account>,
) -> Result<u64, String> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    let b = b.map(|b| {
        b.0 = mix(b.0, a.0);
        b.0
    });
    Ok(b.unwrap_or(1))
}

#[handler]
fn look(
    act: &Act,
    fee: Option<&Fee>,
    #[key(act.a)] a: &Account,
    #[key(act.b)] b: Option<&Account>,
    #[key(act.item())] c: Option<&Item>,
) -> Result<u64, String> {
    act.halfway()?;
    let b = b.map_or(1, |b| b.0);
    let c = c.map_or(1, |c| c.0 ^ c.1.len() as u64);
    Ok(mix(mix(a.0, b), c) ^ fee.map_or(0, |fee| fee.0))
}

#[handler]
fn open(
    act: &Act,
    #[key(act.a)] mut a: Slot<Account>,
    #[key(act.item())] c: Option<&Item>,
) -> Result<u64, String> {
    let before = match act.nonce % 4 {
        0 => a.remove(),
        _ => a.insert(Account(act.nonce)),
    };
    act.halfway()?;
    Ok(mix(
        before.map_or(1, |before| before.0),
        c.map_or(1, |c| c.0),
    ))
}

#[handler]
fn put(
    act: &Act,
    #[key(act.item())] mut c: Slot<Item>,
    #[key(act.a)] a: Option<&mut Account>,
) -> Result<u64, String> {
    let content = vec![7; (act.nonce % 300) as usize];
    let before = match act.nonce % 4 {
        0 => c.remove(),
        _ => c.insert(Item(act.nonce, content)),
    };
    act.halfway()?;
    if let Some(a) = a {
        a.0 = mix(a.0, act.nonce);
    }
    Ok(before.map_or(1, |before| before.0))
}

#[handler]
fn bonus(
    act: &Act,
    fee: &Fee,
    #[keys(&act.many)] mut many: RecordSetMut<Account>,
    #[key(act.item())] c: Option<&Item>,
) -> Result<u64, String> {
    let n = many.len() / 2;
    let more = c.map_or(act.nonce, |c| c.0);
    for (_, account) in many.iter_mut().take(n) {
        account.0 = mix(account.0, more);
    }
    act.halfway()?;
    for (key, account) in many.iter_mut().skip(n) {
        account.0 = mix(account.0, fee.0 ^ u64::from(*key));
    }
    Ok(many.len() as u64)
}

#[handler]
fn survey(
    act: &Act,
    total: &mut Total,
    #[key(act.last(act.a))] a: &Account,
    #[keys(&act.many)] many: RecordSet<Account>,
) -> Result<u64, String> {
    total.0 = mix(total.0, act.nonce);
    act.halfway()?;
    for (_, account) in many.iter() {
        total.0 = mix(total.0, account.0);
    }
    total.0 = mix(total.0, a.0);
    Ok(many.len() as u64)
}

#[handler]
fn earn(
    act: &Act,
    #[key(act.a)] a: &mut Badge,
    #[key(act.b)] b: &Badge,
    #[key(act.item())] c: &mut Item,
) -> Result<u64, String> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    a.0 = mix(a.0, b.0);
    c.0 = mix(c.0, a.0);
    Ok(c.0)
}

#[handler(atomic, alias = first)]
fn safe_merge(
    act: &Act,
    #[key(act.a)] a: &mut Account,
    #[key(act.last(act.b))] b: Option<&mut Account>,
) -> Result<u64, String> {
    merge(act, a, b)
}

#[handler]
fn spawn(act: &Act, #[key(act.a)] a: &mut Account) -> Result<FollowUps<Entry, u64>, String> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    Ok(FollowUps::events(act.following.clone()).answering(a.0))
}

#[handler]
fn end_process(
    act: &EndProcess,
    #[key(act.a)] a: Option<&mut Account>,
    #[key(act.a + 1)] _b: Option<&mut Account>,
) -> u64 {
    let path = std::path::Path::new(&act.file);
    let content = std::fs::read_to_string(path).unwrap_or_default();
    if content == "id" {
        return std::process::id().into();
    }
    if path.is_dir() || std::fs::remove_file(path).is_ok() {
        if content == "hang" {
            std::thread::sleep(std::time::Duration::from_secs(1_000));
        }
        std::process::abort();
    }
    a.map_or(0, |a| a.0)
}

#[handler]
fn note(
    event: &Note,
    #[key(event.a)] a: &mut Account,
    #[key(event.b)] b: &mut Account,
) -> Result<u64, String> {
    let file = File::options().append(true).open(&event.file);
    let written = file.and_then(|mut file| file.write_all(b"."));
    written.map_err(|error| error.to_string())?;
    a.0 = mix(a.0, b.0);
    b.0 = mix(b.0, a.0);
    Ok(b.0)
}

/// Number of accounts before the first event that events use.
pub const N_ACCOUNTS: u32 = 24;

/// The environment variable that makes the program another one: `fee` changes a constant, and `version` the version.
pub const PROGRAM: &str = "SCHEDULE_TESTS_PROGRAM";

fn is_other(part: &str) -> bool {
    std::env::var(PROGRAM).is_ok_and(|other| other == part)
}

/// The resources before the first event.
pub fn resources() -> Resources {
    let mut resources = Resources::new();
    // Most accounts are never used.
    let all = (0..N_ACCOUNTS).chain(100..2_000);
    let accounts = all.map(|id| (id, Account(id.into())));
    resources.insert(Records::from_iter(accounts));
    let items = (0..6).map(|n| (format!("item {n}"), Item(n, vec![1; 40])));
    resources.insert(Records::from_iter(items));
    resources.insert(Records::<Badge>::or_default());
    resources.insert(Total(1));
    resources.insert(Fee(if is_other("fee") { 4 } else { 3 }));
    resources
}

/// The program without its state.
fn settings() -> Durable<Entry> {
    let version = if is_other("version") { 2 } else { 1 };
    Durable::new("cluster-test", version)
        .idempotency_keys(4096)
        .set_up(|stream| {
            // So small that follow-up events often wait for later batches.
            let limits = EventLimits::new().max_set_keys(6).max_depth(3);
            stream.set_limits(limits.max_follow_ups(30).max_per_event(2));
        })
}

/// The program in one process.
pub fn alone() -> Durable<Entry> {
    settings()
        .state::<Records<Account>>()
        .state::<Records<Item>>()
        .state::<Records<Badge>>()
        .state::<Total>()
        .constant::<Fee>()
}

/// The program in several processes.
pub fn program() -> Cluster<Entry> {
    program_with(|durable| durable)
}

/// The program in several processes, with other settings of its durable stream.
pub fn program_with(set: impl FnOnce(Durable<Entry>) -> Durable<Entry>) -> Cluster<Entry> {
    Cluster::new(set(settings()), resources)
        .records::<Account>()
        .records::<Item>()
        .records::<Badge>()
        .state::<Total>()
        .constant::<Fee>()
}

/// Describes an outcome in one line.
pub fn outcome_line(outcome: &Outcome<Entry>) -> String {
    let Outcome {
        position,
        cause,
        handler,
        ..
    } = outcome;
    let cause = cause.map_or("-".to_string(), |cause| cause.to_string());
    let result = match &outcome.result {
        Ok(answer) => answer.to_string(),
        Err(error) => format!("{error:?}"),
    };
    format!("{position} {cause} {handler} {result}")
}

/// All values, in the order of keys.
#[derive(Debug, PartialEq)]
pub struct Values {
    accounts: Vec<(u32, u64)>,
    items: Vec<(String, Item)>,
    badges: Vec<(u32, u64)>,
    total: u64,
}

impl Values {
    /// Fails at the first difference.
    ///
    /// # Panics
    ///
    /// Panics if a value differs.
    pub fn assert_same(&self, other: &Self) {
        fn same<T: PartialEq + std::fmt::Debug>(one: &[T], other: &[T]) {
            for (one, other) in one.iter().zip(other) {
                assert_eq!(one, other);
            }
            assert_eq!(one.len(), other.len());
        }
        same(&self.accounts, &other.accounts);
        same(&self.items, &other.items);
        same(&self.badges, &other.badges);
        assert_eq!(self.total, other.total);
    }

    /// Reads the values.
    pub fn of(resources: &Resources) -> Self {
        let accounts = resources.get::<Records<Account>>().unwrap().iter();
        let items = resources.get::<Records<Item>>().unwrap().iter();
        let badges = resources.get::<Records<Badge>>().unwrap().iter();
        let mut values = Self {
            accounts: accounts.map(|(key, value)| (*key, value.0)).collect(),
            items: items
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
            badges: badges.map(|(key, value)| (*key, value.0)).collect(),
            total: resources.get::<Total>().unwrap().0,
        };
        values.accounts.sort_unstable();
        values.items.sort_by(|one, other| one.0.cmp(&other.0));
        values.badges.sort_unstable();
        values
    }
}
