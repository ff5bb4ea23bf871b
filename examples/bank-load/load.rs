//! The load: connections that send payments at the same time.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fastrand::Rng;
use hdrhistogram::Histogram;
use schedule::BoxError;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::api::Acceptance;
use crate::book::{Book, Difference};
use crate::connection::{Connection, Submitted, Target, leave};
use crate::ledger::{Deposit, Entry, Open, Payment};
use crate::options::Options;
use crate::report::{Report, print_progress};
use crate::submitter::Submitter;

/// Balance of each account at the start. Small, so that some payments are rejected.
const OPENING_CENTS: u64 = 1_000;
const MAX_PAYMENT_CENTS: u64 = 100;

/// Number of lines about the progress.
const N_PROGRESS: u64 = 20;

/// Time in which a payment gets an answer, also if the bank is started again meanwhile.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// Time in which payments happen whose client has gone away.
const UNKNOWN_LIMIT: Duration = Duration::from_secs(10);

/// Time in which the bank writes the last lines of statements.
const LINES_LIMIT: Duration = Duration::from_secs(30);

/// The state that all connections share. Relaxed everywhere: counts are read when they are complete, or only to show the progress.
#[derive(Debug)]
struct Shared {
    target: Target,
    /// The names of the accounts and the keys begin with it.
    prefix: String,
    /// The names of the accounts.
    accounts: Vec<String>,
    book: Book,
    n_payments: u64,
    /// Percentage of payments whose client goes away.
    leave: u32,
    /// Whether payments have idempotency keys.
    has_keys: bool,
    /// Number of payments that have begun.
    n_begun: AtomicU64,
    /// Number of payments that have ended.
    n_ended: AtomicU64,
    /// The memory of the bank after about half of the payments, in bytes. 0 if it is unknown.
    half_bytes: AtomicU64,
    /// The maximum of this memory later, while payments are sent.
    late_bytes: AtomicU64,
}

/// The results of one connection, or of all.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) n_accepted: u64,
    pub(crate) n_rejected: u64,
    /// Payments without an answer, because the client has gone away, the connection broke, or the bank ended.
    pub(crate) n_unknown: u64,
    /// How often payments with a key were sent again.
    pub(crate) n_repeated: u64,
    /// From the request to the answer, in microseconds.
    pub(crate) latency_us: Histogram<u64>,
}

impl Tally {
    fn new() -> Self {
        Self {
            n_accepted: 0,
            n_rejected: 0,
            n_unknown: 0,
            n_repeated: 0,
            latency_us: Histogram::new(2).expect("2 digits are supported"),
        }
    }

    fn add(&mut self, other: &Self) {
        self.n_accepted += other.n_accepted;
        self.n_rejected += other.n_rejected;
        self.n_unknown += other.n_unknown;
        self.n_repeated += other.n_repeated;
        let added = self.latency_us.add(&other.latency_us);
        added.expect("the histogram grows");
    }
}

