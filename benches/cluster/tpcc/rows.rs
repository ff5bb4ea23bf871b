//! The tables, and their rows before the first transaction. Money is in cents, rates are in parts of 10,000.

use benches::random_graph::Dice;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use super::placement::Placement;
use super::{FIRST_ORDER, N_CUSTOMERS, N_DISTRICTS, N_ITEMS};

/// The whole of which rates are parts.
pub(super) const RATE: i64 = 10_000;

/// The sum of payments of a district at the start.
pub(super) const DISTRICT_YTD: i64 = 3_000_000;

/// Maximum length of the data of a customer.
pub(super) const MAX_DATA: usize = 500;

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "warehouse")]
pub(crate) struct Warehouse {
    pub(super) tax: i64,
    pub(super) ytd: i64,
}

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "district")]
pub(crate) struct District {
    pub(super) tax: i64,
    pub(super) ytd: i64,
    pub(super) next_order: u32,
}

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "customer")]
pub(crate) struct Customer {
    pub(super) discount: i64,
    pub(super) balance: i64,
    pub(super) ytd_payment: i64,
    pub(super) n_payments: u32,
    /// Only for a customer with bad credit.
    pub(super) data: Option<String>,
}

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "stock")]
pub(crate) struct Stock {
    pub(super) quantity: i32,
    pub(super) ytd: u32,
    pub(super) n_orders: u32,
    pub(super) n_remote: u32,
}

/// An order that is not delivered.
#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "order")]
pub(crate) struct Order {
    /// The id of the district.
    pub(super) district: u32,
    pub(super) number: u32,
    /// The id of the customer.
    pub(super) customer: u32,
    pub(super) is_local: bool,
    pub(super) lines: Vec<OrderLine>,
}

#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub(crate) struct OrderLine {
    pub(super) item: u32,
    /// The id of the stock row.
    pub(super) stock: u32,
    pub(super) quantity: u8,
    pub(super) amount: i64,
}

#[derive(Clone, Debug, Hash, Record, Snapshot, Serialize, Deserialize)]
#[record(id = u32)]
#[snapshot(name = "history")]
pub(crate) struct History {
    /// The id of the district.
    pub(super) district: u32,
    /// The id of the customer.
    pub(super) customer: u32,
    pub(super) amount: i64,
}

/// The prices of all items, which never change.
#[derive(Clone, Debug, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "items")]
pub(crate) struct Items(Vec<u32>);

impl Items {
    /// Returns the price, or `None` if the item does not exist.
    pub(super) fn price(&self, item: u32) -> Option<i64> {
        self.0.get(item as usize).map(|price| i64::from(*price))
    }
}

/// Returns all rows before the first transaction.
pub(super) fn resources(n_warehouses: u32) -> Resources {
    let placement = Placement::of_tables(n_warehouses, 0);
    let mut dice = Dice::new(10);
    // A random number from `low` to `high`.
    let mut between = |low: usize, high: usize| (low + dice.below(high - low + 1)) as u32;
    let prices = (0..N_ITEMS).map(|_| between(100, 10_000));
    let items = Items(prices.collect());
    let mut warehouses = Records::new();
    let mut districts = Records::new();
    let mut customers = Records::new();
    let mut stock = Records::new();
    for w in 0..n_warehouses {
        let warehouse = Warehouse {
            tax: between(0, 2_000).into(),
            ytd: DISTRICT_YTD * i64::from(N_DISTRICTS),
        };
        warehouses.insert(placement.warehouse(w), warehouse);
        for d in 0..N_DISTRICTS {
            let district = District {
                tax: between(0, 2_000).into(),
                ytd: DISTRICT_YTD,
                next_order: FIRST_ORDER,
            };
            districts.insert(placement.district(w, d), district);
            for c in 0..N_CUSTOMERS {
                let has_bad_credit = between(1, 100) <= 10;
                let n_letters = between(300, MAX_DATA) as usize;
                let customer = Customer {
                    discount: between(0, 5_000).into(),
                    balance: -1_000,
                    ytd_payment: 1_000,
                    n_payments: 1,
                    data: has_bad_credit.then(|| "x".repeat(n_letters)),
                };
                customers.insert(placement.customer(w, d, c), customer);
            }
        }
        for item in 0..N_ITEMS {
            let row = Stock {
                quantity: between(10, 100).cast_signed(),
                ytd: 0,
                n_orders: 0,
                n_remote: 0,
            };
            stock.insert(placement.stock(w, item), row);
        }
    }
    let mut resources = Resources::new();
    resources.insert(items);
    resources.insert(warehouses);
    resources.insert(districts);
    resources.insert(customers);
    resources.insert(stock);
    resources.insert(Records::<Order>::new());
    resources.insert(Records::<History>::new());
    resources
}
