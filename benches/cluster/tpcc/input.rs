//! Random transactions.

use benches::random_graph::Dice;

use super::placement::{Placement, process_of};
use super::transactions::{NewOrder, Payment, RequestedLine, Transaction};
use super::{N_CUSTOMERS, N_DISTRICTS, N_ITEMS};
use crate::contender::N_PROCESSES;

/// Number of different last names.
const N_NAMES: u32 = 1_000;

/// The constants of the distributions of customers and items.
const CUSTOMER_C: u32 = 259;
const ITEM_C: u32 = 7_911;

/// The constants of the distribution of last names, of the customers and in payments. The specification limits their
/// difference.
const NAME_C: u32 = 100;
const PAYMENT_NAME_C: u32 = 190;

/// The share of payments among transactions. The others are new orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix {
    pub(crate) payment_percent: u32,
}

struct Input {
    n_warehouses: u32,
    dice: Dice,
    placement: Placement,
    /// `names[w * N_DISTRICTS + d][n]`: the customers of district d of warehouse w with last name n, in the order of their
    /// numbers, which stands for the order of their first names.
    names: Vec<Vec<Vec<u32>>>,
    /// `n_orders[p]`: number of orders with a place in process p.
    n_orders: [usize; N_PROCESSES as usize],
    /// The same for history rows.
    n_payments: [usize; N_PROCESSES as usize],
}

/// Returns random transactions, and the number of those whose rows are in two processes.
pub(crate) fn random_transactions(
    n_warehouses: u32,
    n: usize,
    mix: Mix,
) -> (Vec<Transaction>, usize) {
    let mut input = Input {
        n_warehouses,
        dice: Dice::new(11),
        placement: Placement::of_tables(n_warehouses, n),
        names: Vec::new(),
        n_orders: [0; N_PROCESSES as usize],
        n_payments: [0; N_PROCESSES as usize],
    };
    let names = (0..n_warehouses * N_DISTRICTS).map(|_| input.random_names());
    input.names = names.collect();
    let mut n_across = 0;
    let mut transactions = Vec::with_capacity(n);
    for _ in 0..n {
        let (transaction, is_across) = if input.is_chosen(mix.payment_percent) {
            input.payment()
        } else {
            input.new_order()
        };
        n_across += usize::from(is_across);
        transactions.push(transaction);
    }
    (transactions, n_across)
}

impl Input {
    /// Returns a number from `low` to `high`.
    fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.dice.below((high - low + 1) as usize) as u32
    }

    fn is_chosen(&mut self, percent: u32) -> bool {
        self.between(1, 100) <= percent
    }

    /// The function NURand of the specification: a number from `low` to `high`, some of which are frequent.
    fn not_uniform(&mut self, a: u32, c: u32, low: u32, high: u32) -> u32 {
        let mixed = self.between(0, a) | self.between(low, high);
        (mixed + c) % (high - low + 1) + low
    }

    /// Returns the customers of a district by their last names. The first customers have different names.
    fn random_names(&mut self) -> Vec<Vec<u32>> {
        let mut customers = vec![Vec::new(); N_NAMES as usize];
        for customer in 0..N_CUSTOMERS {
            let name = if customer < N_NAMES {
                customer
            } else {
                self.not_uniform(255, NAME_C, 0, N_NAMES - 1)
            };
            customers[name as usize].push(customer);
        }
        customers
    }

    fn customer_by_number(&mut self) -> u32 {
        self.not_uniform(1_023, CUSTOMER_C, 1, N_CUSTOMERS) - 1
    }

    /// Returns the middle one of the customers with a random last name.
    fn customer_by_name(&mut self, warehouse: u32, district: u32) -> u32 {
        let name = self.not_uniform(255, PAYMENT_NAME_C, 0, N_NAMES - 1);
        let names = &self.names[(warehouse * N_DISTRICTS + district) as usize];
        let customers = &names[name as usize];
        customers[customers.len().div_ceil(2) - 1]
    }

    fn random_warehouse(&mut self) -> u32 {
        self.between(0, self.n_warehouses - 1)
    }

    /// Returns a warehouse that is not this one, if there are several.
    fn other_warehouse(&mut self, than: u32) -> u32 {
        if self.n_warehouses == 1 {
            return than;
        }
        let other = self.between(0, self.n_warehouses - 2);
        other + u32::from(other >= than)
    }

    /// Returns an order, and whether its rows are in two processes.
    fn new_order(&mut self) -> (Transaction, bool) {
        let home = self.random_warehouse();
        let district = self.between(0, N_DISTRICTS - 1);
        let customer = self.customer_by_number();
        let n_lines = self.between(5, 15);
        let is_rolled_back = self.is_chosen(1);
        let mut is_across = false;
        let mut lines = Vec::with_capacity(n_lines as usize);
        for nth in 1..=n_lines {
            let mut item = self.not_uniform(8_191, ITEM_C, 1, N_ITEMS) - 1;
            let supplier = if self.is_chosen(1) {
                self.other_warehouse(home)
            } else {
                home
            };
            let stock = self.placement.stock(supplier, item);
            if is_rolled_back && nth == n_lines {
                item = N_ITEMS;
            } else {
                is_across |= process_of(supplier) != process_of(home);
            }
            lines.push(RequestedLine {
                item,
                stock,
                quantity: self.between(1, 10) as u8,
                is_remote: supplier != home,
            });
        }
        let process = process_of(home);
        let nth = &mut self.n_orders[process as usize];
        let order = self.placement.added(process, *nth);
        *nth += 1;
        let order = NewOrder {
            warehouse: self.placement.warehouse(home),
            district: self.placement.district(home, district),
            customer: self.placement.customer(home, district, customer),
            lines,
            order,
        };
        (Transaction::NewOrder(order), is_across)
    }

    /// Returns a payment, and whether its rows are in two processes.
    fn payment(&mut self) -> (Transaction, bool) {
        let home = self.random_warehouse();
        let district = self.between(0, N_DISTRICTS - 1);
        let (of_warehouse, of_district) = if self.is_chosen(15) {
            let other = self.other_warehouse(home);
            (other, self.between(0, N_DISTRICTS - 1))
        } else {
            (home, district)
        };
        let customer = if self.is_chosen(60) {
            self.customer_by_name(of_warehouse, of_district)
        } else {
            self.customer_by_number()
        };
        let amount = self.between(100, 500_000);
        let process = process_of(home);
        let nth = &mut self.n_payments[process as usize];
        let history = self.placement.added(process, *nth);
        *nth += 1;
        let placement = &self.placement;
        let payment = Payment {
            warehouse: placement.warehouse(home),
            district: placement.district(home, district),
            customer: placement.customer(of_warehouse, of_district, customer),
            amount: amount.into(),
            history,
        };
        let is_across = process != process_of(of_warehouse);
        (Transaction::Payment(payment), is_across)
    }
}
