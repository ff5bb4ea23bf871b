//! The measured events: random ones from a seed, and those of a real ledger.

use benches::ledger;
use benches::random_graph::Dice;
use benches::zipf::Zipf;

use crate::batch::Batch;
use crate::business::{
    Amalgamate, Balance, DepositChecking, Hold, Requote, SendPayment, Trade, TransactSavings,
    Transfer, WriteCheck,
};
use crate::entry::{Entry, N_QUOTES};

/// Events of one kind of business.
pub(crate) struct Workload {
    pub(crate) name: String,
    kind: Kind,
}

enum Kind {
    /// Transfers between two different accounts.
    Uniform { n_accounts: usize },
    /// The same, with a Zipf distribution of both accounts.
    Zipf { n_accounts: usize },
    /// All six kinds, with their weights.
    SmallBank { n_customers: usize },
    /// Trades. This number per thousand set the quote.
    HotReads { n_writes_per_1000: usize },
    /// Transfers in the order of a real ledger.
    Ledger(Vec<ledger::Transfer>),
}

/// The costs of the arithmetic of a handler, in nanoseconds.
pub(crate) const COSTS_NS: [u64; 4] = [0, 100, 1_000, 10_000];

/// The initial balance of an account. It is low, so that some transfers are rejected.
const OPENING: i64 = 1_000;
const MOST_PAID: usize = 100;
/// The number of accounts in addition to a hot key.
const N_TRADERS: usize = 100_000;
/// The exponent of the Zipf distribution.
const THETA: f64 = 0.99;

/// The workloads whose names begin with this text. All workloads for `None`.
///
/// # Errors
///
/// Fails if no workload has this name.
pub(crate) fn chosen(only: Option<&str>) -> Result<Vec<Workload>, String> {
    let mut all = Vec::new();
    let mut add = |name: &str, kind: Kind| {
        let name = name.to_string();
        all.push(Workload { name, kind });
    };
    for (name, n_accounts) in [
        ("uniform-2", 2),
        ("uniform-10", 10),
        ("uniform-100", 100),
        ("uniform-1k", 1_000),
        ("uniform-10k", 10_000),
        ("uniform-1M", 1_000_000),
    ] {
        add(name, Kind::Uniform { n_accounts });
    }
    for (name, n_accounts) in [("zipf-1k", 1_000), ("zipf-1M", 1_000_000)] {
        add(name, Kind::Zipf { n_accounts });
    }
    let n_customers = 10_000;
    add("smallbank", Kind::SmallBank { n_customers });
    for (name, n_writes_per_1000) in [
        ("hot-reads", 0),
        ("hot-reads-0.1%", 1),
        ("hot-reads-1%", 10),
    ] {
        add(name, Kind::HotReads { n_writes_per_1000 });
    }
    if let Some(transfers) = ledger::transfers() {
        add("ledger", Kind::Ledger(transfers));
    }
    let names: Vec<String> = all.iter().map(|workload| workload.name.clone()).collect();
    all.retain(|workload| only.is_none_or(|only| workload.name.starts_with(only)));
    if all.is_empty() {
        Err(format!("no such workload; there are {}", names.join(", ")))
    } else {
        Ok(all)
    }
}

impl Workload {
    /// A batch with a suitable number of events for a sample. Each call returns the same batch.
    pub(crate) fn batch(&self, cost_ns: u64, n_steps: u64) -> Batch {
        let n_events = match cost_ns {
            0..1_000 => 100_000,
            1_000..10_000 => 40_000,
            _ => 8_000,
        };
        let mut dice = Dice::new(8);
        let n_steps = u32::try_from(n_steps).expect("no handler takes seconds");
        match &self.kind {
            Kind::Uniform { n_accounts } => {
                let draw = |dice: &mut Dice| dice.below(*n_accounts) as u32;
                let entries = transfers(n_events, n_steps, &mut dice, draw);
                Batch::of_accounts(entries, opening_of_accounts(*n_accounts))
            }
            Kind::Zipf { n_accounts } => {
                let zipf = Zipf::new(*n_accounts, THETA, &mut dice);
                let entries = transfers(n_events, n_steps, &mut dice, |dice| zipf.draw(dice));
                Batch::of_accounts(entries, opening_of_accounts(*n_accounts))
            }
            Kind::SmallBank { n_customers } => {
                let entry = |_| small_bank(*n_customers, n_steps, &mut dice);
                Batch::of_bank(
                    (0..n_events).map(entry).collect(),
                    vec![OPENING; 2 * n_customers],
                )
            }
            Kind::HotReads { n_writes_per_1000 } => {
                let entry = |_| trade(*n_writes_per_1000, n_steps, &mut dice);
                let entries = (0..n_events).map(entry).collect();
                Batch::of_accounts(entries, opening_of_accounts(N_TRADERS))
            }
            Kind::Ledger(all) => from_ledger(all, n_events, n_steps),
        }
    }
}

