//! A small bank: the business of SmallBank (Alomari et al. 2008), with the weights of H-Store.
//!
//! Each customer has a savings and a checking account. Six kinds of events come by chance, from a seed.

use std::sync::Mutex;

use schedule::prelude::*;
use schedule_stream::prelude::*;

use crate::book::{Book, locked, unlocked};
use crate::business::Business;
use crate::verdict::{Refused, Settled, Verdict};
use crate::work::Work;

/// What a customer saves: cents.
#[derive(Record, Clone, Debug)]
#[record(id = u32)]
pub(crate) struct Savings(i64);

/// What a customer spends: cents; less than nothing, if he wrote too many checks.
#[derive(Record, Clone, Debug)]
#[record(id = u32)]
pub(crate) struct Checking(i64);

/// What both start with.
const OPENING_CENTS: i64 = 10_000;
const N_CUSTOMERS: u32 = 10_000;
const N_EVENTS: usize = 200_000;
const MOST_CENTS: u64 = 10_000;
/// For a check that nothing covers.
const PENALTY_CENTS: i64 = 100;

/// All that a customer has goes to another's checking account; or to his own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amalgamate {
    from: u32,
    to: u32,
}

#[handler(alias = first)]
pub(crate) fn amalgamate(
    event: &Amalgamate,
    work: &Work,
    #[key(event.from)] savings: &mut Savings,
    #[key(event.from)] checking: &mut Checking,
    #[key(event.to)] to: Option<&mut Checking>,
) -> Verdict {
    work.take();
    let saved = core::mem::take(&mut savings.0);
    let Some(to) = to else {
        checking.0 += saved;
        return Ok(Settled::ToSelf);
    };
    to.0 += saved + core::mem::take(&mut checking.0);
    Ok(Settled::Moved)
}

/// Whether a customer has anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    of: u32,
}

#[handler]
pub(crate) fn balance(
    event: &Balance,
    work: &Work,
    #[key(event.of)] savings: &Savings,
    #[key(event.of)] checking: &Checking,
) -> Verdict {
    work.take();
    match savings.0 + checking.0 < 0 {
        true => Err(Refused::Overdrawn),
        false => Ok(Settled::Moved),
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DepositChecking {
    to: u32,
    cents: i64,
}

#[handler]
pub(crate) fn deposit_checking(
    event: &DepositChecking,
    work: &Work,
    #[key(event.to)] to: &mut Checking,
) -> Verdict {
    work.take();
    to.0 += event.cents;
    Ok(Settled::Moved)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SendPayment {
    from: u32,
    to: u32,
    cents: i64,
}

#[handler(alias = first)]
pub(crate) fn send_payment(
    event: &SendPayment,
    work: &Work,
    #[key(event.from)] from: &mut Checking,
    #[key(event.to)] to: Option<&mut Checking>,
) -> Verdict {
    work.take();
    if from.0 < event.cents {
        return Err(Refused::Overdrawn);
    }
    let Some(to) = to else {
        return Ok(Settled::ToSelf);
    };
    from.0 -= event.cents;
    to.0 += event.cents;
    Ok(Settled::Moved)
}

/// Less than nothing is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransactSavings {
    of: u32,
    cents: i64,
}

#[handler]
pub(crate) fn transact_savings(
    event: &TransactSavings,
    work: &Work,
    #[key(event.of)] savings: &mut Savings,
) -> Verdict {
    work.take();
    if savings.0 + event.cents < 0 {
        return Err(Refused::Overdrawn);
    }
    savings.0 += event.cents;
    Ok(Settled::Moved)
}

/// Is never refused, but costs more if there is too little.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteCheck {
    of: u32,
    cents: i64,
}

#[handler]
pub(crate) fn write_check(
    event: &WriteCheck,
    work: &Work,
    #[key(event.of)] savings: &Savings,
    #[key(event.of)] checking: &mut Checking,
) -> Verdict {
    work.take();
    let is_covered = savings.0 + checking.0 >= event.cents;
    checking.0 -= event.cents;
    if !is_covered {
        checking.0 -= PENALTY_CENTS;
    }
    Ok(Settled::Moved)
}

#[derive(Clone, Copy, Debug, Event)]
#[event(answer = Settled, error = Refused)]
pub(crate) enum Entry {
    #[event(amalgamate)]
    Amalgamate(Amalgamate),
    #[event(balance)]
    Balance(Balance),
    #[event(deposit_checking)]
    DepositChecking(DepositChecking),
    #[event(send_payment)]
    SendPayment(SendPayment),
    #[event(transact_savings)]
    TransactSavings(TransactSavings),
    #[event(write_check)]
    WriteCheck(WriteCheck),
}

/// A day at the bank. The same each time.
pub(crate) struct Bank {
    entries: Vec<Entry>,
}

impl Bank {
    pub(crate) fn new() -> Self {
        Self::of_first(N_EVENTS)
    }

    /// So many of its events.
    fn of_first(n_events: usize) -> Self {
        let mut dice = Dice(8);
        Self {
            entries: (0..n_events).map(|_| Entry::random(&mut dice)).collect(),
        }
    }
}

impl Entry {
    fn random(dice: &mut Dice) -> Self {
        let percent = dice.below(100);
        let [of, to] = [(); 2].map(|()| dice.below(N_CUSTOMERS.into()) as u32);
        let cents = dice.below(MOST_CENTS) as i64;
        match percent {
            0..15 => Self::from(Amalgamate { from: of, to }),
            15..30 => Self::from(Balance { of }),
            30..45 => Self::from(DepositChecking { to, cents }),
            45..70 => Self::from(SendPayment {
                from: of,
                to,
                cents,
            }),
            70..85 => Self::from(TransactSavings {
                of,
                cents: cents - MOST_CENTS as i64 / 2,
            }),
            _ => Self::from(WriteCheck { of, cents }),
        }
    }
}

/// Chance that can be repeated. SplitMix64: Steele, Lea, Flood 2014.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }
}

