//! The transactions New-Order and Payment of TPC-C (TPC Benchmark C, revision 5.11).
//!
//! Differences from the specification:
//!
//! - The other three transactions, terminals, delays, and orders before the first transaction are left out.
//! - Dates, and text columns that no transaction changes, are left out.
//! - The lines of an order, and its row in NEW-ORDER, are parts of the row of the order.
//! - The client assigns the place of a new order and of a history row. It finds customers by their last names, which never
//!   change, in an index of its own.
//! - Each transaction belongs to a random warehouse, because there are no terminals.

mod check;
mod input;
mod placement;
mod rows;
mod transactions;

use schedule::prelude::*;
use schedule_cluster::Cluster;
use schedule_stream::durable::Durable;
use schedule_stream::prelude::*;

use crate::program::{Program, records_digest};

pub(crate) use self::input::{Mix, random_transactions};

use self::rows::{Customer, District, History, Items, Order, Stock, Warehouse};
use self::transactions::Transaction;

/// Number of items, and of stock rows of a warehouse.
const N_ITEMS: u32 = 100_000;

/// Number of districts of a warehouse.
const N_DISTRICTS: u32 = 10;

/// Number of customers of a district.
const N_CUSTOMERS: u32 = 3_000;

/// The number of the first order of a district.
const FIRST_ORDER: u32 = 3_001;

/// The database with this number of warehouses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tpcc(pub(crate) u32);

impl Program for Tpcc {
    type Event = Transaction;

    const NAME: &'static str = "tpcc";

    fn of_size(size: u32) -> Self {
        Self(size)
    }

    fn size(self) -> u32 {
        self.0
    }

    fn resources(self) -> Resources {
        rows::resources(self.0)
    }

    fn declare(durable: Durable<Transaction>) -> Durable<Transaction> {
        let durable = durable
            .state::<Records<Warehouse>>()
            .state::<Records<District>>()
            .state::<Records<Customer>>()
            .state::<Records<Stock>>()
            .state::<Records<Order>>()
            .state::<Records<History>>();
        durable.constant::<Items>()
    }

    fn declare_cluster(cluster: Cluster<Transaction>) -> Cluster<Transaction> {
        let cluster = cluster
            .records::<Warehouse>()
            .records::<District>()
            .records::<Customer>()
            .records::<Stock>()
            .records::<Order>()
            .records::<History>();
        cluster.constant::<Items>()
    }

    fn digest(resources: &Resources) -> u64 {
        let digests = [
            records_digest::<Warehouse>,
            records_digest::<District>,
            records_digest::<Customer>,
            records_digest::<Stock>,
            records_digest::<Order>,
            records_digest::<History>,
        ]
        .into_iter()
        .map(|digest| digest(resources));
        digests.fold(0, |all, digest| all.rotate_left(9) ^ digest)
    }

    fn check(self, resources: &Resources) {
        check::check(self.0, resources);
    }
}
