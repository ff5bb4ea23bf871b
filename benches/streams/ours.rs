//! This project.

use std::sync::Arc;

use rayon::ThreadPool;
use schedule::Resources;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::{Records, Stream};

use crate::batch::{Batch, Result};
use crate::business::Verdict;
use crate::contender::Contender;
use crate::entry::{Entry, N_QUOTES, account, checking, savings};
use crate::handlers::{Account, Checking, Quote, Savings};

pub(crate) struct Ours<'b> {
    name: &'static str,
    batch: &'b Batch,
    stream: Stream<Entry>,
    resources: Resources,
    verdicts: Vec<Option<Verdict>>,
}

impl<'b> Ours<'b> {
    pub(crate) fn new(
        name: &'static str,
        batch: &'b Batch,
        processing: ProcessingMode,
        pool: &Arc<ThreadPool>,
    ) -> Self {
        let mut stream = Stream::new();
        stream.set_pool(Arc::clone(pool));
        set_mode(&mut stream, processing);
        let (n_accounts, n_customers) = if batch.is_bank {
            (0, batch.opening.len() / 2)
        } else {
            (batch.opening.len() - N_QUOTES as usize, 0)
        };
        let mut resources = Resources::new();
        let numbers = |n: usize| 0..n as u32;
        let quotes = numbers(N_QUOTES as usize).map(|number| (number, Quote(0)));
        resources.insert(Records::from_iter(quotes));
        let accounts = numbers(n_accounts).map(|number| (number, Account(0)));
        resources.insert(Records::from_iter(accounts));
        let savings = numbers(n_customers).map(|number| (number, Savings(0)));
        resources.insert(Records::from_iter(savings));
        let checking = numbers(n_customers).map(|number| (number, Checking(0)));
        resources.insert(Records::from_iter(checking));
        Self {
            name,
            batch,
            stream,
            resources,
            verdicts: Vec::with_capacity(batch.entries.len()),
        }
    }
}

impl Contender for Ours<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reset(&mut self) {
        self.verdicts.clear();
        let opening = |cell: u32| self.batch.opening[cell as usize];
        let resources = &mut self.resources;
        if self.batch.is_bank {
            let all = resources.get_mut::<Records<Savings>>();
            for (of, balance) in all.expect("it was inserted").iter_mut() {
                balance.0 = opening(savings(*of));
            }
            let all = resources.get_mut::<Records<Checking>>();
            for (of, balance) in all.expect("it was inserted").iter_mut() {
                balance.0 = opening(checking(*of));
            }
        } else {
            let all = resources.get_mut::<Records<Quote>>();
            for (cell, quote) in all.expect("it was inserted").iter_mut() {
                quote.0 = opening(*cell);
            }
            let all = resources.get_mut::<Records<Account>>();
            for (number, balance) in all.expect("it was inserted").iter_mut() {
                balance.0 = opening(account(*number));
            }
        }
    }

    fn run(&mut self) {
        let entries = self.batch.entries.iter().copied();
        let verdicts = &mut self.verdicts;
        let result = self
            .stream
            .process(&mut self.resources, entries, |outcome| {
                verdicts.push(outcome.result.ok());
            });
        result.expect("all stores are there");
    }

    fn result(&self) -> Result {
        let mut cells = vec![0; self.batch.opening.len()];
        let mut set = |cell: u32, balance: i64| cells[cell as usize] = balance;
        let resources = &self.resources;
        if self.batch.is_bank {
            let all = resources.get::<Records<Savings>>();
            for (of, balance) in all.expect("it was inserted").iter() {
                set(savings(*of), balance.0);
            }
            let all = resources.get::<Records<Checking>>();
            for (of, balance) in all.expect("it was inserted").iter() {
                set(checking(*of), balance.0);
            }
        } else {
            let all = resources.get::<Records<Quote>>();
            for (cell, quote) in all.expect("it was inserted").iter() {
                set(*cell, quote.0);
            }
            let all = resources.get::<Records<Account>>();
            for (number, balance) in all.expect("it was inserted").iter() {
                set(account(*number), balance.0);
            }
        }
        Result {
            cells,
            verdicts: self.verdicts.clone(),
        }
    }
}
