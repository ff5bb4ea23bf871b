use std::path::Path;

use inputs::transfers::reader;

use super::*;
use crate::options::Options;
use crate::way;

const WORK: fn() -> Work = || Work::new(0);

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
    let verdict = pay(&payment(0, 1, 6), &WORK(), &mut from, Some(&mut to));
    assert_eq!(verdict, Err(Refused::Overdrawn));
    assert_eq!((from.wei, to.wei), (5, 0));
}

#[test]
fn who_pays_oneself_needs_it_and_keeps_it() {
    let mut account = Account { wei: 5 };
    let mut pay_oneself = |wei| pay(&payment(0, 0, wei), &WORK(), &mut account, None);
    assert_eq!(pay_oneself(5), Ok(Settled::ToSelf));
    assert_eq!(pay_oneself(6), Err(Refused::Overdrawn));
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
        let verdict = move_token(
            &event,
            &WORK(),
            &mut from,
            Some(&mut to),
            &mut giver,
            Some(&mut taker),
        );
        (verdict, [from.wei, to.wei], [giver.tokens, taker.tokens])
    };
    assert_eq!(move_one(3, 1), (Ok(Settled::Moved), [0, 3], [0, 1]));
    assert_eq!(move_one(2, 1), (Err(Refused::Overdrawn), [2, 0], [1, 0]));
    assert_eq!(move_one(3, 0), (Err(Refused::NoToken), [3, 0], [0, 0]));
}

#[test]
fn a_contract_that_cannot_be_paid_is_not_there() {
    let create_with = |value_wei, mut contract| {
        let event = Creation {
            creator: 0,
            contract: 1,
            value_wei,
        };
        let verdict = create(
            &event,
            &WORK(),
            &mut Account { wei: 5 },
            Slot::new(&mut contract),
        );
        (verdict, contract)
    };
    let account = |wei| Some(Account { wei });
    assert_eq!(create_with(5, None), (Ok(Settled::Moved), account(5)));
    assert_eq!(create_with(6, None), (Err(Refused::Overdrawn), None));
    // One that is named elsewhere is there before.
    assert_eq!(create_with(5, account(2)), (Ok(Settled::Moved), account(7)));
}

/// Of the sample: each creation that names no account makes one of its own, and so does one whose account nobody else
/// names.
#[test]
fn contracts_are_not_open_before_they_are_created() {
    let ledger = sample();
    let n_closed = ledger.is_open.iter().filter(|is_open| !**is_open).count();
    // The third creation is of account 11, which is called afterwards: so it was open all the time.
    assert_eq!(n_closed, 2);
}

#[test]
fn the_stream_comes_to_what_the_loop_comes_to() {
    let ledger = sample();
    for n_threads in [1, 2, 4] {
        let options = Options {
            file: None,
            n_threads,
            handler_ns: 0,
        };
        let [serial, stream, locks] = way::take_all(&ledger, &options).unwrap();
        assert!(serial.is_steady && stream.is_steady);
        assert_eq!(serial.state, stream.state);
        assert_eq!(serial.outcomes, stream.outcomes);
        assert_eq!(serial.tally, stream.tally);
        assert_eq!((serial.tally.n_accepted, serial.tally.n_refused), (20, 6));
        assert_eq!(serial.tally.n_to_self, 1);
        let n_events = locks.tally.n_accepted + locks.tally.n_refused;
        assert_eq!(n_events, ledger.entries.len());
    }
}
