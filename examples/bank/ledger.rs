//! The ledger: accounts and statements, and the events that change and read them.
//!
//! The events derive the traits of `serde`, so they are the bodies of HTTP requests too. A payment changes both accounts at
//! once. Its lines in the statements are follow-up events, so payments do not wait for statements.
//!
//! The handlers take single records and record sets, never a whole store, so they can run in several processes too.

use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroU64;

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::answers::Answer as HandlerAnswer;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use schedule_stream::{BatchTime, Position};
use serde::{Deserialize, Serialize};

/// Maximum balance: the largest number that every JSON parser reads exactly.
pub(crate) const MAX_CENTS: u64 = (1 << 53) - 1;

/// Number of lines that a statement keeps. A fixed number, so that the memory of the bank depends only on its accounts.
pub(crate) const N_LINES: usize = 16;

/// Number of idempotency keys that are stored. Only requests with a key count.
const N_KEYS: usize = 100_000;

/// Maximum size of an event in the journal. Bodies of requests are smaller.
const MAX_EVENT_BYTES: usize = 4096;

#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[record(key = String)]
#[snapshot(name = "account", version = 1)]
pub(crate) struct Account {
    pub(crate) cents: u64,
}

impl Account {
    fn after_deposit(&self, cents: u64) -> Result<u64, Rejected> {
        let sum = self.cents.checked_add(cents);
        let sum = sum.filter(|sum| *sum <= MAX_CENTS);
        sum.ok_or(Rejected::TooMuch)
    }

    fn after_withdrawal(&self, cents: u64) -> Result<u64, Rejected> {
        self.cents.checked_sub(cents).ok_or(Rejected::Overdrawn)
    }
}

/// The newest lines of an account. They are written after the account has changed.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[record(key = String)]
#[snapshot(name = "statement", version = 1)]
pub(crate) struct Statement {
    /// Number of all lines, including those that are not kept.
    pub(crate) n_lines: u64,
    /// The sum of all lines: the balance after the newest one.
    pub(crate) balance_cents: i64,
    /// The newest lines, at most [`N_LINES`], the oldest first.
    pub(crate) lines: VecDeque<Line>,
}

/// A change of a balance.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// The position of the event that changed the balance.
    pub(crate) position: Position,
    /// The time of its batch.
    pub(crate) unix_seconds: u64,
    /// Negative if money left the account.
    pub(crate) cents: i64,
    /// The other account of a payment.
    pub(crate) other: Option<String>,
    pub(crate) memo: Option<String>,
}

/// The sums of about one in [`N_BRANCHES`] accounts. An account belongs to a branch by its name.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[record(id = u32)]
#[snapshot(name = "branch", version = 1)]
pub(crate) struct Branch {
    pub(crate) n_accounts: u64,
    /// Deposits less withdrawals. Payments to and from other branches are not included.
    pub(crate) paid_in_cents: i128,
    /// Number of lines of the statements, including those that are not kept.
    pub(crate) n_lines: u64,
    /// The sum of these lines.
    pub(crate) lines_cents: i128,
}

/// Number of branches. Events that change different branches are independent.
pub(crate) const N_BRANCHES: u32 = 64;

/// Returns the branch of an account. Uses FNV-1a (Fowler, Noll, Vo 1991).
fn branch(account: &str) -> u32 {
    let hash = account.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash % N_BRANCHES
}

/// The sums of all accounts and of all statements.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) n_accounts: u64,
    /// Deposits less withdrawals, which is the sum of all balances.
    pub(crate) balance_cents: i128,
    /// Number of lines of all statements, including those that are not kept.
    pub(crate) n_lines: u64,
    /// Equal to `balance_cents` when no line is missing.
    pub(crate) lines_cents: i128,
}

#[derive(Event, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[event(answer = Answer, error = Rejected)]
#[snapshot(name = "entry", version = 1)]
pub(crate) enum Entry {
    #[event(open)]
    Open(Open),
    #[event(deposit)]
    Deposit(Deposit),
    #[event(withdraw)]
    Withdraw(Withdrawal),
    #[event(pay)]
    Pay(Payment),
    #[event(write_line)]
    WriteLine(WriteLine),
    #[event(read_account)]
    ReadAccount(ReadAccount),
    #[event(read_statement)]
    ReadStatement(ReadStatement),
    #[event(read_totals)]
    ReadTotals(ReadTotals),
}

/// The answer of a handler.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// The balance of the account, or of the payer.
    Balance(u64),
    /// A line was written.
    Written,
    Statement(Statement),
    Totals(Totals),
}

impl HandlerAnswer for Answer {}

/// The reason why an event changed nothing.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    Exists,
    Overdrawn,
    TooMuch,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists => f.write_str("the account is already open"),
            Self::Overdrawn => f.write_str("the balance is too small"),
            Self::TooMuch => write!(f, "the balance would be above {MAX_CENTS} cents"),
        }
    }
}

impl std::error::Error for Rejected {}

/// The return type of handlers that change balances.
type Changed = Result<FollowUps<Entry, Answer>, Rejected>;

/// Opens an account without money.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    pub(crate) account: String,
}