/// Opens accounts, sends payments, and compares the balances with the answers.
///
/// # Errors
///
/// Fails if the bank cannot be reached, or gives an answer that is not one of a bank.
pub(crate) async fn run(target: Target, options: &Options) -> Result<Report, BoxError> {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
    // Other runs may have used the same bank.
    let prefix = format!("load-{nanos:x}-{:x}", std::process::id());
    let n_accounts = options.n_accounts as usize;
    let shared = Arc::new(Shared {
        target,
        accounts: (0..n_accounts)
            .map(|nth| format!("{prefix}-{nth}"))
            .collect(),
        prefix,
        book: Book::new(n_accounts, OPENING_CENTS),
        n_payments: options.n_payments,
        leave: options.leave,
        has_keys: options.has_keys,
        n_begun: AtomicU64::new(0),
        n_ended: AtomicU64::new(0),
        half_bytes: AtomicU64::new(0),
        late_bytes: AtomicU64::new(0),
    });
    open_accounts(&shared, options.n_connections).await?;

    let start = Instant::now();
    let progress = tokio::spawn(watch(Arc::clone(&shared), start));
    let mut connections = JoinSet::new();
    for seed in 0..options.n_connections {
        let shared = Arc::clone(&shared);
        connections.spawn(async move { shared.pay(Rng::with_seed(seed.into())).await });
    }
    let mut tally = Tally::new();
    while let Some(one) = connections.join_next().await {
        tally.add(&one??);
    }
    let time = start.elapsed();
    progress.abort();
    let mut connection = shared.target.connect().await?;
    let resident_bytes = connection.resident_bytes().await?;
    let late_bytes = shared.late_bytes.load(Relaxed);
    let half_bytes = shared.half_bytes.load(Relaxed);
    let is_sampled = half_bytes > 0 && late_bytes > 0;
    let growth_bytes = is_sampled.then(|| late_bytes.saturating_sub(half_bytes));

    let checked = Instant::now();
    let mut difference = shared.check(options.n_connections).await?;
    // A payment whose client has gone away can happen while the balances are read.
    while difference.is_some() && tally.n_unknown > 0 && checked.elapsed() < UNKNOWN_LIMIT {
        sleep(Duration::from_millis(50)).await;
        difference = shared.check(options.n_connections).await?;
    }
    let missing_lines_cents = missing_lines(&mut connection).await?;
    Ok(Report {
        tally,
        time,
        difference: difference.map(|difference| shared.describe(&difference)),
        missing_lines_cents,
        resident_bytes,
        growth_bytes,
        max_growth_bytes: options.max_growth.map(|mebibytes| mebibytes << 20),
    })
}

/// Opens all accounts, and deposits their first money.
async fn open_accounts(shared: &Arc<Shared>, n_connections: u32) -> Result<(), BoxError> {
    let mut connections = JoinSet::new();
    for nth in 0..n_connections as usize {
        let shared = Arc::clone(shared);
        connections.spawn(async move {
            let mut connection = shared.target.connect().await?;
            for account in shared
                .accounts
                .iter()
                .skip(nth)
                .step_by(n_connections as usize)
            {
                let account = account.clone();
                let deposit = Deposit {
                    account: account.clone(),
                    cents: NonZeroU64::new(OPENING_CENTS).expect("it is not 0"),
                    memo: None,
                };
                for event in [Entry::Open(Open { account }), Entry::Deposit(deposit)] {
                    match connection.submit(event, None).await? {
                        Submitted::Accepted => {}
                        other => return Err(format!("an account was not opened: {other:?}").into()),
                    }
                }
            }
            Ok::<(), BoxError>(())
        });
    }
    while let Some(opened) = connections.join_next().await {
        opened??;
    }
    Ok(())
}

/// Prints the progress.
async fn watch(shared: Arc<Shared>, start: Instant) -> Result<(), BoxError> {
    let mut connection = shared.target.connect().await?;
    let step = shared.n_payments.div_ceil(N_PROGRESS);
    let mut next = 0;
    loop {
        let n = shared.n_ended.load(Relaxed);
        if n >= next {
            let resident_bytes = match connection.resident_bytes().await {
                Ok(resident_bytes) => resident_bytes,
                Err(_) => {
                    connection = shared.reconnect().await?;
                    continue;
                }
            };
            print_progress(start.elapsed(), n, resident_bytes);
            let resident_bytes = resident_bytes.unwrap_or(0);
            if n <= shared.n_payments / 2 {
                shared.half_bytes.store(resident_bytes, Relaxed);
            } else {
                shared.late_bytes.fetch_max(resident_bytes, Relaxed);
            }
            next += step;
        }
        sleep(Duration::from_millis(5)).await;
    }
}