/// By customer.
pub(crate) struct Books<S = Vec<Savings>, C = Vec<Checking>> {
    savings: S,
    checking: C,
}

type Locks = Books<Vec<Mutex<Savings>>, Vec<Mutex<Checking>>>;

impl<S: Book<Savings>, C: Book<Checking>> Books<S, C> {
    fn settle(&mut self, entry: &Entry, work: &Work) -> Verdict {
        let Self {
            savings: all_savings,
            checking: all_checking,
        } = self;
        match entry {
            Entry::Amalgamate(event) => all_savings.one(event.from, |savings| {
                all_checking.two([event.from, event.to], |checking, to| {
                    amalgamate(event, work, savings, checking, to)
                })
            }),
            Entry::Balance(event) => all_savings.one(event.of, |savings| {
                all_checking.one(event.of, |checking| balance(event, work, savings, checking))
            }),
            Entry::DepositChecking(event) => {
                all_checking.one(event.to, |to| deposit_checking(event, work, to))
            }
            Entry::SendPayment(event) => all_checking.two([event.from, event.to], |from, to| {
                send_payment(event, work, from, to)
            }),
            Entry::TransactSavings(event) => {
                all_savings.one(event.of, |savings| transact_savings(event, work, savings))
            }
            Entry::WriteCheck(event) => all_savings.one(event.of, |savings| {
                all_checking.one(event.of, |checking| {
                    write_check(event, work, savings, checking)
                })
            }),
        }
    }
}

impl Business for Bank {
    type Entry = Entry;
    type Books = Books;
    type Locks = Locks;

    fn describe(&self) -> String {
        format!(
            "a small bank; {N_CUSTOMERS} customers, with {OPENING_CENTS} cents in each of two accounts"
        )
    }

    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn books(&self) -> Books {
        Books {
            savings: vec![Savings(OPENING_CENTS); N_CUSTOMERS as usize],
            checking: vec![Checking(OPENING_CENTS); N_CUSTOMERS as usize],
        }
    }

    fn lock(books: Books) -> Locks {
        Books {
            savings: locked(books.savings),
            checking: locked(books.checking),
        }
    }

    fn unlock(locks: Locks) -> Books {
        Books {
            savings: unlocked(locks.savings),
            checking: unlocked(locks.checking),
        }
    }

    fn insert(books: Books, resources: &mut Resources) {
        resources.insert(Records::from_iter((0..).zip(books.savings)));
        resources.insert(Records::from_iter((0..).zip(books.checking)));
    }

    fn numbers(books: &Books) -> Vec<u128> {
        let savings = books.savings.iter().map(|savings| savings.0);
        let checking = books.checking.iter().map(|checking| checking.0);
        savings.chain(checking).map(bits).collect()
    }

    fn numbers_in(resources: &Resources) -> Vec<u128> {
        let savings = resources.get::<Records<Savings>>();
        let savings = savings.expect("they were inserted").iter();
        let checking = resources.get::<Records<Checking>>();
        let checking = checking.expect("they were inserted").iter();
        let savings = savings.map(|(_, savings)| savings.0);
        let checking = checking.map(|(_, checking)| checking.0);
        savings.chain(checking).map(bits).collect()
    }

    fn settle(books: &mut Books, entry: &Entry, work: &Work) -> Verdict {
        books.settle(entry, work)
    }

    fn settle_locked(locks: &Locks, entry: &Entry, work: &Work) -> Verdict {
        let mut books = Books {
            savings: locks.savings.as_slice(),
            checking: locks.checking.as_slice(),
        };
        books.settle(entry, work)
    }
}

fn bits(cents: i64) -> u128 {
    u128::from(cents as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::way;

    #[test]
    fn the_stream_comes_to_what_the_loop_comes_to() {
        for n_threads in [1, 2, 4] {
            let options = Options {
                file: None,
                n_threads,
                handler_ns: 0,
            };
            let [serial, stream, _] = way::take_all(&Bank::of_first(3_000), &options).unwrap();
            assert!(serial.is_steady && stream.is_steady);
            assert_eq!(serial.state, stream.state);
            assert_eq!(serial.outcomes, stream.outcomes);
            assert!(serial.tally.n_accepted > 0 && serial.tally.n_refused > 0);
        }
    }

    #[test]
    fn who_amalgamates_with_oneself_spends_all_that_is_saved() {
        let (mut savings, mut checking) = (Savings(3), Checking(4));
        let event = Amalgamate { from: 0, to: 0 };
        let verdict = amalgamate(&event, &Work::new(0), &mut savings, &mut checking, None);
        assert_eq!(verdict, Ok(Settled::ToSelf));
        assert_eq!((savings.0, checking.0), (0, 7));
    }

    #[test]
    fn a_check_that_nothing_covers_costs_more() {
        let write = |cents| {
            let mut checking = Checking(4);
            let event = WriteCheck { of: 0, cents };
            write_check(&event, &Work::new(0), &Savings(3), &mut checking).unwrap();
            checking.0
        };
        assert_eq!(write(7), -3);
        assert_eq!(write(8), -4 - PENALTY_CENTS);
    }
}
