//! The program that all contenders run: transfers between accounts.

use benches::random_graph::Dice;
use schedule::Resources;
use schedule::snapshot::Snapshot;
use schedule_stream::durable::{Durable, DurableStream};
use schedule_stream::journal::{Journal, MemoryJournal, MemorySnapshots};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "account")]
pub(crate) struct Account {
    balance: u64,
}

/// 64 bytes in a record.
#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(transfer, answer = u64, error = String)]
#[snapshot(name = "transfer")]
pub(crate) struct Transfer {
    from: u32,
    to: u32,
    amount: u64,
    /// The cost of the handler, in iterations of a loop.
    n_iterations: u32,
    purpose: String,
}

#[handler]
fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> Result<u64, String> {
    for n in 0..event.n_iterations {
        std::hint::black_box(n);
    }
    let rest = from.balance.checked_sub(event.amount);
    from.balance = rest.ok_or_else(|| "overdrawn".to_string())?;
    to.balance += event.amount;
    Ok(from.balance)
}

/// Returns random transfers between this number of accounts.
pub(crate) fn transfers(n: usize, n_accounts: u32, n_iterations: u32) -> Vec<Transfer> {
    let mut dice = Dice::new(11);
    let mut account = || dice.below(n_accounts as usize) as u32;
    let one = |_| {
        let (from, other) = (account(), account());
        let to = if from == other {
            (from + 1) % n_accounts
        } else {
            other
        };
        let mut transfer = Transfer {
            from,
            to,
            amount: u64::from(from % 10),
            n_iterations,
            purpose: String::new(),
        };
        // Numbers have variable sizes.
        let n_bytes = n_bytes(&transfer);
        transfer.purpose = "x".repeat(64 - n_bytes);
        transfer
    };
    (0..n).map(one).collect()
}

/// The size of a transfer in a record.
pub(crate) fn n_bytes(transfer: &Transfer) -> usize {
    let mut encoder = schedule::snapshot::Encoder::new();
    encoder.save(transfer).expect("a transfer can be saved");
    encoder.as_bytes().len()
}

pub(crate) fn resources(n_accounts: u32) -> Resources {
    let account = |id| (id, Account { balance: 1_000_000 });
    let mut resources = Resources::new();
    resources.insert((0..n_accounts).map(account).collect::<Records<_>>());
    resources
}

pub(crate) fn program() -> Durable<Transfer> {
    Durable::new("bank", 1).state::<Records<Account>>()
}

/// Recovers the program from an empty journal.
pub(crate) fn recover(journal: impl Journal + 'static, n_accounts: u32) -> DurableStream<Transfer> {
    let snapshots = Box::new(MemorySnapshots::new());
    let recovered = program().recover_from(Box::new(journal), snapshots, resources(n_accounts));
    recovered.expect("the journal is empty")
}

pub(crate) fn in_memory(n_accounts: u32) -> DurableStream<Transfer> {
    recover(MemoryJournal::new(), n_accounts)
}