impl Shared {
    /// Sends payments, one after the other, until all have begun.
    async fn pay(&self, mut random: Rng) -> Result<Tally, BoxError> {
        let mut tally = Tally::new();
        let mut submitter = Submitter::connect(&self.target, ANSWER_LIMIT).await?;
        loop {
            let nth = self.n_begun.fetch_add(1, Relaxed);
            if nth >= self.n_payments {
                tally.n_repeated += submitter.n_repeated();
                return Ok(tally);
            }
            let from = random.usize(..self.accounts.len());
            // Another account.
            let to = (from + random.usize(1..self.accounts.len())) % self.accounts.len();
            let cents = random.u64(1..=MAX_PAYMENT_CENTS);
            let payment = Payment {
                from: self.accounts[from].clone(),
                to: self.accounts[to].clone(),
                cents: NonZeroU64::new(cents).expect("it is at least 1"),
                memo: Some(format!("payment {nth}")),
            };
            let key = self.has_keys.then(|| format!("{}-{nth}", self.prefix));
            let key = key.as_deref();
            let mut is_over = false;
            if let Target::Http(address) = &self.target
                && random.u32(..100) < self.leave
            {
                // One in two is whole.
                let part = (random.f64() * 2.0).min(1.0);
                let left = leave(*address, &payment, key, part).await;
                // With a key, the payment is repeated.
                is_over = key.is_none();
                tally.n_repeated += u64::from(!is_over);
                if is_over && left? {
                    self.book.unknown(from, to, cents);
                    tally.n_unknown += 1;
                }
            }
            let start = Instant::now();
            if !is_over {
                let submitted = submitter
                    .submit(&Entry::Pay(payment), key)
                    .await
                    .map_err(|error| format!("payment {nth}: {error}"))?;
                let latency_us = u64::try_from(start.elapsed().as_micros())?;
                match submitted {
                    Submitted::Accepted => {
                        self.book.accepted(from, to, cents);
                        tally.n_accepted += 1;
                        tally.latency_us.record(latency_us)?;
                    }
                    Submitted::Rejected(_) => {
                        tally.n_rejected += 1;
                        tally.latency_us.record(latency_us)?;
                    }
                    Submitted::Unanswered { accepted, .. } => {
                        if accepted == Acceptance::Unknown {
                            self.book.unknown(from, to, cents);
                        }
                        tally.n_unknown += 1;
                    }
                }
            }
            self.n_ended.fetch_add(1, Relaxed);
        }
    }

    /// Connects again after a connection broke. With keys, waits for a bank that is started again.
    async fn reconnect(&self) -> Result<Connection, BoxError> {
        let start = Instant::now();
        loop {
            let connected = self.target.connect().await;
            if connected.is_ok() || !self.has_keys || start.elapsed() > ANSWER_LIMIT {
                return connected;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Reads all balances, and compares them with the book.
    async fn check(self: &Arc<Self>, n_connections: u32) -> Result<Option<Difference>, BoxError> {
        let mut connections = JoinSet::new();
        for nth in 0..n_connections as usize {
            let shared = Arc::clone(self);
            connections.spawn(async move {
                let mut connection = shared.target.connect().await?;
                let mut balances = Vec::new();
                for account in (nth..shared.accounts.len()).step_by(n_connections as usize) {
                    let cents = connection.balance(&shared.accounts[account]).await?;
                    balances.push((account, cents));
                }
                Ok::<_, BoxError>(balances)
            });
        }
        let mut balances = vec![0; self.accounts.len()];
        while let Some(read) = connections.join_next().await {
            for (account, cents) in read?? {
                balances[account] = cents;
            }
        }
        Ok(self.book.check(&balances).err())
    }

    fn describe(&self, difference: &Difference) -> String {
        match difference {
            Difference::Balance {
                account,
                found,
                expected: (least, most),
            } => format!(
                "the account `{}` has {found} cents, but {least} to {most} are expected",
                self.accounts[*account]
            ),
            Difference::Sum { found, expected } => {
                format!("all accounts have {found} cents, but {expected} are expected")
            }
        }
    }
}

/// Waits until the statements have all lines. Returns the difference between the balances and the lines, in cents. It is 0 unless
/// another client uses the bank.
async fn missing_lines(connection: &mut Connection) -> Result<i128, BoxError> {
    let start = Instant::now();
    loop {
        let totals = connection.totals().await?;
        let missing = totals.balance_cents - totals.lines_cents;
        if missing == 0 || start.elapsed() > LINES_LIMIT {
            return Ok(missing);
        }
        sleep(Duration::from_millis(5)).await;
    }
}
