//! YCSB-T, as Styx uses it (Psarakis et al. 2025, section 8.1): transfers between two of 10,000 accounts.
//!
//! A transaction reads two accounts and writes both. It fails if the debtor has too little credit. All debtors are equally
//! frequent. The creditors have a Zipf distribution.

use core::fmt;

use benches::random_graph::Dice;
use benches::zipf::Zipf;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_cluster::Cluster;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use crate::program::{Program, records, records_digest};

const N_ACCOUNTS: u32 = 10_000;

/// Credit of an account at the start.
const CREDIT: i64 = 1_000_000;

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "ycsb account")]
pub(crate) struct CreditAccount(i64);

/// Moves one unit of credit.
#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(transfer_credit, answer = i64, error = TooLittleCredit)]
#[snapshot(name = "ycsb transfer")]
pub(crate) struct CreditTransfer {
    debtor: u32,
    creditor: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TooLittleCredit;

impl fmt::Display for TooLittleCredit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the debtor has too little credit")
    }
}

#[handler]
fn transfer_credit(
    event: &CreditTransfer,
    #[key(event.debtor)] debtor: &mut CreditAccount,
    #[key(event.creditor)] creditor: &mut CreditAccount,
) -> Result<i64, TooLittleCredit> {
    if debtor.0 < 1 {
        return Err(TooLittleCredit);
    }
    debtor.0 -= 1;
    creditor.0 += 1;
    Ok(debtor.0)
}

/// The accounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ycsb;

impl Program for Ycsb {
    type Event = CreditTransfer;

    const NAME: &'static str = "ycsb";

    fn of_size(_: u32) -> Self {
        Self
    }

    fn size(self) -> u32 {
        N_ACCOUNTS
    }

    fn resources(self) -> Resources {
        let mut resources = Resources::new();
        let accounts = (0..N_ACCOUNTS).map(|id| (id, CreditAccount(CREDIT)));
        resources.insert(Records::from_iter(accounts));
        resources
    }

    fn declare(durable: Durable<CreditTransfer>) -> Durable<CreditTransfer> {
        durable.state::<Records<CreditAccount>>()
    }

    fn declare_cluster(cluster: Cluster<CreditTransfer>) -> Cluster<CreditTransfer> {
        cluster.records::<CreditAccount>()
    }

    fn digest(resources: &Resources) -> u64 {
        records_digest::<CreditAccount>(resources)
    }

    fn check(self, resources: &Resources) {
        let accounts = records::<CreditAccount>(resources);
        let sum: i64 = accounts.iter().map(|(_, account)| account.0).sum();
        assert_eq!(sum, CREDIT * i64::from(N_ACCOUNTS), "credit is lost");
    }
}

/// Returns random transfers. The creditors are uniform if `theta` is 0.
pub(crate) fn random_transfers(n: usize, theta: f64) -> Vec<CreditTransfer> {
    let mut dice = Dice::new(9);
    let creditors = Zipf::new(N_ACCOUNTS as usize, theta, &mut dice);
    let mut transfers = Vec::with_capacity(n);
    while transfers.len() < n {
        let debtor = dice.below(N_ACCOUNTS as usize) as u32;
        let creditor = creditors.draw(&mut dice);
        if debtor != creditor {
            transfers.push(CreditTransfer { debtor, creditor });
        }
    }
    transfers
}
