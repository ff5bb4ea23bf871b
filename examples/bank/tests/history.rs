//! The history of a bank: a sequential run of all batches of its journal.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::Duration;

use schedule::prelude::*;
use schedule_stream::durable::read_events;
use schedule_stream::journal::{self, EntryKind, Journal, JournalError, Opened};
use schedule_stream::prelude::*;
use schedule_stream::{BatchTime, Position, Processing};

use crate::ledger::{
    Account, Answer, Branch, Deposit, Entry, Payment, Statement, Withdrawal, first_state,
};

/// A batch of the journal.
#[derive(Clone, Debug, PartialEq)]
struct StoredBatch {
    number: u64,
    /// Nanoseconds since the Unix epoch.
    time: u64,
    events: Vec<Entry>,
}

/// Opens the journal of a bank that was killed. A worker process has the lock for a moment, if the bank was killed when it started it.
fn open(folder: &Path) -> Opened {
    loop {
        match journal::open(folder) {
            Err(JournalError::Locked { .. }) => thread::sleep(Duration::from_millis(1)),
            opened => return opened.unwrap(),
        }
    }
}

/// Returns the batches of a journal from this number on.
fn batches_from(folder: &Path, first: u64) -> Vec<StoredBatch> {
    let mut opened = open(folder);
    let mut batches = Vec::new();
    let read = opened.journal.read(first, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        batches.push(StoredBatch {
            number: stored.record.batch,
            time: stored.record.time,
            events: read_events(stored).unwrap(),
        });
        ControlFlow::Continue(())
    });
    read.unwrap();
    batches
}

/// The result of an event, in a form that can be compared: the balance, or the error.
pub(super) type EventResult = Result<Answer, String>;

/// The accounts and statements in the order of their names, and the branches.
#[derive(Debug, PartialEq)]
pub(super) struct Content {
    pub(super) accounts: Vec<(String, Account)>,
    pub(super) statements: Vec<(String, Statement)>,
    pub(super) branches: Vec<Branch>,
}

pub(super) fn content(resources: &Resources) -> Content {
    let accounts = resources.get::<Records<Account>>().unwrap();
    let statements = resources.get::<Records<Statement>>().unwrap();
    let branches = resources.get::<Records<Branch>>().unwrap();
    let copy = |(name, account): (&String, &Account)| (name.clone(), account.clone());
    let copy_statement =
        |(name, statement): (&String, &Statement)| (name.clone(), statement.clone());
    let mut content = Content {
        accounts: accounts.iter().map(copy).collect(),
        statements: statements.iter().map(copy_statement).collect(),
        branches: branches.iter().map(|(_, branch)| branch.clone()).collect(),
    };
    // The order of a store depends on the number of processes.
    content.accounts.sort_by(|one, other| one.0.cmp(&other.0));
    content.statements.sort_by(|one, other| one.0.cmp(&other.0));
    content
}

/// A sequential run of all batches, in a plain stream without a journal.
pub(super) struct History {
    stream: Stream<Entry>,
    resources: Resources,
    /// The number of the next batch.
    next: u64,
    /// The memos of all events that were not follow-up events. Each client request has its own.
    memos: HashSet<String>,
    /// Deposits less withdrawals.
    cents: i128,
    /// Results of all events.
    results: HashMap<Position, (Entry, EventResult)>,
}

impl History {
    pub(super) fn new() -> Self {
        let mut stream = Stream::new();
        stream.set_processing(Processing::Serial);
        Self {
            stream,
            resources: first_state(),
            next: 1,
            memos: HashSet::new(),
            cents: 0,
            results: HashMap::new(),
        }
    }

    /// Runs the batches of a journal that this history does not have yet. Returns their number.
    ///
    /// # Panics
    ///
    /// Panics if a batch is missing, or if a request is in the journal twice.
    pub(super) fn continue_with(&mut self, folder: &Path) -> usize {
        let batches = batches_from(folder, self.next);
        for batch in &batches {
            assert_eq!(batch.number, self.next, "a batch is missing");
            for event in &batch.events {
                assert!(
                    !matches!(event, Entry::WriteLine(_)),
                    "a follow-up event is in the journal"
                );
                if let Some(memo) = memo(event) {
                    assert!(self.memos.insert(memo.clone()), "{memo} is there twice");
                }
            }
            self.process(batch);
        }
        batches.len()
    }

    fn process(&mut self, batch: &StoredBatch) {
        let time = batch.time;
        self.stream.set_clock(move || BatchTime::from_nanos(time));
        let (results, cents) = (&mut self.results, &mut self.cents);
        let report = |outcome: Outcome<Entry>| {
            if outcome.is_applied() {
                match &outcome.event {
                    Entry::Deposit(deposit) => *cents += i128::from(deposit.cents.get()),
                    Entry::Withdraw(withdrawal) => *cents -= i128::from(withdrawal.cents.get()),
                    _ => {}
                }
            }
            let result = outcome.result.map_err(|error| error.to_string());
            results.insert(outcome.position, (outcome.event, result));
        };
        let events = batch.events.iter().cloned();
        let processed = self
            .stream
            .process_batch(&mut self.resources, events, report);
        processed.unwrap();
        self.next += 1;
    }

    pub(super) fn next_batch(&self) -> u64 {
        self.next
    }

    pub(super) fn n_pending(&self) -> usize {
        self.stream.n_pending()
    }

    pub(super) fn content(&self) -> Content {
        content(&self.resources)
    }

    /// Deposits less withdrawals.
    pub(super) fn cents(&self) -> i128 {
        self.cents
    }

    /// Returns the event and the result at a position.
    pub(super) fn at(&self, position: Position) -> Option<&(Entry, EventResult)> {
        self.results.get(&position)
    }
}

/// Returns the memo of an event that a client has sent.
pub(super) fn memo(event: &Entry) -> Option<&String> {
    match event {
        Entry::Deposit(Deposit { memo, .. })
        | Entry::Withdraw(Withdrawal { memo, .. })
        | Entry::Pay(Payment { memo, .. }) => memo.as_ref(),
        _ => None,
    }
}
