//! Consistency conditions of the specification (section 3.3.2), by their numbers there.

use std::collections::HashMap;

use schedule::Resources;

use super::placement::Placement;
use super::rows::{Customer, DISTRICT_YTD, District, History, Order, Stock, Warehouse};
use super::{FIRST_ORDER, N_DISTRICTS};
use crate::program::records;

/// Sums over the orders and history rows of a district.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    n_orders: u32,
    last_order: u32,
    paid: i64,
}

/// Panics if a condition is violated.
pub(super) fn check(n_warehouses: u32, resources: &Resources) {
    let mut totals: HashMap<u32, Totals> = HashMap::new();
    let (mut n_lines, mut quantity, mut n_remote) = (0, 0, 0);
    for (_, order) in records::<Order>(resources).iter() {
        let of_district = totals.entry(order.district).or_default();
        of_district.n_orders += 1;
        of_district.last_order = of_district.last_order.max(order.number);
        n_lines += order.lines.len() as u64;
        let quantities = order.lines.iter().map(|line| u64::from(line.quantity));
        quantity += quantities.sum::<u64>();
        n_remote += u64::from(!order.is_local);
    }
    for (_, history) in records::<History>(resources).iter() {
        totals.entry(history.district).or_default().paid += history.amount;
    }
    let placement = Placement::of_districts(n_warehouses);
    for w in 0..n_warehouses {
        let mut ytd = 0;
        let mut paid = 0;
        for d in 0..N_DISTRICTS {
            let id = placement.district(w, d);
            let district = records::<District>(resources)
                .get(id)
                .expect("districts are never removed");
            let totals = totals.remove(&id).unwrap_or_default();
            let last = district.next_order - 1;
            assert_eq!(last, totals.last_order.max(FIRST_ORDER - 1), "condition 2");
            assert_eq!(last, FIRST_ORDER - 1 + totals.n_orders, "condition 3");
            assert_eq!(district.ytd, DISTRICT_YTD + totals.paid, "condition 9");
            ytd += district.ytd;
            paid += totals.paid;
        }
        let warehouse = records::<Warehouse>(resources)
            .get(placement.warehouse(w))
            .expect("warehouses are never removed");
        assert_eq!(warehouse.ytd, ytd, "condition 1");
        let at_start = DISTRICT_YTD * i64::from(N_DISTRICTS);
        assert_eq!(warehouse.ytd, at_start + paid, "condition 8");
    }
    assert!(totals.is_empty(), "each row belongs to a district");
    for (_, customer) in records::<Customer>(resources).iter() {
        // No order is delivered.
        let sum = customer.balance + customer.ytd_payment;
        assert_eq!(sum, 0, "condition 12");
    }
    // Not in the specification: the stock agrees with the orders.
    let stock = records::<Stock>(resources);
    let sum = |of: fn(&Stock) -> u32| stock.iter().map(|(_, row)| u64::from(of(row))).sum();
    assert_eq!(quantity, sum(|row| row.ytd), "quantities");
    assert_eq!(n_lines, sum(|row| row.n_orders), "lines of orders");
    let n_remote_lines: u64 = sum(|row| row.n_remote);
    assert!(n_remote <= n_remote_lines, "remote lines of orders");
}