fn opening_of_accounts(n_accounts: usize) -> Vec<i64> {
    vec![OPENING; N_QUOTES as usize + n_accounts]
}

fn transfers(
    n_events: usize,
    n_steps: u32,
    dice: &mut Dice,
    draw: impl Fn(&mut Dice) -> u32,
) -> Vec<Entry> {
    let transfer = |_| {
        let [from, to] = two(dice, &draw);
        Entry::Transfer(Transfer {
            from,
            to,
            amount: dice.below(MOST_PAID) as u32,
            n_steps,
        })
    };
    (0..n_events).map(transfer).collect()
}

/// Two different random numbers.
fn two(dice: &mut Dice, draw: impl Fn(&mut Dice) -> u32) -> [u32; 2] {
    let one = draw(dice);
    loop {
        let other = draw(dice);
        if other != one {
            return [one, other];
        }
    }
}

/// SmallBank (Alomari et al. 2008), with the weights of H-Store.
fn small_bank(n_customers: usize, n_steps: u32, dice: &mut Dice) -> Entry {
    let percent = dice.below(100);
    let [from, to] = two(dice, |dice| dice.below(n_customers) as u32);
    let amount = dice.below(MOST_PAID) as u32;
    match percent {
        0..15 => Entry::Amalgamate(Amalgamate { from, to, n_steps }),
        15..30 => Entry::Balance(Balance { of: from, n_steps }),
        30..45 => Entry::DepositChecking(DepositChecking {
            to,
            amount,
            n_steps,
        }),
        45..70 => Entry::SendPayment(SendPayment {
            from,
            to,
            amount,
            n_steps,
        }),
        70..85 => Entry::TransactSavings(TransactSavings {
            of: from,
            amount: amount as i32 - (MOST_PAID / 2) as i32,
            n_steps,
        }),
        _ => Entry::WriteCheck(WriteCheck {
            of: from,
            amount,
            n_steps,
        }),
    }
}

fn trade(n_writes_per_1000: usize, n_steps: u32, dice: &mut Dice) -> Entry {
    let quote = dice.below(N_QUOTES as usize) as u32;
    let [from, to] = two(dice, |dice| dice.below(N_TRADERS) as u32);
    let trade = Trade {
        quote,
        from,
        to,
        amount: dice.below(MOST_PAID) as u32,
        n_steps,
    };
    if dice.below(1000) < n_writes_per_1000 {
        Entry::Requote(Requote(trade))
    } else {
        Entry::Trade(trade)
    }
}

/// The transfers of the ledger, repeated until there are `n_events`, and at least once. A transfer to oneself is a hold. Each
/// new contract is a new account. Amounts are in thousandths of an ether, and each account starts with 1,000 ether.
fn from_ledger(all: &[ledger::Transfer], n_events: usize, n_steps: u32) -> Batch {
    let n_times = (n_events / all.len()).max(1);
    let mut n_accounts = 0;
    for transfer in all {
        n_accounts = n_accounts
            .max(transfer.from + 1)
            .max(transfer.to.unwrap_or(0) + 1);
    }
    let mut entries = Vec::with_capacity(n_times * all.len());
    for transfer in core::iter::repeat_n(all, n_times).flatten() {
        let from = transfer.from;
        let to = transfer.to.unwrap_or_else(|| {
            n_accounts += 1;
            n_accounts - 1
        });
        let amount = u32::try_from(transfer.value_wei / 10_u128.pow(15)).unwrap_or(u32::MAX);
        entries.push(if from == to {
            Entry::Hold(Hold {
                of: from,
                amount,
                n_steps,
            })
        } else {
            Entry::Transfer(Transfer {
                from,
                to,
                amount,
                n_steps,
            })
        });
    }
    let opening = vec![1_000_000; N_QUOTES as usize + n_accounts as usize];
    Batch::of_accounts(entries, opening)
}