#[handler]
fn open(
    event: &Open,
    #[key(&event.account)] mut account: Slot<Account>,
    #[key(&event.account)] mut statement: Slot<Statement>,
    #[key(branch(&event.account))] branch: &mut Branch,
) -> Result<Answer, Rejected> {
    let _ = event;
    if account.get().is_some() {
        return Err(Rejected::Exists);
    }
    account.insert(Account { cents: 0 });
    statement.insert(Statement::default());
    branch.n_accounts += 1;
    Ok(Answer::Balance(0))
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deposit {
    pub(crate) account: String,
    pub(crate) cents: NonZeroU64,
    pub(crate) memo: Option<String>,
}

#[handler]
fn deposit(
    event: &Deposit,
    position: Position,
    time: BatchTime,
    #[key(&event.account)] account: &mut Account,
    #[key(branch(&event.account))] branch: &mut Branch,
) -> Changed {
    let cents = event.cents.get();
    account.cents = account.after_deposit(cents)?;
    branch.paid_in_cents += i128::from(cents);
    let line = line(position, time, cents.cast_signed(), None, &event.memo);
    let lines = [WriteLine::event(&event.account, line)];
    Ok(FollowUps::events(lines).answering(Answer::Balance(account.cents)))
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Withdrawal {
    pub(crate) account: String,
    pub(crate) cents: NonZeroU64,
    pub(crate) memo: Option<String>,
}

#[handler]
fn withdraw(
    event: &Withdrawal,
    position: Position,
    time: BatchTime,
    #[key(&event.account)] account: &mut Account,
    #[key(branch(&event.account))] branch: &mut Branch,
) -> Changed {
    let cents = event.cents.get();
    account.cents = account.after_withdrawal(cents)?;
    branch.paid_in_cents -= i128::from(cents);
    let line = line(position, time, -cents.cast_signed(), None, &event.memo);
    let lines = [WriteLine::event(&event.account, line)];
    Ok(FollowUps::events(lines).answering(Answer::Balance(account.cents)))
}

/// Moves money to another account.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payment {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) cents: NonZeroU64,
    pub(crate) memo: Option<String>,
}

#[handler]
fn pay(
    event: &Payment,
    position: Position,
    time: BatchTime,
    #[key(&event.from)] from: &mut Account,
    #[key(&event.to)] to: &mut Account,
) -> Changed {
    let cents = event.cents.get();
    let rest = from.after_withdrawal(cents)?;
    to.cents = to.after_deposit(cents)?;
    from.cents = rest;
    let signed = cents.cast_signed();
    let of_payer = line(position, time, -signed, Some(&event.to), &event.memo);
    let of_payee = line(position, time, signed, Some(&event.from), &event.memo);
    let lines = [
        WriteLine::event(&event.from, of_payer),
        WriteLine::event(&event.to, of_payee),
    ];
    Ok(FollowUps::events(lines).answering(Answer::Balance(rest)))
}

/// `cents` is a change of a balance, so its amount is at most [`MAX_CENTS`].
fn line(
    position: Position,
    time: BatchTime,
    cents: i64,
    other: Option<&String>,
    memo: &Option<String>,
) -> Line {
    Line {
        position,
        unix_seconds: time.since_epoch().as_secs(),
        cents,
        other: other.cloned(),
        memo: memo.clone(),
    }
}

/// Writes a line into a statement. Only follow-up events do.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct WriteLine {
    pub(crate) account: String,
    pub(crate) line: Line,
}

impl WriteLine {
    fn event(account: &str, line: Line) -> Entry {
        Entry::WriteLine(Self {
            account: account.to_string(),
            line,
        })
    }
}

#[handler]
fn write_line(
    event: &WriteLine,
    #[key(&event.account)] statement: &mut Statement,
    #[key(branch(&event.account))] branch: &mut Branch,
) -> Answer {
    branch.n_lines += 1;
    branch.lines_cents += i128::from(event.line.cents);
    statement.n_lines += 1;
    statement.balance_cents += event.line.cents;
    if statement.lines.len() == N_LINES {
        statement.lines.pop_front();
    }
    statement.lines.push_back(event.line.clone());
    Answer::Written
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct ReadAccount(pub(crate) String);

#[handler]
fn read_account(event: &ReadAccount, #[key(&event.0)] account: &Account) -> Answer {
    let _ = event;
    Answer::Balance(account.cents)
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct ReadStatement(pub(crate) String);

#[handler]
fn read_statement(event: &ReadStatement, #[key(&event.0)] statement: &Statement) -> Answer {
    let _ = event;
    Answer::Statement(statement.clone())
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct ReadTotals;

#[handler]
fn read_totals(_: &ReadTotals, #[keys(0..N_BRANCHES)] branches: RecordSet<Branch>) -> Answer {
    let mut totals = Totals::default();
    for (_, branch) in branches.iter() {
        totals.n_accounts += branch.n_accounts;
        totals.balance_cents += branch.paid_in_cents;
        totals.n_lines += branch.n_lines;
        totals.lines_cents += branch.lines_cents;
    }
    Answer::Totals(totals)
}

/// The program without its state. Its name and version are in the journal.
fn settings() -> Durable<Entry> {
    Durable::new("bank", 2)
        .max_event_bytes(MAX_EVENT_BYTES)
        .idempotency_keys(N_KEYS)
}

/// The program in this process.
pub(crate) fn bank() -> Durable<Entry> {
    settings()
        .state::<Records<Account>>()
        .state::<Records<Statement>>()
        .state::<Records<Branch>>()
}

/// The program in worker processes.
pub(crate) fn cluster() -> Cluster<Entry> {
    Cluster::new(settings(), first_state)
        .records::<Account>()
        .records::<Statement>()
        .records::<Branch>()
}

/// The state of a new bank: no accounts.
pub(crate) fn first_state() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::<Account>::new());
    resources.insert(Records::<Statement>::new());
    let branches = (0..N_BRANCHES).map(|id| (id, Branch::default()));
    resources.insert(Records::from_iter(branches));
    resources
}
