//! The operations as handlers of a stream.

use schedule_stream::prelude::*;

use crate::business::{
    Amalgamate, Balance, DepositChecking, Hold, Requote, SendPayment, Trade, TransactSavings,
    Transfer, Verdict, WriteCheck,
};

#[derive(Record)]
#[record(id = u32)]
pub(crate) struct Quote(pub(crate) i64);

#[derive(Record)]
#[record(id = u32)]
pub(crate) struct Account(pub(crate) i64);

/// The savings account of a customer.
#[derive(Record)]
#[record(id = u32)]
pub(crate) struct Savings(pub(crate) i64);

/// The checking account of a customer.
#[derive(Record)]
#[record(id = u32)]
pub(crate) struct Checking(pub(crate) i64);

#[handler]
pub(crate) fn transfer(
    event: &Transfer,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> Verdict {
    event.settle(&mut from.0, &mut to.0)
}

#[handler]
pub(crate) fn hold(event: &Hold, #[key(event.of)] of: &Account) -> Verdict {
    event.settle(of.0)
}

#[handler]
pub(crate) fn trade(
    event: &Trade,
    #[key(event.quote)] quote: &Quote,
    #[key(event.from)] from: &mut Account,
    #[key(event.to)] to: &mut Account,
) -> Verdict {
    event.settle(quote.0, &mut from.0, &mut to.0)
}

#[handler]
pub(crate) fn requote(
    event: &Requote,
    #[key(event.0.quote)] quote: &mut Quote,
    #[key(event.0.from)] from: &mut Account,
    #[key(event.0.to)] to: &mut Account,
) -> Verdict {
    event.settle(&mut quote.0, &mut from.0, &mut to.0)
}

#[handler]
pub(crate) fn amalgamate(
    event: &Amalgamate,
    #[key(event.from)] savings: &mut Savings,
    #[key(event.from)] checking: &mut Checking,
    #[key(event.to)] to: &mut Checking,
) -> Verdict {
    event.settle(&mut savings.0, &mut checking.0, &mut to.0)
}

#[handler]
pub(crate) fn balance(
    event: &Balance,
    #[key(event.of)] savings: &Savings,
    #[key(event.of)] checking: &Checking,
) -> Verdict {
    event.settle(savings.0, checking.0)
}

#[handler]
pub(crate) fn deposit_checking(
    event: &DepositChecking,
    #[key(event.to)] to: &mut Checking,
) -> Verdict {
    event.settle(&mut to.0)
}

#[handler]
pub(crate) fn send_payment(
    event: &SendPayment,
    #[key(event.from)] from: &mut Checking,
    #[key(event.to)] to: &mut Checking,
) -> Verdict {
    event.settle(&mut from.0, &mut to.0)
}

#[handler]
pub(crate) fn transact_savings(
    event: &TransactSavings,
    #[key(event.of)] savings: &mut Savings,
) -> Verdict {
    event.settle(&mut savings.0)
}

#[handler]
pub(crate) fn write_check(
    event: &WriteCheck,
    #[key(event.of)] savings: &Savings,
    #[key(event.of)] checking: &mut Checking,
) -> Verdict {
    event.settle(savings.0, &mut checking.0)
}
