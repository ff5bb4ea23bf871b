use std::path::Path;
use std::sync::Arc;

use inputs::transfers::reader;

use super::*;
use crate::method::{self, Measurements};
use crate::options::Options;

const NO_WORK: fn() -> Work = || Work::new(0);

fn payment(from: u32, to: u32, value_wei: u128) -> Payment {
    Payment {
        from,
        to,
        value_wei,
    }
}

fn sample() -> Ledger {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/sample.csv");
    Ledger::new(&reader::read(&file).unwrap())
}

#[test]
fn an_overdraft_moves_nothing() {
    let (mut from, mut to) = (Account { wei: 5 }, Account { wei: 0 });
    let result = pay(&payment(0, 1, 6), &NO_WORK(), &mut from, Some(&mut to));
    assert_eq!(result, Err(Rejected::Overdrawn));
    assert_eq!((from.wei, to.wei), (5, 0));
}

#[test]
fn paying_oneself_needs_the_balance_and_changes_nothing() {
    let mut account = Account { wei: 5 };
    let mut pay_oneself = |wei| pay(&payment(0, 0, wei), &NO_WORK(), &mut account, None);
    assert_eq!(pay_oneself(5), Ok(Applied::ToSelf));
    assert_eq!(pay_oneself(6), Err(Rejected::Overdrawn));
    assert_eq!(account.wei, 5);
}

#[test]
fn a_token_moves_with_the_payment_or_not_at_all() {
    let move_one = |wei: u128, tokens: u64| {
        let event = TokenTransfer {
            payment: payment(0, 1, 3),
            token_from: 0,
            token_to: 1,
        };
        let (mut from, mut to) = (Account { wei }, Account { wei: 0 });
        let (mut giver, mut taker) = (Holder { tokens }, Holder { tokens: 0 });
        let result = move_token(
            &event,
            &NO_WORK(),
            &mut from,
            Some(&mut to),
            &mut giver,
            Some(&mut taker),
        );
        (result, [from.wei, to.wei], [giver.tokens, taker.tokens])
    };
    assert_eq!(move_one(3, 1), (Ok(Applied::Moved), [0, 3], [0, 1]));
    assert_eq!(move_one(2, 1), (Err(Rejected::Overdrawn), [2, 0], [1, 0]));
    assert_eq!(move_one(3, 0), (Err(Rejected::NoToken), [3, 0], [0, 0]));
}

#[test]
fn contract_that_cannot_be_paid_is_not_created() {
    let create_with = |value_wei, mut contract| {
        let event = Creation {
            creator: 0,
            contract: 1,
            value_wei,
        };
        let result = create(
            &event,
            &NO_WORK(),
            &mut Account { wei: 5 },
            Slot::new(&mut contract),
        );
        (result, contract)
    };
    let account = |wei| Some(Account { wei });
    assert_eq!(create_with(5, None), (Ok(Applied::Moved), account(5)));
    assert_eq!(create_with(6, None), (Err(Rejected::Overdrawn), None));
    // A contract that occurs in other rows exists before.
    assert_eq!(create_with(5, account(2)), (Ok(Applied::Moved), account(7)));
}

/// In the sample, two creations create a new account: one row names no account, and the account of the other row occurs in no
/// other row.
#[test]
fn contracts_are_not_open_before_they_are_created() {
    let ledger = sample();
    let n_closed = ledger.is_open.iter().filter(|is_open| !**is_open).count();
    // The third creation is of account 11. A later row calls it, so it is open from the start.
    assert_eq!(n_closed, 2);
}

#[test]
fn stream_and_loop_have_the_same_result() {
    let ledger = Arc::new(sample());
    for n_threads in [1, 2, 4] {
        let options = Options {
            file: None,
            n_threads,
            n_processes: None,
            handler_ns: 0,
        };
        let Measurements {
            serial,
            stream,
            locks,
            ..
        } = method::run_all(&ledger, Work::new(0), &options).unwrap();
        assert!(serial.is_deterministic && stream.is_deterministic);
        assert_eq!(serial.state, stream.state);
        assert_eq!(serial.outcomes, stream.outcomes);
        assert_eq!(serial.tally, stream.tally);
        assert_eq!((serial.tally.n_accepted, serial.tally.n_rejected), (20, 6));
        assert_eq!(serial.tally.n_to_self, 1);
        let n_events = locks.tally.n_accepted + locks.tally.n_rejected;
        assert_eq!(n_events, ledger.entries.len());
    }
}
