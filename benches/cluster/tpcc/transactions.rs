//! The handlers of the transactions.

use core::fmt;

use schedule::snapshot::Snapshot;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use super::N_ITEMS;
use super::rows::{
    Customer, District, History, Items, MAX_DATA, Order, OrderLine, RATE, Stock, Warehouse,
};

/// A transaction. All rows are named by their ids.
#[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
#[event(answer = i64, error = UnknownItem)]
#[snapshot(name = "transaction")]
pub(crate) enum Transaction {
    #[event(new_order)]
    NewOrder(NewOrder),
    #[event(payment)]
    Payment(Payment),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewOrder {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    pub(super) customer: u32,
    pub(super) lines: Vec<RequestedLine>,
    /// The place of the order.
    pub(super) order: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RequestedLine {
    pub(super) item: u32,
    pub(super) stock: u32,
    pub(super) quantity: u8,
    /// Whether another warehouse supplies the item.
    pub(super) is_remote: bool,
}

impl NewOrder {
    /// The stock rows of the items that exist.
    fn stock(&self) -> impl Iterator<Item = u32> {
        let lines = self.lines.iter().filter(|line| line.item < N_ITEMS);
        lines.map(|line| line.stock)
    }
}

/// The error of an order that contains an item that does not exist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnknownItem;

impl fmt::Display for UnknownItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item of the order does not exist")
    }
}

/// Answers with the price of the order. An order with an unknown item changes nothing.
#[handler]
fn new_order(
    event: &NewOrder,
    items: &Items,
    #[key(event.warehouse)] warehouse: &Warehouse,
    #[key(event.district)] district: &mut District,
    #[key(event.customer)] customer: &Customer,
    #[keys(event.stock())] mut stock: RecordSetMut<Stock>,
    #[key(event.order)] mut order: Slot<Order>,
) -> Result<i64, UnknownItem> {
    let priced = event.lines.iter().map(|line| {
        let price = items.price(line.item).ok_or(UnknownItem)?;
        Ok(OrderLine {
            item: line.item,
            stock: line.stock,
            quantity: line.quantity,
            amount: price * i64::from(line.quantity),
        })
    });
    let lines: Vec<OrderLine> = priced.collect::<Result<_, _>>()?;
    let number = district.next_order;
    district.next_order += 1;
    for line in &event.lines {
        let row = stock.get_mut(line.stock).expect("each item has stock");
        let quantity = i32::from(line.quantity);
        row.quantity -= quantity;
        if row.quantity < 10 {
            row.quantity += 91;
        }
        row.ytd += u32::from(line.quantity);
        row.n_orders += 1;
        row.n_remote += u32::from(line.is_remote);
    }
    let amount: i64 = lines.iter().map(|line| line.amount).sum();
    order.insert(Order {
        district: event.district,
        number,
        customer: event.customer,
        is_local: !event.lines.iter().any(|line| line.is_remote),
        lines,
    });
    let taxed = amount * (RATE + warehouse.tax + district.tax) / RATE;
    Ok(taxed * (RATE - customer.discount) / RATE)
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Payment {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    /// A customer of this warehouse or of another one.
    pub(super) customer: u32,
    pub(super) amount: i64,
    /// The place of the history row.
    pub(super) history: u32,
}

/// Answers with the balance of the customer.
#[handler]
fn payment(
    event: &Payment,
    #[key(event.warehouse)] warehouse: &mut Warehouse,
    #[key(event.district)] district: &mut District,
    #[key(event.customer)] customer: &mut Customer,
    #[key(event.history)] mut history: Slot<History>,
) -> i64 {
    let amount = event.amount;
    warehouse.ytd += amount;
    district.ytd += amount;
    customer.balance -= amount;
    customer.ytd_payment += amount;
    customer.n_payments += 1;
    if let Some(data) = &mut customer.data {
        let (customer, district) = (event.customer, event.district);
        let entry = format!("{customer} {district} {} {amount}|", event.warehouse);
        data.insert_str(0, &entry);
        data.truncate(MAX_DATA);
    }
    history.insert(History {
        district: event.district,
        customer: event.customer,
        amount,
    });
    customer.balance
}
